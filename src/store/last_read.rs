//! The last reads of records that every request reads: sessions, members, companies.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;

use super::{
    codec::{Record, RecordId, Stored, TenantRecord},
    keys,
    read::TenantRead,
    rows::unseal_record,
};
use crate::kernel::Result;

/// The bytes of a row, and its record.
type Known<R> = (Vec<u8>, Arc<Stored<R>>);

/// The last read of a record. While its row has the same bytes, it is neither verified nor decoded again.
pub struct LastRead<R: Record>(Mutex<Option<Known<R>>>);

impl<R: Record> Default for LastRead<R> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<R: Record> fmt::Debug for LastRead<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastRead")
    }
}

impl TenantRead<'_> {
    /// Returns the record with this id, if it exists, without decoding it if it is as in `last`.
    pub fn find_again<R: TenantRecord>(&self, id: RecordId<R>, last: &LastRead<R>) -> Result<Option<Arc<Stored<R>>>> {
        let key = keys::record(self.tenant.into(), R::TABLE, None, id.as_bytes());
        let Some(row) = self.view.get(&key)? else { return Ok(None) };
        let mut last = last.0.lock();
        // The checksum of a row covers its key: equal rows are rows of one record.
        if let Some((known, record)) = &*last
            && *known == row
        {
            return Ok(Some(record.clone()));
        }
        let record = Arc::new(unseal_record::<R>(self.view, &key, &row)?);
        *last = Some((row, record.clone()));
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{people::members::MemberRecord, people::permission::Role, store::Actor, testing::TestApp};

    #[tokio::test]
    async fn record_is_decoded_again_only_after_a_change() {
        let app = TestApp::new().await;
        let member = app.acme(Role::Member).await;
        let last = LastRead::<MemberRecord>::default();
        let read = || {
            let snapshot = app.app.store().snapshot().unwrap();
            snapshot.tenant(app.acme.id, None).find_again(member.id, &last).unwrap()
        };
        let first = read().unwrap();
        assert!(Arc::ptr_eq(&first, &read().unwrap()));
        let id = member.id;
        let rename = move |tx: &crate::store::TenantWrite<'_>| {
            tx.update(id, None, |member: &mut MemberRecord| {
                member.name = "Another".to_owned();
                Ok(())
            })
        };
        app.app.store().write(app.acme.id, Actor::System, rename).await.unwrap();
        let second = read().unwrap();
        assert_eq!((second.name.as_str(), second.version), ("Another", first.version + 1));
        app.app.store().write(app.acme.id, Actor::System, move |tx| tx.remove::<MemberRecord>(id, None)).await.unwrap();
        assert!(read().is_none());
    }
}
