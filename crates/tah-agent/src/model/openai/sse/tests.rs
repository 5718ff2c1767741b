//! What the reader does where `sse-stream` alone would not do.

use super::*;
use std::convert::Infallible;

async fn read(pieces: Vec<&'static [u8]>) -> Vec<Result<String, StreamFault>> {
    let stream =
        futures_util::stream::iter(pieces).map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece)));
    events(watched(stream, Duration::from_secs(5))).collect().await
}

fn ok(texts: &[&str]) -> Vec<Result<String, StreamFault>> {
    texts.iter().map(|text| Ok((*text).to_owned())).collect()
}

#[tokio::test]
async fn s6_the_last_event_needs_no_blank_line() {
    assert_eq!(read(vec![b"data: a\n\ndata: b"]).await, ok(&["a", "b"]));
}

#[tokio::test]
async fn s7_several_lines_of_data_are_one_event() {
    assert_eq!(
        read(vec![b"data: a\ndata:b\nid: 1\nretry: 5\n\n: c\n\ndata: d\n\n"]).await,
        ok(&["a\nb", "d"])
    );
}

#[tokio::test]
async fn s8_bytes_that_are_no_text_do_not_end_the_stream() {
    assert_eq!(
        read(vec![b"data: a\xff\xe4\xbd", b"\xa0\n\ndata: b\xe4"]).await,
        ok(&["a\u{FFFD}你", "b\u{FFFD}"])
    );
}

#[tokio::test]
async fn a_fault_comes_after_what_was_there() {
    let pieces = vec![Ok(Bytes::from_static(b"data: a\n\ndata: b")), Err("gone")];
    let got: Vec<_> =
        events(watched(futures_util::stream::iter(pieces), Duration::from_secs(5))).collect().await;
    let mut expected = ok(&["a", "b"]);
    expected.push(Err(StreamFault::Lost("gone".into())));
    assert_eq!(got, expected);
}

#[tokio::test]
async fn an_event_without_end_is_a_fault() {
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let stream = futures_util::stream::repeat(Ok::<_, Infallible>(piece));
    let got: Vec<_> = events(watched(stream, Duration::from_secs(5))).collect().await;
    assert_eq!(got.last(), Some(&Err(StreamFault::TooLong)));
}

#[tokio::test]
async fn silence_is_a_fault() {
    let stream = futures_util::stream::pending::<Result<Bytes, Infallible>>();
    let got: Vec<_> = events(watched(stream, Duration::from_millis(20))).collect().await;
    assert_eq!(got, [Err(StreamFault::Silent(Duration::from_millis(20)))]);
}
