//! Streamed Markdown for a terminal: [`stream`] prints a block once it is finished, [`render`] turns blocks into
//! lines, with [`table`]s in cells and [`highlight`]ed code.

pub mod highlight;
pub mod render;
pub mod stream;
pub mod table;
