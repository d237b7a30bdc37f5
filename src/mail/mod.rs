//! Letters: what the house writes to people by e-mail. A letter is queued in the same write as what it tells
//! of, so that neither is without the other; [`Mailer`] renders and sends it afterwards.
//!
//! No token ever lies in the queue. A letter names the link it carries by its id, and whoever keeps the links
//! makes a fresh secret for each attempt at sending it.

mod branding;
mod context;
mod email;
mod html;
mod kind;
mod mailer;
mod render;
mod smtp;
#[cfg(test)]
mod tests;
mod transport;
mod trust;

pub use branding::Branding;
pub use context::MailContext;
pub use email::{Email, State, queue};
pub use kind::{Device, DigestItem, FactorChange, Kind, Page};
pub use mailer::{Listed, Mailer};
