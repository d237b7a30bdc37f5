//! Reading of vCards as a stream, one card at a time.

use std::{collections::HashMap, io::Read, ops::Range};

use super::{
    CardKind, ContactCard, Labelled, MAX_OTHERS, OtherProperty,
    property::{Property, apple_label, decode_line, is_mixed, property_name},
};
use crate::{
    formats::{
        DateOrder, FormatError, TextPosition,
        encoding::{TextEncoding, TextInput, detect_encoding},
        parse_day, parse_yearless,
    },
    kernel::{Birthday, text},
};

/// Maximum bytes of a card in the file, with its pictures.
const MAX_CARD_BYTES: usize = 8 * 1024 * 1024;
/// Maximum bytes of the properties of a card that are read.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Maximum number of properties of a card that are read.
const MAX_PROPERTIES: usize = 2_000;
/// Maximum bytes that are kept of a property that does not belong to a contact.
const MAX_OTHER_BYTES: usize = 1_024;
/// Maximum characters of the name of such a property.
const MAX_OTHER_NAME: usize = 60;
/// Bytes at the start of a file in which its first card must start.
const HEAD_BYTES: usize = 64 * 1024;

/// The properties that are read as a whole. Of the others, such as pictures, the beginning is.
const PROPERTIES: [&str; 23] = [
    "VERSION",
    "UID",
    "KIND",
    "X-ADDRESSBOOKSERVER-KIND",
    "X-ABSHOWAS",
    "X-ABLABEL",
    "FN",
    "N",
    "NICKNAME",
    "EMAIL",
    "TEL",
    "ORG",
    "TITLE",
    "ROLE",
    "BDAY",
    "ADR",
    "URL",
    "NOTE",
    "X-ATRIUM-ABOUT",
    "X-ATRIUM-NOTES",
    "CATEGORIES",
    "X-JOBTITLE",
    "LABEL",
];
/// Properties that say nothing of the contact, but of the card or of how a program shows it.
const TECHNICAL: [&str; 20] = [
    "BEGIN",
    "END",
    "PRODID",
    "REV",
    "SOURCE",
    "PROFILE",
    "MAILER",
    "CLASS",
    "SORT-STRING",
    "CLIENTPIDMAP",
    "XML",
    "MEMBER",
    "X-ADDRESSBOOKSERVER-MEMBER",
    "X-ABADR",
    "X-ABUID",
    "X-ABORDER",
    "X-ABCROP-RECTANGLE",
    "X-IMAGEHASH",
    "X-IMAGETYPE",
    "X-SHARED-PHOTO-DISPLAY-PREF",
];

/// Detects the encoding of a file of vCards. Reads the whole file.
///
/// Fails with [`FormatError::NoCards`] if no card starts in the first 64 KB.
pub fn inspect_vcard(reader: impl Read) -> Result<TextEncoding, FormatError> {
    let text = detect_encoding(reader, HEAD_BYTES)?;
    let mut cards = CardReader::new(text.head.as_slice(), text.encoding, TextPosition::default())?;
    while let Some(line) = cards.read_line()? {
        if starts_with_marker(&line.bytes, "BEGIN").is_some() {
            return Ok(text.encoding);
        }
    }
    Err(FormatError::NoCards)
}

/// Reads the cards of a file one after the other.
///
/// Accepts versions 2.1, 3.0 and 4.0, also mixed in one file, and ignores lines that are not properties. A card begins
/// and ends wherever its markers stand, also several in one line and behind invisible characters, so that no card becomes
/// part of another one unnoticed.
pub struct CardReader<R> {
    source: TextInput<R>,
    position: TextPosition,
    /// Whether the line that starts the next card has been read.
    is_open: bool,
    /// The rest of a line in which a card begins or ends.
    rest: Option<Line>,
}

/// A physical line, or what is left of it.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Its text without its end. Only the first part of a very long line is stored, such as that of a picture.
    bytes: Vec<u8>,
    /// Where it starts in the file.
    offset: u64,
    /// Its length.
    length: usize,
}

impl<R: Read> CardReader<R> {
    /// Creates a reader that continues at `position`; `reader` stands at its offset.
    pub fn new(reader: R, encoding: TextEncoding, position: TextPosition) -> Result<Self, FormatError> {
        let source = TextInput::new(reader, encoding, position.offset)?;
        Ok(Self { source, position, is_open: false, rest: None })
    }

