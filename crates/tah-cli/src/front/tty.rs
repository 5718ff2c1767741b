//! Questions at a terminal. They are asked and answered on the terminal itself, whatever the streams are. What was
//! typed before a question appears can't answer it (U5): it is thrown away first.

use super::card;
use crate::config::settings::TrustAnswer;
use crate::limits;
use crate::ui;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tah_agent::card::{Answer, Card};
use tokio::sync::oneshot;

/// The terminal, opened for itself; where that can't be, stdin and stderr stand for it.
enum Terminal {
    Own(File),
    Streams,
}

impl Terminal {
    fn open() -> Self {
        match OpenOptions::new().read(true).write(true).open("/dev/tty") {
            Ok(file) => Terminal::Own(file),
            Err(_) => Terminal::Streams,
        }
    }

    fn write(&mut self, text: &str) {
        match self {
            Terminal::Own(file) => {
                let _ = file.write_all(text.as_bytes());
            }
            Terminal::Streams => ui::tell_piece(text),
        }
    }

    fn input(&self) -> BorrowedFd<'_> {
        match self {
            Terminal::Own(file) => file.as_fd(),
            Terminal::Streams => rustix::stdio::stdin(),
        }
    }

    /// The next line, without its end; none at the end of input or once `over` is set.
    fn line(&mut self, over: &AtomicBool) -> Option<String> {
        let mut line = Vec::new();
        loop {
            if over.load(Ordering::Relaxed) {
                return None;
            }
            let input = self.input();
            let mut fds = [PollFd::new(&input, PollFlags::IN)];
            let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(limits::KEY_POLL.subsec_nanos()) };
            match poll(&mut fds, Some(&wait)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => return None,
            }
            let mut buffer = [0_u8; 1024];
            match rustix::io::read(input, &mut buffer) {
                Ok(0) if line.is_empty() => return None,
                Ok(0) => break,
                Ok(count) => line.extend_from_slice(&buffer[..count]),
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return None,
            }
            if line.last() == Some(&b'\n') {
                break;
            }
        }
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }

    fn forget_typed(&self) {
        let _ = tcflush(self.input(), QueueSelector::IFlush);
    }
}

/// An open question; dropped, it is asked no longer.
pub struct Question {
    over: Arc<AtomicBool>,
    pub answer: oneshot::Receiver<Answer>,
}

impl Drop for Question {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Asks about a card, in a thread of its own: a read of a terminal can't be cancelled from outside.
pub fn ask(asked: &Card) -> Question {
    let over = Arc::new(AtomicBool::new(false));
    let (sender, answer) = oneshot::channel();
    let (card, stop) = (asked.clone(), over.clone());
    std::thread::spawn(move || {
        let mut terminal = Terminal::open();
        terminal.forget_typed();
        terminal.write(&(card::lines(&card).join("\n") + "\n"));
        let answer = loop {
            terminal.write(&card::question(&card));
            let Some(line) = terminal.line(&stop) else { break None };
            match read_answer(&line, &card) {
                Some(answer) => break Some(answer),
                None => terminal.write("  please type y, n, or n and a reason\n"),
            }
        };
        if stop.load(Ordering::Relaxed) {
            terminal.write("\n");
            return;
        }
        // The end of input is a no: nobody is there any more.
        let _ = sender.send(answer.unwrap_or(Answer::No { reason: None }));
    });
    Question { over, answer }
}

/// What a typed line says; nothing where it says nothing.
pub fn read_answer(line: &str, card: &Card) -> Option<Answer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let reason = rest.trim().trim_start_matches(['-', ':', ',']).trim();
    match word.trim_end_matches([',', ':']).to_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => Some(Answer::Yes),
        "a" | "always" if rest.is_empty() && card.always.is_some() => Some(Answer::Always),
        "n" | "no" => Some(Answer::No { reason: (!reason.is_empty()).then(|| reason.to_owned()) }),
        _ => None,
    }
}

/// A yes or no at the terminal before anything has begun.
pub fn confirm(text: &str) -> TrustAnswer {
    let mut terminal = Terminal::open();
    terminal.forget_typed();
    terminal.write(&tah_os::text::sanitise(text, tah_os::text::Keep::Text));
    terminal.write(" [y/N] ");
    match terminal.line(&AtomicBool::new(false)).as_deref() {
        Some("y" | "Y" | "yes") => TrustAnswer::Yes,
        _ => TrustAnswer::No,
    }
}
