//! The front of the engine: a call by name comes in, one JSON object goes out. Here are the queue, the guard, the budget,
//! the history and the life of the browser; what a tool does is in `tools`.

mod call;
mod history;
mod notes;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use crate::chrome::{Broken, Chrome};
use crate::error::{BrowserError, Code};
use crate::launch::{LaunchOptions, launch};
use crate::limits;
use crate::page::PageError;
use crate::registry::{self, Extras, Guard, Needs, Row, Turn};
use crate::secret::Secrets;

pub use call::Call;
pub use history::Entry;

/// Who asks: a model reads a result into its context, a program can take more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Model,
    Program,
}

/// Whether `browser_auth` hands cookies to a model or writes them to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthCookies {
    #[default]
    InFile,
    Inline,
}

/// How one engine is set up.
#[derive(Debug, Clone)]
pub struct Options {
    pub launch: LaunchOptions,
    /// Screenshots and exported cookies: `<cwd>/.tah/browser`.
    pub output: PathBuf,
    /// `file:` pages and uploads are allowed inside.
    pub work_dir: PathBuf,
    pub extras: Extras,
    pub auth: AuthCookies,
    /// Budgets other than the table's, by tool name.
    pub budgets: HashMap<String, Duration>,
    pub secrets: Secrets,
}

/// The browser of one task. Cheap to clone; nothing runs until a call needs it.
#[derive(Clone)]
pub struct Browser {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub options: Options,
    running: tokio::sync::Mutex<Slot>,
    /// The same browser, for looking at it without waiting for a start.
    current: Mutex<Option<Arc<Chrome>>>,
    queue: Arc<RwLock<()>>,
    restricted: Mutex<Option<BTreeSet<String>>>,
    history: Mutex<history::History>,
    /// Which happenings of the running browser were told already.
    told: AtomicU64,
    /// To be said with the next result.
    notices: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Slot {
    chrome: Option<Arc<Chrome>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Browser {
    pub fn new(options: Options) -> Browser {
        Browser {
            inner: Arc::new(Inner {
                options,
                running: tokio::sync::Mutex::default(),
                current: Mutex::default(),
                queue: Arc::default(),
                restricted: Mutex::default(),
                history: Mutex::default(),
                told: AtomicU64::new(0),
                notices: Mutex::default(),
            }),
        }
    }

    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// The tools on offer, in their order.
    pub fn tools(&self) -> impl Iterator<Item = &'static Row> {
        registry::offered(self.inner.options.extras)
    }

    /// Whether a browser runs now.
    pub fn is_open(&self) -> bool {
        self.current().is_some()
    }

    /// The browser below the tools, for programs and tests that need more than they give.
    pub fn running(&self) -> Option<Arc<Chrome>> {
        self.current()
    }

    pub(crate) fn current(&self) -> Option<Arc<Chrome>> {
        lock(&self.inner.current).clone().filter(|chrome| chrome.gone().is_none())
    }

    /// One call. Cancelling returns within [`limits::CANCEL`]; what was begun is ended behind it.
    pub async fn call(
        &self,
        name: &str,
        args: Value,
        caller: Caller,
        cancel: CancellationToken,
    ) -> Result<Value, BrowserError> {
        let row = self.row(name)?;
        let args = registry::validate(row.schema(), args)
            .map_err(|message| BrowserError::argument(format!("{name}: {message}")))?;
        self.check_guard(row)?;
        let call = Call {
            browser: self.clone(),
            row,
            args,
            caller,
            cancel: cancel.clone(),
            started: Instant::now(),
            budget: self.inner.options.budgets.get(name).copied().unwrap_or(row.budget),
            hidden: Arc::default(),
        };
        let mut work = tokio::spawn(call.perform());
        tokio::select! {
            biased;
            done = &mut work => match done {
                Ok(result) => self.masked(result),
                Err(_) => Err(BrowserError::new(Code::Unavailable, format!("{name} failed inside"))),
            },
            () = cancel.cancelled() => {
                Err(BrowserError::new(Code::Cancelled, "cancelled; may have happened"))
            }
        }
    }

    fn row(&self, name: &str) -> Result<&'static Row, BrowserError> {
        if let Some(row) = self.tools().find(|row| row.name == name) {
            return Ok(row);
        }
        let unknown = BrowserError::new(Code::ToolUnknown, format!("there is no tool {name}"));
        Err(match (registry::right_name(name), registry::row(name)) {
            (Some(right), _) => unknown.hint(format!("here it is called {right}")),
            (None, Some(_)) => unknown.hint("it is switched off: see capabilities.browser.extras"),
            (None, None) => unknown,
        })
    }

