//! Pagination of lists: items, cursor of the next page, and total.

use std::sync::Arc;

use aws_lc_rs::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest, hmac,
};
use poem::http::Uri;
use poem_openapi::{
    Object,
    types::{ParseFromJSON, ToJSON, Type},
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::query;
use crate::kernel::{Code, Error, Result, TenantId, hex};

/// Longest cursor, in characters. It contains the sort key, and a name of 200 characters can have a sort key of some
/// thousand bytes.
pub const LONGEST_CURSOR: usize = 32 << 10;
/// Default number of items per page.
const DEFAULT_LIMIT: usize = 50;
/// Largest number of items per page.
const MAX_LIMIT: u32 = 200;

/// A page of a list.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct List<T: Type + ParseFromJSON + ToJSON + Serialize> {
    /// The items of this page. It may have fewer than `limit` and yet not be the last one.
    pub items: Vec<T>,
    /// The `cursor` of the next page; absent on the last page.
    pub next_cursor: Option<String>,
    /// The number of items on all pages, with the given filters.
    pub total: u64,
    /// The number of items missing from this page because their stored data is damaged; absent if there are none.
    pub damaged: Option<u64>,
    /// True while the search index lacks changes, so that `q` may miss items; absent otherwise.
    pub partial: Option<bool>,
}

impl<T: Type + ParseFromJSON + ToJSON + Serialize> List<T> {
    /// Sets the number of items that are left out because they are damaged.
    pub fn without_damaged(mut self, damaged: usize) -> Self {
        self.damaged = (damaged > 0).then_some(damaged as u64);
        self
    }

    /// Sets whether the search behind this list may have missed items.
    pub fn with_partial(mut self, is_partial: bool) -> Self {
        self.partial = is_partial.then_some(true);
        self
    }
}

/// The keys that encrypt cursors, one pair for the whole server.
pub struct CursorKeys {
    seal: LessSafeKey,
    nonce: hmac::Key,
}

impl CursorKeys {
    /// Derives the keys from the installation's secret.
    pub fn new(secret: &[u8; 32]) -> Result<Self> {
        let root = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let [seal, nonce] = ["cursor seal", "cursor nonce"].map(|purpose| hmac::sign(&root, purpose.as_bytes()));
        let seal = UnboundKey::new(&CHACHA20_POLY1305, seal.as_ref()).map_err(Error::internal)?;
        Ok(Self { seal: LessSafeKey::new(seal), nonce: hmac::Key::new(hmac::HMAC_SHA256, nonce.as_ref()) })
    }
}

/// Encrypts and decrypts the cursors of one list of one tenant, with its filters and sort order. A cursor is valid only
/// there, and its content is hidden.
#[derive(Clone)]
pub struct Cursors {
    keys: Arc<CursorKeys>,
    bound: digest::Digest,
}

