//! tah-cli

pub mod chat;
pub mod plugin;
