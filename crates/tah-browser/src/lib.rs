//! tah-browser
