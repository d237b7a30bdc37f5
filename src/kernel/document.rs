//! Search documents: the part of a record that the search index contains.

use std::borrow::Cow;

use super::Id;

/// The groups of search results, in the order of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    /// Customers and members.
    Contacts,
    /// Pages of the knowledge base.
    Pages,
    /// Tasks.
    Tasks,
    /// Events.
    Events,
    /// Organizations.
    Organizations,
    /// Deals.
    Deals,
    /// Chat messages: only the conversation's members can find them.
    Chat,
}

impl Heading {
    /// The groups that all members of a tenant can search, in the order of the response.
    pub const ALL: [Self; 6] =
        [Self::Contacts, Self::Pages, Self::Tasks, Self::Events, Self::Organizations, Self::Deals];

    /// Returns the group's id in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::Pages => "pages",
            Self::Tasks => "tasks",
            Self::Events => "events",
            Self::Organizations => "organizations",
            Self::Deals => "deals",
            Self::Chat => "chat",
        }
    }
}

/// Limits who can find a record: the members of a conversation, or a single member. A search names its scopes and never
/// finds records of another scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchScope([u8; 16]);

impl SearchScope {
    /// Returns the scope of a record: of a conversation its members, of a member that member alone.
    pub const fn of<T>(record: Id<T>) -> Self {
        Self(*record.as_bytes())
    }

    /// Returns the sixteen bytes that identify the scope.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The searchable part of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The group of the result.
    pub group: Heading,
    /// The record's kind, as in `Record::KIND`.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
    /// The scopes in which the record is found; `None` if all members of the tenant can find it.
    pub scopes: Option<Vec<SearchScope>>,
    /// Name or title: has the highest weight, and is shown in a result.
    pub title: String,
    /// The texts of the second line, such as the company.
    pub subtitle: Vec<FieldText>,
    /// E-mail addresses, phone numbers, tags: found by any substring.
    pub keywords: Vec<FieldText>,
    /// Plain texts; have the lowest weight.
    pub body: Vec<FieldText>,
    /// Address of a picture.
    pub avatar: Option<String>,
    /// Whether a task is done; `None` for other records.
    pub completed: Option<bool>,
    /// Last change in milliseconds since 1970; of equal results the most recent comes first.
    pub at: i64,
    /// The values by which lists are filtered and sorted, with the names of their columns. A column may have several.
    pub columns: Vec<(Cow<'static, str>, ColumnValue)>,
}

impl Document {
    /// Creates a document with a title and no further texts, which all members of the tenant can find.
    pub fn new(group: Heading, (kind, id): (&'static str, [u8; 16]), title: &str, at: i64) -> Self {
        Self {
            group,
            kind,
            id,
            scopes: None,
            title: title.to_owned(),
            subtitle: Vec::new(),
            keywords: Vec::new(),
            body: Vec::new(),
            avatar: None,
            completed: None,
            at,
            columns: Vec::new(),
        }
    }

    /// Returns the second line; `None` without a text.
    pub fn second_line(&self) -> Option<String> {
        let texts: Vec<&str> = self.subtitle.iter().map(|text| text.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(" · "))
    }
}

/// A text of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldText {
    /// The name of its field in lists and timelines, such as `email` or `fields.budget`.
    pub field: Cow<'static, str>,
    /// The text.
    pub text: String,
}

impl FieldText {
    /// Names the texts of a field; empty ones are left out.
    pub fn of<T: Into<String>>(field: &'static str, texts: impl IntoIterator<Item = T>) -> impl Iterator<Item = Self> {
        let named = texts.into_iter().map(move |text| Self { field: Cow::Borrowed(field), text: text.into() });
        named.filter(|named| !named.text.is_empty())
    }
}

/// A value by which lists are filtered and sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnValue {
    /// A number whose order is that of the values.
    Number(i64),
    /// A text whose bytes have the order of the values.
    Text(String),
}
