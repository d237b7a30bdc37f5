//! What the demo companies are made of, as their files say it.

use serde::Deserialize;

use crate::{
    access::{
        members::{MemberState, Status},
        permission::Role,
    },
    features::{customers::CustomerStatus, pages::PageStatus},
    kernel::{Error, Result},
};

const FILES: [&str; 2] = [include_str!("northwind.json"), include_str!("sol.json")];

/// The demo companies.
///
/// # Errors
/// `internal` when a file is not as it should be, which a test rules out.
pub fn all() -> Result<Vec<Script>> {
    FILES.iter().map(|file| serde_json::from_str(file).map_err(Error::internal)).collect()
}

/// A company and everything that happens in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub slug: String,
    pub name: String,
    pub color_scheme: String,
    pub layout: String,
    pub locale: String,
    pub timezone: String,
    /// ISO 3166-1, for phone numbers.
    pub country: String,
    pub labels: Labels,
    /// With `#` for each digit to be thrown.
    pub phones: Phones,
    /// With gaps for street, number, city and code.
    pub address: String,
    /// The owner first; the others are known by their place here.
    pub members: Vec<Person>,
    /// Customers that are the same in every demo.
    pub known: Vec<Known>,
    pub first_names: Vec<String>,
    pub last_names: Vec<String>,
    pub companies: Vec<String>,
    pub titles: Vec<String>,
    pub streets: Vec<String>,
    pub cities: Vec<(String, String)>,
    pub tags: Vec<String>,
    pub abouts: Vec<String>,
    pub notes: Vec<String>,
    pub sections: Vec<String>,
    pub tasks: Vec<Job>,
    /// Events that repeat.
    pub routines: Vec<Routine>,
    pub events: Vec<Date>,
    pub pages: Vec<Sheet>,
    pub chats: Vec<Talk>,
    pub groups: Vec<Circle>,
    pub messages: Vec<Note>,
    pub notifications: Vec<Note>,
    pub shortcuts: Vec<Bookmark>,
}

/// Which of somebody's addresses and numbers it is.
#[derive(Debug, Deserialize)]
pub struct Labels {
    pub work: String,
    pub personal: String,
    pub mobile: String,
}

/// What phone numbers look like.
#[derive(Debug, Deserialize)]
pub struct Phones {
    pub office: String,
    pub mobile: String,
}

/// A member.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    pub name: String,
    pub email: String,
    pub role: Role,
    pub title: Option<String>,
    pub phone: Option<String>,
    pub about: Option<String>,
    pub status: Option<Status>,
    pub state: Option<MemberState>,
}

impl Person {
    /// Whether they come to work.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.state.is_none_or(|state| state == MemberState::Active)
    }
}

/// A customer that is the same in every demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    pub name: String,
    pub company: String,
    pub title: String,
    pub email: String,
    pub phone: String,
    pub country: String,
    pub tags: Vec<String>,
    pub about: String,
    pub status: CustomerStatus,
}

/// A task. `{customer}`, `{company}` and `{city}` in its title are filled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub title: String,
    /// Under which of the sections.
    pub section: usize,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether it is about a customer; such tasks come up again and again.
    #[serde(default)]
    pub customer: bool,
    pub notes: Option<String>,
    #[serde(default)]
    pub steps: Vec<String>,
}

/// An event that repeats.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    pub title: String,
    pub location: String,
    pub color: String,
    /// Minutes after midnight.
    pub start: i64,
    /// 0 for the whole day.
    pub minutes: i64,
    /// An RRULE with `BYDAY`.
    pub rule: String,
    /// Members by their place.
    pub who: Vec<usize>,
    pub description: Option<String>,
}

/// An event: of some minutes, or of whole days.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Date {
    pub title: String,
    pub location: Option<String>,
    pub color: String,
    pub minutes: Option<i64>,
    pub days: Option<i64>,
    #[serde(default)]
    pub customer: bool,
    pub description: Option<String>,
}

/// A page and those below it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    pub title: String,
    pub icon: Option<String>,
    pub status: Option<PageStatus>,
    pub body: String,
    #[serde(default)]
    pub children: Vec<Sheet>,
}

/// A conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Talk {
    /// Members by their place.
    pub between: [usize; 2],
    /// How many minutes ago the last line was said.
    pub ended: i64,
    /// Whether the last line was read.
    #[serde(default)]
    pub read: bool,
    /// Who says what.
    pub lines: Vec<(usize, String)>,
}

/// A group and what is said in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    pub name: String,
    /// Members by their place, whoever made it first.
    pub members: Vec<usize>,
    /// How many minutes ago the last line was said.
    pub ended: i64,
    pub lines: Vec<Line>,
}

/// Something said in a group.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub by: usize,
    pub text: String,
    /// The member whom it names with an `@`, by their place.
    pub mention: Option<usize>,
    /// The known customer whom it names with a `#`, by their place.
    pub customer: Option<usize>,
    /// Who thinks what of it.
    #[serde(default)]
    pub reactions: Vec<(usize, String)>,
}

/// A message or a notification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    pub icon: String,
    pub title: String,
    pub description: String,
    pub link: Option<String>,
    #[serde(default)]
    pub external: bool,
    /// How many minutes ago.
    pub minutes: i64,
    /// The member who sends it; nobody for notifications.
    pub from: Option<usize>,
    #[serde(default)]
    pub read: bool,
}

/// A shortcut.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bookmark {
    pub label: String,
    pub description: String,
    pub icon: String,
    pub link: String,
    #[serde(default)]
    pub external: bool,
}
