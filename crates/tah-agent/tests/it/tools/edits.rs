//! Edits and writes, by case.

use super::{Bench, link};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tah_agent::card::{CardLine, Scope};

fn edit(path: &str, pairs: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = pairs.iter().map(|(old, new)| json!({"old": old, "new": new})).collect();
    json!({"path": path, "edits": edits})
}

async fn edited(before: &[u8], pairs: &[(&str, &str)]) -> Vec<u8> {
    let bench = Bench::new();
    bench.put("f", before);
    bench.ok("edit_file", edit("f", pairs)).await;
    bench.bytes("f")
}

#[tokio::test]
async fn e1_crlf_is_matched_by_lf_and_stays() {
    assert_eq!(edited(b"a\r\nb\r\nc\r\n", &[("a\nb", "a\nx\ny")]).await, b"a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(edited(b"a\r\nb\r\n", &[("a\r\nb\r\n", "c\r\nd\r\n")]).await, b"c\r\nd\r\n");
}

#[tokio::test]
async fn e1_mixed_endings_stay_line_by_line() {
    assert_eq!(edited(b"a\r\nb\nc\r\nd\n", &[("b\nc", "b\nnew\nc")]).await, b"a\r\nb\nnew\nc\r\nd\n");
    assert_eq!(edited(b"a\nb\r\nc\n", &[("b", "B")]).await, b"a\nB\r\nc\n");
    assert_eq!(edited(b"a\rb\rc", &[("a\nb", "x\nb")]).await, b"x\rb\rc");
}

#[tokio::test]
async fn e1_a_whole_write_keeps_crlf() {
    let bench = Bench::new();
    bench.put("f", "a\r\nb\r\n");
    bench.ok("write_file", json!({"path": "f", "content": "a\nc\n"})).await;
    assert_eq!(bench.bytes("f"), b"a\r\nc\r\n");
}

#[tokio::test]
async fn e2_the_mark_at_the_beginning_stays() {
    assert_eq!(edited(b"\xEF\xBB\xBFone\ntwo\n", &[("one", "1")]).await, b"\xEF\xBB\xBF1\ntwo\n");
    let wide = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    assert_eq!(edited(&wide("one\r\ntwo"), &[("one\n", "eins\n")]).await, wide("eins\r\ntwo"));
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    let text = "第一行是中文的文字。\n第二行也是中文的文字。\n";
    assert_eq!(edited(&gbk(text), &[("第二行", "末行")]).await, gbk(&text.replace("第二行", "末行")));
}

#[tokio::test]
async fn e2_a_character_the_encoding_has_not_is_refused() {
    let bench = Bench::new();
    let before = encoding_rs::GBK.encode("第一行是中文的文字，第二行也是中文的文字。\n").0.into_owned();
    bench.put("f", &before);
    let fault = bench.fault("edit_file", edit("f", &[("第一行", "🎉")])).await;
    assert!(fault.contains("GBK") && fault.contains('🎉'), "{fault}");
    assert_eq!(bench.bytes("f"), before);
}

#[tokio::test]
async fn e4_the_end_of_the_file_stays_as_it_is() {
    assert_eq!(edited(b"a\nb", &[("b", "c")]).await, b"a\nc");
    assert_eq!(edited(b"a\nb\n", &[("b", "c")]).await, b"a\nc\n");
    assert_eq!(edited(b"", &[("", "new\n")]).await, b"new\n");
    assert_eq!(edited(b"all\n", &[("all\n", "")]).await, b"");
}

#[tokio::test]
async fn e5_not_found_says_what_is_near() {
    let bench = Bench::new();
    bench.put("f", "fn main() {\n    let total = compute(1, 2);\n    println!(\"{total}\");\n}\n");
    let fault = bench.fault("edit_file", edit("f", &[("let totl = compute(1, 2);", "x")])).await;
    assert!(fault.contains("not in the file") && fault.contains("2\t    let total"), "{fault}");
    let blanks =
        bench.fault("edit_file", edit("f", &[("fn main() {\n\tlet total = compute(1, 2);", "x")])).await;
    assert!(blanks.contains("only in white space") && blanks.contains("line 1"), "{blanks}");
    let nothing = bench.fault("edit_file", edit("f", &[("zzzzqqqq", "x")])).await;
    assert!(nothing.contains("nor anything like it"), "{nothing}");
}

#[tokio::test]
async fn e5_many_matches_are_counted_and_placed() {
    let bench = Bench::new();
    bench.put("f", "x = 1\ny = 2\nx = 1\n");
    let fault = bench.fault("edit_file", edit("f", &[("x = 1", "x = 3")])).await;
    assert!(fault.contains("2 times") && fault.contains("lines 1, 3"), "{fault}");
    bench
        .ok("edit_file", json!({"path": "f", "edits": [{"old": "x = 1", "new": "x = 3", "all": true}]}))
        .await;
    assert_eq!(bench.text("f"), "x = 3\ny = 2\nx = 3\n");
    bench.put("g", "aaa");
    assert!(bench.fault("edit_file", edit("g", &[("aa", "b")])).await.contains("2 times"));
}

#[tokio::test]
async fn e5_line_numbers_go_only_if_every_line_has_one() {
    let bench = Bench::new();
    bench.put("f", "alpha\nbeta\ngamma\n");
    bench.ok("edit_file", edit("f", &[("1\talpha\n2\tbeta", "1\tALPHA\n2\tBETA")])).await;
    assert_eq!(bench.text("f"), "ALPHA\nBETA\ngamma\n");
    assert!(
        bench.fault("edit_file", edit("f", &[("1\tALPHA\nBETA", "x")])).await.contains("not in the file")
    );
    // A file that really has such numbers is matched as it is.
    bench.put("table", "1\tone\n2\ttwo\n");
    bench.ok("edit_file", edit("table", &[("1\tone", "1\tuno")])).await;
    assert_eq!(bench.text("table"), "1\tuno\n2\ttwo\n");
}

#[tokio::test]
async fn e5_several_edits_are_all_or_none_and_in_order() {
    let bench = Bench::new();
    bench.put("f", "one\ntwo\nthree\n");
    let fault = bench.fault("edit_file", edit("f", &[("one", "1"), ("four", "4")])).await;
    assert!(fault.contains("edit 2 of 2") && fault.contains("no edit was made"), "{fault}");
    assert_eq!(bench.text("f"), "one\ntwo\nthree\n");
    bench.ok("edit_file", edit("f", &[("one", "two"), ("two\ntwo", "2\n2")])).await;
    assert_eq!(bench.text("f"), "2\n2\nthree\n");
    assert!(bench.fault("edit_file", edit("f", &[("three", "three")])).await.contains("the same"));
    assert!(bench.fault("edit_file", edit("f", &[("", "x")])).await.contains("old is empty"));
}

#[tokio::test]
async fn e6_a_file_changed_since_it_was_read_is_refused() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    bench.ok("read_file", json!({"path": "f"})).await;
    bench.put("f", "one\nmore\n");
    for (tool, input) in
        [("edit_file", edit("f", &[("one", "1")])), ("write_file", json!({"path": "f", "content": "x"}))]
    {
        let fault = bench.fault(tool, input).await;
        assert!(fault.contains("changed since it was read") && fault.contains("re-read"), "{fault}");
    }
    assert_eq!(bench.text("f"), "one\nmore\n");
    bench.ok("read_file", json!({"path": "f"})).await;
    bench.ok("edit_file", edit("f", &[("one", "1")])).await;
    // Our own write is no change from outside.
    bench.ok("edit_file", edit("f", &[("1", "2")])).await;
    assert_eq!(bench.text("f"), "2\nmore\n");
}

