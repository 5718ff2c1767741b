//! `tah completions SHELL`.

use crate::args::Cli;
use crate::exit::Exit;
use crate::ui;
use clap::CommandFactory;

pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tah", &mut script);
    let _ = ui::write_out(&String::from_utf8_lossy(&script));
    Ok(Exit::Finished)
}
