//! `tah chat`: the terminal's own screen, or lines where there is none.

use crate::args::ChatArgs;
use crate::config::environment;
use crate::exit::Exit;
use crate::front::plain_chat;
use crate::ui;

/// What shows a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatFace {
    Screen,
    Lines,
}

/// What decides about it.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    pub plain: bool,
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    /// `TERM`.
    pub term: Option<&'a str>,
}

/// Lines where they are asked for, or where a screen can't be drawn.
pub fn face(here: &Surroundings<'_>) -> ChatFace {
    let drawable = here.stdin_is_terminal && here.stdout_is_terminal && here.term != Some("dumb");
    if drawable && !here.plain { ChatFace::Screen } else { ChatFace::Lines }
}

pub async fn chat(args: ChatArgs) -> anyhow::Result<Exit> {
    let term = environment::text("TERM");
    let here = Surroundings {
        plain: args.plain,
        stdin_is_terminal: ui::stdin_is_terminal(),
        stdout_is_terminal: ui::stdout_is_terminal(),
        term: term.as_deref(),
    };
    match face(&here) {
        ChatFace::Screen | ChatFace::Lines => plain_chat::chat(&args.shared).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_chosen_where_no_screen_can_be_drawn() {
        let terminal = Surroundings {
            plain: false,
            stdin_is_terminal: true,
            stdout_is_terminal: true,
            term: Some("xterm-256color"),
        };
        assert_eq!(face(&terminal), ChatFace::Screen);
        assert_eq!(face(&Surroundings { term: None, ..terminal }), ChatFace::Screen);
        for here in [
            Surroundings { plain: true, ..terminal },
            Surroundings { stdin_is_terminal: false, ..terminal },
            Surroundings { stdout_is_terminal: false, ..terminal },
            Surroundings { term: Some("dumb"), ..terminal },
        ] {
            assert_eq!(face(&here), ChatFace::Lines, "{here:?}");
        }
    }
}