    fn check_guard(&self, row: &Row) -> Result<(), BrowserError> {
        match &*lock(&self.inner.restricted) {
            Some(allowed) if row.guard == Guard::Checked && !allowed.contains(row.name) => {
                let names: Vec<&str> = allowed.iter().map(String::as_str).collect();
                Err(BrowserError::new(
                    Code::Restricted,
                    format!(
                        "{} is not among the tools allowed by browser_restrict: {}",
                        row.name,
                        names.join(", ")
                    ),
                )
                .hint("browser_restrict with an empty list lifts it"))
            }
            _ => Ok(()),
        }
    }

    /// Sets what `browser_restrict` allows; `None` lifts it.
    pub(crate) fn restrict(&self, allowed: Option<BTreeSet<String>>) {
        *lock(&self.inner.restricted) = allowed;
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, history::History> {
        lock(&self.inner.history)
    }

    /// What a replay of `seq` would call, so that its approval can be asked as for the call itself.
    pub fn replayed(&self, seq: u64) -> Option<(&'static str, Map<String, Value>)> {
        let history = self.history();
        let entry = history.entry(seq)?;
        Some((entry.row.name, entry.args.clone()))
    }

    fn masked(&self, result: Result<Value, BrowserError>) -> Result<Value, BrowserError> {
        let secrets = &self.inner.options.secrets;
        match result {
            Ok(mut value) => {
                secrets.mask(&mut value);
                Ok(value)
            }
            Err(mut error) => {
                error.message = secrets.mask_text(&error.message);
                Err(error)
            }
        }
    }

    /// The running browser; starts one where there is none, and says so where one was lost.
    pub(crate) async fn ensure(&self) -> Result<Arc<Chrome>, BrowserError> {
        let mut slot = self.inner.running.lock().await;
        if let Some(chrome) = &slot.chrome {
            match chrome.gone() {
                None => {
                    let chrome = chrome.clone();
                    if chrome.world().read(|state| state.tabs.is_empty()) {
                        chrome.open_tab().await?;
                        self.notice("the window was closed, so its pages are lost; this is a new, blank tab");
                    }
                    return Ok(chrome);
                }
                Some(_) => {
                    chrome.close().await;
                    slot.chrome = None;
                    self.notice("the browser was restarted, the page is lost");
                }
            }
        }
        let chrome = launch(&self.inner.options.launch).await?;
        for notice in &chrome.notices {
            self.notice(notice);
        }
        self.inner.told.store(0, Ordering::Relaxed);
        slot.chrome = Some(chrome.clone());
        *lock(&self.inner.current) = Some(chrome.clone());
        Ok(chrome)
    }

    pub(crate) fn notice(&self, text: &str) {
        let mut notices = lock(&self.inner.notices);
        if !notices.iter().any(|known| known == text) {
            notices.push(text.to_owned());
        }
    }

    /// Ends the browser, cookies written. True if there was one.
    pub async fn close(&self) -> Closed {
        // Those who wait on the page get their error now rather than when the lock is theirs.
        let mut slot = self.inner.running.lock().await;
        *lock(&self.inner.current) = None;
        match slot.chrome.take() {
            Some(chrome) => {
                chrome.close().await;
                Closed::Now
            }
            None => Closed::Already,
        }
    }
}

/// Whether there was something to close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    Now,
    Already,
}

