//! The host: takes a front end's commands, runs turns one after the other, and owns the session they belong to.

use crate::approval::rules::Rules;
use crate::approval::{ApproveMode, Gate};
use crate::card::Answer;
use crate::context::Budget;
use crate::event::{Event, EventSink, Level};
use crate::id::ApprovalId;
use crate::limits;
use crate::message::{Image, Message, Origin};
use crate::model::{Model, Models};
use crate::session::Session;
use crate::session::store::SessionStore;
use crate::tool::ToolSource;
use crate::turn::{Agent, Opening};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a front end can ask for.
#[derive(Clone, Debug)]
pub enum Command {
    /// A prompt. While a turn runs it is queued.
    Send {
        text: String,
        images: Vec<Image>,
    },
    /// Go on after the step limit or an error.
    Continue,
    /// Stop the running turn; the conversation keeps what happened.
    Cancel,
    Answer {
        id: ApprovalId,
        answer: Answer,
    },
    /// A new, empty session.
    Reset,
    /// Another session: its id, the beginning of it, or its number in the list.
    Resume {
        which: String,
    },
    /// A new session that begins as a copy of this one.
    Fork,
    /// Replace what is behind by a summary the model writes; the session's file keeps all of it.
    Compact,
    /// Ask another model from here on.
    SetModel {
        name: String,
    },
    /// Back to before a person's prompt, counted from 0; the session's file keeps what was.
    Rewind {
        prompt: usize,
    },
    /// Who answers cards from here on.
    SetMode {
        mode: ApproveMode,
    },
    /// End: the running turn is cancelled and the event stream closes.
    Close,
}

/// What a host is made of.
pub struct Setup {
    pub model: Arc<dyn Model>,
    /// In this order; later ones are appended to the tool list, so that the request's prefix stays the same.
    pub sources: Vec<Arc<dyn ToolSource>>,
    pub mode: ApproveMode,
    pub rules: Rules,
    pub system: String,
    pub max_steps: usize,
    pub store: SessionStore,
    pub cwd: PathBuf,
    /// The session to go on with; a new one without.
    pub session: Option<Session>,
    /// Where [`Command::SetModel`] finds models; without, the model stays.
    pub models: Option<Arc<dyn Models>>,
}

/// A running host.
pub struct Host {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<Event>,
    /// What sources use to tell the front end something between turns.
    pub sink: EventSink,
}

impl Host {
    /// Starts a host; it ends when it is told to close or its commands' senders are gone.
    pub fn start(setup: Setup) -> Self {
        let (sink, events) = EventSink::channel();
        let (commands, receiver) = mpsc::channel(limits::COMMAND_QUEUE);
        let worker = Worker::new(setup, sink.clone());
        tokio::spawn(worker.run(receiver));
        Host { commands, events, sink }
    }
}

struct Worker {
    agent: Agent,
    store: SessionStore,
    cwd: PathBuf,
    models: Option<Arc<dyn Models>>,
    queue: VecDeque<Command>,
    notice: Option<String>,
}

/// What takes long enough to be listened to meanwhile.
enum Work {
    Turn(Opening),
    Compact,
}

enum Next {
    Go,
    Close,
}

