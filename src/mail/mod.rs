//! E-mail: queue, rendering and delivery. An e-mail is queued in the transaction of the change that causes it, so that
//! neither exists without the other; [`Mailer`] renders and sends it afterwards.
//!
//! The queue contains no tokens. An e-mail refers to its link by id, and [`MailContext`] creates a new token for each
//! attempt to send it.

mod branding;
mod context;
mod email;
mod html;
mod kind;
mod mailer;
mod render;
mod smtp;
#[cfg(test)]
pub(crate) mod tests;
mod transport;
mod trust;

pub use branding::Branding;
pub use context::MailContext;
pub use email::{Email, State, forget_record, queue};
pub use kind::{ACTIVATION_PAGE, Device, DigestItem, FactorChange, Kind, Page, RESET_PAGE};
pub use mailer::{ListedEmail, MailQueue, MailResults, Mailer};
pub use smtp::{Step, try_server};
