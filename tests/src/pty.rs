//! tah in a pseudo-terminal, with a model of the screen a person would see.

use crate::tah::{World, binary};
use crate::wait;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A state is waited for this long.
const LIMIT: Duration = Duration::from_secs(30);

/// A running terminal.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// Starts tah in the world's folder, with these extra variables.
    pub fn start(world: &World, args: &[&str], variables: &[(&str, &str)], rows: u16, cols: u16) -> Self {
        Self::start_program(&binary(), world, args, variables, rows, cols)
    }

    /// The same with another program.
    pub fn start_program(
        program: &Path,
        world: &World,
        args: &[&str],
        variables: &[(&str, &str)],
        rows: u16,
        cols: u16,
    ) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(world.work());
        command.env_clear();
        for name in ["PATH", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("HOME", world.home());
        command.env("TAH_HOME", world.home());
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("tah starts");
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size_of(rows), size_of(cols), 10_000)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (into, kept) = (screen.clone(), raw.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                into.lock().unwrap().process(&buffer[..count]);
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        let keys = pair.master.take_writer().expect("a writer");
        Pty { master: pair.master, keys, child, screen, raw }
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.process_id().expect("it runs")).expect("a pid is small")
    }

    pub fn send(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
        self.keys.flush().expect("the terminal is there");
    }

    /// The visible screen, a line a row.
    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Every row, from the first that scrolled out to the last of the screen.
    pub fn history(&self) -> Vec<String> {
        let mut screen = self.screen.lock().unwrap();
        let screen = screen.screen_mut();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let width = screen.size().1.get();
        let mut rows = Vec::new();
        for offset in (1..=above).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width));
        rows
    }

    /// The terminal's line discipline, to compare.
    pub fn modes(&self) -> String {
        format!("{:?}", self.master.get_termios())
    }

    /// Where the cursor is: row and column, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        self.screen.lock().unwrap().screen().cursor_position()
    }

    /// Everything that was written to the terminal so far.
    pub fn raw(&self) -> Vec<u8> {
        self.raw.lock().unwrap().clone()
    }

    pub fn resize(&self, rows: u16, cols: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(size_of(rows), size_of(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).expect("it resizes");
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&self, text: &str) -> String {
        let end = std::time::Instant::now() + LIMIT;
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(std::time::Instant::now() < end, "the screen never showed {text:?}:\n{screen}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for tah's end and gives its exit code.
    pub fn finish(&mut self) -> u32 {
        wait::some("tah ends", LIMIT, || self.child.try_wait().expect("a child")).exit_code()
    }
}

fn size_of(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a screen has cells")
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
