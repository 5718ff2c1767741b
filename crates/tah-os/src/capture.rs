//! Bounded capture of what a command prints.
