//! Fixtures of the demo tenants, read from JSON files.

use serde::Deserialize;

use crate::{
    features::{pages::PageStatus, records::activities::ActivityType},
    kernel::{Error, Result},
    people::{
        members::{MemberState, Status},
        permission::Role,
        region::RegionChoice,
    },
};

const FILES: [&str; 2] = [include_str!("northwind.json"), include_str!("sol.json")];

/// Returns the fixtures of all demo tenants.
pub fn load_all() -> Result<Vec<Script>> {
    FILES.iter().map(|file| serde_json::from_str(file).map_err(Error::internal)).collect()
}

/// A demo tenant and all its content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub slug: String,
    pub name: String,
    pub color_scheme: String,
    pub layout: String,
    pub locale: String,
    pub timezone: String,
    /// The country of phone numbers (ISO 3166-1).
    pub country: String,
    pub labels: Labels,
    /// Patterns with `#` for each random digit.
    pub phones: Phones,
    /// A template with the parameters street, number, city and code.
    pub address: String,
    /// The members, the owner first. Other fixtures refer to them by index.
    pub members: Vec<Person>,
    /// Customers with fixed values; all others are generated.
    pub known: Vec<CustomerFixture>,
    pub first_names: Vec<String>,
    pub last_names: Vec<String>,
    pub companies: Vec<String>,
    pub titles: Vec<String>,
    pub streets: Vec<String>,
    pub cities: Vec<(String, String)>,
    pub tags: Vec<String>,
    pub abouts: Vec<String>,
    pub notes: Vec<String>,
    /// Calls, visits, e-mails and notes.
    pub contacts: Vec<ContactFixture>,
    /// The titles of deals.
    pub deals: Vec<String>,
    pub sections: Vec<String>,
    pub tasks: Vec<TaskFixture>,
    /// Recurring events.
    pub routines: Vec<Routine>,
    pub events: Vec<EventFixture>,
    pub pages: Vec<PageFixture>,
    pub chats: Vec<ChatFixture>,
    pub groups: Vec<GroupFixture>,
    pub messages: Vec<NoticeFixture>,
    pub notifications: Vec<NoticeFixture>,
    pub shortcuts: Vec<Bookmark>,
}

impl Script {
    /// The currency of the company's amounts.
    pub fn currency(&self) -> &'static str {
        if self.country == "GB" { "GBP" } else { "EUR" }
    }

    /// The region of the company: what is proposed for new records is as in those that it has.
    pub fn region(&self) -> RegionChoice {
        RegionChoice {
            phone_country: Some(self.country.clone()),
            currency: Some(self.currency().to_owned()),
            ..RegionChoice::default()
        }
    }
}

/// The labels of addresses and phone numbers.
#[derive(Debug, Deserialize)]
pub struct Labels {
    pub work: String,
    pub personal: String,
    pub mobile: String,
}

/// An activity with a customer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactFixture {
    #[serde(rename = "type")]
    pub sort: ActivityType,
    pub text: String,
    pub outcome: Option<String>,
}

/// Patterns of phone numbers.
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
    /// Whether the member is active.
    pub fn is_active(&self) -> bool {
        self.state.is_none_or(|state| state == MemberState::Active)
    }
}

/// A customer with fixed values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomerFixture {
    pub name: String,
    pub company: String,
    pub title: String,
    pub email: String,
    pub phone: String,
    pub country: String,
    pub tags: Vec<String>,
    pub about: String,
    pub status: String,
}

/// A task. The title may contain `{customer}`, `{company}` and `{city}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFixture {
    pub title: String,
    /// The index of the section.
    pub section: usize,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether the task is about a customer; such tasks are used several times.
    #[serde(default)]
    pub customer: bool,
    pub notes: Option<String>,
    #[serde(default)]
    pub steps: Vec<String>,
}

/// A recurring event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    pub title: String,
    pub location: String,
    pub color: String,
    /// Minutes after midnight.
    pub start: i64,
    /// The length in minutes; 0 for a whole-day event.
    pub minutes: i64,
    /// An RRULE with `BYDAY`.
    pub rule: String,
    /// Indexes of the members.
    pub who: Vec<usize>,
    pub description: Option<String>,
}

/// An event, with a length in minutes or in whole days.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventFixture {
    pub title: String,
    pub location: Option<String>,
    pub color: String,
    pub minutes: Option<i64>,
    pub days: Option<i64>,
    #[serde(default)]
    pub customer: bool,
    pub description: Option<String>,
}

/// A page and the pages below it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageFixture {
    pub title: String,
    pub icon: Option<String>,
    pub status: Option<PageStatus>,
    /// Indexes of the members who can see it; empty for a page of the company.
    #[serde(default)]
    pub people: Vec<usize>,
    pub body: String,
    #[serde(default)]
    pub children: Vec<PageFixture>,
}

/// A conversation of two members.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatFixture {
    /// Indexes of the members.
    pub between: [usize; 2],
    /// The age of the last line in minutes.
    pub ended: i64,
    /// Whether the last line is read.
    #[serde(default)]
    pub read: bool,
    /// The author's index, and the text.
    pub lines: Vec<(usize, String)>,
}

/// A group conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupFixture {
    pub name: String,
    /// Indexes of the members, the creator first.
    pub members: Vec<usize>,
    /// The age of the last line in minutes.
    pub ended: i64,
    pub lines: Vec<Line>,
}

/// A line in a group conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub by: usize,
    pub text: String,
    /// The index of the member that the line mentions with `@`.
    pub mention: Option<usize>,
    /// The index of the known customer that the line references with `#`.
    pub customer: Option<usize>,
    /// Reactions: the member's index, and the emoji.
    #[serde(default)]
    pub reactions: Vec<(usize, String)>,
}

/// A message or a notification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoticeFixture {
    pub icon: String,
    pub title: String,
    pub description: String,
    pub link: Option<String>,
    #[serde(default)]
    pub external: bool,
    /// The age in minutes.
    pub minutes: i64,
    /// The sender's index; `None` for notifications.
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
