//! A shortcut, and what makes one valid.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{
        Result,
        error::Faults,
        text::{is_address, is_app_path, is_router_path},
    },
    store::{PersonalRecord, Record},
};

/// Schemes that a link out of the application may have.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// A place that a member wants one click away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shortcut {
    /// What it is called.
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The icon's name.
    pub icon: String,
    /// Where it leads.
    pub link: String,
    /// Whether it is followed inside the application.
    pub use_router: bool,
    /// Where it stands among its owner's: the smaller, the nearer to the top. Those of one place stand the
    /// newest first, as all did before there were places.
    #[serde(default)]
    pub place: i64,
}

impl Record for Shortcut {
    const KIND: &'static str = "shortcut";
    const TABLE: u16 = 20;
    fn title(&self) -> Option<String> {
        Some(self.label.clone())
    }
}
impl PersonalRecord for Shortcut {}

impl Shortcut {
    /// Holds it to the rules.
    ///
    /// # Errors
    /// `invalid` with every field that breaks one.
    pub fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        faults.required("shortcut.label", &self.label, 100);
        faults.at_most("shortcut.description", self.description.as_deref().unwrap_or(""), 300);
        faults.required("shortcut.icon", &self.icon, 100);
        faults.required("shortcut.link", &self.link, 2_000);
        let leads = if self.use_router {
            is_router_path(&self.link)
        } else {
            is_app_path(&self.link) || is_address(&self.link, &SCHEMES)
        };
        if !self.link.is_empty() && !leads {
            faults.add("shortcut.link", "errors.fields.link");
        }
        faults.into_result()
    }
}
