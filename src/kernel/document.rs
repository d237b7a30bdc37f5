//! What search may know of a record: the words in it and what a result shows, and nothing else.

use super::Id;

/// The kinds of results, in the order in which a search answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    /// Customers and members.
    Contacts,
    /// Pages of the knowledge base.
    Pages,
    /// Tasks.
    Tasks,
    /// What was said in conversations: found by who is in them, and by nobody else.
    Chat,
}

impl Heading {
    /// The groups that are everybody's of the company, in the order of the answer.
    pub const ALL: [Self; 3] = [Self::Contacts, Self::Pages, Self::Tasks];

    /// The group's id in an answer.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::Pages => "pages",
            Self::Tasks => "tasks",
            Self::Chat => "chat",
        }
    }
}

/// Some people of a company to whom alone a record belongs: those in a conversation, or one member. A search names
/// the circles that it looks in, and cannot meet anything of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchScope([u8; 16]);

impl SearchScope {
    /// The circle of those who have to do with a record; that of a member is the member alone.
    #[must_use]
    pub const fn of<T>(record: Id<T>) -> Self {
        Self(*record.as_bytes())
    }

    /// The sixteen bytes that name it.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// What search may know of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Under which heading it is found.
    pub group: Heading,
    /// The record's kind, as `Record::KIND` names it.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
    /// Whose it is when it is not the whole company's.
    pub circle: Option<SearchScope>,
    /// Name or title: weighs most, and is what a result shows.
    pub title: String,
    /// A second line, such as the company.
    pub subtitle: Option<String>,
    /// E-mail addresses, phone numbers, tags: found by any part that people type.
    pub keywords: Vec<String>,
    /// Plain text; weighs least.
    pub body: String,
    /// Address of a picture.
    pub avatar: Option<String>,
    /// Whether a task is done.
    pub completed: bool,
    /// Last change in milliseconds since 1970; among equals the recent win.
    pub at: i64,
}
