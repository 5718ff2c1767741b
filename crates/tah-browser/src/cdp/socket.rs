//! The transport over a WebSocket, for a browser somebody else started (`--connect`).

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::{Connection, Sink};

/// Connects to a `ws://…/devtools/browser/…` address.
pub async fn open(url: &str, sink: Arc<dyn Sink>) -> Result<Connection, String> {
    // The default limit of 16 MiB would end the connection at the first big result.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let (socket, _) = tokio_tungstenite::connect_async_with_config(url, Some(config), true)
        .await
        .map_err(|error| format!("cannot connect to {url}: {error}"))?;
    let (mut writer, mut reader) = socket.split();
    let (connection, mut messages) = Connection::new();
    tokio::spawn(async move {
        while let Some(text) = messages.recv().await {
            if writer.send(Message::text(text)).await.is_err() {
                break;
            }
        }
    });
    let receiving = connection.clone();
    tokio::spawn(async move {
        let reason = loop {
            match reader.next().await {
                Some(Ok(Message::Text(text))) => receiving.receive(&text, &*sink),
                Some(Ok(Message::Close(_))) | None => break String::from("it closed the connection"),
                Some(Ok(_)) => {}
                Some(Err(error)) => break format!("the connection broke ({error})"),
            }
        };
        receiving.end(&reason, &*sink);
    });
    Ok(connection)
}
