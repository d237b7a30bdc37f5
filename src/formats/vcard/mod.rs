//! vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350): contacts of address books.

mod property;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use self::{
    reader::{CardReader, inspect_vcard},
    writer::{VcardVersion, write_card},
};
use crate::kernel::Birthday;

/// What a vCard describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardKind {
    /// A person.
    #[default]
    Individual,
    /// An organization.
    Organization,
    /// A list of other cards, such as a distribution list. Is read, but not written.
    Group,
}

/// A value with its label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labelled {
    /// The value.
    pub value: String,
    /// `Work`, `Home`, `Mobile`, `Fax`, `Pager`, `Main`, `Other`, or a label of the address book; empty without one.
    pub label: String,
}

/// A property of a card that does not belong to a contact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherProperty {
    /// Its name, in upper case.
    pub name: String,
    /// The beginning of its text, or the type of its data, such as `JPEG`; several are separated by commas.
    pub text: String,
    /// Whether it is data, such as a picture: only its type is read.
    pub is_data: bool,
}

/// A contact: the parts of a vCard that are imported and exported. Of pictures, sounds and keys only the type is read.
/// Missing texts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactCard {
    /// The identifier in the address book.
    pub uid: String,
    /// What the card describes.
    pub kind: CardKind,
    /// The whole name: the displayed one, unless the parts have all of it and more. If the card has none, it is made of the
    /// parts or is the name of the organization.
    pub full_name: String,
    /// Honorific prefixes, such as `Dr.`
    pub prefix: String,
    /// Given names.
    pub given: String,
    /// Additional names, such as a middle name.
    pub additional: String,
    /// Family names.
    pub family: String,
    /// Honorific suffixes, such as `Jr.`
    pub suffix: String,
    /// Nicknames, separated by commas.
    pub nickname: String,
    /// E-mail addresses.
    pub emails: Vec<Labelled>,
    /// Phone numbers.
    pub phones: Vec<Labelled>,
    /// The organization where the person works, or the organization itself.
    pub organization: String,
    /// The department, in several levels separated by commas.
    pub department: String,
    /// The job title, or else the role.
    pub title: String,
    /// The birthday.
    pub birthday: Option<Birthday>,
    /// What the card has in place of a birthday: another text. Is read, but not written.
    pub other_birthday: String,
    /// Postal addresses, each of several lines.
    pub addresses: Vec<Labelled>,
    /// Addresses of websites.
    pub urls: Vec<String>,
    /// Notes, of several lines.
    pub note: String,
    /// Of a card that was exported here: the beginning of the note, which says who the person is. As `X-ATRIUM-ABOUT`.
    pub about: String,
    /// Of a card that was exported here: the rest of the note as HTML. As `X-ATRIUM-NOTES`.
    pub rich_note: String,
    /// Categories, also called labels, groups or tags.
    pub categories: Vec<String>,
    /// Further values for properties that have one, with their names. Are read, but not written.
    pub left_out: Vec<(&'static str, String)>,
    /// Properties with content that are no part of a contact, each name once. Are read, but not written.
    pub others: Vec<OtherProperty>,
    /// Whether a line is not in the encoding of the file, and was read in another one.
    pub is_mixed: bool,
}

/// Maximum number of further values that are kept of a card.
const MAX_LEFT_OUT: usize = 20;
/// Maximum number of properties that are no part of a contact and are kept of a card.
const MAX_OTHERS: usize = 100;

impl ContactCard {
    fn leave_out(&mut self, property: &'static str, value: String) {
        if self.left_out.len() < MAX_LEFT_OUT {
            self.left_out.push((property, value));
        }
    }

    /// Adds a property that does not belong to a contact, or its text to that of the same name.
    fn add_other(&mut self, other: OtherProperty) {
        let Some(known) = self.others.iter_mut().find(|known| known.name == other.name) else {
            if self.others.len() < MAX_OTHERS {
                self.others.push(other);
            }
            return;
        };
        if !known.text.is_empty() && !other.text.is_empty() {
            known.text.push_str(", ");
        }
        known.text.push_str(&other.text);
        known.is_data &= other.is_data;
    }
}
