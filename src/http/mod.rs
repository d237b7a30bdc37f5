//! The edge of the server: takes connections, holds every request to its limits, gives every answer
//! the same protective headers, and serves the user interface that is built into the binary.

mod body;
mod connection;
mod edge;
mod headers;
mod methods;
mod origin;
mod path;
mod server;

pub use edge::{Edge, Rules};
pub use headers::PAGE_POLICY;
pub use methods::Methods;
pub use server::Server;
