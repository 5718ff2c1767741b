//! Tah's own files.
