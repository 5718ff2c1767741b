//! Downloads that pages start: Chrome writes them under a random name, and once complete they get their own name in the
//! download folder, beside and never over what is there.

use std::path::{Path, PathBuf};

use crate::cdp::wire;

use super::{FrameId, Happening, World};

/// Where downloads go.
#[derive(Debug, Clone)]
pub struct Landing {
    /// Where Chrome writes while the bytes come.
    pub incoming: PathBuf,
    /// Where the complete file belongs.
    pub folder: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadPhase {
    Running,
    /// Complete, at its final path.
    Done(PathBuf),
    Failed(String),
}

#[derive(Debug, Clone)]
pub struct Download {
    pub guid: String,
    pub url: String,
    pub frame: FrameId,
    pub file_name: String,
    pub received: u64,
    pub phase: DownloadPhase,
}

impl World {
    pub(super) fn download_begins(&self, begin: wire::DownloadWillBegin) {
        self.change(|state| {
            let frame = FrameId::from(begin.frame_id.as_str());
            if let Some(frame) = state.frames.get_mut(&frame) {
                frame.navigating = None;
            }
            state.downloads.push(Download {
                guid: begin.guid.clone(),
                url: begin.url,
                frame,
                file_name: begin.suggested_filename,
                received: 0,
                phase: DownloadPhase::Running,
            });
            if state.downloads.len() > crate::limits::HAPPENINGS {
                state.downloads.remove(0);
            }
            state.happen(Happening::DownloadStarted { guid: begin.guid });
        });
    }

    pub(super) fn download_progresses(&self, progress: wire::DownloadProgress) {
        let finished = self.change(|state| {
            let download = state.downloads.iter_mut().find(|d| d.guid == progress.guid)?;
            download.received = progress.received_bytes as u64;
            match progress.state.as_str() {
                "completed" => return Some(download.clone()),
                "canceled" => {
                    download.phase = DownloadPhase::Failed(String::from("it was cancelled or broke off"))
                }
                _ => {}
            }
            None
        });
        if let Some(download) = finished {
            let (world, landing) = (self.myself.clone(), self.policy.landing.clone());
            tokio::spawn(async move {
                let phase = match land(&landing, &download).await {
                    Ok(path) => DownloadPhase::Done(path),
                    Err(error) => DownloadPhase::Failed(error.to_string()),
                };
                let Some(world) = world.upgrade() else { return };
                world.change(|state| {
                    if let Some(known) = state.downloads.iter_mut().find(|d| d.guid == download.guid) {
                        known.phase = phase;
                    }
                });
            });
        }
    }
}

/// Moves a complete file to its name in the download folder.
async fn land(landing: &Landing, download: &Download) -> std::io::Result<PathBuf> {
    tokio::fs::create_dir_all(&landing.folder).await?;
    let from = landing.incoming.join(&download.guid);
    let name = safe_name(&download.file_name);
    for attempt in 0..1000 {
        let to = landing.folder.join(numbered(&name, attempt));
        // A hard link fails where something is already there, a rename would replace it.
        match tokio::fs::hard_link(&from, &to).await {
            Ok(()) => {
                tokio::fs::remove_file(&from).await?;
                return Ok(to);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(_) => {}
        }
        // Another file system, or one without links: copy into a file that is new.
        match tokio::fs::OpenOptions::new().write(true).create_new(true).open(&to).await {
            Ok(mut file) => {
                let mut source = tokio::fs::File::open(&from).await?;
                tokio::io::copy(&mut source, &mut file).await?;
                tokio::fs::remove_file(&from).await?;
                return Ok(to);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("no free file name"))
}

/// The last component of what the server suggests, without anything a file system or a terminal could stumble over.
fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or("");
    let clean: String = last.chars().filter(|c| !c.is_control()).take(150).collect();
    match clean.trim().trim_start_matches('.') {
        "" => String::from("download"),
        name => name.to_owned(),
    }
}

fn numbered(name: &str, attempt: u32) -> String {
    if attempt == 0 {
        return name.to_owned();
    }
    let path = Path::new(name);
    match (path.file_stem().and_then(|s| s.to_str()), path.extension().and_then(|e| e.to_str())) {
        (Some(stem), Some(extension)) => format!("{stem} ({attempt}).{extension}"),
        _ => format!("{name} ({attempt})"),
    }
}
