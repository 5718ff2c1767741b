//! Sources whose tools come and go, as one list that only grows at its end: whatever joins, a server's late tools,
//! tools a search made usable, a browser's, stands behind what was there, so that a request begins as the last one
//! did and the provider's cache of it is hit.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tah_agent::tool::{Tool, ToolSource};

/// Several sources in the order in which their tools were mounted.
pub struct MountOrder {
    sources: Vec<Arc<dyn ToolSource>>,
    /// The names that were there last time, in their order.
    order: Mutex<Vec<String>>,
}

impl MountOrder {
    /// Where two sources begin with tools, those of the first come first; of two tools with one name the first
    /// source's stays.
    pub fn new(sources: Vec<Arc<dyn ToolSource>>) -> Self {
        MountOrder { sources, order: Mutex::default() }
    }
}

impl ToolSource for MountOrder {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut seen = HashSet::new();
        let all = self.sources.iter().flat_map(|source| source.tools());
        let mut now: Vec<Arc<dyn Tool>> = all.filter(|tool| seen.insert(tool.name().to_owned())).collect();
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order.retain(|name| seen.contains(name));
        let places: HashMap<&str, usize> =
            order.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        // New ones share the last place, and a stable sort keeps them as their sources gave them.
        now.sort_by_key(|tool| places.get(tool.name()).copied().unwrap_or(usize::MAX));
        *order = now.iter().map(|tool| tool.name().to_owned()).collect();
        now
    }

    fn refresh(&self) {
        self.sources.iter().for_each(|source| source.refresh());
    }
}

#[cfg(test)]
mod tests;
