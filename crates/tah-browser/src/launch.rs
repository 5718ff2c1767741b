//! Starts a browser with our own profile and a pipe to it, or connects to one that runs already; and ends it so that
//! its cookies are on the disk.

use std::ffi::{OsStr, OsString};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tah_os::process::{Child, Launcher, Output, Spawn, SpawnError};
use tokio::io::split;

use crate::cdp::{self, Connection, Sink, wire};
use crate::chrome::Chrome;
use crate::find::{FindError, find};
use crate::guard::HostRules;
use crate::limits;
use crate::profile::{self, Cleared, ProfileError};
use crate::scratch::{self, Scratch};
use crate::state::{Held, Landing, Life, Policy, Role, Whose, World};

/// Whether the browser has a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Window {
    Shown,
    #[default]
    Headless,
}

/// Where cookies and logins live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Profile {
    Folder(PathBuf),
    /// A new folder that is removed with the browser.
    Temporary,
}

/// Everything a start needs.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    pub executable: Option<PathBuf>,
    /// The value of PATH, where the browser is looked for.
    pub path: Option<OsString>,
    pub profile: Profile,
    pub window: Window,
    /// A `ws://` address of a running browser; nothing is started then.
    pub connect: Option<String>,
    pub extra_args: Vec<String>,
    /// Finished downloads.
    pub downloads: PathBuf,
    pub held: Held,
    pub rules: HostRules,
    pub launcher: Launcher,
}

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("the browser did not start: {0}")]
    Spawn(#[from] SpawnError),
    /// It started and ended at once; what it said on stderr.
    #[error("the browser {} ended right after its start{}", .program.display(), said(.stderr))]
    Ended { program: PathBuf, stderr: String },
    #[error("the browser {} did not answer within {} s{}", .program.display(), limits::LAUNCH.as_secs(), said(.stderr))]
    Silent { program: PathBuf, stderr: String },
    #[error("{0}")]
    Connect(String),
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

fn said(stderr: &str) -> String {
    if stderr.trim().is_empty() { String::new() } else { format!(": {}", stderr.trim()) }
}

/// What keeps the browser quiet, the same wherever it runs.
pub const FLAGS: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-popup-blocking",
    "--disable-search-engine-choice-screen",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-infobars",
    "--hide-crash-restore-bubble",
    "--metrics-recording-only",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,\
     AutofillServerCommunication,CertificateTransparencyComponentUpdater,GlobalMediaControls,HttpsUpgrades,\
     HttpsFirstBalancedModeAutoEnable,PasswordManagerOnboarding,DestroyProfileOnBrowserClose,DeferRendererTasksAfterInput",
];

/// What Chrome says of a profile that another one holds.
const HELD: [&str; 3] = ["existing browser session", "in use by another", "create a ProcessSingleton"];

/// Starts or connects, and returns once there is a tab to work in.
pub async fn launch(options: &LaunchOptions) -> Result<Arc<Chrome>, LaunchError> {
    let scratch = Scratch::new()?;
    let landing = Landing { incoming: scratch.downloads(), folder: options.downloads.clone() };
    let whose = if options.connect.is_some() { Whose::Shared } else { Whose::Ours };
    let world = World::new(Policy {
        whose,
        held: options.held,
        rules: options.rules.clone(),
        landing: landing.clone(),
    });
    let mut notices = Vec::new();
    // The claim is held until the browser answers or has ended.
    let (connection, child, program, stderr, _claim) = if let Some(url) = &options.connect {
        let sink: Arc<dyn Sink> = world.clone();
        let connection = cdp::open_socket(url, sink).await.map_err(LaunchError::Connect)?;
        (connection, None, PathBuf::from(url), tah_os::process::Ring::new(), None)
    } else {
        let program = find(options.executable.as_deref(), options.path.as_deref())?;
        let (folder, claim) = match &options.profile {
            Profile::Folder(folder) => {
                let claim = profile::claim(folder).await?;
                if claim.cleared == Cleared::StaleLock {
                    notices.push(String::from("a lock left by a browser that crashed was cleared"));
                }
                (folder.clone(), Some(claim))
            }
            Profile::Temporary => (scratch.profile(), None),
        };
        let args = arguments(options, &folder, &mut notices);
        let (connection, mut child) = start(&program, args, options, &world, &scratch).await?;
        let stderr = child.drain_stderr();
        (connection, Some(child), program, stderr, claim)
    };
    let ended = |stderr: String| match &options.profile {
        // Chrome hands over to the one that holds the profile and leaves; of two that start at once, one gives up.
        Profile::Folder(folder) if HELD.iter().any(|words| stderr.contains(words)) => {
            LaunchError::Profile(ProfileError::InUse(folder.clone()))
        }
        _ => LaunchError::Ended { program: program.clone(), stderr },
    };
    match ready(&connection, &world, &landing, options).await {
        Ok(()) => {
            tokio::task::spawn_blocking(scratch::sweep);
            Ok(Arc::new(Chrome::new(connection, world, child, scratch, notices)))
        }
        Err(NotReady::Gone) => {
            if let Some(child) = &child {
                child.terminate(Duration::ZERO).await;
            }
            Err(ended(stderr.text()))
        }
        Err(NotReady::Silent) => {
            if let Some(child) = &child {
                child.terminate(Duration::ZERO).await;
            }
            Err(LaunchError::Silent { program, stderr: stderr.text() })
        }
    }
}

