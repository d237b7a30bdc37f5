//! Properties of a vCard: their text, types and labels.

use std::borrow::Cow;

use encoding_rs::Encoding;
use quoted_printable::ParseMode;
use vcard::tree::{codec::mode::VcardEscaper, line::VcardLine, param::node::VcardParamNode};

use crate::{formats::encoding::TextEncoding, kernel::text};

/// Labels of types, in the order of preference: a number of type `work,cell` is a mobile one.
const LABELS: [(&str, &str); 10] = [
    ("fax", "Fax"),
    ("cell", "Mobile"),
    ("mobile", "Mobile"),
    ("iphone", "Mobile"),
    ("pager", "Pager"),
    ("work", "Work"),
    ("home", "Home"),
    ("main", "Main"),
    ("other", "Other"),
    ("school", "School"),
];

/// Returns the name of the property of a content line, in upper case and without its group.
pub(super) fn property_name(line: &[u8]) -> String {
    let end = memchr::memchr2(b';', b':', line).unwrap_or(line.len());
    let name = &line[..end];
    let name = memchr::memrchr(b'.', name).map_or(name, |dot| &name[dot + 1..]);
    String::from_utf8_lossy(name).trim().to_ascii_uppercase()
}

/// Decodes an unfolded content line. Its value can be in the character set that a parameter names.
pub(super) fn decode_line(line: &[u8], encoding: TextEncoding) -> Cow<'_, str> {
    // Folding can cut characters, so that a file of UTF-8 can look like another encoding.
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    match named_charset(line) {
        Some(charset) => charset.decode_without_bom_handling(line).0,
        None => encoding.decode(line),
    }
}

/// Whether a content line is not in the encoding of the file, nor in one that it names.
pub(super) fn is_mixed(line: &[u8], encoding: TextEncoding) -> bool {
    encoding.is_contradicted_by(line) && named_charset(line).is_none()
}

/// Returns the character set that a parameter of a content line names.
fn named_charset(line: &[u8]) -> Option<&'static Encoding> {
    let head = &line[..memchr::memchr(b':', line).unwrap_or(line.len())];
    let head = String::from_utf8_lossy(head);
    let charset = head.split(';').find_map(|param| {
        let (name, value) = param.split_once('=')?;
        name.eq_ignore_ascii_case("CHARSET").then(|| value.trim_matches('"').to_owned())
    });
    Encoding::for_label(charset?.as_bytes())
}

/// A property of a vCard.
pub(super) struct Property<'a> {
    line: VcardLine<'a>,
    /// Lower-case types, such as `work`.
    types: Vec<String>,
    /// The label that a person gave, as Android writes it.
    custom_label: Option<String>,
    is_quoted_printable: bool,
    /// Whether the value is data, such as a picture.
    is_base64: bool,
    charset: Option<&'static Encoding>,
    /// Whether commas separate values within a component. In vCard 2.1 they are text.
    has_lists: bool,
}

