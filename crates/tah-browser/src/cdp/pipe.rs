//! The transport over two inherited file descriptors (`--remote-debugging-pipe`): JSON messages, each ended by a NUL.
//! No port is open, so no other program of this machine can take part.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{Connection, Sink};

/// How much is read at once, in bytes.
const CHUNK: usize = 256 * 1024;

/// Connects to a browser over its pipe; `reader` is what the browser writes (its fd 4), `writer` what it reads (its fd 3).
pub fn open<R, W>(mut reader: R, mut writer: W, sink: Arc<dyn Sink>) -> Connection
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (connection, mut messages) = Connection::new();
    tokio::spawn(async move {
        while let Some(text) = messages.recv().await {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            if writer.write_all(&bytes).await.is_err() {
                break; // the reader sees the end and tells everybody
            }
        }
    });
    let receiving = connection.clone();
    tokio::spawn(async move {
        let reason = receive_all(&receiving, &mut reader, &*sink).await;
        receiving.end(&reason, &*sink);
    });
    connection
}

async fn receive_all<R: AsyncRead + Unpin>(
    connection: &Connection,
    reader: &mut R,
    sink: &dyn Sink,
) -> String {
    let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK);
    let mut searched = 0;
    loop {
        // After a message of many megabytes the memory goes back.
        if buffer.is_empty() && buffer.capacity() > 8 * CHUNK {
            buffer = Vec::with_capacity(CHUNK);
            searched = 0;
        }
        buffer.reserve(CHUNK / 4);
        match reader.read_buf(&mut buffer).await {
            Ok(0) => return String::from("it ended"),
            Ok(_) => {}
            Err(error) => return format!("its pipe broke ({error})"),
        }
        let mut start = 0;
        while let Some(at) = buffer[searched..].iter().position(|byte| *byte == 0) {
            let end = searched + at;
            match std::str::from_utf8(&buffer[start..end]) {
                Ok(text) => connection.receive(text, sink),
                Err(_) => connection.receive(&String::from_utf8_lossy(&buffer[start..end]), sink),
            }
            start = end + 1;
            searched = start;
        }
        buffer.drain(..start);
        searched = buffer.len();
    }
}
