//! The edge of the server: takes connections, holds every request to its limits, gives every answer
//! the same protective headers, and serves the user interface that is built into the binary.

mod asset;
mod body;
mod connection;
mod edge;
mod headers;
mod health;
mod languages;
mod methods;
mod origin;
mod packing;
mod page;
mod path;
mod server;
mod ui;
mod unread;

pub use edge::{Edge, Rules};
pub use headers::PAGE_POLICY;
pub use health::{Health, Ready};
pub use languages::Languages;
pub use methods::Methods;
pub use page::{Branding, CompanyBranding, render_page};
pub use server::Server;
pub use ui::{BrandingOf, Ui};
