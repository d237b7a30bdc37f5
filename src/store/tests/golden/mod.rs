//! Compatibility with data of earlier versions: a sample of each record version is kept as bytes and must stay readable
//! forever. A change of the envelope or the payload encoding fails here.

use super::{Note, note};
use crate::{
    kernel::{Id, MemberId, TenantId, Timestamp, hex},
    store::{
        Stored,
        codec::{open, read_record, seal_record},
        format::FORMAT,
        keys,
        migrate::STEPS,
    },
};

const NOTE_1: &str = include_str!("note.v1.hex");

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(&text.split_whitespace().collect::<String>()).unwrap()
}

#[test]
fn format_number_matches_the_number_of_upgrade_steps() {
    assert_eq!(usize::try_from(FORMAT).unwrap(), STEPS.len() + 1);
}

#[test]
fn reads_and_writes_the_record_encoding_of_version_1() {
    let space = TenantId::from_bytes([1; 16]).unwrap().into();
    let id: Id<Note> = Id::from_bytes([2; 16]);
    let creator: MemberId = Id::from_bytes([3; 16]);
    let wanted = Stored {
        id,
        version: 300,
        created_at: Timestamp::from_millis(1_700_000_000_000),
        updated_at: Timestamp::from_millis(1_700_000_000_001),
        created_by: Some(creator),
        value: note("José", ""),
    };
    let key = keys::record(space, 60_000, None, id.as_bytes());
    let golden = bytes(NOTE_1);
    let written = seal_record(&key, &wanted).unwrap();
    assert_eq!(written, golden, "{}", hex::encode(&written));
    let (version, payload) = open(&key, &golden).unwrap();
    assert_eq!(version, 1);
    assert_eq!(read_record::<Note>(&key, version, payload).unwrap(), wanted);
}
