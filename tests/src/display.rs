//! A display without a screen (Xvfb), and the windows a person would see on it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask, MapState, Window};
use x11rb::rust_connection::RustConnection;

/// A running display; it ends with this value.
pub struct Display {
    server: Child,
    number: String,
    connection: RustConnection,
    root: Window,
}

/// A window that is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    id: Window,
    pub title: String,
    /// In pixels.
    pub size: (u16, u16),
}

impl Display {
    /// Starts one on a free number.
    pub fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts (`cargo xtask setup` installs it)");
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("piped")).read_line(&mut number).expect("its number");
        let number = number.trim().to_owned();
        assert!(!number.is_empty(), "Xvfb ended at its start");
        let (connection, screen) = x11rb::connect(Some(&format!(":{number}"))).expect("the display answers");
        let root = connection.setup().roots[screen].root;
        Display { server, number, connection, root }
    }

    /// For `DISPLAY`.
    pub fn name(&self) -> String {
        format!(":{}", self.number)
    }

    /// The windows that are shown, those without a title and tiny ones aside.
    pub fn windows(&self) -> Vec<Shown> {
        let tree = self.connection.query_tree(self.root).expect("a display").reply().expect("a tree");
        // A window may go while it is looked at.
        tree.children.into_iter().filter_map(|id| self.look_at(id)).collect()
    }

    fn look_at(&self, id: Window) -> Option<Shown> {
        let attributes = self.connection.get_window_attributes(id).ok()?.reply().ok()?;
        let geometry = self.connection.get_geometry(id).ok()?.reply().ok()?;
        let title = self.title(id)?;
        let size = (geometry.width, geometry.height);
        (attributes.map_state == MapState::VIEWABLE && size.0 > 100).then_some(Shown { id, title, size })
    }

    fn title(&self, id: Window) -> Option<String> {
        let name = self.atom("_NET_WM_NAME");
        let property = self.connection.get_property(false, id, name, AtomEnum::ANY, 0, 1024).ok()?;
        let value = property.reply().ok()?.value;
        (!value.is_empty()).then(|| String::from_utf8_lossy(&value).into_owned())
    }

    fn atom(&self, name: &str) -> u32 {
        let cookie = self.connection.intern_atom(false, name.as_bytes()).expect("a display");
        cookie.reply().expect("an atom").atom
    }

    /// Asks a window to close, as its cross does.
    pub fn close(&self, window: &Shown) {
        let ask = [self.atom("WM_DELETE_WINDOW"), 0, 0, 0, 0];
        let message = ClientMessageEvent::new(32, window.id, self.atom("WM_PROTOCOLS"), ask);
        self.connection.send_event(false, window.id, EventMask::NO_EVENT, message).expect("a display");
        self.connection.flush().expect("a display");
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
