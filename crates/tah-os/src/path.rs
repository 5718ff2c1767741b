//! The only way from a model's string to the disk.
