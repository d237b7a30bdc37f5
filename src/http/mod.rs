//! The edge of the server: takes connections, holds every request to its limits, gives every answer
//! the same protective headers, and serves the user interface that is built into the binary.

mod body;
mod connection;
mod path;
mod server;

pub use server::Server;
