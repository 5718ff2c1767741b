//! What tah needs of the system, so that no other crate touches it.
//!
//! [`process`] starts every program and ends its whole tree; on Linux through [`launcher`], the re-executed
//! `tah __child`, which also applies the [`sandbox`]. [`path`] is the only way from a model's string to the
//! disk, [`disk`] the only way to tah's own state. [`capture`] keeps a command's endless output in bounded
//! memory, [`text`] makes foreign text safe to show. [`limits`] holds every number with its unit.
//!
//! This crate knows nothing of models, tools or terminals, and it prints nothing.

pub mod capture;
pub mod disk;
pub mod launcher;
pub mod limits;
pub mod path;
pub mod process;
pub mod sandbox;
pub mod text;