impl<'a> Property<'a> {
    /// Reads an unfolded content line of a card of the given version.
    pub fn parse(line: &'a str, version: &str) -> Option<Self> {
        let custom_label = read_custom_label(line);
        let (mut line, _) = VcardLine::take(line.as_bytes()).ok()?;
        line.value.escaper = VcardEscaper::for_version_str(version);
        let values = |param: &VcardParamNode<'_>| -> Vec<String> {
            let values = param.values.iter().map(|value| value.get().trim_matches('"'));
            values.flat_map(|value| value.split(',')).map(|value| value.trim().to_ascii_lowercase()).collect()
        };
        let named = |name: &str| {
            let params = line.params.iter().filter(|param| param.name.get().eq_ignore_ascii_case(name));
            params.flat_map(values).collect::<Vec<String>>()
        };
        // vCard 2.1 writes values of parameters without their names: `TEL;WORK;VOICE:…`.
        let bare: Vec<String> = line
            .params
            .iter()
            .filter(|param| param.values.is_empty())
            .map(|param| param.name.get().trim().to_ascii_lowercase())
            .collect();
        let encodings = named("ENCODING");
        let is_in = |encoding: &str| encodings.iter().chain(&bare).any(|own| own == encoding);
        let is_quoted_printable = is_in("quoted-printable");
        let is_base64 = is_in("base64") || is_in("b");
        let charset = named("CHARSET").first().and_then(|label| Encoding::for_label(label.as_bytes()));
        let mut types = named("TYPE");
        types.extend(bare);
        let has_lists = version != "2.1";
        Some(Self { line, types, custom_label, is_quoted_printable, is_base64, charset, has_lists })
    }

    /// Returns the name, in upper case and without its group.
    pub fn name(&self) -> String {
        self.line.bare_name().trim().to_ascii_uppercase()
    }

    /// Returns the group, in lower case: `item1` of `item1.TEL`.
    pub fn group(&self) -> Option<String> {
        self.line.group().map(str::to_ascii_lowercase)
    }

    /// Whether the property has a parameter.
    pub fn has_param(&self, name: &str) -> bool {
        self.line.params.iter().any(|param| param.name.get().eq_ignore_ascii_case(name))
    }

    /// Returns the value as text.
    pub fn text(&self) -> String {
        self.decode(&self.line.value.decode())
    }

    /// Returns a component of a structured value; several values of it are joined by `separator`.
    pub fn component(&self, index: usize, separator: &str) -> String {
        if !self.has_lists {
            return text::line(&self.decode(&self.line.value.decode_component(index)));
        }
        let values = self.line.value.decode_component_list(index);
        let values: Vec<String> = values.iter().map(|value| text::lines(&self.decode(value))).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
        values.join(separator)
    }

    /// Returns the number of components of a structured value.
    pub fn component_count(&self) -> usize {
        self.line.value.component_count()
    }

    /// Returns the values of a list.
    pub fn list(&self) -> Vec<String> {
        let values = self.line.value.decode_list();
        // vCard 2.1 has no escaped commas, but programs write them.
        let unescaped = |value: &str| if self.has_lists { value.to_owned() } else { value.replace("\\,", ",") };
        let values = values.iter().map(|value| text::line(&unescaped(&self.decode(value))));
        values.filter(|value| !value.is_empty()).collect()
    }

    /// Returns the type of the data that the value is, such as `JPEG`, which may be empty; none for a text.
    pub fn data_type(&self) -> Option<String> {
        if self.is_base64 {
            const WORDS: [&str; 5] = ["b", "base64", "pref", "home", "work"];
            let own = self.types.iter().find(|own| !WORDS.contains(&own.as_str()));
            return Some(own.map(|own| own.to_ascii_uppercase()).unwrap_or_default());
        }
        let value = self.line.value.decode();
        let (scheme, rest) = value.trim().split_once(':')?;
        let media_type = rest.split([';', ',']).next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("data").then(|| media_type.trim_end_matches('\\').to_owned())
    }

    /// Returns the label that a person gave, or else that of the types; empty if they say nothing.
    pub fn label(&self) -> String {
        self.custom_label.clone().unwrap_or_else(|| self.type_label().to_owned())
    }

    fn type_label(&self) -> &'static str {
        let known = LABELS.iter().find(|(name, _)| self.types.iter().any(|own| own == name));
        known.map_or("", |(_, label)| label)
    }

    /// Decodes quoted-printable text.
    fn decode(&self, value: &str) -> String {
        if !self.is_quoted_printable {
            return value.to_owned();
        }
        decode_quoted_printable(value, self.charset)
    }
}

/// Decodes quoted-printable text in a character set; without one, in UTF-8 or Windows-1252.
fn decode_quoted_printable(value: &str, charset: Option<&'static Encoding>) -> String {
    let Ok(bytes) = quoted_printable::decode(value, ParseMode::Robust) else { return value.to_owned() };
    match charset {
        Some(charset) => charset.decode_without_bom_handling(&bytes).0.into_owned(),
        None => TextEncoding::Utf8.decode(&bytes).into_owned(),
    }
}

/// Reads a label that a person gave in Android: `TEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=C3=96zel):…`.
fn read_custom_label(line: &str) -> Option<String> {
    const START: &str = "X-CUSTOM(";
    let (head, _) = line.split_once(':')?;
    let start = head.to_ascii_uppercase().find(START)? + START.len();
    let (inner, _) = head.get(start..)?.rsplit_once(')')?;
    let mut charset = None;
    let mut is_quoted_printable = false;
    let mut label = "";
    for part in inner.split(',') {
        match part.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("CHARSET") => {
                charset = Encoding::for_label(value.as_bytes());
            }
            Some((name, value)) if name.eq_ignore_ascii_case("ENCODING") => {
                is_quoted_printable = value.eq_ignore_ascii_case("QUOTED-PRINTABLE");
            }
            _ => label = part,
        }
    }
    let label = if is_quoted_printable { decode_quoted_printable(label, charset) } else { label.to_owned() };
    Some(text::line(&label)).filter(|label| !label.is_empty())
}

/// Returns the text of a label of Apple's address book, which writes its own ones as `_$!<HomePage>!$_`.
pub(super) fn apple_label(label: &str) -> String {
    let label = text::line(label);
    let Some(own) = label.strip_prefix("_$!<").and_then(|rest| rest.strip_suffix(">!$_")) else { return label };
    match own {
        "HomePage" => "Home page".to_owned(),
        "HomeFAX" | "WorkFAX" | "OtherFAX" => "Fax".to_owned(),
        _ => own.to_owned(),
    }
}
