//! Lines out of awkward byte streams.

use super::*;
use tokio::io::AsyncWriteExt;

fn text(line: Option<Line>) -> String {
    match line {
        Some(Line::Text { text, lossy: false }) => text,
        other => panic!("not a clean line: {other:?}"),
    }
}

#[tokio::test]
async fn m15_every_byte_alone() {
    let (client, mut server) = tokio::io::duplex(1);
    let writer = tokio::spawn(async move {
        for byte in "\u{feff}读取\r\n\n{\"a\":1}\nlast".bytes() {
            server.write_all(&[byte]).await.unwrap();
        }
    });
    let mut lines = LineReader::new(client, 1000);
    assert_eq!(text(lines.next().await), "读取");
    assert_eq!(text(lines.next().await), "");
    assert_eq!(text(lines.next().await), "{\"a\":1}");
    assert_eq!(text(lines.next().await), "last");
    assert_eq!(lines.next().await, None);
    writer.await.unwrap();
}

#[tokio::test]
async fn m15_invalid_utf8_is_replaced_and_said() {
    let mut lines = LineReader::new(&b"a\xffb\nc"[..], 1000);
    assert_eq!(lines.next().await, Some(Line::Text { text: "a\u{fffd}b".into(), lossy: true }));
    assert_eq!(text(lines.next().await), "c");
}

#[tokio::test]
async fn m12_a_line_over_the_limit_keeps_its_edges() {
    let long = format!("{}{}{}\nnext\n", "h".repeat(5000), "x".repeat(400_000), "t".repeat(5000));
    let mut lines = LineReader::new(long.as_bytes(), 100_000);
    let Some(Line::TooLong { head, tail, bytes }) = lines.next().await else { panic!("not cut") };
    assert_eq!(head, vec![b'h'; limits::LINE_EDGE_BYTES]);
    assert_eq!(tail, vec![b't'; limits::LINE_EDGE_BYTES]);
    assert_eq!(bytes, 410_000);
    assert_eq!(text(lines.next().await), "next");
    assert_eq!(lines.next().await, None);
}

#[tokio::test]
async fn m12_a_long_line_within_the_limit_is_whole() {
    let long = format!("{}\nshort\n", "x".repeat(300_000));
    let mut lines = LineReader::new(long.as_bytes(), 400_000);
    assert_eq!(text(lines.next().await).len(), 300_000);
    assert_eq!(text(lines.next().await), "short");
}
