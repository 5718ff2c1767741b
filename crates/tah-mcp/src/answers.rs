//! What a server may ask of us, and the answers (M5, M14).

use crate::wire::{DECLINED, METHOD_NOT_FOUND, RpcError};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Answers with the working folder as the one root.
pub(crate) struct Answers {
    folder: PathBuf,
}

impl Answers {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The answer to `method`. Roots are told to whoever asks, declared or not.
    pub(crate) fn to(&self, method: &str) -> Result<Value, RpcError> {
        match method {
            "ping" => Ok(json!({})),
            "roots/list" => {
                let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
                Ok(json!({"roots": [{"uri": file_uri(&self.folder), "name": name.unwrap_or_default()}]}))
            }
            "sampling/createMessage" => Err(declined("tah does not let servers ask its model")),
            "elicitation/create" => Err(declined("tah does not let servers ask its user")),
            other => Err(RpcError {
                code: METHOD_NOT_FOUND,
                message: format!("method not found: {other}"),
                data: None,
            }),
        }
    }
}

fn declined(why: &str) -> RpcError {
    RpcError { code: DECLINED, message: why.to_owned(), data: None }
}

/// A path as a `file://` uri.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            _ => {
                write!(uri, "%{byte:02X}").ok();
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m14_roots_are_uris() {
        let answers = Answers::new(PathBuf::from("/a b/数"));
        let answer = answers.to("roots/list").unwrap();
        assert_eq!(answer["roots"][0]["uri"], "file:///a%20b/%E6%95%B0");
        assert_eq!(answers.to("x/y").unwrap_err().code, METHOD_NOT_FOUND);
        assert_eq!(answers.to("sampling/createMessage").unwrap_err().code, DECLINED);
    }
}
