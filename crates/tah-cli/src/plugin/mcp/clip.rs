//! A long result: its head and tail for the model, the whole of it in a file that can be read by parts (M12).

use std::io;
use std::path::{Path, PathBuf};
use tah_agent::session::store::own_state_folder;
use tah_agent::tool::{Cut, Output};
use tah_os::disk::{self, Access, DiskError};

/// Where the whole of cut results goes, and how much a model gets.
#[derive(Clone, Debug)]
pub struct Clip {
    /// The folder's `.tah`.
    pub state: PathBuf,
    /// Characters a model gets.
    pub chars: usize,
}

impl Clip {
    /// The output for a result; `name` tells its file from others.
    pub fn output(&self, text: String, name: &str) -> Output {
        let total = text.chars().count();
        let brief = format!("{total} chars");
        if total <= self.chars {
            return Output::new(text, brief);
        }
        let head_chars = self.chars * 2 / 3;
        let tail_chars = self.chars - head_chars;
        let head = &text[..offset(&text, head_chars)];
        let tail = &text[offset(&text, total - tail_chars)..];
        let left_out = total - self.chars;
        let remedy = match self.keep(&text, name) {
            Ok(path) => format!("the whole is in {path}: read it by parts with read_file, or grep it"),
            Err(error) => format!("the whole could not be kept: {error}"),
        };
        let shown = format!("{head}\n[{left_out} characters left out here; {remedy}]\n{tail}");
        Output { text: shown, brief, images: Vec::new(), cut: Some(Cut { chars: left_out as u64, remedy }) }
    }

    /// Writes the whole and gives its path as the file tools take it.
    fn keep(&self, text: &str, name: &str) -> Result<String, DiskError> {
        own_state_folder(&self.state)?;
        let folder = self.state.join("out");
        disk::private_folder(&folder)?;
        let mut file = format!("mcp-{}.txt", file_name(name));
        let mut number = 1;
        while exists(&folder.join(&file)) {
            number += 1;
            file = format!("mcp-{}-{number}.txt", file_name(name));
        }
        disk::write(&folder.join(&file), text.as_bytes(), Access::Private)?;
        Ok(format!(".tah/out/{file}"))
    }
}

fn exists(path: &Path) -> bool {
    !matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

fn file_name(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    name.chars().take(60).map(legal).collect()
}

/// The byte at which character `chars` begins.
fn offset(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests look at the disk directly")]
mod tests {
    use super::*;

    #[test]
    fn m12_head_and_tail_and_the_whole_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let clip = Clip { state: folder.path().join(".tah"), chars: 30 };
        let short = clip.output("读".repeat(30), "s__tool");
        assert_eq!((short.text.chars().count(), short.cut), (30, None));
        let whole = format!("{}{}{}", "头".repeat(20), "m".repeat(100), "尾".repeat(10));
        for file in ["mcp-s__to_ol.txt", "mcp-s__to_ol-2.txt"] {
            let long = clip.output(whole.clone(), "s__to/ol");
            assert!(
                long.text.starts_with(&"头".repeat(20)) && long.text.ends_with(&"尾".repeat(10)),
                "{}",
                long.text
            );
            assert!(long.text.contains("[100 characters left out here;"), "{}", long.text);
            assert!(long.text.contains(&format!(".tah/out/{file}")), "{}", long.text);
            assert_eq!(long.cut.unwrap().chars, 100);
            let kept = std::fs::read_to_string(folder.path().join(".tah/out").join(file)).unwrap();
            assert_eq!(kept, whole);
        }
        assert_eq!(std::fs::read_to_string(folder.path().join(".tah/.gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn m12_a_folder_that_can_not_be_written_costs_only_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".tah"), "a file stands here").unwrap();
        let clip = Clip { state: folder.path().join(".tah"), chars: 10 };
        let long = clip.output("x".repeat(50), "t");
        assert!(long.text.contains("the whole could not be kept"), "{}", long.text);
    }
}
