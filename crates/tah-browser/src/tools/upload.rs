//! `browser_upload`: files into an input (also a hidden one), or into the chooser that a press opened (B56).

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::Call;
use crate::cdp::wire;
use crate::chrome::Tab;
use crate::error::{BrowserError, Code};
use crate::limits;
use crate::page::{Frame, PageError, Target};
use crate::state::Chooser;

#[derive(Deserialize)]
struct Args {
    target: Option<Value>,
    paths: Vec<String>,
}

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let args: Args = call.read()?;
    let mut paths = Vec::new();
    for path in &args.paths {
        paths.push(allowed(&call, path).await?);
    }
    let tab = call.tab().await?;
    let chooser = match &args.target {
        Some(target) => match into_input(&call, &tab, &Target::read(target)?, &paths).await? {
            Aimed::Done(result) => return Ok(result),
            Aimed::Chooser(chooser) => chooser,
        },
        None => take_chooser(&tab).ok_or_else(|| {
            BrowserError::argument("no file chooser is open, so a target is needed")
                .hint("give the file input, or the button that opens a chooser")
        })?,
    };
    into_chooser(&call, &tab, chooser, &paths).await
}

enum Aimed {
    Done(Value),
    Chooser(Chooser),
}

/// Into the input itself where the target is or stands for one, else through the chooser that pressing it opens.
async fn into_input(
    call: &Call,
    tab: &Tab,
    target: &Target,
    paths: &[PathBuf],
) -> Result<Aimed, BrowserError> {
    let element = tab.locate(target, limits::FIND_TO_ACT).await?;
    let field = element.field().await?;
    if field.kind == "file" {
        check_count(field.multiple, paths, &field.what)?;
        let input = crate::page::Element {
            number: if field.number > 0 { field.number } else { element.number },
            ..element
        };
        let watch = tab.watch_frame(&input.frame).await?;
        let handle =
            input.frame.call_handle("node", (input.number,), call.left()).await?.ok_or(PageError::Gone)?;
        let set = wire::SetFileInputFiles {
            files: shown(paths),
            object_id: Some(handle.object_id().to_owned()),
            ..Default::default()
        };
        handle.session().call_within(call.left(), set).await?;
        let outcome = tab.outcome(&input.frame, &watch, call.left()).await?;
        let mut result = Map::new();
        // The page may have taken the files and emptied or replaced its input.
        let now = match input.field().await {
            Ok(field) => field.value,
            Err(_) => json!(names(paths)),
        };
        result.insert(String::from("uploaded"), json!(names(paths)));
        result.insert(String::from("files"), now);
        call.tell(tab, &outcome, &mut result).await?;
        return Ok(Aimed::Done(Value::Object(result)));
    }
    let _ = take_chooser(tab);
    tab.press(target, limits::FIND_TO_ACT, 1, call.left()).await?;
    let opened =
        tab.chrome().world().until(limits::FIND, |state| state.tab(tab.id())?.chooser.as_ref().map(|_| ()));
    opened.await?;
    match take_chooser(tab) {
        Some(chooser) => Ok(Aimed::Chooser(chooser)),
        None => Err(BrowserError::argument(format!("{} was pressed, but asked for no files", element.what))
            .hint("name the file input; hidden ones work too: css=input[type=file]")),
    }
}

fn take_chooser(tab: &Tab) -> Option<Chooser> {
    tab.chrome().world().change(|state| state.tab_mut(tab.id())?.chooser.take())
}

async fn into_chooser(
    call: &Call,
    tab: &Tab,
    chooser: Chooser,
    paths: &[PathBuf],
) -> Result<Value, BrowserError> {
    check_count(chooser.multiple, paths, "the file chooser")?;
    let frame = tab.frames().into_iter().find(|frame: &Frame| *frame.id() == chooser.frame);
    let frame = match frame {
        Some(frame) => frame,
        None => tab.main_frame()?,
    };
    let watch = tab.watch_frame(&frame).await?;
    let Some(node) = chooser.node else {
        return Err(BrowserError::argument("the page's file chooser has no input to put files into"));
    };
    let set =
        wire::SetFileInputFiles { files: shown(paths), backend_node_id: Some(node), ..Default::default() };
    chooser.session.call_within(call.left(), set).await?;
    let outcome = tab.outcome(&frame, &watch, call.left()).await?;
    let mut result = Map::new();
    result.insert(String::from("uploaded"), json!(names(paths)));
    call.tell(tab, &outcome, &mut result).await?;
    Ok(Value::Object(result))
}

fn check_count(multiple: bool, paths: &[PathBuf], what: &str) -> Result<(), BrowserError> {
    if paths.len() > 1 && !multiple {
        return Err(BrowserError::argument(format!("{what} takes one file, not {}", paths.len())));
    }
    Ok(())
}

fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
}

/// A file of the working folder or the download folder, by its real path.
async fn allowed(call: &Call, path: &str) -> Result<PathBuf, BrowserError> {
    let refused = |message: String| BrowserError::new(Code::PathRefused, message);
    let options = call.options();
    let asked = options.work_dir.join(Path::new(path));
    let real = tokio::fs::canonicalize(&asked).await.map_err(|error| refused(format!("{path}: {error}")))?;
    for root in [&options.work_dir, &options.launch.downloads] {
        if let Ok(root) = tokio::fs::canonicalize(root).await
            && real.starts_with(&root)
        {
            let meta =
                tokio::fs::metadata(&real).await.map_err(|error| refused(format!("{path}: {error}")))?;
            return if meta.is_file() || meta.is_dir() {
                Ok(real)
            } else {
                Err(refused(format!("{path} is no file")))
            };
        }
    }
    Err(refused(format!("{path} is outside of the working folder and the download folder"))
        .hint("copy the file into the working folder first"))
}
