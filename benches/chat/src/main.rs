//! `cargo run --release -p tah-bench-chat -- stream [SECONDS] | line [MB] | resume [MESSAGES] | mention [FILES]`
//!
//! What the chat costs without a terminal's own time: its state, its frames and the bytes it would write. Exit
//! status 1 means that a limit of the project was missed.
#![allow(clippy::print_stdout, reason = "a measuring program prints")]

use anyhow::{Context, Result, bail};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tah_agent::approval::ApproveMode;
use tah_agent::event::Event;
use tah_agent::id::{SessionId, TurnId};
use tah_agent::message::Message;
use tah_agent::session::store::SessionStore;
use tah_agent::tool::Vision;
use tah_cli::chat::state::Chat;
use tah_cli::chat::style::Colours;
use tah_cli::chat::terminal::inline::{Inline, Narrowing, Size};
use tah_cli::chat::widgets::menu::best;
use tah_cli::chat::{NoFacts, Options, Surroundings, limits, resume};
use tah_os::disk;
use tah_os::process::Launcher;

const SIZE: Size = Size { columns: 120, rows: 40 };

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |usual: u64| -> Result<u64> {
        words.get(1).map_or(Ok(usual), |word| word.parse().with_context(|| format!("{word} is no number")))
    };
    let good = match words.first().map(String::as_str) {
        Some("stream") => stream(number(20)?)?,
        Some("line") => line(number(1)?)?,
        Some("resume") => resumed(number(10_000)?)?,
        Some("mention") => mention(number(100_000)?),
        _ => bail!("say stream [SECONDS], line [MB], resume [MESSAGES] or mention [FILES]"),
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chat(cwd: &Path) -> Chat {
    let options = Options {
        cwd: cwd.to_owned(),
        home: None,
        store: SessionStore::beneath(&cwd.join(".tah")),
        sources: Vec::new(),
        mode: ApproveMode::Ask,
        vision: Vision::Off,
        facts: Arc::new(NoFacts),
        launcher: Launcher::None,
        surroundings: Surroundings::default(),
        first_prompt: None,
    };
    Chat::new(options, usize::from(SIZE.columns), usize::from(SIZE.rows), Instant::now())
}

fn draw(chat: &mut Chat, inline: &mut Inline<impl Write>) -> Result<()> {
    let finished = std::mem::take(&mut chat.out);
    let live = chat.frame();
    inline.draw(&finished, &live)?;
    chat.drawn();
    Ok(())
}

/// A page of what models write; about 125 tokens.
const PAGE: &str = "Here is what I found, in **three** parts with `code` and 中文 text that is long enough to wrap.\n\n\
    - the first item says something\n- the second one too\n\n```rust\nfn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n```\n\n\
    | name | value |\n| --- | ---: |\n| one | 1 |\n| 二 | 2 |\n\nA closing paragraph with a [link](https://example.org/path) \
    and enough words in it to need a second line on most terminals.\n\n";

/// 5,000 tokens a second: a page each 25 ms, as the agent joins deltas.
fn stream(seconds: u64) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let mut chat = chat(folder.path());
    let mut inline = Inline::new(io::sink(), SIZE, Colours::On, Narrowing::Reflows);
    chat.event(Event::User { turn: TurnId::new("t"), text: "go".to_owned(), images: 0 });
    let (began, cpu) = (Instant::now(), cpu_ms()?);
    let (mut frames, mut pages) = (0u64, 0u32);
    let mut last = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        chat.now = Instant::now();
        chat.event(Event::Text { text: PAGE.to_owned() });
        pages += 1;
        if last.elapsed() >= limits::FRAME {
            draw(&mut chat, &mut inline)?;
            frames += 1;
            last = Instant::now();
        }
        let due = began + pages * Duration::from_millis(25);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let wall = began.elapsed().as_secs_f64();
    let spent = (cpu_ms()? - cpu) as f64 / 1000.0;
    let (share, rate, memory) = (100.0 * spent / wall, frames as f64 / wall, peak_mb()?);
    println!(
        "stream: {wall:.1} s, {pages} pages of 125 tokens ({:.0} tokens/s)",
        f64::from(pages) * 125.0 / wall
    );
    println!(
        "  {rate:.1} frames/s (limit 30), {share:.1} % of a core (limit 10), {memory} MB at most (limit 40)"
    );
    println!(
        "  {} bytes written, {:.1} a token",
        inline.bytes(),
        inline.bytes() as f64 / (f64::from(pages) * 125.0)
    );
    Ok(rate <= 30.0 && share < 10.0 && memory < 40)
}

