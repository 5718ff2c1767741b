//! tah-cli
