//! Reading, listing and searching.

use super::{Bench, link};
use serde_json::json;
use std::fs;
use std::io::{Seek, SeekFrom, Write};

#[tokio::test]
async fn lines_are_numbered_and_pages_say_how_to_go_on() {
    let bench = Bench::new();
    let text: String = (1..=5_000).map(|n| format!("line {n}\n")).collect();
    bench.put("f", &text);
    let first = bench.call("read_file", json!({"path": "f"})).await.unwrap();
    assert!(first.text.starts_with("1\tline 1\n2\tline 2\n"));
    assert!(
        first.text.ends_with("[lines 1-2000 of 5000; read_file with offset 2001 for more]\n"),
        "{}",
        &first.text[first.text.len() - 90..]
    );
    assert_eq!(first.brief, "2000 lines");
    assert!(first.cut.is_some());
    let page = bench.ok("read_file", json!({"path": "f", "offset": 4_999, "limit": 10})).await;
    assert_eq!(page, "4999\tline 4999\n5000\tline 5000\n[lines 4999-5000 of 5000, the end of the file]\n");
    let fault = bench.fault("read_file", json!({"path": "f", "offset": 5_001})).await;
    assert!(fault.contains("5000 lines"), "{fault}");
}

#[tokio::test]
async fn e7_long_lines_are_cut_and_grep_shows_their_middle() {
    let bench = Bench::new();
    bench.put("min.js", format!("{}needle{}\nend\n", "x".repeat(300_000), "y".repeat(300_000)));
    let text = bench.ok("read_file", json!({"path": "min.js"})).await;
    assert!(
        text.len() < 3_000 && text.contains("more bytes in this line") && text.contains("2\tend"),
        "{text}"
    );
    let found = bench.ok("grep", json!({"pattern": "needle"})).await;
    assert!(found.contains("needle") && found.len() < 1_000, "{found}");
}

#[tokio::test]
async fn e7_encodings_are_read() {
    let bench = Bench::new();
    let chinese = "这是一个用来测试编码的文件，里面有足够多的中文。\n第二行。\n";
    bench.put("gbk.txt", encoding_rs::GBK.encode(chinese).0);
    let text = bench.ok("read_file", json!({"path": "gbk.txt"})).await;
    assert!(text.contains("2\t第二行。") && text.contains("encoding: GBK"), "{text}");
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain("a\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    bench.put("wide.txt", wide);
    let text = bench.ok("read_file", json!({"path": "wide.txt"})).await;
    assert!(text.starts_with("1\ta\n2\tb\n") && text.contains("UTF-16LE") && text.contains("CRLF"), "{text}");
    bench.put("bom.txt", "\u{FEFF}one\n");
    assert!(bench.ok("read_file", json!({"path": "bom.txt"})).await.starts_with("1\tone\n"));
    bench.put("mac.txt", "a\rb\rc");
    assert_eq!(bench.ok("read_file", json!({"path": "mac.txt"})).await, "1\ta\n2\tb\n3\tc\n");
    bench.put("empty", "");
    assert!(bench.ok("read_file", json!({"path": "empty"})).await.contains("empty"));
}

#[tokio::test]
async fn e7_binary_is_described_and_pictures_are_shown_to_who_can_see() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let bench = Bench::new();
    bench.put("p.png", &png);
    bench.put("b.bin", [0, 1, 2, 3]);
    assert!(bench.ok("read_file", json!({"path": "p.png"})).await.contains("can't look at pictures"));
    assert!(bench.ok("read_file", json!({"path": "b.bin"})).await.contains("binary"));
    let bench = Bench::new().seeing();
    bench.put("p.png", &png);
    let output = bench.call("read_file", json!({"path": "p.png"})).await.unwrap();
    assert_eq!((output.images.len(), output.images[0].media_type.as_str()), (1, "image/png"));
}

/// The largest resident size of this process so far, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn e7_a_sparse_200_mb_file_is_paged_in_little_memory() {
    let bench = Bench::new();
    let mut file = fs::File::create(bench.path("huge")).unwrap();
    for part in 0..200 {
        file.seek(SeekFrom::Start(part << 20)).unwrap();
        file.write_all(format!("{}part {part}\n", "text\n".repeat(60_000)).as_bytes()).unwrap();
    }
    file.set_len(200 << 20).unwrap();
    drop(file);
    let before = peak();
    for offset in [1, 6_000_000, 12_000_000] {
        let text = bench.ok("read_file", json!({"path": "huge", "offset": offset, "limit": 50})).await;
        assert!(text.contains("text"), "{}", &text[..100]);
        assert!(text.len() < 200_000);
    }
    bench.ok("grep", json!({"pattern": "part 7", "directory": "huge"})).await;
    let grown = peak().saturating_sub(before);
    // The other tests of this process count too, so it is half of the file and not less.
    assert!(grown < 100 * 1024, "{grown} KiB");
}

