//! The tools every tah has, one file each.
