//! Any bytes as a stream, whole and cut: the same events, and a reply that keeps its promises.
#![no_main]

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use tah_agent::model::openai::assembler::Assembler;
use tah_agent::model::openai::sse::{self, StreamFault};
use tah_agent::model::openai::wire::{Payload, payloads};
use tah_agent::model::{Delta, ReplyEnd};

fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    let bytes = Bytes::copy_from_slice(bytes);
    let cut = usize::from(cut).min(bytes.len());
    let whole = events(vec![bytes.clone()]);
    assert_eq!(whole, events(vec![bytes.slice(..cut), bytes.slice(cut..)]));
    assert_eq!(whole, events(bytes.chunks(1).map(Bytes::copy_from_slice).collect()));
    assemble(&whole);
});

fn events(pieces: Vec<Bytes>) -> Vec<String> {
    let bytes = futures_util::stream::iter(pieces).map(Ok::<_, StreamFault>).boxed();
    let all = sse::events(bytes).collect::<Vec<_>>().now_or_never().expect("all of it is there");
    all.into_iter().map(|event| event.expect("no fault was put in")).collect()
}

fn assemble(events: &[String]) {
    let mut assembler = Assembler::new(HashSet::new(), None);
    let mut deltas = Vec::new();
    for payload in events.iter().flat_map(|event| payloads(event)) {
        match payload {
            Payload::Chunk(chunk) => {
                assembler.take(*chunk, &mut deltas);
            }
            Payload::Done => assembler.done(),
            Payload::Odd(text) => drop(assembler.odd(&text)),
            Payload::Comment | Payload::Fault(_) => {}
        }
    }
    let shown: String = deltas
        .iter()
        .filter_map(|delta| if let Delta::Text(text) = delta { Some(text.as_str()) } else { None })
        .collect();
    let reply = assembler.finish();
    assert_eq!(reply.text, shown);
    assert!(reply.end != ReplyEnd::Broken || reply.calls.is_empty());
    let ids: HashSet<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), reply.calls.len());
    assert!(reply.calls.iter().all(|call| call.fault.is_none() || call.input.is_empty()));
}
