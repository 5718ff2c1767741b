//! Telling that it was the sandbox that refused something, so that the model asks for more and doesn't go in circles.

use super::ShellSetup;
use std::path::Path;
use tah_os::process::Ended;

/// What the C library says where Landlock refuses: to write, or to move between places of different rights.
const SAID: &[&str] = &["ermission denied", "EACCES", "cross-device link", "EXDEV"];
/// What programs say that would gain rights, which a sandboxed one can't.
const GAIN: &str = "no new privileges";

/// The lines at the end of the output in which a refusal is looked for.
const LINES: usize = 40;

/// A note for the result, if the sandbox stood in the way.
pub(super) fn note(setup: &ShellSetup, ended: Ended, text: &str) -> Option<String> {
    let sandbox = setup.sandbox.as_ref()?;
    if ended.succeeded() {
        return None;
    }
    let folder = setup.roots.working_folder();
    let mut suspicious = false;
    for line in text.lines().rev().take(LINES) {
        if line.contains(GAIN) {
            return Some(ask("to gain rights"));
        }
        if !SAID.iter().any(|said| line.contains(said)) {
            continue;
        }
        suspicious = true;
        // The program's own name may come first.
        let refused = names(line).filter(|name| sandbox.refuses(Path::new(name), folder)).last();
        if let Some(name) = refused {
            return Some(ask(&format!("to write {name}")));
        }
    }
    // A program that doesn't name the file. It may as well be the system's own refusal.
    suspicious.then(|| {
        "[if that was the sandbox (writing outside the working folders), ask again with sandbox: false]"
            .to_owned()
    })
}

fn ask(what: &str) -> String {
    format!("[the sandbox refused {what}; if it has to be, ask again with sandbox: false]")
}

/// What may be a path in an error line: quoted, or between spaces and colons.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || "'\"`‘’“”:,;()[]".contains(c))
        .filter(|word| word.contains('/') && word.len() > 1)
}
