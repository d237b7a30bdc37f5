//! A page, and what makes one valid.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::{
    kernel::{
        Document, Heading, Id, Result, SearchScope,
        error::Faults,
        html::{self, Tags, plain},
    },
    store::{Counters, Lookups, Record, Stored, TenantRecord},
};

/// Pages by the page they lie below, and their order there.
pub const BY_PLACE: u16 = 1_160;

/// Characters that a page's body may have.
const BODY: usize = 200_000;
/// The largest number that puts pages in order, either way.
pub const ORDER: f64 = 1e9;

/// Whether everybody reads a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum PageStatus {
    /// Its author and administrators do.
    #[default]
    Draft,
    /// Everybody does.
    Published,
}

/// A page of the knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The title.
    pub title: String,
    /// The name of an icon, or an emoji.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The page it lies below; none at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Id<Page>>,
    /// Puts it among its neighbours, the least first.
    pub order: f64,
    /// Whether everybody reads it.
    pub status: PageStatus,
    /// Whether everybody could read it once: then everybody is told what becomes of it.
    #[serde(default)]
    pub was_published: bool,
    /// HTML that is clean already: `clean` made it so.
    pub body: String,
}

impl Record for Page {
    const KIND: &'static str = "page";
    const TABLE: u16 = 33;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        let mut place = under(record.parent_id).to_vec();
        place.extend_from_slice(&sortable(record.order));
        out.multi(BY_PLACE, place);
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if record.status == PageStatus::Draft {
            out.add("pages/drafts", 1);
            if let Some(author) = record.created_by {
                out.add(format!("pages/drafts_by/{author}"), 1);
            }
        }
    }
    /// Only their authors find drafts; administrators see those of others in the tree.
    fn document(record: &Stored<Self>) -> Option<Document> {
        let circle = match record.status {
            PageStatus::Published => None,
            PageStatus::Draft => Some(SearchScope::of(record.created_by?)),
        };
        Some(Document {
            group: Heading::Pages,
            kind: Self::KIND,
            id: *record.id.as_bytes(),
            circle,
            title: record.title.clone(),
            subtitle: None,
            keywords: Vec::new(),
            body: plain(&record.body),
            avatar: None,
            completed: false,
            at: record.updated_at.millis(),
        })
    }
    /// What happened to a draft is told without its title.
    fn title(&self) -> Option<String> {
        (self.status == PageStatus::Published).then(|| self.title.clone())
    }
}
impl TenantRecord for Page {}

/// The beginning of the places below a page, or at the top.
pub fn under(parent: Option<Id<Page>>) -> [u8; 16] {
    parent.map_or([0; 16], |parent| *parent.as_bytes())
}

/// Eight bytes in the same order as the numbers.
fn sortable(number: f64) -> [u8; 8] {
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 0 { bits | (1 << 63) } else { !bits };
    ordered.to_be_bytes()
}

/// The sanitized form of a body. It takes longer than a millisecond for long ones.
///
/// # Errors
/// `invalid` when it is longer than 200,000 characters or nested too deep.
pub fn clean(body: &str) -> Result<String> {
    let mut faults = Faults::default();
    let clean = html::clean(body, Tags::Rich, BODY, "body", &mut faults);
    faults.into_result().map(|()| clean)
}

impl Page {
    /// Holds it to the rules that need no look at other pages, and keeps in mind that it was published.
    ///
    /// # Errors
    /// `invalid` with every field that breaks one.
    pub fn check(&mut self) -> Result<()> {
        self.was_published |= self.status == PageStatus::Published;
        let mut faults = Faults::default();
        faults.required("title", &self.title, 200);
        faults.at_most("icon", self.icon.as_deref().unwrap_or(""), 50);
        if !(-ORDER..=ORDER).contains(&self.order) {
            let gaps = vec![("min", format!("{}", -ORDER)), ("max", format!("{ORDER}"))];
            faults.add_with("order", "errors.fields.range", gaps);
        }
        faults.into_result()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_sort_as_their_numbers(a in -1e9..1e9, b in -1e9..1e9) {
            prop_assert_eq!(f64::total_cmp(&a, &b), sortable(a).cmp(&sortable(b)));
        }
    }

    #[test]
    fn a_body_is_made_harmless() {
        let clean = clean(r#"<h2 onclick="x()">Hi</h2><script>x()</script><img src=x onerror=y><p>there</p>"#).unwrap();
        assert_eq!(clean, "<h2>Hi</h2><p>there</p>");
        assert!(super::clean(&"x".repeat(BODY + 1)).is_err());
    }
}
