//! What is not the agent's own and yet gives it tools: MCP servers and the browser.

pub mod browser;
pub mod mcp;
pub mod mounts;