    /// Returns the position after the last card that was read. Its `row` is the number of that card.
    pub const fn position(&self) -> TextPosition {
        self.position
    }

    /// Reads the next card; none at the end.
    ///
    /// After [`FormatError::CardTooLarge`], [`FormatError::UnclosedCard`] and [`FormatError::UnopenedCard`], the next call
    /// continues with the next card.
    pub fn next_card(&mut self) -> Result<Option<ContactCard>, FormatError> {
        if !self.is_open && !self.find_begin()? {
            self.position.offset = self.source.offset();
            return Ok(None);
        }
        self.position.row += 1;
        self.is_open = false;
        let mut card = CardText::default();
        // Where a card begins at the end of the last line, behind text.
        let mut glued_begin = None;
        loop {
            let Some(line) = self.read_line()? else {
                self.position.offset = self.source.offset();
                if card.end_at_glued_marker() {
                    break;
                }
                return Err(FormatError::UnclosedCard { card: self.position.row });
            };
            if let Some(begin) = glued_begin.take().filter(|_| card.nested == 0)
                && property_name(visible(&line.bytes)) == "VERSION"
            {
                self.position.offset = begin;
                self.rest = Some(line);
                self.is_open = true;
                return Err(FormatError::UnclosedCard { card: self.position.row });
            }
            match card.push_line(&line) {
                CardState::Open(None) => {
                    let begin = ends_with_marker(&line.bytes, "BEGIN").map(|marker| &line.bytes[..marker.start]);
                    glued_begin = begin.map(|before| line.offset + self.source.length_in_file(before));
                }
                CardState::Open(Some(rest)) => self.put_back(&line, rest),
                CardState::Closed(rest) => {
                    self.put_back(&line, rest);
                    self.position.offset = self.next_offset();
                    break;
                }
                CardState::NextStarts(begin) => {
                    self.put_back(&line, begin);
                    self.position.offset = self.next_offset();
                    if card.end_at_glued_marker() {
                        break;
                    }
                    return Err(FormatError::UnclosedCard { card: self.position.row });
                }
            }
        }
        if let Some(max) = card.exceeded {
            return Err(FormatError::CardTooLarge { card: self.position.row, max });
        }
        Ok(Some(card.parse(self.source.encoding())))
    }

    /// Reads to the text after the next line that begins a card. Returns whether there is one.
    fn find_begin(&mut self) -> Result<bool, FormatError> {
        let mut has_properties = false;
        while let Some(line) = self.read_line()? {
            if let Some(marker) = find_marker(&line.bytes, "BEGIN") {
                self.put_back(&line, marker.end);
                return Ok(true);
            }
            if let Some(marker) = starts_with_marker(&line.bytes, "END") {
                self.put_back(&line, marker.end);
                if has_properties {
                    self.position.row += 1;
                    self.position.offset = self.next_offset();
                    return Err(FormatError::UnopenedCard { card: self.position.row });
                }
            }
            has_properties |= PROPERTIES.contains(&property_name(visible(&line.bytes)).as_str());
        }
        Ok(false)
    }

    /// Lets the text of a line from a place on be the next line, if there is any.
    fn put_back(&mut self, line: &Line, from: usize) {
        let Some((read, bytes)) = line.bytes.split_at_checked(from) else { return };
        if visible(bytes).is_empty() {
            return;
        }
        let offset = line.offset + self.source.length_in_file(read);
        self.rest = Some(Line { bytes: bytes.to_vec(), offset, length: line.length.saturating_sub(read.len()) });
    }

    /// Returns where the next line starts.
    fn next_offset(&self) -> u64 {
        self.rest.as_ref().map_or_else(|| self.source.offset(), |rest| rest.offset)
    }

    /// Reads the next line; none at the end of the file.
    fn read_line(&mut self) -> Result<Option<Line>, FormatError> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        let mut line = Line { offset: self.source.offset(), ..Line::default() };
        if self.source.peek()?.is_none() {
            return Ok(None);
        }
        loop {
            let input = self.source.fill()?;
            let end = memchr::memchr2(b'\r', b'\n', input);
            let part = &input[..end.unwrap_or(input.len())];
            let part_length = part.len();
            line.bytes.extend_from_slice(&part[..part_length.min(MAX_TEXT_BYTES.saturating_sub(line.bytes.len()))]);
            line.length += part_length;
            self.source.consume(part_length);
            if end.is_some() || self.source.peek()?.is_none() {
                self.source.skip_line_end()?;
                return Ok(Some(line));
            }
        }
    }
}

