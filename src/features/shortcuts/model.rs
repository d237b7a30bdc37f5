//! Shortcuts: the stored record and its validation.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    kernel::{
        Result,
        error::Faults,
        text::{self, is_address, is_app_path, is_parsed_address, is_router_path},
    },
    store::{PersonalRecord, Record},
};

/// Allowed schemes of a link out of the application.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// A member's shortcut to a screen or an external address.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shortcut {
    /// Display name.
    pub label: String,
    /// A second line.
    pub description: Option<String>,
    /// Name of the icon.
    pub icon: String,
    /// Target of the link.
    pub link: String,
    /// Whether the link is followed inside the application.
    pub use_router: bool,
    /// Sort position among the owner's shortcuts, ascending. Equal positions are sorted newest first, like all
    /// shortcuts from before this field.
    #[serde(default)]
    pub place: i64,
}

impl Record for Shortcut {
    type Key = Self;
    const KIND: &'static str = "shortcut";
    const TABLE: u16 = 20;
    fn admit(&mut self) -> bool {
        let leads = self.leads_somewhere(true);
        if !leads {
            (self.link, self.use_router) = ("/".to_owned(), true);
        }
        !leads
    }
    fn title(&self) -> Option<String> {
        Some(self.label.clone())
    }
}
impl PersonalRecord for Shortcut {}

impl Shortcut {
    /// Normalizes its texts, and validates it. The link that it has `before` is accepted also where only earlier versions
    /// allowed it.
    /// Errors: `invalid` with all invalid fields.
    pub fn check(&mut self, before: Option<&str>) -> Result<()> {
        self.label = text::line(&self.label);
        self.description = text::filled(self.description.as_deref().map(text::line));
        let mut faults = Faults::default();
        faults.required("shortcut.label", &self.label, 100);
        faults.at_most("shortcut.description", self.description.as_deref().unwrap_or(""), 300);
        faults.required("shortcut.icon", &self.icon, 100);
        faults.required("shortcut.link", &self.link, 2_000);
        if !self.link.is_empty() && !self.leads_somewhere(before == Some(self.link.as_str())) {
            faults.add("shortcut.link", "errors.fields.link");
        }
        faults.into_result()
    }

    /// Whether its link leads into the application, or to an address of an allowed scheme. `is_kept` also accepts
    /// addresses that earlier versions kept.
    fn leads_somewhere(&self, is_kept: bool) -> bool {
        let is_address = if is_kept { is_parsed_address } else { is_address };
        if self.use_router {
            is_router_path(&self.link)
        } else {
            is_app_path(&self.link) || is_address(&self.link, &SCHEMES)
        }
    }
}