#[tokio::test]
async fn listing_leaves_out_what_is_ignored_and_says_so() {
    let bench = Bench::new();
    bench.put(".gitignore", "target/\n.env\n");
    bench.put("target/debug/x", "");
    bench.put(".env", "KEY=1");
    bench.put("src/main.rs", "fn main() {}\n");
    bench.put("src/deep/er/x.rs", "");
    bench.put(".github/ci.yml", "");
    bench.put(".git/config", "");
    bench.put(".tah/out/x", "");
    link("src", bench.path("alias"));
    let text = bench.ok("list_files", json!({})).await;
    assert_eq!(
        text,
        ".github/\n.github/ci.yml\n.gitignore\nalias (link)\nsrc/\nsrc/deep/\nsrc/main.rs\n[ignored: .env, target/]\n"
    );
    let inner = bench.ok("list_files", json!({"directory": "src", "depth": 1})).await;
    assert_eq!(inner, "src/deep/\nsrc/main.rs\n");
    assert_eq!(bench.ok("glob", json!({"pattern": "*.rs"})).await, "src/deep/er/x.rs\nsrc/main.rs\n");
    assert_eq!(bench.ok("glob", json!({"pattern": "src/*.rs"})).await, "src/main.rs\n");
    assert_eq!(bench.ok("glob", json!({"pattern": "**/*.{rs,yml}"})).await.lines().count(), 3);
    assert!(bench.ok("glob", json!({"pattern": "*.py"})).await.contains("no file"));
    assert!(bench.fault("glob", json!({"pattern": "a{b"})).await.contains("can't be read"));
    // Named itself, an ignored folder is shown.
    assert!(bench.ok("list_files", json!({"directory": "target"})).await.contains("target/debug/"));
    assert!(bench.fault("list_files", json!({"directory": "src/main.rs"})).await.contains("not a folder"));
}

#[tokio::test]
async fn a_large_folder_is_shown_to_a_whole_level() {
    let bench = Bench::new();
    for folder in 0..50 {
        fs::create_dir(bench.path(&format!("d{folder:02}"))).unwrap();
        for file in 0..40 {
            fs::write(bench.path(&format!("d{folder:02}/f{file}")), "").unwrap();
        }
    }
    let text = bench.ok("list_files", json!({})).await;
    assert_eq!(text.lines().filter(|line| line.ends_with('/')).count(), 50);
    assert!(text.contains("2000 entries below level 1 not shown"), "{text}");
}

#[tokio::test]
async fn grep_shows_lines_context_files_and_counts() {
    let bench = Bench::new();
    bench.put("a.rs", "one\ntwo needle\nthree\nfour\nfive\nneedle\n");
    bench.put("b/c.txt", "NEEDLE\nneedle needle\n");
    bench.put("bin", b"needle\0");
    bench.put(".gitignore", "*.log\n");
    bench.put("x.log", "needle\n");
    let text = bench.ok("grep", json!({"pattern": "needle"})).await;
    assert_eq!(
        text,
        "a.rs\n2: two needle\n6: needle\n\nb/c.txt\n2: needle needle\n\n[3 matching lines in 2 files]\n"
    );
    let text = bench.ok("grep", json!({"pattern": "two", "context": 1})).await;
    assert!(text.starts_with("a.rs\n1- one\n2: two needle\n3- three\n"), "{text}");
    assert_eq!(
        bench.ok("grep", json!({"pattern": "needle", "mode": "files"})).await,
        "a.rs\nb/c.txt\n[3 matching lines in 2 files]\n"
    );
    assert!(
        bench.ok("grep", json!({"pattern": "(?i)needle", "mode": "counts"})).await.contains("b/c.txt: 2\n")
    );
    assert!(!bench.ok("grep", json!({"pattern": "needle", "glob": "*.rs"})).await.contains("c.txt"));
    assert!(!bench.ok("grep", json!({"pattern": "needle", "glob": "!*.rs"})).await.contains("a.rs"));
    assert!(
        bench
            .ok("grep", json!({"pattern": "needle", "directory": "b/c.txt"}))
            .await
            .starts_with("b/c.txt\n2:")
    );
    assert!(bench.ok("grep", json!({"pattern": "two needle\\nthree"})).await.contains("3: three"));
    let fault = bench.fault("grep", json!({"pattern": "a("})).await;
    assert!(fault.contains("can't be read") && fault.contains("escape"), "{fault}");
}

#[tokio::test]
async fn grep_is_bounded_counts_all_and_is_the_same_each_time() {
    let bench = Bench::new();
    for n in 0..300 {
        bench.put(&format!("d{}/f{n}", n % 7), "needle\n".repeat(10));
    }
    let first = bench.call("grep", json!({"pattern": "needle"})).await.unwrap();
    assert!(first.text.contains("3000 matching lines in 300 files") && first.text.len() < 40_000);
    assert!(first.cut.is_some());
    for _ in 0..5 {
        assert_eq!(bench.ok("grep", json!({"pattern": "needle"})).await, first.text);
    }
}
