//! tah-cli

pub mod plugin;
