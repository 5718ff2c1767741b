//! `tah chat`: the terminal's own screen, or lines where there is none.

use super::load_settings;
use crate::args::ChatArgs;
use crate::assemble::{Assembled, Plugins, assemble};
use crate::chat::{self, Ended, Facts, Options, Tokens};
use crate::config::environment;
use crate::exit::Exit;
use crate::front::{FrontEnd, plain_chat};
use crate::ui;
use std::sync::Arc;
use tah_agent::approval::ApproveMode;
use tah_agent::event::Level;
use tah_agent::host::Host;
use tah_agent::model::catalog;
use tah_mcp::ServerState;
use tah_os::process::Launcher;

/// What shows a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatFace {
    Screen,
    Lines,
}

/// What decides about it.
#[derive(Clone, Copy, Debug)]
pub struct Streams<'a> {
    pub plain: bool,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    /// `TERM`.
    pub term: Option<&'a str>,
}

/// Lines where they are asked for, or where a screen can't be drawn.
pub fn face(here: &Streams<'_>) -> ChatFace {
    let drawable = here.stdin_is_terminal && here.stdout_is_terminal && here.term != Some("dumb");
    if drawable && !here.plain { ChatFace::Screen } else { ChatFace::Lines }
}

pub async fn chat(args: ChatArgs) -> anyhow::Result<Exit> {
    let term = environment::text("TERM");
    let here = Streams {
        plain: args.plain,
        stdin_is_terminal: ui::stdin_is_terminal(),
        stdout_is_terminal: ui::stdout_is_terminal(),
        term: term.as_deref(),
    };
    match face(&here) {
        ChatFace::Screen => screen(&args).await,
        ChatFace::Lines => plain_chat::chat(&args.shared, args.prompt).await,
    }
}

async fn screen(args: &ChatArgs) -> anyhow::Result<Exit> {
    let settings = load_settings(&args.shared.given())?;
    let mode = if args.shared.yes { ApproveMode::Yes } else { ApproveMode::Ask };
    let assembled = assemble(&args.shared, &settings, FrontEnd::Chat, mode).await?;
    let Assembled { setup, plugins, notices, sandbox, .. } = assembled;
    let configured = setup.model.profile().name.clone();
    let options = Options {
        cwd: settings.cwd.clone(),
        home: Some(settings.home.clone()),
        store: setup.store.clone(),
        sources: setup.sources.clone(),
        mode,
        vision: setup.model.profile().vision,
        facts: Arc::new(ChatFacts { plugins: plugins.clone(), model: configured, sandbox }),
        launcher: Launcher::this_program(),
        surroundings: surroundings(),
        first_prompt: args.prompt.clone(),
    };
    let host = Host::start(setup);
    let sink = host.sink.clone();
    plugins.tell(sink.clone());
    tokio::spawn(async move {
        for notice in notices {
            sink.notice(Level::Warning, notice).await;
        }
    });
    let ended = chat::run(host, options).await;
    plugins.quiet();
    plugins.close().await;
    Ok(match ended? {
        Ended::ByUser => Exit::Finished,
        Ended::BySignal(_) => Exit::Terminated,
    })
}

fn surroundings() -> chat::Surroundings {
    let text = |name: &str| environment::text(name);
    chat::Surroundings {
        term: text("TERM").unwrap_or_default(),
        term_program: text("TERM_PROGRAM").unwrap_or_default(),
        xterm_version: text("XTERM_VERSION"),
        kitty_window: text("KITTY_WINDOW_ID"),
        no_color: text("NO_COLOR"),
        editor: text("VISUAL").or_else(|| text("EDITOR")),
        shell: text("SHELL"),
    }
}

/// What the chat shows of this run.
struct ChatFacts {
    plugins: Plugins,
    model: String,
    sandbox: &'static str,
}

impl Facts for ChatFacts {
    fn models(&self) -> Vec<String> {
        vec![self.model.clone()]
    }

    fn servers(&self) -> Vec<String> {
        let Some(fleet) = &self.plugins.mcp else { return Vec::new() };
        let tools = fleet.tools();
        let states = fleet.states();
        let line = |member: &tah_mcp::Member, state: ServerState| {
            let name = &member.spec.name;
            match state {
                ServerState::Starting => format!("{name}: starting"),
                ServerState::Ready(_) => {
                    let count = tools.iter().filter(|tool| tool.server == *name).count();
                    format!("{name}: ready, {count} tools")
                }
                ServerState::Failed(error) => format!("{name}: {error}"),
                ServerState::Closed => format!("{name}: closed"),
            }
        };
        states.into_iter().map(|(member, state)| line(member, state)).collect()
    }

    fn browser(&self) -> Option<String> {
        let browser = self.plugins.browser.as_ref()?;
        let name = browser.engine_name();
        Some(if browser.is_open() { format!("open ({name})") } else { "closed".to_owned() })
    }

    fn sandbox(&self) -> Option<String> {
        Some(self.sandbox.to_owned())
    }

    fn cost(&self, model: &str, tokens: Tokens) -> Option<f64> {
        let price = catalog::BY_KEY.iter().find_map(|row| row.model(model)?.price)?;
        let fresh = tokens.input.saturating_sub(tokens.cached);
        let part = |count: u64, price: f64| count as f64 * price / 1e6;
        Some(part(fresh, price.input) + part(tokens.cached, price.cached) + part(tokens.output, price.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_chosen_where_no_screen_can_be_drawn() {
        let terminal = Streams {
            plain: false,
            stdin_is_terminal: true,
            stdout_is_terminal: true,
            term: Some("xterm-256color"),
        };
        assert_eq!(face(&terminal), ChatFace::Screen);
        assert_eq!(face(&Streams { term: None, ..terminal }), ChatFace::Screen);
        for here in [
            Streams { plain: true, ..terminal },
            Streams { stdin_is_terminal: false, ..terminal },
            Streams { stdout_is_terminal: false, ..terminal },
            Streams { term: Some("dumb"), ..terminal },
        ] {
            assert_eq!(face(&here), ChatFace::Lines, "{here:?}");
        }
    }
}
