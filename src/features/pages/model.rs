//! The page record and its validation.

use std::collections::BTreeSet;

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{Audience, FieldValues, FormerAudience, KindRecord as _, Visibility},
    kernel::{
        Document, FieldText, Heading, Id, MemberId, Result,
        error::Faults,
        html::{self, Tags, plain},
        media::media_in,
        text,
    },
    store::{Counters, History, Lookups, Record, Stored, TenantRecord},
};

/// Index of pages by parent, and by order below it.
pub const BY_PLACE: u16 = 1_160;

/// Index of pages by the removed pages that they were right below.
pub const BY_FORMER_PARENT: u16 = 1_161;

/// Index of pages by the uploaded files in their bodies.
pub(super) const BY_FILE: u16 = 1_281;

/// Maximum length of a body in characters.
const BODY: usize = 200_000;
/// Maximum absolute value of an order.
pub const ORDER: f64 = 1e9;

/// Whether all members can read a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum PageStatus {
    /// Only the author and administrators can read it.
    #[default]
    Draft,
    /// All members can read it.
    Published,
}

/// A page of the knowledge base.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The title.
    pub title: String,
    /// The name of an icon, or an emoji.
    pub icon: Option<String>,
    /// The parent page; `None` at the top level.
    pub parent_id: Option<Id<Page>>,
    /// The sort key among pages with the same parent, ascending.
    pub order: f64,
    /// Whether all members can read the page.
    pub status: PageStatus,
    /// Whether the page was ever published. Kept because stored pages have it; live updates read `former_audience`.
    #[serde(default)]
    pub was_published: bool,
    /// Who can see it, within `limit`.
    #[serde(default, skip_serializing_if = "Visibility::is_company")]
    pub visibility: Visibility,
    /// The members whom the pages above allow to see it: their visibilities together. Follows when one of them changes.
    #[serde(default, skip_serializing_if = "Audience::is_company")]
    pub limit: Audience,
    /// The members who could see it before its audience became narrower.
    #[serde(default)]
    pub former_audience: Option<FormerAudience>,
    /// HTML, sanitized by `clean`.
    pub body: String,
    /// For a page that an earlier version removed: the pages that were below it, which return to it when it is restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_children: Vec<Id<Page>>,
    /// The removed pages that it was right below, the last removed one last. It returns to one that is restored, if it has
    /// not been moved since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_parents: Vec<Id<Page>>,
    /// What those of them changed of its visibility when they were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_visibilities: Vec<FormerVisibility>,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
}

/// Former parents that a page remembers.
const MAX_FORMER_PARENTS: usize = 20;

/// How the visibility of a page changed when a page above it was removed: it stays as restricted as that one made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerVisibility {
    /// The removed page.
    pub parent: Id<Page>,
    /// The visibility before.
    pub before: Visibility,
    /// The visibility since.
    pub narrowed: Visibility,
}

