//! The terminal itself: its modes ([`guard`]), what is written to it ([`inline`]) and how cells and styles become
//! bytes ([`paint`]). Nothing else in the chat writes to it.

pub mod guard;
pub mod inline;
pub mod paint;