impl Cursors {
    /// Binds cursors to the tenant and to the request's path and query, except `cursor` and `limit`.
    pub fn of(keys: Arc<CursorKeys>, tenant: TenantId, uri: &Uri) -> Self {
        let mut parameters = query(uri);
        parameters.retain(|(name, _)| name != "cursor" && name != "limit");
        parameters.sort();
        let texts = parameters.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        let mut hash = digest::Context::new(&digest::SHA256);
        hash.update(tenant.as_bytes());
        for text in std::iter::once(uri.path()).chain(texts) {
            hash.update(&(text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
        Self { keys, bound: hash.finish() }
    }

    /// Reads the parameters `limit` (1 to 200, default 50) and `cursor`.
    /// Errors: `invalid` if the limit is out of range, `bad_request` if the cursor was not issued for this list.
    pub fn paging(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<Paging> {
        let limit = limit.map_or(DEFAULT_LIMIT, |limit| limit as usize);
        if !(1..=MAX_LIMIT as usize).contains(&limit) {
            let params = vec![("min", "1".to_owned()), ("max", MAX_LIMIT.to_string())];
            return Err(Error::new(Code::Invalid).and_field("limit", "errors.fields.range", params));
        }
        let open = |cursor| self.open(cursor).ok_or_else(foreign_cursor);
        Ok(Paging { limit, after: cursor.map(open).transpose()? })
    }

    /// Creates a page of records. `next` is the position of the next page, `total` the number of all items.
    pub fn list<T: Type + ParseFromJSON + ToJSON + Serialize>(
        &self,
        items: impl IntoIterator<Item = impl Into<T>>,
        next: Option<Vec<u8>>,
        total: u64,
    ) -> Result<List<T>> {
        let next_cursor = next.map(|place| self.cursor(place)).transpose()?;
        Ok(List {
            items: items.into_iter().map(Into::into).collect(),
            next_cursor,
            total,
            damaged: None,
            partial: None,
        })
    }

    /// Encrypts a position. The nonce is derived from the content: the same position always has the same cursor, and two
    /// positions never share a nonce.
    pub fn cursor(&self, mut place: Vec<u8>) -> Result<String> {
        let tag = hmac::sign(&self.keys.nonce, &[self.bound.as_ref(), &place].concat());
        let mut nonce = [0; NONCE_LEN];
        nonce.iter_mut().zip(tag.as_ref()).for_each(|(to, from)| *to = *from);
        let sealed = self.keys.seal.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(&self.bound),
            &mut place,
        );
        sealed.map_err(Error::internal)?;
        Ok(hex::encode(&[nonce.as_slice(), &place].concat()))
    }

    fn open(&self, cursor: &str) -> Option<Vec<u8>> {
        let mut bytes = hex::decode(Some(cursor).filter(|it| it.len() <= LONGEST_CURSOR)?)?;
        let (nonce, sealed) = bytes.split_first_chunk_mut::<NONCE_LEN>()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.keys.seal.open_in_place(nonce, Aad::from(&self.bound), sealed).ok().map(|place| place.to_vec())
    }
}

/// Returns the error for a cursor that was not issued for this list.
pub fn foreign_cursor() -> Error {
    Error::new(Code::BadRequest).and_field("cursor", "errors.fields.cursor", Vec::new())
}

/// The requested part of a list.
#[derive(Debug)]
pub struct Paging {
    /// The maximum number of items.
    pub limit: usize,
    /// The position where the previous page ended.
    pub after: Option<Vec<u8>>,
}

impl Paging {
    /// Whether the page has at most the default number of items.
    pub const fn is_short(&self) -> bool {
        self.limit <= DEFAULT_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursors(tenant: u8, uri: &str) -> Cursors {
        let keys = Arc::new(CursorKeys::new(&[7; 32]).unwrap());
        Cursors::of(keys, TenantId::from_bytes([tenant; 16]).unwrap(), &uri.parse().unwrap())
    }

    fn next(cursors: &Cursors, place: &[u8]) -> String {
        cursors.list::<String>(Vec::<String>::new(), Some(place.to_vec()), 0).unwrap().next_cursor.unwrap()
    }

    #[test]
    fn cursor_works_only_in_its_own_list_and_is_opaque() {
        let own = cursors(1, "/customers?status=lead&sort=-name&limit=2");
        let cursor = next(&own, b"Jos\xc3\xa9 Garcia");
        assert_eq!(cursor, next(&own, b"Jos\xc3\xa9 Garcia"), "the same place has the same cursor");
        let bytes = hex::decode(&cursor).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"Garcia"));
        for (tenant, uri) in
            [(1, "/customers?sort=-name&status=lead&limit=9&cursor=x"), (1, "/customers?sort=-name&status=le%61d")]
        {
            let paging = cursors(tenant, uri).paging(Some(10), Some(&cursor)).unwrap();
            assert_eq!((paging.limit, paging.after.as_deref()), (10, Some(b"Jos\xc3\xa9 Garcia".as_slice())), "{uri}");
        }
        for (tenant, uri) in [
            (2, "/customers?status=lead&sort=-name"),
            (1, "/tasks?status=lead&sort=-name"),
            (1, "/customers?status=lead&sort=name"),
            (1, "/customers?status=active&sort=-name"),
            (1, "/customers?sort=-name"),
            (1, "/customers?status=lead&sort=-name&q=ana"),
        ] {
            let error = cursors(tenant, uri).paging(None, Some(&cursor)).unwrap_err();
            assert_eq!((error.code(), error.fields()[0].1.key), (Code::BadRequest, "errors.fields.cursor"), "{uri}");
        }
    }

    #[test]
    fn rejects_forged_cursors_and_invalid_limits() {
        let list = cursors(1, "/customers");
        let real = next(&list, b"place");
        let changed = format!("{}{}", if real.starts_with('a') { 'b' } else { 'a' }, &real[1..]);
        let long = "a".repeat(LONGEST_CURSOR + 4);
        for bad in ["", "x", "00", "é1", "aaaaaaaaaaaaaaaa", &changed, &real[..real.len() - 4], &long] {
            assert_eq!(list.paging(None, Some(bad)).unwrap_err().code(), Code::BadRequest, "{bad}");
        }
        assert_eq!(list.paging(Some(0), None).unwrap_err().code(), Code::Invalid);
        assert_eq!(list.paging(Some(201), None).unwrap_err().code(), Code::Invalid);
    }
}
