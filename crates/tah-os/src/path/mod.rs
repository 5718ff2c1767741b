//! The only way from a model's string to the disk.
//!
//! [`Roots`] are the folders that file tools see: the working folder first, then what `--add-dir` added.
//! [`Roots::resolve`] turns a string into a [`WorkPath`] or says why not, and a `WorkPath` carries the
//! operations. Each is done beneath the root's open handle (`openat2` with `RESOLVE_BENEATH` on Linux), so
//! check and use are one act (P2): a link swapped in between leads nowhere outside. [`DownloadFolder`] is the
//! same for downloads, which never overwrite. Everything here blocks; callers on a runtime hand it to a thread.

mod download;
mod error;
mod roots;
mod walk;
mod work;
mod write;

pub use download::{Download, DownloadFolder, DownloadPath};
pub use error::PathError;
pub use roots::Roots;
pub use work::{Entry, Kind, Listing, Meta, Stamp, WorkPath};
pub use write::{Expect, Written};

#[cfg(test)]
mod tests;
