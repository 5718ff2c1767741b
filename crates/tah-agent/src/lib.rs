//! tah-agent
