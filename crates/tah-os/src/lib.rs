//! tah-os
