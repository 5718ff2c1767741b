//! tah-mcp
