//! What is measured, the same for everybody, and how it is printed.

use anyhow::{Result, ensure};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::bare::Bare;
use crate::mcp::Server;

/// Whom we measure.
pub enum Kind {
    Bare,
    /// `tah mcp serve` of the binary there.
    Tah(String),
    Playwright,
    Agent,
}

/// One of them, running.
pub enum Driver {
    Bare(Box<Bare>),
    Server(Box<Server>),
    Agent(Agent),
}

/// The values of the form.
pub const FIELDS: [(&str, &str); 4] =
    [("name", "Ann 张"), ("email", "ann@example.com"), ("city", "Berlin"), ("note", "a longer note")];

/// How long a page is left alone before a click, so that it is a quiet one.
const QUIET: Duration = Duration::from_millis(250);

/// Resident bytes.
#[derive(Clone, Copy, Default)]
pub struct Memory {
    pub driver: Option<u64>,
    /// Of a process of its own that it keeps beside the browser.
    pub beside: Option<u64>,
}

/// Times in ms.
pub struct Measured {
    pub kind: Kind,
    pub form: Vec<f64>,
    pub form_chars: usize,
    /// Looks after the submit that saw the old page.
    pub stale: usize,
    pub click: Vec<f64>,
    pub big: Vec<f64>,
    pub big_chars: usize,
    /// Before and after a table of 1,500 rows.
    pub memory: (Memory, Memory),
    pub start: Vec<f64>,
}

impl Kind {
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Bare => "bare client",
            Kind::Tah(_) => "tah mcp serve",
            Kind::Playwright => "Playwright MCP 0.0.83",
            Kind::Agent => "agent-browser 0.41.2",
        }
    }

    pub async fn start(&self, folder: &Path) -> Result<Driver> {
        match self {
            Kind::Bare => crate::bare::start(folder).await,
            Kind::Tah(path) => crate::mcp::tah(path, folder).await,
            Kind::Playwright => crate::mcp::playwright(folder).await,
            Kind::Agent => crate::agent::start(folder).await,
        }
    }
}

impl Measured {
    pub fn new(kind: Kind) -> Measured {
        Measured {
            kind,
            form: Vec::new(),
            form_chars: 0,
            stale: 0,
            click: Vec::new(),
            big: Vec::new(),
            big_chars: 0,
            memory: Default::default(),
            start: Vec::new(),
        }
    }
}

impl Driver {
    async fn open(&mut self, url: &str) -> Result<String> {
        match self {
            Driver::Bare(bare) => bare.open(url).await,
            Driver::Server(server) => server.open(url).await,
            Driver::Agent(agent) => agent.open(url).await,
        }
    }

    async fn look(&mut self) -> Result<String> {
        match self {
            Driver::Bare(bare) => bare.look().await,
            Driver::Server(server) => server.look().await,
            Driver::Agent(agent) => agent.look().await,
        }
    }

    async fn fill_and_send(&mut self) -> Result<()> {
        match self {
            Driver::Bare(bare) => bare.fill_and_send().await,
            Driver::Server(server) => server.fill_and_send().await,
            Driver::Agent(agent) => agent.fill_and_send().await,
        }
    }

    async fn click(&mut self) -> Result<()> {
        match self {
            Driver::Bare(bare) => bare.click("#b").await,
            Driver::Server(server) => server.click("#b").await,
            Driver::Agent(agent) => agent.click("#b").await,
        }
    }

    /// Of the driver's own processes, where it has any.
    fn memory(&self) -> Memory {
        match self {
            Driver::Server(server) => server.memory(),
            Driver::Agent(agent) => agent.memory(),
            Driver::Bare(_) => Memory::default(),
        }
    }

    pub async fn close(self) {
        match self {
            Driver::Bare(bare) => bare.close().await,
            Driver::Server(server) => server.close().await,
            Driver::Agent(agent) => agent.close().await,
        }
    }
}

fn since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

/// Navigate, look, fill five, submit, look.
pub async fn form(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    let begun = Instant::now();
    let first = driver.open(&format!("{site}/form")).await?;
    driver.fill_and_send().await?;
    let last = driver.look().await?;
    measured.form.push(since(begun));
    measured.form_chars = first.chars().count() + last.chars().count();
    ensure!(first.contains("Send"), "{} did not see the form: {first}", measured.kind.name());
    if !last.contains("is in") {
        measured.stale += 1;
    }
    Ok(())
}

/// A click on a quiet page, with whatever verification the driver does.
pub async fn click(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    driver.open(&format!("{site}/click")).await?;
    for _ in 0..2 {
        tokio::time::sleep(QUIET).await;
        let begun = Instant::now();
        driver.click().await?;
        measured.click.push(since(begun));
    }
    Ok(())
}

/// A look at 3,000 links.
pub async fn big(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    driver.open(&format!("{site}/links")).await?;
    let begun = Instant::now();
    let look = driver.look().await?;
    measured.big.push(since(begun));
    measured.big_chars = look.chars().count();
    Ok(())
}

/// The driver's memory before and after a table of 1,500 rows.
pub async fn table(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    measured.memory.0 = driver.memory();
    driver.open(&format!("{site}/table")).await?;
    driver.look().await?;
    measured.memory.1 = driver.memory();
    Ok(())
}

/// From nothing to the first page looked at.
pub async fn start(site: &str, folder: &Path, measured: &mut Measured) -> Result<()> {
    let begun = Instant::now();
    let mut driver = measured.kind.start(folder).await?;
    let look = driver.open(&format!("{site}/form")).await?;
    measured.start.push(since(begun));
    ensure!(look.contains("Send"), "{} did not see the form: {look}", measured.kind.name());
    driver.close().await;
    Ok(())
}

/// The value below which so many hundredths of them are.
fn share(values: &[f64], hundredths: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) * hundredths / 100).copied().unwrap_or_default()
}

/// Which of the times.
pub type Times = fn(&Measured) -> &Vec<f64>;

pub fn median(values: &[f64]) -> f64 {
    share(values, 50)
}

pub fn print(all: &[Measured]) {
    let Some(bare) = all.first() else { return };
    println!(
        "times in ms: median, its ratio to the bare client, and the range from the 10th to the 90th hundredth\n"
    );
    let times: [(&str, Times); 4] = [
        ("form task", |one| &one.form),
        ("click", |one| &one.click),
        ("look at 3,000", |one| &one.big),
        ("spawn to page", |one| &one.start),
    ];
    for (what, of) in times {
        for measured in all {
            let own = of(measured);
            let (middle, base) = (median(own), median(of(bare)));
            println!(
                "{what:<14} {:<22} {middle:8.1}  {:6.2}×  {:8.1} –{:8.1}  of {}",
                measured.kind.name(),
                middle / base.max(0.001),
                share(own, 10),
                share(own, 90),
                own.len()
            );
        }
        println!();
    }
    let mebibytes = |bytes: Option<u64>| {
        bytes.map_or(String::from("–"), |bytes| format!("{:.1}", bytes as f64 / 1048576.0))
    };
    println!(
        "{:<22} {:>6} {:>11} {:>11} {:>24} {:>9}",
        "", "stale", "form chars", "look chars", "MiB before, after table", "beside"
    );
    for measured in all {
        let (before, after) = measured.memory;
        println!(
            "{:<22} {:>6} {:>11} {:>11} {:>24} {:>9}",
            measured.kind.name(),
            format!("{}/{}", measured.stale, measured.form.len()),
            measured.form_chars,
            measured.big_chars,
            format!("{}, {}", mebibytes(before.driver), mebibytes(after.driver)),
            mebibytes(after.beside),
        );
    }
}
