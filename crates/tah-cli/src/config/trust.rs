//! Which folders the user trusts. Files of any other folder may only tighten: a cloned repository must not choose
//! the server the user's key is sent to, the programs that are started or what goes without asking.

use super::ConfigError;
use super::file::Values;
use super::keys::{self, Kind, Untrusted};
use super::layers::Layers;
use crate::limits;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tah_os::disk::{self, Access};

/// The list in `trust.json`.
pub struct TrustList {
    file: PathBuf,
    folders: Vec<String>,
}

impl TrustList {
    pub fn load(home: &Path) -> Result<Self, ConfigError> {
        let file = home.join("trust.json");
        let fail = |error: &dyn std::fmt::Display| ConfigError::new(format!("{}: {error}", file.display()));
        let text = disk::read_text(&file, limits::CONFIG_BYTES).map_err(|error| fail(&error))?;
        let folders = match text {
            None => Vec::new(),
            Some(text) => {
                let value: Value = serde_json::from_str(&text).map_err(|error| fail(&error))?;
                let list = value["folders"].as_array().cloned().unwrap_or_default();
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
        };
        Ok(TrustList { file, folders })
    }

    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    pub fn holds(&self, folder: &Path) -> bool {
        self.folders.iter().any(|trusted| Path::new(trusted) == folder)
    }

    pub fn add(&mut self, folder: &Path) -> Result<(), ConfigError> {
        if !self.holds(folder) {
            self.folders.push(folder.display().to_string());
            self.store()?;
        }
        Ok(())
    }

    /// Whether it was there.
    pub fn remove(&mut self, folder: &Path) -> Result<bool, ConfigError> {
        let before = self.folders.len();
        self.folders.retain(|trusted| Path::new(trusted) != folder);
        if self.folders.len() == before {
            return Ok(false);
        }
        self.store()?;
        Ok(true)
    }

    fn store(&self) -> Result<(), ConfigError> {
        let fail = |error: disk::DiskError| ConfigError::new(error.to_string());
        if let Some(home) = self.file.parent() {
            disk::private_folder(home).map_err(fail)?;
        }
        let text = format!("{:#}\n", json!({ "folders": self.folders }));
        disk::write(&self.file, text.as_bytes(), Access::Private).map_err(fail)
    }
}

/// Splits the values of an untrusted folder's file: what only tightens, and the paths of what needs trust.
pub fn split(values: Values, below: &Layers) -> (Values, Vec<String>) {
    let rules = keys::leaves();
    let mut kept = Vec::new();
    let mut needs = Vec::new();
    for (path, value) in values {
        let rule = rules.iter().find(|(known, key)| {
            *known == path || matches!(key.kind, Kind::Servers(_)) && path.starts_with(&format!("{known}."))
        });
        let fine = match rule.map(|(_, key)| key.untrusted) {
            Some(Untrusted::Free) => true,
            // Saying again what holds anyway changes nothing.
            Some(Untrusted::Only(allowed)) => {
                let wanted = value.as_bool();
                wanted == Some(allowed) || wanted == below.switch(&path)
            }
            Some(Untrusted::Lower) => {
                let before = below.number(&path).unwrap_or(tah_agent::limits::MAX_STEPS as u64);
                value.as_u64().is_some_and(|now| now <= before)
            }
            Some(Untrusted::Never) | None => false,
        };
        if fine {
            kept.push((path, value));
        } else {
            needs.push(path);
        }
    }
    (kept, needs)
}