impl Record for Page {
    type Key = Self;
    const KIND: &'static str = "page";
    const TABLE: u16 = 33;
    const HISTORY: Option<History> = Some(History {
        except: &[
            "order",
            "was_published",
            "limit",
            "former_audience",
            "former_children",
            "former_parents",
            "former_visibilities",
        ],
        in_parts: &["fields"],
    });
    fn admit(&mut self) -> bool {
        html::clean_again(&mut self.body, Tags::Rich, BODY)
    }
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        let mut place = under(record.parent_id).to_vec();
        place.extend_from_slice(&sortable(record.order));
        out.multi(BY_PLACE, place);
        for former in &record.former_parents {
            out.multi(BY_FORMER_PARENT, former.as_bytes());
        }
        for media in media_in(&record.body).collect::<BTreeSet<_>>() {
            out.multi(BY_FILE, media);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        // The names are those of earlier versions, in which only drafts were not visible to all members.
        if let Audience::People(people) = Self::audience(record) {
            out.add("pages/drafts", 1);
            for member in people {
                out.add(format!("pages/drafts_by/{member}"), 1);
            }
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let body = FieldText::of("body", [plain(&record.body)]).collect();
        Some(Document { body, ..record.document(Heading::Pages, &record.title) })
    }
    /// Change feed entries of pages that not all members see have no title.
    fn title(&self) -> Option<String> {
        self.audience_with(None).is_company().then(|| self.title.clone())
    }
}
impl TenantRecord for Page {}

/// Returns the `BY_PLACE` prefix of a page's children, or of the top level.
pub fn under(parent: Option<Id<Page>>) -> [u8; 16] {
    parent.map_or([0; 16], |parent| *parent.as_bytes())
}

/// Encodes a number in eight bytes that sort as the numbers do.
fn sortable(number: f64) -> [u8; 8] {
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 0 { bits | (1 << 63) } else { !bits };
    ordered.to_be_bytes()
}

/// Sanitizes a body. Takes longer than a millisecond for long ones.
/// Errors: `invalid` when it is longer than 200,000 characters or nested too deep.
pub fn clean(body: &str) -> Result<String> {
    let mut faults = Faults::default();
    let clean = html::clean(body, Tags::Rich, BODY, "body", &mut faults);
    faults.into_result().map(|()| clean)
}

impl Page {
    /// Notes that the page right above is removed, and sets the limit that those above it set. The page stays as restricted
    /// as the removed one made it.
    pub fn leave_removed(&mut self, parent: Id<Self>, author: Option<MemberId>, limit: Audience) {
        self.former_parents.push(parent);
        if self.former_parents.len() > MAX_FORMER_PARENTS {
            let forgotten = self.former_parents.remove(0);
            self.former_visibilities.retain(|former| former.parent != forgotten);
        }
        if self.limit != limit {
            let before = self.visibility.clone();
            self.visibility.narrow_to(&self.limit, author);
            if self.visibility != before {
                self.former_visibilities.push(FormerVisibility { parent, before, narrowed: self.visibility.clone() });
            }
        }
        self.limit = limit;
    }

    /// Returns the members who may see the page and all pages above it.
    pub fn limit_below(&self, author: Option<MemberId>) -> Audience {
        self.visibility.audience(author).intersect(&self.limit)
    }

    /// Returns the members who may see the page, which always include its author.
    pub fn audience_with(&self, author: Option<MemberId>) -> Audience {
        let author_alone = Audience::People(author.into_iter().collect());
        match self.status {
            PageStatus::Draft => author_alone,
            PageStatus::Published => self.limit_below(author).unite(&author_alone),
        }
    }

    /// Notes in the page who can no longer see it. `before` is the page with its author before the change, and
    /// `version` the page's version after it.
    pub fn note_former_audience(&mut self, before: &Stored<Self>, version: u64) {
        let audience = self.audience_with(before.created_by);
        let earlier = self.former_audience.take();
        self.former_audience = FormerAudience::after_change(earlier, &Self::audience(before), &audience, version);
    }

    /// Normalizes and validates everything that needs no other pages, and sets `was_published`.
    /// Errors: `invalid` with every invalid field.
    pub fn check(&mut self) -> Result<()> {
        self.was_published |= self.status == PageStatus::Published;
        self.title = text::line(&self.title);
        self.icon = text::filled(self.icon.as_deref().map(text::line));
        let mut faults = Faults::default();
        faults.required("title", &self.title, 200);
        faults.at_most("icon", self.icon.as_deref().unwrap_or(""), 50);
        if !(-ORDER..=ORDER).contains(&self.order) {
            let params = vec![("min", format!("{}", -ORDER)), ("max", format!("{ORDER}"))];
            faults.add_with("order", "errors.fields.range", params);
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
        fn sort_key_keeps_the_order_of_numbers(a in -1e9..1e9, b in -1e9..1e9) {
            prop_assert_eq!(f64::total_cmp(&a, &b), sortable(a).cmp(&sortable(b)));
        }
    }

    #[test]
    fn sanitizes_the_body() {
        let clean = clean(r#"<h2 onclick="x()">Hi</h2><script>x()</script><img src=x onerror=y><p>there</p>"#).unwrap();
        assert_eq!(clean, "<h2>Hi</h2><p>there</p>");
        assert!(super::clean(&"x".repeat(BODY + 1)).is_err());
    }
}
