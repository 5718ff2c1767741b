//! Names of tools as models may see them: `server__tool`, legal for every provider, unique, and with a way back
//! (M5, M6, M7).

use std::collections::{HashMap, HashSet};

/// Longest name a provider takes.
const NAME_CHARS: usize = 64;

/// Gives each tool of each server one name for good.
pub(crate) struct Names {
    taken: HashSet<String>,
    given: HashMap<(String, String), String>,
}

impl Names {
    /// `reserved` are the names of built-in tools, which win.
    pub(crate) fn new(reserved: impl IntoIterator<Item = String>) -> Self {
        Self { taken: reserved.into_iter().collect(), given: HashMap::new() }
    }

    /// The name for `tool` of `server`; the same one each time.
    pub(crate) fn of(&mut self, server: &str, tool: &str) -> String {
        let key = (server.to_owned(), tool.to_owned());
        if let Some(name) = self.given.get(&key) {
            return name.clone();
        }
        let plain = format!("{}__{}", legal(server), legal(tool));
        let mut name = if plain.len() > NAME_CHARS { suffixed(&plain, &key, 0) } else { plain.clone() };
        let mut round = 0;
        while !self.taken.insert(name.clone()) {
            name = suffixed(&plain, &key, round);
            round += 1;
        }
        self.given.insert(key, name.clone());
        name
    }
}

/// `text` with everything else replaced by `_`; a text of which nothing would remain becomes its hash.
fn legal(text: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.chars().any(|c| c.is_ascii_alphanumeric()) {
        text.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
    } else {
        format!("x{:06x}", hash(text.as_bytes()) & 0xff_ffff)
    }
}

fn suffixed(plain: &str, (server, tool): &(String, String), round: u32) -> String {
    let hash = hash(format!("{server}\0{tool}\0{round}").as_bytes()) & 0xff_ffff;
    format!("{}_{hash:06x}", &plain[..plain.len().min(NAME_CHARS - 7)])
}

/// FNV-1a: the same in every run, unlike the standard hasher.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_legal(name: &str) -> bool {
        (1..=64).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    }

    #[test]
    fn m5_dots_slashes_spaces_in_names() {
        let mut names = Names::new([]);
        let given: Vec<String> = ["a.b", "a/b", "a b", "数据", "数量", "a_b", &"long".repeat(40), ""]
            .iter()
            .map(|tool| names.of("s", tool))
            .collect();
        assert!(given.iter().all(|name| is_legal(name)), "{given:?}");
        assert_eq!(given.iter().collect::<HashSet<_>>().len(), given.len(), "{given:?}");
        assert_eq!(given[0], "s__a_b");
        assert_eq!(names.of("s", "a/b"), given[1], "the same again");
        let mut again = Names::new([]);
        assert_eq!(again.of("s", "数据"), given[3], "the same in another run");
    }

    #[test]
    fn m7_duplicates_and_built_ins() {
        let mut names = Names::new(["read__file".to_owned()]);
        assert_eq!((names.of("one", "run"), names.of("two", "run")), ("one__run".into(), "two__run".into()));
        let (x, y) = (names.of("one", "x-y"), names.of("one", "x_y"));
        assert_eq!((&*x, &*y), ("one__x-y", "one__x_y"));
        let suffixed = names.of("read", "file");
        assert!(suffixed.starts_with("read__file_") && is_legal(&suffixed), "the built-in wins: {suffixed}");
        let (a, b) = (names.of("a", "b__c"), names.of("a__b", "c"));
        assert!(a == "a__b__c" && b.starts_with("a__b__c_"), "{a} {b}");
    }
}
