//! Addresses whose parts stand in several columns.

use super::{DraftReader, Parts, lists::several_values};
use crate::{
    features::organizations::Phone,
    kernel::{countries::country_code, phone, text},
};

/// Parts of an address, such as a city or a street alone, which do not replace an address.
#[derive(Clone, Debug)]
pub struct AddressPart {
    /// Where the body has the address.
    pub path: &'static str,
    /// The columns of the parts and their texts.
    pub cells: Vec<(u16, String)>,
}

/// The field with a whole address.
const ADDRESS: &str = "address";
/// The field with the country of an address.
const COUNTRY: &str = "country";
/// The field with the first lines of an address: files have several columns for them.
const STREET: &str = "street";
/// The field with the postal code of an address.
const POSTAL_CODE: &str = "postalCode";
/// The field with the city of an address.
const CITY: &str = "city";

/// What tells the addresses of a row apart.
#[derive(Clone, Copy)]
struct AddressKey<'k> {
    /// The column that has the label in each row.
    group: Option<u16>,
    /// The place among several in a cell.
    number: usize,
    label: &'k str,
}

/// The parts of an address.
#[derive(Debug)]
pub(super) struct AddressParts {
    group: Option<u16>,
    number: usize,
    pub(super) label: String,
    /// Whole addresses and parts of one, with the places of their lines and the names of their fields.
    parts: Vec<(u8, &'static str, String)>,
}

/// Returns the country among those of addresses in which a phone number is valid: that of the address with the same label
/// goes before others.
pub(super) fn country_of_phone(phone: &Phone, addresses: &[AddressParts]) -> Option<String> {
    let is_same = |address: &&AddressParts| address.label == phone.label;
    let same = addresses.iter().filter(is_same);
    let others = addresses.iter().filter(|address| !is_same(address));
    let mut countries = same.chain(others).filter_map(AddressParts::country);
    countries.find(|country| phone::forms(&phone.number, Some(country)).is_some())
}

impl AddressParts {
    /// Returns the code of the country that the address names, in a part of its own or in its last line.
    fn country(&self) -> Option<String> {
        let parts = self.parts.iter();
        let named = parts.filter(|(_, field, _)| *field == COUNTRY).find_map(|(.., text)| country_code(text));
        let last_line = |text: &str| text.lines().next_back().and_then(country_code);
        let whole =
            || self.parts.iter().filter(|(_, field, _)| *field == ADDRESS).find_map(|(.., text)| last_line(text));
        named.or_else(whole)
    }

    /// Whether it replaces an address: a whole one, or a street with its city or postal code. A street alone may be in
    /// another city than the address that it would replace.
    pub(super) fn is_whole(&self) -> bool {
        self.has(ADDRESS) || (self.has(STREET) && (self.has(CITY) || self.has(POSTAL_CODE)))
    }

    fn has(&self, field: &str) -> bool {
        self.parts.iter().any(|(_, known, _)| *known == field)
    }

    /// Writes the address as lines, the parts of one place on one line. What the whole address has is not repeated.
    pub(super) fn text(&self) -> String {
        let whole = self.parts.iter().filter(|(_, field, _)| *field == ADDRESS).map(|(.., text)| text.as_str());
        let whole = whole.collect::<Vec<_>>().join("\n");
        let folded = text::fold(&whole);
        let is_new = |text: &str| !folded.contains(&text::fold(text));
        let mut lines: Vec<(u8, String)> = Vec::new();
        for (place, field, text) in self.parts.iter().filter(|(_, field, _)| *field != ADDRESS) {
            if !is_new(text) {
                continue;
            }
            match lines.iter_mut().find(|(known, _)| known == place) {
                Some((_, line)) => {
                    line.push(if *field == STREET { '\n' } else { ' ' });
                    line.push_str(text);
                }
                None => lines.push((*place, text.clone())),
            }
        }
        lines.sort_by_key(|(place, _)| *place);
        let lines = lines.iter().map(|(_, line)| line.as_str());
        let whole = [whole.as_str()].into_iter().filter(|whole| !whole.is_empty());
        whole.chain(lines).collect::<Vec<_>>().join("\n")
    }
}

impl Parts {
    /// Adds an address, or a part of the last one with this label. In a card, each is another one. Of most parts the
    /// first counts: some files have a country and its code. Returns whether it counts.
    fn add_address(
        &mut self,
        key: AddressKey<'_>,
        is_card: bool,
        (place, field): (u8, &'static str),
        text: &str,
    ) -> bool {
        let AddressKey { group, number, label } = key;
        let mut known = self.addresses.iter_mut().rev();
        let known = known.find(|known| known.group == group && known.number == number && known.label == label);
        match known.filter(|known| !is_card || !known.has(ADDRESS)) {
            Some(known) if !matches!(field, STREET | ADDRESS) && known.has(field) => return false,
            Some(known) => known.parts.push((place, field, text.to_owned())),
            None => {
                let parts = vec![(place, field, text.to_owned())];
                self.addresses.push(AddressParts { group, number, label: label.to_owned(), parts });
            }
        }
        true
    }
}

impl DraftReader {
    /// Adds the addresses of a cell, or the same part of several addresses. Returns whether one counts.
    pub(super) fn add_addresses(
        &self,
        parts: &mut Parts,
        (place, field): (u8, &'static str),
        (column, label): (u16, &str),
        text: &str,
    ) -> bool {
        let group = self.group_of(column);
        if self.is_card() {
            return parts.add_address(AddressKey { group, number: 0, label }, true, (place, field), text);
        }
        let mut counts = false;
        for (number, text) in several_values(text) {
            counts |= parts.add_address(AddressKey { group, number, label }, false, (place, field), text);
        }
        counts
    }

    /// Returns the column that has the labels of a column.
    fn group_of(&self, column: u16) -> Option<u16> {
        self.plan.columns.get(usize::from(column)).and_then(|column| column.label_column)
    }
}
