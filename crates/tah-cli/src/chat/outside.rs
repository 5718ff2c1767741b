//! What is outside the chat's own state: the user's shell lines, the editor program, pictures on the disk.

use super::Options;
use super::limits;
use base64::Engine;
use std::ffi::OsString;
use std::path::Path;
use tah_agent::message::Image;
use tah_agent::tool::Vision;
use tah_os::process::{self, Output, Spawn};
use tah_os::{disk, text};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

/// What a pasted text turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Pasted {
    Text,
    Picture(Image),
    /// A picture that can't be taken, and why.
    Refused(String),
}

/// A dragged file arrives as a paste of its path, quoted or with escaped spaces. A text of several lines is none.
pub fn picture(pasted: &str, cwd: &Path, vision: Vision) -> Pasted {
    let trimmed = pasted.trim();
    if trimmed.is_empty() || trimmed.len() > 4096 || trimmed.contains('\n') {
        return Pasted::Text;
    }
    let unquoted = trimmed
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .or_else(|| trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')))
        .map_or_else(|| trimmed.replace("\\ ", " "), str::to_owned);
    let name = unquoted.strip_prefix("file://").unwrap_or(&unquoted);
    let Some(media_type) = media_type(name) else { return Pasted::Text };
    let path = cwd.join(name);
    let bytes = match disk::read(&path, limits::IMAGE_BYTES) {
        Ok(bytes) => bytes,
        Err(disk::DiskError::NotFound { .. }) => return Pasted::Text,
        Err(error) => return Pasted::Refused(format!("the picture can't be used: {error}")),
    };
    if vision == Vision::Off {
        return Pasted::Refused("this model can't look at pictures; the path was written instead".to_owned());
    }
    let label = path.file_name().map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned());
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    Pasted::Picture(Image { media_type: media_type.to_owned(), data, label })
}

fn media_type(name: &str) -> Option<&'static str> {
    match Path::new(name).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// What a shell line gave.
pub struct ShellResult {
    pub line: String,
    pub output: String,
    /// `exit 1`, `stopped`, …; empty where it went well.
    pub end: String,
}

/// Runs a line in the user's shell. Only beginning and end of much output are kept.
pub async fn shell(options: Options, line: String, stop: CancellationToken) -> ShellResult {
    let program =
        options.surroundings.shell.clone().filter(|shell| !shell.is_empty()).unwrap_or("/bin/sh".to_owned());
    let spawn = Spawn::new(program, &options.launcher)
        .args(["-c", line.as_str()])
        .cwd(&options.cwd)
        .stdout(Output::Pipe)
        .stderr(Output::WithStdout);
    let mut child = match spawn.spawn().await {
        Ok(child) => child,
        Err(error) => return ShellResult { line, output: String::new(), end: error.to_string() },
    };
    let mut kept = Vec::new();
    let mut left_out = 0usize;
    let mut ended = None;
    let mut stopped = false;
    if let Some(mut stdout) = child.stdout.take() {
        let mut piece = vec![0; 16 * 1024];
        // A background child may hold the pipe (X1): what the line itself said is there soon after its end.
        let mut deadline: Option<tokio::time::Instant> = None;
        loop {
            let end = deadline.unwrap_or_else(tokio::time::Instant::now);
            let count = tokio::select! {
                biased;
                () = tokio::time::sleep_until(end), if deadline.is_some() => break,
                () = stop.cancelled(), if !stopped => {
                    stopped = true;
                    child.terminate(limits::SHELL_GRACE).await;
                    continue;
                }
                how = child.wait(), if deadline.is_none() => {
                    ended = Some(how);
                    deadline = Some(tokio::time::Instant::now() + limits::SHELL_DRAIN);
                    continue;
                }
                count = stdout.read(&mut piece) => count.unwrap_or(0),
            };
            if count == 0 {
                break;
            }
            kept.extend_from_slice(&piece[..count]);
            if kept.len() > 4 * limits::SHELL_BYTES {
                let cut = kept.len() - 2 * limits::SHELL_BYTES;
                kept.drain(limits::SHELL_BYTES..limits::SHELL_BYTES + cut);
                left_out += cut;
            }
        }
    }
    let ended = match ended {
        Some(how) => how,
        None => child.wait().await,
    };
    let whole = String::from_utf8_lossy(&kept).into_owned();
    let cut = text::cut_middle(&whole, limits::SHELL_BYTES / 2, limits::SHELL_BYTES / 2);
    let left_out = left_out + cut.left_out;
    let output = if left_out > 0 {
        format!("{}\n… {left_out} bytes left out …\n{}", cut.head, cut.tail)
    } else {
        whole.clone()
    };
    let end = match (stopped, ended.succeeded()) {
        (true, _) => "stopped".to_owned(),
        (false, true) => String::new(),
        (false, false) => ended.to_string(),
    };
    ShellResult { line, output, end }
}

/// The text as the user left it in the editor program; an error says what to do.
pub async fn editor(options: Options, text: String) -> Result<String, String> {
    let wanted = options.surroundings.editor.clone().filter(|editor| !editor.trim().is_empty());
    let line = wanted.unwrap_or_else(|| "vi".to_owned());
    let folder = tempfile::Builder::new().prefix("tah-").tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("message.md");
    disk::write(&path, text.as_bytes(), disk::Access::Private).map_err(|error| error.to_string())?;
    // An editor's value is a command line of the user's own shell (`code --wait`).
    let shell_line = format!("{line} \"$1\"");
    let args: Vec<OsString> =
        vec!["-c".into(), shell_line.into(), "editor".into(), path.as_os_str().to_owned()];
    let ended = process::foreground(Path::new("/bin/sh"), &args, &options.cwd)
        .await
        .map_err(|error| format!("{line}: {error}"))?;
    if !ended.succeeded() {
        return Err(format!("{line} {ended}; the text stays as it was (set EDITOR to another one)"));
    }
    let text = disk::read_text(&path, limits::IMAGE_BYTES).map_err(|error| error.to_string())?;
    Ok(text.unwrap_or_default().trim_end_matches('\n').to_owned())
}
