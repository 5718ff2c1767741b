//! Server-sent events on bounded lines. Source: html.spec.whatwg.org, "Server-sent events".

use crate::lines::{Line, LineReader};
use std::time::Duration;
use tokio::io::AsyncRead;

/// What a stream said last about itself, for taking it up again.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) last_id: Option<String>,
    /// The pause the server asks for before a new connection.
    pub(crate) retry: Option<Duration>,
}

/// One event that carries something.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Data(String),
    /// Over the limit and dropped: the two ends of it.
    TooLong {
        head: Vec<u8>,
        tail: Vec<u8>,
        bytes: u64,
    },
}

/// Reads events; an event without its blank line at the end of the stream is still delivered.
pub(crate) struct Events<R> {
    lines: LineReader<R>,
    limit: usize,
    pub(crate) position: Position,
}

impl<R: AsyncRead + Unpin> Events<R> {
    pub(crate) fn new(stream: R, limit: usize, position: Position) -> Self {
        Self { lines: LineReader::new(stream, limit), limit, position }
    }

    pub(crate) async fn next(&mut self) -> Option<Event> {
        let mut data: Option<String> = None;
        loop {
            let text = match self.lines.next().await {
                None => return data.map(Event::Data),
                Some(Line::TooLong { head, tail, bytes }) => {
                    let head = head.strip_prefix(b"data:").map(<[u8]>::to_vec).unwrap_or(head);
                    return Some(Event::TooLong { head, tail, bytes });
                }
                Some(Line::Text { text, .. }) => text,
            };
            if text.is_empty() {
                if data.as_ref().is_some_and(|data| !data.is_empty()) {
                    return data.map(Event::Data);
                }
                data = None;
                continue;
            }
            let (field, value) = text.split_once(':').unwrap_or((&text, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => match &mut data {
                    None if text.len() > 100_000 => {
                        // a big line keeps its allocation
                        let start = text.len() - value.len();
                        let mut text = text;
                        text.drain(..start);
                        data = Some(text);
                    }
                    None => data = Some(value.to_owned()),
                    Some(data) if data.len() + value.len() < self.limit => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    Some(_) => {}
                },
                "id" if !value.contains('\0') => self.position.last_id = Some(value.to_owned()),
                "retry" => {
                    if let Ok(pause) = value.parse() {
                        self.position.retry = Some(Duration::from_millis(pause));
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn events_of_every_shape() {
        let stream = "\u{feff}: hello\r\n\r\nid: 1\nretry: 70\ndata:\n\ndata: {\"a\":\ndata: 1}\nid:2\nstrange: x\n\nevent: m\ndata:b\n\ndata: last";
        let mut events = Events::new(stream.as_bytes(), 1000, Position::default());
        assert_eq!(events.next().await, Some(Event::Data("{\"a\":\n1}".into())));
        let position = Position { last_id: Some("2".into()), retry: Some(Duration::from_millis(70)) };
        assert_eq!(events.position, position);
        assert_eq!(events.next().await, Some(Event::Data("b".into())));
        assert_eq!(events.next().await, Some(Event::Data("last".into())));
        assert_eq!(events.next().await, None);
    }

    #[tokio::test]
    async fn m12_an_event_over_the_limit() {
        let stream = format!("data: {{\"id\":3,\"result\":\"{}\"}}\n\ndata: next\n\n", "x".repeat(300_000));
        let mut events = Events::new(stream.as_bytes(), 100_000, Position::default());
        let Some(Event::TooLong { head, .. }) = events.next().await else { panic!() };
        assert!(head.starts_with(b" {\"id\":3"));
        assert_eq!(events.next().await, Some(Event::Data("next".into())));
    }
}
