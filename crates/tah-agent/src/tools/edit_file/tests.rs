//! Edits, by case.
