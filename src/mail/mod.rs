//! Letters: what the house writes to people by e-mail. A letter is queued in the same write as what it tells
//! of, so that neither is without the other; [`Mailer`] renders and sends it afterwards.
//!
//! No token ever lies in the queue. A letter names the link it carries by its id, and whoever keeps the links
//! makes a fresh secret for each attempt at sending it.

mod html;
mod letter;
mod letterhead;
mod mailer;
mod render;
#[cfg(test)]
mod tests;
mod transport;

pub use letter::{Device, FactorChange, Kind, Letter, Page, State, queue};
pub use letterhead::Letterhead;
pub use mailer::{Listed, Mailer, Office};
