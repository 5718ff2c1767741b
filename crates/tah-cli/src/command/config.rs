//! `tah config`: the settings in effect, and where each came from.

use crate::args::FolderArgs;
use crate::config::settings::{Given, TrustAnswer, load};
use crate::exit::Exit;
use crate::ui;

pub fn config(args: FolderArgs) -> anyhow::Result<Exit> {
    let given = Given { cwd: args.cwd, ..Given::default() };
    // Looking never asks; what an untrusted folder may not set is named instead.
    let settings = load(&given, |_, _| TrustAnswer::No)?;
    for notice in &settings.notices {
        ui::tell(&format!("note: {notice}"));
    }
    let lines = settings.effective();
    let width =
        |part: fn(&(String, String, String)) -> usize| lines.iter().map(part).max().unwrap_or(0).min(60);
    let (first, second) = (width(|line| line.0.chars().count()), width(|line| line.1.chars().count()));
    let mut text = String::new();
    for (path, value, source) in &lines {
        text.push_str(&format!("{path:first$}  {value:second$}  {source}\n"));
    }
    let _ = ui::answer(&text);
    Ok(Exit::Finished)
}
