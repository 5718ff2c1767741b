//! Any edits of any text: nothing panics, an edit to the same changes nothing, line endings are not invented.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use tah_agent::tools::fuzzing::apply_edits;

#[derive(Arbitrary, Debug)]
struct Input {
    text: String,
    edits: Vec<(Old, String, bool)>,
}

/// Most texts made up are not in the file, so half of them are taken from it.
#[derive(Arbitrary, Debug)]
enum Old {
    Given(String),
    Piece(u8, u8),
}

fuzz_target!(|input: Input| {
    let edits: Vec<(String, String, bool)> = input
        .edits
        .into_iter()
        .map(|(old, new, all)| {
            let old = match old {
                Old::Given(text) => text,
                Old::Piece(from, length) => {
                    input.text.chars().skip(usize::from(from)).take(usize::from(length)).collect()
                }
            };
            (old, new, all)
        })
        .collect();
    for (old, _, all) in &edits {
        if input.text.contains(old.as_str())
            && let Ok(same) = apply_edits(&input.text, &[(old.clone(), old.clone(), *all)])
        {
            assert_eq!(same, input.text, "an edit to the same");
        }
    }
    if let Ok(text) = apply_edits(&input.text, &edits) {
        let news = edits.iter().any(|(_, new, _)| new.contains('\r'));
        assert!(news || input.text.contains('\r') || !text.contains('\r'), "a line ending out of nothing");
        if edits.is_empty() {
            assert_eq!(text, input.text);
        }
    }
});