impl Call {
    /// Queue, browser, tool, notes, history.
    async fn perform(self) -> Result<Value, BrowserError> {
        let (browser, row) = (self.browser.clone(), self.row);
        self.check_dialog()?;
        let queue = browser.inner.queue.clone();
        let (mut shared, mut alone) = (None, None);
        match row.turn {
            Turn::Shared => shared = Some(queue.read_owned().await),
            Turn::Alone => alone = Some(queue.write_owned().await),
            Turn::Bypass => {}
        }
        let outcome = self.clone().run().await;
        drop((shared.take(), alone.take()));
        let outcome = browser.annotate(&self, outcome);
        browser.history().record(&self, &outcome);
        outcome
    }

    async fn run(mut self) -> Result<Value, BrowserError> {
        if self.cancel.is_cancelled() {
            return Err(BrowserError::new(Code::Cancelled, "cancelled before it began"));
        }
        // Waiting in the queue does not use up the call's own time.
        self.started = Instant::now();
        if self.row.needs != Needs::Nothing {
            self.browser.ensure().await?;
            self.started = Instant::now();
        }
        self.check_dialog()?;
        let (row, budget) = (self.row, self.budget);
        let watcher = self.clone();
        let mut outcome = tokio::time::timeout(budget + limits::RECOVERY, (row.run)(self)).await;
        // B75: whoever opens an address wants a page, not the news that the browser before it has just ended.
        let ended = matches!(&outcome, Ok(Err(error)) if error.code == Code::Crashed)
            && watcher.browser.current().is_none();
        if ended && row.name == "browser_open" {
            watcher.browser.ensure().await?;
            outcome = tokio::time::timeout(budget + limits::RECOVERY, (row.run)(watcher.clone())).await;
        }
        match outcome {
            Ok(Err(error)) if error.code == Code::OperationTimeout => Err(watcher.after_timeout(error).await),
            Ok(result) => result,
            Err(_) => {
                let error = BrowserError::new(
                    Code::OperationTimeout,
                    format!("{} did not end within {} s", row.name, budget.as_secs()),
                );
                Err(watcher.after_timeout(error).await)
            }
        }
    }

    /// A page that does not even answer a trifle loops; it is stopped, so that the next call works.
    async fn after_timeout(&self, error: BrowserError) -> BrowserError {
        let Some(tab) = self.browser.current().and_then(|chrome| chrome.active_tab()) else { return error };
        let Ok(frame) = tab.main_frame() else { return error };
        match frame.call::<bool>("tick", (), limits::AFTER_TERMINATE).await {
            Err(PageError::Busy(_)) => match tab.break_loop().await {
                Broken::Terminated => BrowserError {
                    message: format!("{}; a script of the page looped and was stopped", error.message),
                    ..error
                },
                Broken::Closed => BrowserError {
                    message: format!(
                        "{}; the page did not answer any more, so its tab was closed",
                        error.message
                    ),
                    hint: Some(String::from(
                        "browser_list_tabs shows what is left; browser_open starts again",
                    )),
                    ..error
                },
            },
            _ => error,
        }
    }

    /// B36: a confirm or prompt that waits is named at once.
    fn check_dialog(&self) -> Result<(), BrowserError> {
        if self.row.needs != Needs::Page {
            return Ok(());
        }
        let Some(chrome) = self.browser.current() else { return Ok(()) };
        let open = chrome.world().read(|state| {
            let tab = state.tab(state.active.as_ref()?)?;
            tab.dialog.as_ref().filter(|dialog| !dialog.answered).cloned()
        });
        match open {
            Some(dialog) => Err(PageError::Dialog(Box::new(dialog)).into()),
            None => Ok(()),
        }
    }
}