#[tokio::test]
async fn e6_what_runs_is_what_the_card_showed() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    let input = edit("f", &[("one", "1")]);
    let card = bench.card("edit_file", input.clone()).await.unwrap().unwrap();
    assert_eq!(card.always, Some(Scope::Tool { name: "edit_file".to_owned() }));
    let shown =
        card.lines.iter().any(|line| matches!(line, CardLine::Diff(diff) if diff.contains("-one\n+1\n")));
    assert!(shown, "{card:?}");
    bench.put("f", "one\nand more\n");
    assert!(bench.run("edit_file", input).await.unwrap_err().message.contains("changed"));
    assert_eq!(bench.text("f"), "one\nand more\n");
    // The same with a file that was not there when the card was shown.
    let input = json!({"path": "new", "content": "mine"});
    bench.card("write_file", input.clone()).await.unwrap();
    bench.put("new", "theirs");
    assert!(bench.run("write_file", input).await.is_err());
    assert_eq!(bench.text("new"), "theirs");
}

#[tokio::test]
async fn e6_mode_and_link_stay() {
    let bench = Bench::new();
    bench.put("real.sh", "echo one\n");
    fs::set_permissions(bench.path("real.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    link("real.sh", bench.path("link.sh"));
    bench.ok("edit_file", edit("link.sh", &[("one", "two")])).await;
    bench.ok("write_file", json!({"path": "link.sh", "content": "echo three\n"})).await;
    assert_eq!(bench.text("real.sh"), "echo three\n");
    assert!(fs::symlink_metadata(bench.path("link.sh")).unwrap().is_symlink());
    assert_eq!(fs::metadata(bench.path("real.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    let left: Vec<_> =
        fs::read_dir(bench.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test]
async fn e7_binary_and_huge_files_are_not_edited_as_text() {
    let bench = Bench::new();
    bench.put("binary", b"one\0two\n");
    assert!(bench.fault("edit_file", edit("binary", &[("one", "1")])).await.contains("binary"));
    bench.put("broken", b"caf\xC3\xA9 and \xFF\xFE\xC3 bytes of no encoding \x81\x8D\n");
    let before = bench.bytes("broken");
    if let Err(error) = bench.call("edit_file", edit("broken", &[("bytes", "BYTES")])).await {
        assert!(error.message.contains("can't be edited"), "{}", error.message);
        assert_eq!(bench.bytes("broken"), before);
    } else {
        // Read in an encoding in which every byte comes back: then only the word has changed.
        let after = bench.bytes("broken");
        assert_eq!(
            String::from_utf8_lossy(&after),
            String::from_utf8_lossy(&before).replace("bytes", "BYTES")
        );
    }
    fs::File::create(bench.path("huge")).unwrap().set_len(200 << 20).unwrap();
    assert!(bench.fault("edit_file", edit("huge", &[("a", "b")])).await.contains("too large"));
}

#[tokio::test]
async fn a_write_makes_folders_and_says_what_it_did() {
    let bench = Bench::new();
    let input = json!({"path": "a/b/c.txt", "content": "one\ntwo\n"});
    let card = bench.card("write_file", input.clone()).await.unwrap().unwrap();
    assert_eq!(card.title, "Create file");
    let output = bench.run("write_file", input).await.unwrap();
    assert_eq!((output.brief.as_str(), bench.text("a/b/c.txt").as_str()), ("new, 2 lines", "one\ntwo\n"));
    let output =
        bench.call("write_file", json!({"path": "a/b/c.txt", "content": "one\n2\n3\n"})).await.unwrap();
    assert_eq!(output.brief, "+2 -1");
    bench.ok("write_file", json!({"path": "empty", "content": ""})).await;
    assert_eq!(bench.bytes("empty"), b"");
    assert!(bench.fault("write_file", json!({"path": "a/b", "content": "x"})).await.contains("folder"));
    assert!(bench.fault("write_file", json!({"path": "empty/x", "content": "x"})).await.contains("error"));
    assert!(
        bench.fault("edit_file", edit("none", &[("a", "b")])).await.contains("write_file makes a new one")
    );
}
