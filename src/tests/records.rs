//! Completeness test of the list of tables: every kind of record is in it, and so is verified by `check`.

use std::collections::BTreeSet;

use super::sources;
use crate::features::TABLES;

#[test]
fn every_record_table_is_in_the_list_for_store_checks() {
    let mut kept = BTreeSet::new();
    for (name, text) in sources() {
        if name.split('/').any(|part| part.starts_with("tests")) {
            continue;
        }
        let tables = ["const TABLE: u16 = ", "const BROADCASTS: u16 = "];
        for rest in tables.iter().flat_map(|start| text.split(start).skip(1)) {
            let number = rest.split(';').next().and_then(|number| number.trim().replace('_', "").parse::<u16>().ok());
            kept.extend(number);
        }
    }
    let checked: BTreeSet<u16> = TABLES.iter().map(|table| table.table).collect();
    assert_eq!(TABLES.len(), checked.len(), "a table stands in the list twice");
    assert_eq!(kept, checked, "`features::TABLES` is not what the records say");
}
