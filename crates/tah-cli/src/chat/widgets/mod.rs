//! The pieces of the live area, one a file. Each gives lines at a width and knows no terminal.

pub mod card;
pub mod diff;
pub mod menu;
pub mod status;
pub mod tool_line;
pub mod waiting;