/// Returns where `BEGIN:VCARD` or `END:VCARD` stands first in a line, in any case and with spaces around the colon.
fn find_marker(line: &[u8], name: &str) -> Option<Range<usize>> {
    memchr::memchr_iter(b':', line).find_map(|colon| marker_at(line, colon, name))
}

/// Returns where the marker with this colon stands.
fn marker_at(line: &[u8], colon: usize, name: &str) -> Option<Range<usize>> {
    const CARD: &[u8] = b"VCARD";
    let (before, after) = (line[..colon].trim_ascii_end(), &line[colon + 1..]);
    let start = before.len().checked_sub(name.len())?;
    let card = line.len() - after.trim_ascii_start().len();
    let end = card + CARD.len();
    let is_marker = before[start..].eq_ignore_ascii_case(name.as_bytes())
        && line.get(card..end).is_some_and(|word| word.eq_ignore_ascii_case(CARD));
    is_marker.then_some(start..end)
}

/// Returns where the marker stands with which a line starts, behind invisible characters.
fn starts_with_marker(line: &[u8], name: &str) -> Option<Range<usize>> {
    find_marker(line, name).filter(|marker| visible(&line[..marker.start]).is_empty())
}

/// Returns where the marker stands with which a line ends.
fn ends_with_marker(line: &[u8], name: &str) -> Option<Range<usize>> {
    let marker = marker_at(line, memchr::memrchr(b':', line)?, name)?;
    visible(&line[marker.end..]).is_empty().then_some(marker)
}

/// Returns where a card ends and the next one begins within a line: `…END:VCARDBEGIN:VCARD`.
fn glued_markers(line: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let begin = ends_with_marker(line, "BEGIN").or_else(|| begin_with_version(line))?;
    let before = line[..begin.start].trim_ascii_end();
    Some((ends_with_marker(before, "END")?, begin))
}

/// Returns where a card begins within a line, with the property that follows it: `…BEGIN:VCARDVERSION:3.0`.
fn begin_with_version(line: &[u8]) -> Option<Range<usize>> {
    let begin = find_marker(line, "BEGIN")?;
    (property_name(visible(&line[begin.end..])) == "VERSION").then_some(begin)
}

