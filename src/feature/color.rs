//! The palette of the colors that members give to events, statuses and tags.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// A color, by its name. Each color scheme has its own shade of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "Color", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// Gray.
    Gray,
    /// Red.
    Red,
    /// Orange.
    Orange,
    /// Yellow.
    Yellow,
    /// Green.
    Green,
    /// Teal.
    Teal,
    /// Blue.
    Blue,
    /// Indigo.
    Indigo,
    /// Purple.
    Purple,
    /// Pink.
    Pink,
}
