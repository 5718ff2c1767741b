//! What joins the libraries to the agent: MCP servers and the browser as sources of tools.

pub mod browser;
