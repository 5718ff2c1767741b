//! The tool against a server of its own.