impl Worker {
    fn new(setup: Setup, events: EventSink) -> Self {
        let (session, notice) = match setup.session {
            Some(mut session) => {
                let warning = session.take_warning();
                (session, warning)
            }
            None => setup.store.create(&setup.model.profile().name, &setup.cwd, None),
        };
        let agent = Agent {
            model: setup.model,
            sources: setup.sources,
            gate: Gate::new(setup.mode, setup.rules),
            session,
            events,
            system: setup.system,
            max_steps: setup.max_steps,
            budget: Budget::default(),
        };
        Worker {
            agent,
            store: setup.store,
            cwd: setup.cwd,
            models: setup.models,
            queue: VecDeque::new(),
            notice,
        }
    }

    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        self.announce().await;
        loop {
            let command = match self.queue.pop_front() {
                Some(command) => Some(command),
                None => commands.recv().await,
            };
            let Some(command) = command else { break };
            match self.obey(command, &mut commands).await {
                Next::Go => {}
                Next::Close => break,
            }
        }
        self.agent.session.sync();
        self.agent.events.set_journal(None);
    }

    async fn obey(&mut self, command: Command, commands: &mut mpsc::Receiver<Command>) -> Next {
        match command {
            Command::Send { text, images } => {
                self.work(Work::Turn(Opening::Prompt { text, images }), commands).await
            }
            Command::Continue => self.work(Work::Turn(Opening::Continue), commands).await,
            // Nothing runs now, so there is nothing to stop and no card to answer.
            Command::Cancel | Command::Answer { .. } => Next::Go,
            Command::Reset => {
                self.fresh().await;
                Next::Go
            }
            Command::Resume { which } => {
                self.resume(&which).await;
                Next::Go
            }
            Command::Fork => {
                self.fork().await;
                Next::Go
            }
            Command::Compact => self.work(Work::Compact, commands).await,
            Command::SetModel { name } => {
                self.set_model(&name).await;
                Next::Go
            }
            Command::Rewind { prompt } => {
                self.rewind(prompt).await;
                Next::Go
            }
            Command::SetMode { mode } => {
                self.agent.gate.set_mode(mode);
                Next::Go
            }
            Command::Close => Next::Close,
        }
    }

    /// Works and listens meanwhile. What can't be done now is queued.
    async fn work(&mut self, work: Work, commands: &mut mpsc::Receiver<Command>) -> Next {
        let cancel = CancellationToken::new();
        let cards = self.agent.gate.pending();
        let queue = &mut self.queue;
        let agent = &mut self.agent;
        let work = async {
            match work {
                Work::Turn(opening) => {
                    agent.turn(opening, &cancel).await;
                }
                Work::Compact => agent.compact(&cancel).await,
            }
        };
        tokio::pin!(work);
        let mut next = Next::Go;
        let mut listening = true;
        loop {
            tokio::select! {
                () = &mut work => return next,
                command = commands.recv(), if listening => match command {
                    Some(Command::Cancel) => cancel.cancel(),
                    Some(Command::Answer { id, answer }) => cards.answer(&id, answer),
                    Some(Command::Close) | None => {
                        cancel.cancel();
                        queue.clear();
                        listening = false;
                        next = Next::Close;
                    }
                    Some(other) => queue.push_back(other),
                },
            }
        }
    }

    async fn fresh(&mut self) {
        let (session, notice) = self.store.create(&self.model_name(), &self.cwd, None);
        self.enter(session, notice).await;
    }

    async fn resume(&mut self, which: &str) {
        match self.store.id_of(which) {
            Ok(id) if id == *self.agent.session.id() => {
                self.agent.events.notice(Level::Info, "this session is already open here").await;
                return;
            }
            _ => {}
        }
        match self.store.open(which) {
            Ok(session) => self.enter(session, None).await,
            Err(error) => self.agent.events.notice(Level::Warning, error.to_string()).await,
        }
    }

    async fn fork(&mut self) {
        let model = self.model_name();
        let current = &self.agent.session;
        let forked = match current.path() {
            Some(_) => self.store.fork(current.id().as_str(), &model, &self.cwd),
            None => {
                let (mut session, notice) = self.store.create(&model, &self.cwd, Some(current.id().clone()));
                session.replace_messages(current.messages().to_vec());
                Ok((session, notice))
            }
        };
        match forked {
            Ok((session, notice)) => self.enter(session, notice).await,
            Err(error) => self.agent.events.notice(Level::Warning, error.to_string()).await,
        }
    }

    async fn set_model(&mut self, name: &str) {
        let Some(models) = &self.models else {
            self.agent.events.notice(Level::Warning, "the model can't be changed here").await;
            return;
        };
        match models.open(name) {
            Ok(model) => {
                self.agent.model = model;
                self.agent.budget.forget_model();
                self.announce().await;
            }
            Err(error) => {
                let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                let text = format!("the model stays {}: {}{hint}", self.model_name(), error.message);
                self.agent.events.notice(Level::Warning, text).await;
            }
        }
    }

    async fn rewind(&mut self, prompt: usize) {
        let messages = self.agent.session.messages();
        let is_prompt = |message: &Message| matches!(message, Message::User { origin: Origin::Person, .. });
        let found = messages.iter().enumerate().filter(|(_, message)| is_prompt(message)).nth(prompt);
        let Some((at, _)) = found else {
            let text = "there is no such message to go back to";
            self.agent.events.notice(Level::Warning, text).await;
            return;
        };
        let kept = messages[..at].to_vec();
        self.agent.session.replace_messages(kept);
        self.agent.session.sync();
        self.agent.events.notice(Level::Info, "the conversation is back to before that message").await;
    }

    fn model_name(&self) -> String {
        self.agent.model.profile().name.clone()
    }

    async fn enter(&mut self, mut session: Session, notice: Option<String>) {
        self.agent.session.sync();
        // The old session's writer holds its lock, so it goes first.
        self.agent.events.set_journal(None);
        self.notice = notice.or(session.take_warning());
        self.agent.session = session;
        self.agent.gate.begin_session();
        self.agent.budget.forget_conversation();
        self.announce().await;
    }

    async fn announce(&mut self) {
        let session = &self.agent.session;
        self.agent.events.set_journal(session.journal());
        let event = Event::Session {
            id: session.id().clone(),
            path: session.path().map(|path| path.display().to_string()),
            model: self.agent.model.profile().name.clone(),
            cwd: self.cwd.display().to_string(),
            messages: session.messages().len(),
        };
        self.agent.events.emit(event).await;
        if let Some(notice) = self.notice.take() {
            self.agent.events.notice(Level::Warning, notice).await;
        }
    }
}
