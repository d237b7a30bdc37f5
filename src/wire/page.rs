//! Lists: some items, where the next ones begin, and how many there are in all.

use poem_openapi::{
    Object,
    types::{ParseFromJSON, ToJSON, Type},
};
use serde::Serialize;

use crate::kernel::{Code, Error, Result, hex};

/// Characters of a cursor. It holds the value that a list is ordered by, and a name of 200 characters can be
/// some thousand bytes when its letters are spelt out.
const LONGEST: usize = 32 << 10;
/// Items of a page when nobody says how many.
const USUAL: usize = 50;

/// A list's answer.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct List<T: Type + ParseFromJSON + ToJSON + Serialize> {
    /// The items of this page.
    pub items: Vec<T>,
    /// What to give as `cursor` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// How many items there are in all, with the filters given.
    pub total: u64,
}

impl<T: Type + ParseFromJSON + ToJSON + Serialize> List<T> {
    /// From records as they are kept, the place where the next page begins, and how many there are.
    pub fn of(items: impl IntoIterator<Item = impl Into<T>>, next: Option<Vec<u8>>, total: u64) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Self { items, next_cursor: next.map(|place| hex::encode(&place)), total }
    }
}

/// Which part of a list is asked for.
#[derive(Debug)]
pub struct Paging {
    /// At most so many.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<Vec<u8>>,
}

impl Paging {
    /// Whether the page is no longer than the usual one.
    #[must_use]
    pub const fn is_short(&self) -> bool {
        self.limit <= USUAL
    }

    /// From the parameters `limit` (1 to 200, 50 when absent) and `cursor`.
    ///
    /// # Errors
    /// `invalid` for a limit out of range, `bad_request` for a cursor that none of our answers gave.
    pub fn new(limit: Option<u32>, cursor: Option<&str>) -> Result<Self> {
        let limit = limit.map_or(USUAL, |limit| limit as usize);
        if !(1..=200).contains(&limit) {
            let gaps = vec![("min", "1".to_owned()), ("max", "200".to_owned())];
            return Err(Error::new(Code::Invalid).and_field("limit", "errors.fields.range", gaps));
        }
        let after = cursor.map(decode).transpose()?;
        Ok(Self { limit, after })
    }
}

fn decode(cursor: &str) -> Result<Vec<u8>> {
    let bad = || Error::new(Code::BadRequest).and_field("cursor", "errors.fields.format", vec![]);
    if cursor.is_empty() || cursor.len() > LONGEST { Err(bad()) } else { hex::decode(cursor).ok_or_else(bad) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        let paging = Paging::new(Some(10), Some(&hex::encode(&[0, 255, 16]))).unwrap();
        assert_eq!((paging.limit, paging.after), (10, Some(vec![0, 255, 16])));
        for bad in ["", "x", "0", "zz", "é1", "+1"] {
            assert_eq!(Paging::new(None, Some(bad)).unwrap_err().code(), Code::BadRequest, "{bad}");
        }
        assert_eq!(Paging::new(Some(0), None).unwrap_err().code(), Code::Invalid);
        assert_eq!(Paging::new(Some(201), None).unwrap_err().code(), Code::Invalid);
    }
}
