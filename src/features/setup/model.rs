//! The records of setting up a company.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    features::records::KindName,
    kernel::{Id, Person, Result},
    store::{PersonalRecord, Record, Stored, TenantRead, TenantRecord},
};

/// The sample data of a company. Stored under the company's own id while there is some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleData {
    /// Its records, in the order in which they were created: none refers to a later one.
    pub records: Vec<SampleRecord>,
    /// The activities that were logged on them.
    pub activities: Vec<SampleActivity>,
}

/// A record of the sample data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRecord {
    /// Its kind.
    pub kind: KindName,
    /// Its id.
    pub id: Uuid,
    /// The version that it was created with.
    pub version: u64,
}

/// An activity of the sample data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleActivity {
    /// Its id.
    pub id: Uuid,
    /// The version that it was created with.
    pub version: u64,
}

impl Record for SampleData {
    type Key = Self;
    const KIND: &'static str = "sample_data";
    const TABLE: u16 = 77;
}
impl TenantRecord for SampleData {}

impl SampleData {
    /// Returns where a company's sample data is stored.
    pub fn id(tx: &TenantRead<'_>) -> Id<Self> {
        tx.single_id()
    }

    /// Returns what the company knows of its sample data; a damaged record counts as none.
    pub fn stored(tx: &TenantRead<'_>) -> Result<Option<Stored<Self>>> {
        tx.find_intact(Self::id(tx))
    }
}

/// Whether a member put the card with the steps away. Stored in their personal data under their own id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupCard {
    /// Whether it is hidden.
    pub hidden: bool,
}

impl Record for SetupCard {
    type Key = Person;
    const KIND: &'static str = "setup_card";
    const TABLE: u16 = 78;
}
impl PersonalRecord for SetupCard {}