fn arguments(options: &LaunchOptions, profile: &std::path::Path, notices: &mut Vec<String>) -> Vec<OsString> {
    let mut args: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    let mut data_dir = OsString::from("--user-data-dir=");
    data_dir.push(profile);
    args.push(data_dir);
    if options.window == Window::Headless {
        args.extend(["--headless", "--mute-audio", "--window-size=1280,800"].map(OsString::from));
    }
    if cfg!(target_os = "linux") {
        args.push(OsString::from("--disable-dev-shm-usage"));
        if rustix::process::geteuid().is_root() {
            args.push(OsString::from("--no-sandbox"));
            notices.push(String::from("running as root: the browser's own sandbox is off (--no-sandbox)"));
        }
    }
    args.extend(options.extra_args.iter().map(OsString::from));
    args.push(OsString::from("about:blank"));
    args
}

/// A page could read what a browser inherits only through a hole in it, but keys have no business there at all.
fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    ["API_KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|part| name.contains(part))
}

async fn start(
    program: &std::path::Path,
    args: Vec<OsString>,
    options: &LaunchOptions,
    world: &Arc<World>,
    scratch: &Scratch,
) -> Result<(Connection, Child), LaunchError> {
    let (commands, chrome_reads) = UnixStream::pair()?;
    let (answers, chrome_writes) = UnixStream::pair()?;
    let child = Spawn::new(program, &options.launcher)
        .args(args)
        .env_remove_where(is_secret)
        .envs(scratch.temporary_for_chrome().map(|folder| ("TMPDIR", folder)))
        // It would make a folder of its standard profile for reports of crashes, which are off.
        .env("BREAKPAD_DUMP_LOCATION", scratch.downloads())
        .stderr(Output::Pipe)
        .fd(3, chrome_reads)
        .fd(4, chrome_writes)
        .spawn()
        .await?;
    commands.set_nonblocking(true)?;
    answers.set_nonblocking(true)?;
    let (_, writer) = split(tokio::net::UnixStream::from_std(commands)?);
    let (reader, _) = split(tokio::net::UnixStream::from_std(answers)?);
    let sink: Arc<dyn Sink> = world.clone();
    Ok((cdp::open_pipe(reader, writer, sink), child))
}

enum NotReady {
    Gone,
    Silent,
}

async fn ready(
    connection: &Connection,
    world: &Arc<World>,
    landing: &Landing,
    options: &LaunchOptions,
) -> Result<(), NotReady> {
    let browser = connection.browser();
    let page = |exclude| wire::TargetFilter { kind: Some(String::from("page")), exclude };
    browser.post(wire::SetDiscoverTargets { discover: true, filter: Some(vec![page(false)]) });
    browser.post(world.auto_attach());
    browser.post(wire::SetDownloadBehavior {
        behavior: String::from("allowAndName"),
        download_path: Some(landing.incoming.to_string_lossy().into_owned()),
        events_enabled: true,
    });
    if !options.rules.is_open() {
        browser.post(wire::FetchEnable { patterns: None });
    }
    if options.connect.is_some() {
        // B68: their tabs are theirs, ours is a new one. The reply comes after theirs were told.
        browser.call_within(limits::LAUNCH, world.auto_attach()).await.map_err(|_| NotReady::Gone)?;
        world.change(|state| state.expecting = Some(Role::Shown));
        browser.post(wire::CreateTarget { url: String::from("about:blank"), ..Default::default() });
    }
    let live = world
        .until(limits::LAUNCH, |state| state.tabs.iter().any(|tab| tab.life == Life::Live).then_some(()));
    match live.await {
        Ok(Some(())) => Ok(()),
        Ok(None) => Err(NotReady::Silent),
        Err(_) => Err(NotReady::Gone),
    }
}
