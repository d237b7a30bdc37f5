//! Writing of vCards: versions 3.0 and 4.0.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use vcard::{
    param::VcardParam,
    prop::VcardProp,
    value::{
        VcardValue,
        adr::VcardAdr,
        n::VcardN,
        org::VcardOrg,
        text::{VcardText, VcardTextList},
        uri::VcardUri,
    },
    vcard::Vcard,
};

use super::{CardKind, ContactCard, Labelled};

/// Maximum bytes of a line, without its end (RFC 6350 §3.2).
const LINE_BYTES: usize = 75;

/// A version of vCard that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VcardVersion {
    /// vCard 3.0 (RFC 2426), which all address books read.
    V3,
    /// vCard 4.0 (RFC 6350).
    #[default]
    V4,
}

/// Writes a card that a [`CardReader`](super::CardReader) reads without loss, if its texts are normalized
/// ([`kernel::text`](crate::kernel::text)) and it has a full name. Labels without a standard type are written as Apple
/// does (`X-ABLabel`).
pub fn write_card(writer: &mut impl Write, card: &ContactCard, version: VcardVersion) -> io::Result<()> {
    let mut properties = Properties { version, list: Vec::new(), groups: 0 };
    properties.push_names(card);
    properties.push_contact(card);
    let version = match version {
        VcardVersion::V3 => vcard::version::VcardVersion::V3_0,
        VcardVersion::V4 => vcard::version::VcardVersion::V4_0,
    };
    let written = Vcard { version, properties: properties.list }.to_string();
    writer.write_all(fold(&written).as_bytes())
}

/// Folds lines that are longer than allowed, between characters.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + text.len() / 32);
    let mut line_bytes = 0;
    for c in text.chars() {
        if c == '\n' {
            line_bytes = 0;
        } else if c != '\r' && line_bytes + c.len_utf8() > LINE_BYTES {
            folded.push_str("\r\n ");
            line_bytes = 1 + c.len_utf8();
        } else {
            line_bytes += c.len_utf8();
        }
        folded.push(c);
    }
    folded
}

/// The properties of a card that is written.
struct Properties<'a> {
    version: VcardVersion,
    list: Vec<VcardProp<'a>>,
    /// Number of groups.
    groups: usize,
}

impl<'a> Properties<'a> {
    fn push_names(&mut self, card: &'a ContactCard) {
        self.push_text("UID", &card.uid);
        match (card.kind, self.version) {
            (CardKind::Organization, VcardVersion::V4) => self.push_text("KIND", "org"),
            (CardKind::Organization, VcardVersion::V3) => self.push_text("X-ABShowAs", "COMPANY"),
            (CardKind::Individual | CardKind::Group, _) => {}
        }
        // FN is required in both versions, N in 3.0.
        self.list.push(VcardProp::text("FN", Vec::new(), card.full_name.as_str()));
        let part = |text: &'a str| vec![Cow::Borrowed(text)];
        let name = VcardN {
            family: part(&card.family),
            given: part(&card.given),
            additional: part(&card.additional),
            prefixes: part(&card.prefix),
            suffixes: part(&card.suffix),
        };
        self.push_value("N", VcardValue::N(name));
        let nicknames: Vec<Cow<'a, str>> =
            card.nickname.split(", ").filter(|name| !name.is_empty()).map(Cow::Borrowed).collect();
        if !nicknames.is_empty() {
            self.push_value("NICKNAME", VcardValue::TextList(VcardTextList(nicknames)));
        }
    }

    fn push_contact(&mut self, card: &'a ContactCard) {
        for email in &card.emails {
            self.push_labelled("EMAIL", VcardValue::Text(VcardText(Cow::Borrowed(&email.value))), email);
        }
        for phone in &card.phones {
            self.push_labelled("TEL", VcardValue::Text(VcardText(Cow::Borrowed(&phone.value))), phone);
        }
        if !card.organization.is_empty() || !card.department.is_empty() {
            let units = [&card.organization, &card.department].into_iter().map(|unit| Cow::Borrowed(unit.as_str()));
            let units = units.take(if card.department.is_empty() { 1 } else { 2 }).collect();
            self.push_value("ORG", VcardValue::Org(VcardOrg(units)));
        }
        self.push_text("TITLE", &card.title);
        if let Some(birthday) = card.birthday {
            let digits = birthday.to_string().replace('-', "");
            let text = match birthday.day() {
                None => format!("--{digits}"),
                Some(day) if self.version == VcardVersion::V3 => day.to_string(),
                Some(_) => digits,
            };
            self.list.push(VcardProp::text("BDAY", Vec::new(), text));
        }
        for address in &card.addresses {
            let value = VcardAdr { street: vec![Cow::Borrowed(&address.value)], ..VcardAdr::default() };
            self.push_labelled("ADR", VcardValue::Adr(value), address);
        }
        for url in &card.urls {
            // URIs are not escaped. What has a backslash is no URI.
            let value = if url.contains('\\') {
                VcardValue::Text(VcardText(Cow::Borrowed(url)))
            } else {
                VcardValue::Uri(VcardUri(Cow::Borrowed(url)))
            };
            self.push_value("URL", value);
        }
        self.push_text("NOTE", &card.note);
        // Other programs ignore them.
        self.push_text("X-ATRIUM-ABOUT", &card.about);
        self.push_text("X-ATRIUM-NOTES", &card.rich_note);
        if !card.categories.is_empty() {
            let categories = card.categories.iter().map(|category| Cow::Borrowed(category.as_str())).collect();
            self.push_value("CATEGORIES", VcardValue::TextList(VcardTextList(categories)));
        }
    }

    /// Adds a text if it is not empty.
    fn push_text(&mut self, name: &'a str, value: &'a str) {
        if !value.is_empty() {
            self.list.push(VcardProp::text(name, Vec::new(), value));
        }
    }

    fn push_value(&mut self, name: &'a str, value: VcardValue<'a>) {
        self.list.push(VcardProp { group: None, name: name.into(), params: Vec::new(), value });
    }

    /// Adds a value with its label: as a type if there is one, else as a property of the same group.
    fn push_labelled(&mut self, name: &'a str, value: VcardValue<'a>, entry: &'a Labelled) {
        let of_phone = name == "TEL";
        let kind = match entry.label.as_str() {
            "Work" => Some("work"),
            "Home" => Some("home"),
            "Mobile" if of_phone => Some("cell"),
            "Fax" if of_phone => Some("fax"),
            "Pager" if of_phone => Some("pager"),
            _ => None,
        };
        let mut params = Vec::new();
        if let Some(kind) = kind {
            params.push(VcardParam::Type(vec![Cow::Borrowed(kind)]));
        }
        let mut group = None;
        if kind.is_none() && !entry.label.is_empty() {
            self.groups += 1;
            group = Some(Cow::Owned(format!("item{}", self.groups)));
        }
        self.list.push(VcardProp { group: group.clone(), name: name.into(), params, value });
        if group.is_some() {
            let mut label = VcardProp::text("X-ABLabel", Vec::new(), entry.label.as_str());
            label.group = group;
            self.list.push(label);
        }
    }
}