/// A single line of some megabytes in one event, to the frame that shows its end.
fn line(megabytes: u64) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let mut good = true;
    for (name, word) in [("ascii", "word and "), ("wide", "一个字 ")] {
        let count = usize::try_from(megabytes)? * 1024 * 1024 / word.len();
        let text = word.repeat(count);
        let mut times = Vec::new();
        for _ in 0..9 {
            let mut chat = chat(folder.path());
            let mut inline = Inline::new(io::sink(), SIZE, Colours::On, Narrowing::Reflows);
            let began = Instant::now();
            chat.event(Event::Text { text: text.clone() });
            chat.event(Event::ReplyEnd { calls: 0 });
            draw(&mut chat, &mut inline)?;
            times.push(began.elapsed());
        }
        times.sort();
        println!("line: {megabytes} MB, {name}: median {:.1} ms (limit 50)", times[4].as_secs_f64() * 1000.0);
        good &= times[4] < Duration::from_millis(50);
    }
    Ok(good)
}

/// A session of many messages: read from its file and shown.
fn resumed(messages: u64) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let store = SessionStore::beneath(&folder.path().join(".tah"));
    let (mut session, _) = store.create("bench", folder.path(), None);
    for number in 0..messages / 2 {
        session.append(Message::user(format!("question {number}: what about 这个?")));
        session.append(Message::assistant(PAGE));
    }
    let id = session.id().to_string();
    drop(session);
    let mut times = Vec::new();
    for _ in 0..9 {
        let mut chat = chat(folder.path());
        let mut inline = Inline::new(io::sink(), SIZE, Colours::On, Narrowing::Reflows);
        let began = Instant::now();
        let count = usize::try_from(messages)?;
        let cwd = folder.path().display().to_string();
        let id = SessionId::new(id.clone());
        chat.event(Event::Session {
            id: id.clone(),
            path: None,
            model: "m".to_owned(),
            cwd,
            messages: count,
        });
        resume::recall(&mut chat, id.as_str());
        draw(&mut chat, &mut inline)?;
        times.push(began.elapsed());
    }
    times.sort();
    println!("resume: {messages} messages: median {:.1} ms (limit 300)", times[4].as_secs_f64() * 1000.0);
    Ok(times[4] < Duration::from_millis(300))
}

/// One key of an `@` mention in a folder of many files.
fn mention(files: u64) -> bool {
    let paths: Vec<String> =
        (0..files).map(|number| format!("crates/part-{}/src/module_{number}.rs", number % 97)).collect();
    let mut times = Vec::new();
    for pattern in ["m", "mod", "modu77", "p5/mod", "module_77123", "zzz", "src", "rs", "part-3"] {
        let began = Instant::now();
        let found = best(paths.iter().map(String::as_str), pattern, 32);
        times.push(began.elapsed());
        assert!(found.len() <= 32);
    }
    times.sort();
    println!("mention: {files} files: median {:.1} ms a key (limit 50)", times[4].as_secs_f64() * 1000.0);
    times[4] < Duration::from_millis(50)
}

/// Processor time of this process so far, in ms.
fn cpu_ms() -> Result<u64> {
    let stat = proc_file("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |index: usize| -> Result<u64> { Ok(fields.get(index).context("a field of stat")?.parse()?) };
    // A tick is 10 ms on every Linux in use.
    Ok((ticks(11)? + ticks(12)?) * 10)
}

fn peak_mb() -> Result<u64> {
    let status = proc_file("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("VmHWM")?;
    Ok(line.split_whitespace().nth(1).context("a number")?.parse::<u64>()? / 1024)
}

fn proc_file(path: &str) -> Result<String> {
    disk::read_text(Path::new(path), 1 << 20)?.with_context(|| path.to_owned())
}
