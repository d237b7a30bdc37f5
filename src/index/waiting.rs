//! Documents that wait for the writer threads of the index. Tantivy lets 10,000 wait, whatever their size; reading the
//! store is faster than indexing, so that in a rebuild as many do.

use std::{sync::Arc, time::Duration};

use parking_lot::{Condvar, Mutex};
use tantivy::{TantivyDocument, schema::document::Document};

/// Bytes of documents that may wait.
const MOST_BYTES: usize = 4 << 20;
/// How long to wait for room. If the writer threads ended, the next call to them says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// The room for documents that wait.
#[derive(Clone, Default)]
pub struct WaitingRoom(Arc<Room>);

#[derive(Default)]
struct Room {
    taken: Mutex<usize>,
    left: Condvar,
}

impl WaitingRoom {
    /// Waits until there is room for a document of some bytes. One that is larger than the room has it alone.
    pub fn enter(&self, document: TantivyDocument, bytes: usize) -> WaitingDocument {
        let mut taken = self.0.taken.lock();
        while *taken > 0 && *taken + bytes > MOST_BYTES {
            if self.0.left.wait_for(&mut taken, PATIENCE).timed_out() {
                break;
            }
        }
        *taken += bytes;
        WaitingDocument(Box::new(Waiting { document, _place: Place { room: self.clone(), bytes } }))
    }
}

/// A document that is in the room until a writer thread takes it. In a box: Tantivy's queue reserves 40,000 places, and writes
/// to each of them when it is created.
pub struct WaitingDocument(Box<Waiting>);

struct Waiting {
    document: TantivyDocument,
    _place: Place,
}

impl Document for WaitingDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.0.document.iter_fields_and_values()
    }

    fn into_tantivy_document(self) -> TantivyDocument {
        self.0.document
    }
}

/// A place in the room.
struct Place {
    room: WaitingRoom,
    bytes: usize,
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.room.0.taken.lock() -= self.bytes;
        self.room.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;

    #[test]
    fn documents_wait_until_there_is_room() {
        let room = WaitingRoom::default();
        let enter = |bytes| room.enter(TantivyDocument::new(), bytes);
        let large = enter(2 * MOST_BYTES);
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let next = enter(1);
                tell.send(()).unwrap();
                drop(next);
            });
            // It cannot have entered before the large one left.
            assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Empty));
            large.into_tantivy_document();
            told.recv().unwrap();
        });
        let half = || enter(MOST_BYTES / 2);
        let both = (half(), half());
        assert_eq!(*room.0.taken.lock(), MOST_BYTES);
        drop(both);
        assert_eq!(*room.0.taken.lock(), 0);
    }
}
