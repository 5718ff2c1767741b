//! The client against servers: scripted ones in memory, faulty processes, and the real ones.

mod calls;
mod fake;
mod handshake;
mod listing;
mod noise;
mod server_asks;
