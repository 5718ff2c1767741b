//! What is measured, the same for everybody, and how it is printed.

use anyhow::{Result, ensure};
use std::time::Instant;

use crate::agent::Agent;
use crate::bare::Bare;
use crate::mcp::Server;
use crate::tah::Library;

/// One of those who are measured.
pub enum Driver {
    Bare(Box<Bare>),
    Library(Box<Library>),
    Server(Box<Server>),
    Agent(Agent),
}

/// The values of the form.
pub const FIELDS: [(&str, &str); 4] =
    [("name", "Ann 张"), ("email", "ann@example.com"), ("city", "Berlin"), ("note", "a longer note")];

#[derive(Default)]
pub struct Measured {
    form: Vec<f64>,
    form_chars: usize,
    /// Looks after the submit that saw the old page.
    stale: usize,
    click: Vec<f64>,
    big: Vec<f64>,
    big_chars: usize,
    memory: (Option<u64>, Option<u64>),
}

impl Driver {
    fn name(&self) -> &str {
        match self {
            Driver::Bare(_) => "bare client",
            Driver::Library(_) => "tah (library)",
            Driver::Server(server) => &server.name,
            Driver::Agent(_) => "agent-browser 0.41.2",
        }
    }

    async fn open(&mut self, url: &str) -> Result<String> {
        match self {
            Driver::Bare(bare) => bare.open(url).await,
            Driver::Library(tah) => tah.open(url).await,
            Driver::Server(server) => server.open(url).await,
            Driver::Agent(agent) => agent.open(url).await,
        }
    }

    async fn look(&mut self) -> Result<String> {
        match self {
            Driver::Bare(bare) => bare.look().await,
            Driver::Library(tah) => tah.look().await,
            Driver::Server(server) => server.look().await,
            Driver::Agent(agent) => agent.look().await,
        }
    }

    async fn fill_and_send(&mut self) -> Result<()> {
        match self {
            Driver::Bare(bare) => bare.fill_and_send().await,
            Driver::Library(tah) => tah.fill_and_send().await,
            Driver::Server(server) => server.fill_and_send().await,
            Driver::Agent(agent) => agent.fill_and_send().await,
        }
    }

    async fn click(&mut self) -> Result<()> {
        match self {
            Driver::Bare(bare) => bare.click("#b").await,
            Driver::Library(tah) => tah.click("#b").await,
            Driver::Server(server) => server.click("#b").await,
            Driver::Agent(agent) => agent.click("#b").await,
        }
    }

    /// Resident memory of the driver's own process, where it has one.
    fn memory(&self) -> Option<u64> {
        match self {
            Driver::Server(server) => server.memory(),
            Driver::Bare(_) | Driver::Library(_) | Driver::Agent(_) => None,
        }
    }

    pub async fn close(self) {
        match self {
            Driver::Bare(bare) => bare.close().await,
            Driver::Library(tah) => tah.close().await,
            Driver::Server(server) => server.close().await,
            Driver::Agent(agent) => agent.close().await,
        }
    }
}

/// Navigate, look, fill five, submit, look.
pub async fn form(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    let begun = Instant::now();
    let first = driver.open(&format!("{site}/form")).await?;
    driver.fill_and_send().await?;
    let last = driver.look().await?;
    measured.form.push(begun.elapsed().as_secs_f64() * 1e3);
    measured.form_chars = first.len() + last.len();
    ensure!(first.contains("Send"), "{} did not see the form: {first}", driver.name());
    if !last.contains("is in") {
        measured.stale += 1;
    }
    Ok(())
}

/// A click on a quiet page, with whatever verification the driver does.
pub async fn click(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    driver.open(&format!("{site}/click")).await?;
    for _ in 0..3 {
        let begun = Instant::now();
        driver.click().await?;
        measured.click.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

/// A look at 3,000 links.
pub async fn big(driver: &mut Driver, site: &str, measured: &mut Measured) -> Result<()> {
    driver.open(&format!("{site}/links")).await?;
    let begun = Instant::now();
    let look = driver.look().await?;
    measured.big.push(begun.elapsed().as_secs_f64() * 1e3);
    measured.big_chars = look.len();
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

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

pub fn print(drivers: &[Driver], all: &[Measured]) {
    let Some(bare) = all.first() else { return };
    println!("medians in ms, and the ratio to the bare client");
    println!(
        "{:<22} {:>16} {:>7} {:>6} {:>16} {:>16} {:>9} {:>14}",
        "", "form task", "chars", "stale", "click", "3,000 links", "chars", "memory MiB"
    );
    for (driver, measured) in drivers.iter().zip(all) {
        let against = |own: &[f64], base: &[f64]| {
            let (own, base) = (median(own), median(base));
            format!("{own:8.1} ({:5.2}×)", own / base.max(0.001))
        };
        let memory = match measured.memory {
            (Some(before), Some(after)) => format!("{} → {}", before >> 20, after >> 20),
            _ => String::from("–"),
        };
        println!(
            "{:<22} {:>16} {:>7} {:>6} {:>16} {:>16} {:>9} {:>14}",
            driver.name(),
            against(&measured.form, &bare.form),
            measured.form_chars,
            format!("{}/{}", measured.stale, measured.form.len()),
            against(&measured.click, &bare.click),
            against(&measured.big, &bare.big),
            measured.big_chars,
            memory
        );
    }
}
