//! Pieces of tool calls in any order, with any ids, indexes and names.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use tah_agent::message::ArgumentFault;
use tah_agent::model::openai::assembler::Assembler;
use tah_agent::model::openai::wire::{Arguments, CallPiece, Chunk};
use tah_agent::model::{ReplyEnd, text_call};

#[derive(Arbitrary, Debug)]
struct Piece {
    index: Option<u8>,
    id: Option<u8>,
    name: Option<u8>,
    arguments: Option<(bool, String)>,
}

#[derive(Arbitrary, Debug)]
struct Input {
    chunks: Vec<Vec<Piece>>,
    finish: u8,
    done: bool,
    text: String,
}

fuzz_target!(|input: Input| {
    let taken: HashSet<String> = ["0".to_owned()].into();
    let mut assembler = Assembler::new(taken.clone(), None);
    let mut pieces = 0;
    for chunk in input.chunks {
        pieces += chunk.len();
        let calls = chunk.into_iter().map(piece).collect();
        assembler.take(Chunk { calls, ..Chunk::default() }, &mut Vec::new());
    }
    let finish = ["stop", "tool_calls", "length", "content_filter"].get(usize::from(input.finish));
    let finish = finish.map(|reason| (*reason).to_owned());
    assembler.take(Chunk { finish, ..Chunk::default() }, &mut Vec::new());
    if input.done {
        assembler.done();
    }
    let reply = assembler.finish();
    assert!(reply.calls.len() <= pieces);
    let ids: HashSet<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), reply.calls.len());
    assert!(reply.calls.iter().all(|call| !taken.contains(call.id.as_str())));
    for call in &reply.calls {
        assert!(call.fault.is_none() || call.input.is_empty());
        assert!(call.fault != Some(ArgumentFault::CutAtLimit) || reply.end == ReplyEnd::Length);
    }
    if matches!(reply.end, ReplyEnd::Broken | ReplyEnd::Filtered) {
        assert!(reply.calls.is_empty());
    }
    // A text that is taken for calls is nothing but JSON and marks.
    if let Some(calls) = text_call::recognise(&input.text, |_| true) {
        assert!(!calls.is_empty());
        assert!(input.text.trim_end().ends_with(['}', ']', '>']));
    }
});

fn piece(piece: Piece) -> CallPiece {
    CallPiece {
        index: piece.index.map(|index| u64::from(index % 4)),
        id: piece.id.map(|id| (id % 4).to_string()),
        name: piece.name.map(|name| ["read", "read_file", "grep", "x"][usize::from(name % 4)].to_owned()),
        arguments: match piece.arguments {
            None => Arguments::None,
            Some((true, text)) => Arguments::Part(text),
            Some((false, text)) => Arguments::Whole(text),
        },
    }
}