/// Returns a text from its first visible character on: without white space, byte order marks, characters without width
/// and control characters before it.
fn visible(mut text: &[u8]) -> &[u8] {
    loop {
        let (first, length) = match text.utf8_chunks().next() {
            None => return text,
            Some(chunk) => match chunk.valid().chars().next() {
                Some(c) => (Some(c), c.len_utf8()),
                // A character of another encoding, or a part of one.
                None => (None, 1),
            },
        };
        // In Windows-1252: a space and a hyphen that are not shown.
        let is_blank = first.map_or_else(|| matches!(text.first(), Some(0xA0 | 0xAD)), is_invisible);
        if !is_blank {
            return text;
        }
        text = text.get(length..).unwrap_or_default();
    }
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace() || c.is_control() || text::is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a card goes on after a line.
enum CardState {
    /// It does. What follows from this place on in the line is a line by itself.
    Open(Option<usize>),
    /// It ended at this place of the line.
    Closed(usize),
    /// Another card begins at this place of the line, although this one has not ended.
    NextStarts(usize),
}

/// What becomes of a property while its lines are read.
#[derive(Default, PartialEq)]
enum PropertyState {
    #[default]
    Dropped,
    Kept,
    /// It is no part of a contact, and its beginning is kept.
    Other,
    /// A card follows within this card (`AGENT` of vCard 2.1).
    Agent,
}

/// The content lines of one card.
#[derive(Default)]
struct CardText {
    /// Unfolded lines of the properties that are read.
    lines: Vec<Vec<u8>>,
    /// The beginnings of unfolded lines of other properties.
    others: Vec<Vec<u8>>,
    text_bytes: usize,
    card_bytes: usize,
    last: PropertyState,
    /// Whether the last property is quoted-printable text, whose lines can end with a soft line break (`=`).
    is_quoted_printable: bool,
    version: String,
    /// Number of cards within this card that are open.
    nested: usize,
    /// The length of the marker at the end of the last line: `TEL:600555012END:VCARD`.
    glued_end: Option<usize>,
    /// The limit that the card exceeds.
    exceeded: Option<usize>,
}

impl CardText {
    fn push_line(&mut self, line: &Line) -> CardState {
        // With the line end.
        self.card_bytes += line.length + 1;
        if self.card_bytes > MAX_CARD_BYTES {
            self.exceed(MAX_CARD_BYTES);
        }
        let line = line.bytes.as_slice();
        if self.nested == 0
            && let Some((end, begin)) = glued_markers(line)
            && starts_with_marker(line, "END").is_none()
        {
            self.push_text(&line[..end.start]);
            return CardState::Closed(begin.start);
        }
        if self.nested == 0
            && self.last != PropertyState::Agent
            && starts_with_marker(line, "END").is_none()
            && let Some(begin) = begin_with_version(line)
        {
            return CardState::NextStarts(begin.start);
        }
        if !self.continues_property(line) {
            if let Some(marker) = starts_with_marker(line, "BEGIN") {
                if self.nested == 0 && self.last != PropertyState::Agent {
                    return CardState::NextStarts(marker.start);
                }
                self.nested += 1;
                return CardState::Open(Some(marker.end));
            }
            if let Some(marker) = starts_with_marker(line, "END") {
                let Some(nested) = self.nested.checked_sub(1) else { return CardState::Closed(marker.end) };
                self.nested = nested;
                self.last = PropertyState::Dropped;
                return CardState::Open(Some(marker.end));
            }
        }
        if self.nested == 0 {
            self.glued_end = ends_with_marker(line, "END").map(|marker| line.len() - marker.start);
        }
        self.push_text(line);
        CardState::Open(None)
    }

    /// Adds a line that begins or ends no card.
    fn push_text(&mut self, line: &[u8]) {
        if self.continues_property(line) {
            self.continue_property(line);
        } else if self.nested == 0 && line.contains(&b':') {
            self.start_property(visible(line));
        } else if self.nested == 1 && property_name(visible(line)) == "FN" {
            self.push_agent(visible(line));
        }
    }

    /// Notes the name of a card within this card.
    fn push_agent(&mut self, line: &[u8]) {
        let end = memchr::memchr2(b';', b':', line).unwrap_or(line.len());
        if self.others.len() < MAX_OTHERS {
            self.others.push(b"AGENT".to_vec());
            self.append_other(line.get(end..).unwrap_or_default());
        }
    }

    /// Ends the card where its last line ends with the marker, which then stands for the line that is missing. Returns
    /// whether it does.
    fn end_at_glued_marker(&mut self) -> bool {
        let Some(length) = self.glued_end.filter(|_| self.nested == 0) else { return false };
        if self.last == PropertyState::Kept
            && let Some(last) = self.lines.last_mut()
        {
            last.truncate(last.len().saturating_sub(length));
        }
        true
    }

    fn start_property(&mut self, line: &[u8]) {
        let name = property_name(line);
        self.last = match name.as_str() {
            "AGENT" => PropertyState::Agent,
            name if PROPERTIES.contains(&name) => PropertyState::Kept,
            name if is_other(name) => PropertyState::Other,
            _ => PropertyState::Dropped,
        };
        if matches!(self.last, PropertyState::Agent | PropertyState::Other) {
            self.start_other(line);
        }
        if self.last != PropertyState::Kept {
            return;
        }
        if name == "VERSION" {
            let value = memchr::memchr(b':', line).map_or(&[][..], |colon| line[colon + 1..].trim_ascii());
            self.version = String::from_utf8_lossy(value).into_owned();
        }
        if self.lines.len() == MAX_PROPERTIES {
            self.exceed(MAX_TEXT_BYTES);
            return;
        }
        self.is_quoted_printable = is_quoted_printable(line);
        self.lines.push(Vec::new());
        self.append(line);
    }

    fn start_other(&mut self, line: &[u8]) {
        if self.others.len() == MAX_OTHERS {
            if self.last == PropertyState::Other {
                self.last = PropertyState::Dropped;
            }
            return;
        }
        self.others.push(Vec::new());
        self.append_other(line);
    }

    fn append_other(&mut self, part: &[u8]) {
        if let Some(last) = self.others.last_mut() {
            let room = MAX_OTHER_BYTES.saturating_sub(last.len());
            last.extend(part.iter().take(room));
        }
    }

    /// Whether a physical line belongs to the property before it: it starts with white space (folding), or the line
    /// before ends with a soft line break of quoted-printable text.
    fn continues_property(&self, line: &[u8]) -> bool {
        matches!(line.first(), Some(b' ' | b'\t')) || self.has_soft_break()
    }

    fn has_soft_break(&self) -> bool {
        match self.last {
            PropertyState::Kept => {
                self.is_quoted_printable && self.lines.last().is_some_and(|line| line.ends_with(b"="))
            }
            PropertyState::Other => self
                .others
                .last()
                .is_some_and(|line| line.len() < MAX_OTHER_BYTES && line.ends_with(b"=") && is_quoted_printable(line)),
            PropertyState::Dropped | PropertyState::Agent => false,
        }
    }

    fn continue_property(&mut self, line: &[u8]) {
        let has_soft_break = self.has_soft_break();
        let is_kept = self.last == PropertyState::Kept;
        let known = match self.last {
            PropertyState::Kept => self.lines.last_mut(),
            PropertyState::Other => self.others.last_mut(),
            PropertyState::Dropped | PropertyState::Agent => None,
        };
        let Some(known) = known else { return };
        let part = if has_soft_break {
            known.pop();
            line
        } else {
            // vCard 2.1 folds at white space that belongs to the text; later versions insert it.
            &line[usize::from(self.version != "2.1")..]
        };
        if is_kept {
            self.append(part);
        } else {
            self.append_other(part);
        }
    }

    fn append(&mut self, part: &[u8]) {
        self.text_bytes += part.len();
        if self.text_bytes > MAX_TEXT_BYTES {
            self.exceed(MAX_TEXT_BYTES);
        } else if let Some(last) = self.lines.last_mut() {
            last.extend_from_slice(part);
        }
    }

    fn exceed(&mut self, max: usize) {
        self.exceeded.get_or_insert(max);
        self.lines.clear();
        self.last = PropertyState::Dropped;
    }

    fn parse(self, encoding: TextEncoding) -> ContactCard {
        let lines: Vec<_> = self.lines.iter().map(|line| decode_line(line, encoding)).collect();
        let properties: Vec<Property<'_>> =
            lines.iter().filter_map(|line| Property::parse(line, &self.version)).collect();
        let labels = properties.iter().filter(|property| property.name() == "X-ABLABEL");
        let labels = labels.filter_map(|property| Some((property.group()?, apple_label(&property.text()))));
        let labels: HashMap<String, String> = labels.filter(|(_, label)| !label.is_empty()).collect();
        let is_mixed = self.lines.iter().any(|line| is_mixed(line, encoding));
        let mut card = ContactCard { is_mixed, ..ContactCard::default() };
        for property in &properties {
            read_property(property, &labels, &mut card);
        }
        read_substitutes(&properties, &labels, &mut card);
        for line in &self.others {
            let line = decode_line(whole_characters(line), encoding);
            if let Some(other) = Property::parse(&line, &self.version).as_ref().and_then(other_property) {
                card.add_other(other);
            }
        }
        choose_name(&mut card);
        card
    }
}

/// Whether a property with this name is no part of a contact, and has content of it.
fn is_other(name: &str) -> bool {
    let is_name = (1..=MAX_OTHER_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name && !TECHNICAL.contains(&name)
}

/// Returns a text without a part of a character at its end, where it was cut.
fn whole_characters(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => text.get(..error.valid_up_to()).unwrap_or(text),
        _ => text,
    }
}

/// Reads a property that does not belong to a contact; none without content.
fn other_property(property: &Property<'_>) -> Option<OtherProperty> {
    let text = text::line(&property.text());
    let has_content = text.chars().any(char::is_alphanumeric);
    let data_type = property.data_type();
    let is_data = data_type.is_some();
    let text = data_type.unwrap_or(text);
    has_content.then(|| OtherProperty { name: property.name(), text, is_data })
}

/// Reads the properties that stand for others: a role for a job title, and the text of an address for its parts. Beside
/// those they are no part of the contact.
fn read_substitutes(properties: &[Property<'_>], labels: &HashMap<String, String>, card: &mut ContactCard) {
    let has_address = !card.addresses.is_empty();
    for property in properties {
        let other = match property.name().as_str() {
            "ROLE" | "X-JOBTITLE" => {
                let role = text::line(&property.text());
                fill(&mut card.title, role.clone());
                if role == card.title { None } else { other_property(property) }
            }
            "LABEL" if has_address => other_property(property),
            "LABEL" => {
                let address = labelled(property, labels, text::lines(&property.text()));
                push_labelled(&mut card.addresses, address);
                None
            }
            _ => None,
        };
        if let Some(other) = other {
            card.add_other(other);
        }
    }
}

/// Returns a value with the label of its group, or else of its types.
fn labelled(property: &Property<'_>, labels: &HashMap<String, String>, value: String) -> Labelled {
    let own = property.group().and_then(|group| labels.get(&group));
    Labelled { value, label: own.map_or_else(|| property.label(), Clone::clone) }
}

fn is_quoted_printable(line: &[u8]) -> bool {
    let head = &line[..memchr::memchr(b':', line).unwrap_or(line.len())];
    String::from_utf8_lossy(head).to_ascii_uppercase().contains("QUOTED-PRINTABLE")
}

/// Returns the name that the parts of a name make.
fn joined_name(card: &ContactCard) -> String {
    let parts = [&card.prefix, &card.given, &card.additional, &card.family, &card.suffix];
    let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// Chooses the name of a person: the displayed one, unless it only repeats a part of the one in parts, or is an e-mail
/// address. What the one in parts has besides is left out, and said.
fn choose_name(card: &mut ContactCard) {
    if card.full_name.is_empty() {
        card.full_name = default_name(card);
        return;
    }
    let joined = joined_name(card);
    if card.kind != CardKind::Individual || joined.is_empty() {
        return;
    }
    let shown = name_words(&card.full_name);
    let parts = name_words(&joined);
    // Names in some scripts have no spaces, and the family name first.
    let in_order = [[&card.family, &card.given], [&card.given, &card.family]];
    let is_same = in_order.iter().any(|names| {
        let letters: String = names.iter().flat_map(|name| name_words(name)).collect();
        shown == [letters]
    });
    if is_same || parts.iter().all(|part| shown.contains(part)) {
        return;
    }
    let is_within = |word: &String| {
        let is_initial = word.chars().count() == 1;
        parts.iter().any(|part| part == word || (is_initial && part.starts_with(word.as_str())))
    };
    if text::email(&card.full_name).is_some() || shown.iter().all(is_within) {
        card.full_name = joined;
    } else {
        card.leave_out("N", joined);
    }
}

/// Returns the folded words of a name.
fn name_words(name: &str) -> Vec<String> {
    let folded = text::fold(name);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Makes a name for a card without one.
fn default_name(card: &ContactCard) -> String {
    let email = card.emails.first().map(|email| email.value.as_str()).unwrap_or_default();
    let candidates = [joined_name(card), card.organization.clone(), card.nickname.clone(), email.to_owned()];
    candidates.into_iter().find(|name| !name.is_empty()).unwrap_or_default()
}

fn read_property(property: &Property<'_>, labels: &HashMap<String, String>, card: &mut ContactCard) {
    let line = || text::line(&property.text());
    let labelled = |value: String| labelled(property, labels, value);
    match property.name().as_str() {
        "UID" => fill(&mut card.uid, line()),
        "KIND" | "X-ADDRESSBOOKSERVER-KIND" => match line().to_ascii_lowercase().as_str() {
            "org" | "organization" => card.kind = CardKind::Organization,
            "group" => card.kind = CardKind::Group,
            _ => {}
        },
        "X-ABSHOWAS" if line().eq_ignore_ascii_case("COMPANY") => card.kind = CardKind::Organization,
        "FN" => fill(&mut card.full_name, line()),
        "N" => {
            let part = |index| text::line(&property.component(index, " "));
            fill(&mut card.family, part(0));
            fill(&mut card.given, part(1));
            fill(&mut card.additional, part(2));
            fill(&mut card.prefix, part(3));
            fill(&mut card.suffix, part(4));
        }
        "NICKNAME" => fill(&mut card.nickname, property.list().join(", ")),
        "EMAIL" => push_labelled(&mut card.emails, labelled(without_scheme(&line(), "mailto:"))),
        "TEL" => push_labelled(&mut card.phones, labelled(phone_number(&line()))),
        "ORG" => {
            fill_once(card, "ORG", |card| &mut card.organization, text::line(&property.component(0, ", ")));
            let units =
                (1..property.component_count().min(10)).map(|index| text::line(&property.component(index, ", ")));
            let units: Vec<String> = units.filter(|unit| !unit.is_empty()).collect();
            fill(&mut card.department, units.join(", "));
        }
        "TITLE" => fill_once(card, "TITLE", |card| &mut card.title, line()),
        "BDAY" => match read_birthday(&line(), property.has_param("X-APPLE-OMIT-YEAR")) {
            Some(birthday) if card.birthday.is_some_and(|known| known != birthday) => card.leave_out("BDAY", line()),
            Some(birthday) => card.birthday = Some(birthday),
            None => fill(&mut card.other_birthday, line()),
        },
        "ADR" => push_labelled(&mut card.addresses, labelled(address_lines(property))),
        "URL" => {
            let url = line();
            if !url.is_empty() && !card.urls.contains(&url) && card.urls.len() < 100 {
                card.urls.push(url);
            }
        }
        "NOTE" => {
            let note = text::lines(&property.text());
            if !card.note.is_empty() && !note.is_empty() {
                card.note.push('\n');
            }
            card.note.push_str(&note);
        }
        "X-ATRIUM-ABOUT" => fill(&mut card.about, text::lines(&property.text())),
        "X-ATRIUM-NOTES" => fill(&mut card.rich_note, text::lines(&property.text())),
        "CATEGORIES" => card.categories.extend(property.list()),
        _ => {}
    }
}

/// Sets a text that is not set yet.
fn fill(target: &mut String, value: String) {
    if target.is_empty() {
        *target = value;
    }
}

/// Sets a text that a card has once. Another value is left out, and said.
fn fill_once(
    card: &mut ContactCard,
    property: &'static str,
    target: fn(&mut ContactCard) -> &mut String,
    value: String,
) {
    let known = target(card);
    if known.is_empty() {
        *known = value;
    } else if !value.is_empty() && *known != value {
        card.leave_out(property, value);
    }
}

fn push_labelled(list: &mut Vec<Labelled>, entry: Labelled) {
    if !entry.value.is_empty() {
        list.push(entry);
    }
}

/// Returns the number of a URI such as `tel:+34-600-555-012;ext=1`, as people write it; another text as it is.
fn phone_number(value: &str) -> String {
    let number = without_scheme(value, "tel:");
    let extension = value.split(';').skip(1).find_map(|param| {
        let (name, value) = param.split_once('=')?;
        name.trim().eq_ignore_ascii_case("ext").then(|| value.trim())
    });
    match extension.filter(|extension| number != value && !extension.is_empty()) {
        Some(extension) => format!("{number} ext. {extension}"),
        None => number,
    }
}

/// Removes the scheme of a URI such as `mailto:ana@x.example?subject=Hi`, and its parameters.
fn without_scheme(value: &str, scheme: &str) -> String {
    match value.split_at_checked(scheme.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(scheme) => {
            rest.split([';', '?']).next().unwrap_or_default().trim().to_owned()
        }
        _ => value.to_owned(),
    }
}

/// Reads a date of birth, with or without a time (`19850412T000000Z`). Without a year it is `--0412`, or has a year that
/// stands for none, which is how Apple writes it.
fn read_birthday(value: &str, omits_year: bool) -> Option<Birthday> {
    let date = value.split(['T', ' ']).next().unwrap_or_default();
    let with_year = || {
        let day = parse_day(date, DateOrder::YearMonthDay)?;
        if omits_year { Birthday::without_year(day.0.month(), day.0.day()) } else { Some(day.into()) }
    };
    parse_yearless(date).or_else(with_year)
}

/// Returns an address as lines: street, postal code and city, region, country.
fn address_lines(property: &Property<'_>) -> String {
    let [po_box, extended, street, city, region, postal_code, country] =
        [0, 1, 2, 3, 4, 5, 6].map(|index| property.component(index, ", "));
    let city = [postal_code, city].join(" ").trim().to_owned();
    let lines: Vec<String> = [po_box, extended, street, city, region, country].into_iter().collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    text::lines(&lines.join("\n"))
}
