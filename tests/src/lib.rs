//! end-to-end support
