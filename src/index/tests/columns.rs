//! Lists from columns, compared with a list that examines every record.

use std::collections::BTreeMap;
use std::ops::Bound;

use uuid::Uuid;

use super::super::{ColumnFilter, ColumnName, ColumnQuery, ColumnSelection, ColumnTest, ListWords, NameOf, RowPlace};
use super::*;
use crate::kernel::{ColumnValue, SearchScope};

const COLUMNS: [(&str, bool); 4] = [("name", false), ("tags", false), ("size", true), ("field0", true)];

/// Titles with the words that queries ask for. No word is like another.
const TITLES: [&str; 4] = ["A desk", "Of azure", "Of wood crimson", "crimson"];

fn named_column((name, is_number): (&str, bool)) -> ColumnName {
    ColumnName { name: name.to_owned(), is_number }
}

fn random_value(dice: &mut Dice, is_number: bool) -> ColumnValue {
    if is_number {
        let far = [i64::MIN, -1, 0, i64::MAX];
        return ColumnValue::Number(if dice.roll(4) == 0 {
            dice.pick(&far)
        } else {
            i64::try_from(dice.roll(20)).unwrap() - 10
        });
    }
    ColumnValue::Text(format!("{}{}", dice.pick(&["", "a", "ab", "b", "ñu", "z"]), dice.roll(4)))
}

fn random_record(dice: &mut Dice, number: u64, group: Heading) -> Document {
    let mut columns = Vec::new();
    for (name, is_number) in COLUMNS {
        let several = if name == "tags" { dice.roll(3) } else { dice.roll(2) };
        columns.extend((0..several).map(|_| (name.into(), random_value(dice, is_number))));
    }
    // For all members, or for those of none, one or two scopes.
    let restricted = (dice.roll(4) == 0).then(|| dice.roll(4));
    let scopes = restricted.map(|chosen| (0..2_u128).filter(|number| chosen >> number & 1 == 1).map(scope).collect());
    Document { scopes, columns, ..document(group, number, dice.pick(&TITLES)) }
}

fn scope(number: u128) -> SearchScope {
    SearchScope::of(crate::kernel::Id::<()>::from_bytes((number + 1).to_be_bytes()))
}

fn bound(dice: &mut Dice, is_number: bool) -> Bound<ColumnValue> {
    match dice.roll(3) {
        0 => Bound::Unbounded,
        1 => Bound::Included(random_value(dice, is_number)),
        _ => Bound::Excluded(random_value(dice, is_number)),
    }
}

fn random_query(dice: &mut Dice) -> ColumnQuery {
    let filters = (0..dice.roll(3)).map(|_| {
        let column = dice.pick(&COLUMNS);
        let test = match dice.roll(5) {
            0 => ColumnTest::Present,
            1 if !column.1 => ColumnTest::Contains(vec![dice.pick(&["a", "1", "u2", "x"]).to_owned()]),
            2 if !column.1 => {
                let texts = ["0", "1", "a1", "a2", "ab0", "b3", "ñu2", "z1", "x"];
                ColumnTest::Except((0..dice.roll(5)).map(|_| dice.pick(&texts).to_owned()).collect())
            }
            _ => {
                ColumnTest::Within((0..=dice.roll(2)).map(|_| (bound(dice, column.1), bound(dice, column.1))).collect())
            }
        };
        ColumnFilter { column: named_column(column), test, negated: dice.roll(3) == 0 }
    });
    let filters = filters.collect();
    let typed = dice.pick(&["crimson", "azure", "wood crimson", "absent"]).to_owned();
    let words = (dice.roll(4) == 0).then_some(ListWords { typed, heading: Heading::Contacts });
    let among = (dice.roll(5) == 0).then(|| (0..40).map(|_| id(dice.roll(120).try_into().unwrap())).collect());
    let sort = if dice.roll(8) == 0 { ("absent", false) } else { dice.pick(&COLUMNS) };
    ColumnQuery {
        selection: ColumnSelection { kind: "customer", filters, every_scope: dice.roll(4) == 0, words, among },
        sort: named_column(sort),
        descending: dice.roll(2) == 0,
        after: None,
        limit: 1 + dice.roll(9),
    }
}

fn passes(filter: &ColumnFilter, record: &Document) -> bool {
    let mut values = values(record, &filter.column.name);
    let fits = match &filter.test {
        ColumnTest::Present => values.next().is_some(),
        ColumnTest::Contains(needles) => values.any(|value| match value {
            ColumnValue::Text(text) => needles.iter().any(|needle| text.contains(needle)),
            ColumnValue::Number(_) => false,
        }),
        ColumnTest::Except(texts) => values.any(|value| match value {
            ColumnValue::Text(text) => !texts.contains(text),
            ColumnValue::Number(_) => false,
        }),
        ColumnTest::Within(ranges) => values.any(|value| {
            ranges.iter().any(|(from, to)| {
                let starts = match from {
                    Bound::Unbounded => true,
                    Bound::Included(from) => value >= from,
                    Bound::Excluded(from) => value > from,
                };
                let ends = match to {
                    Bound::Unbounded => true,
                    Bound::Included(to) => value <= to,
                    Bound::Excluded(to) => value < to,
                };
                starts && ends
            })
        }),
    };
    fits != filter.negated
}

fn values<'a>(record: &'a Document, column: &'a str) -> impl Iterator<Item = &'a ColumnValue> {
    record.columns.iter().filter(move |(name, _)| name == column).map(|(_, value)| value)
}

/// Names some texts: several may have the same name, and the names have another order.
fn name(id: &str) -> Option<String> {
    let last = id.chars().next_back()?;
    (last != '3').then(|| format!("{last}{}", id.len() % 3))
}

/// The records of a list, found slowly.
fn slow_selection<'a>(
    records: &'a BTreeMap<u64, Document>,
    selection: &'a ColumnSelection,
    reader: SearchScope,
) -> impl Iterator<Item = &'a Document> {
    records.values().filter(move |record| {
        record.kind == selection.kind
            && record
                .scopes
                .as_ref()
                .is_none_or(|scopes| if selection.every_scope { !scopes.is_empty() } else { scopes.contains(&reader) })
            && selection.among.as_ref().is_none_or(|among| among.contains(&record.id))
            && selection.words.as_ref().is_none_or(|words| record.title.contains(&words.typed))
            && selection.filters.iter().all(|filter| passes(filter, record))
    })
}

/// The whole list, found slowly.
fn slow_list(
    records: &BTreeMap<u64, Document>,
    query: &ColumnQuery,
    reader: SearchScope,
    name_of: Option<NameOf<'_>>,
) -> Vec<RowPlace> {
    let row = |record: &Document| {
        let named = |value: &ColumnValue| match (value, name_of) {
            (ColumnValue::Text(id), Some(name_of)) => name_of(id).map(ColumnValue::Text),
            _ => Some(value.clone()),
        };
        let values = values(record, &query.sort.name).filter_map(named);
        RowPlace { value: if query.descending { values.max() } else { values.min() }, id: record.id }
    };
    let mut rows: Vec<RowPlace> = slow_selection(records, &query.selection, reader).map(row).collect();
    rows.sort_by(|a, b| {
        let by_value = match (&a.value, &b.value) {
            (Some(a), Some(b)) => {
                if query.descending {
                    b.cmp(a)
                } else {
                    a.cmp(b)
                }
            }
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        by_value.then_with(|| a.id.cmp(&b.id))
    });
    rows
}

#[test]
fn lists_agree_with_a_slow_list_page_by_page() {
    let mut dice = Dice(14);
    for _ in 0..12 {
        let index = TestIndex::new();
        let mut records = BTreeMap::new();
        // Several commits make several segments, with records that are replaced and removed.
        for _ in 0..=dice.roll(5) {
            let changed: Vec<Document> = (0..dice.roll(60))
                .map(|_| {
                    let group = if dice.roll(5) == 0 { Heading::Tasks } else { Heading::Contacts };
                    let number =
                        u64::try_from(dice.roll(100)).unwrap() + if group == Heading::Tasks { 1_000 } else { 0 };
                    random_record(&mut dice, number, group)
                })
                .collect();
            for record in &changed {
                let number = u64::from_be_bytes(record.id[8..].try_into().unwrap());
                records.insert(number, record.clone());
            }
            index.put(tenant(1), changed);
            index.put(tenant(2), (0..20).map(|number| random_record(&mut dice, number, Heading::Contacts)));
        }
        for _ in 0..60 {
            let reader = scope(dice.roll(3).try_into().unwrap());
            let mut query = random_query(&mut dice);
            let by_name = dice.roll(3) == 0 && !query.sort.is_number;
            let name_of: Option<NameOf<'_>> = by_name.then_some(&name as NameOf<'_>);
            let expected = slow_list(&records, &query, reader, name_of);
            let mut listed = Vec::new();
            loop {
                let rows = index.engine.tenant(tenant(1)).with_scope(reader).list(&query, name_of);
                assert_eq!(rows.total, expected.len() as u64, "{query:?}");
                listed.extend(rows.rows.iter().cloned());
                query.after = rows.rows.last().cloned();
                if !rows.has_more {
                    break;
                }
                assert_eq!(rows.rows.len(), query.limit);
            }
            assert_eq!(listed, expected, "{query:?}");
            let all = ColumnQuery { after: None, limit: dice.roll(60), ..query.clone() };
            let found = index.engine.tenant(tenant(1)).with_scope(reader).list_ids(&all, name_of);
            let expected_ids: Vec<[u8; 16]> = expected.iter().map(|row| row.id).take(all.limit).collect();
            assert_eq!((found.ids, found.has_more), (expected_ids, expected.len() > all.limit), "{all:?}");
            assert!(!found.lacks_some);
            let columns = COLUMNS.map(named_column);
            let tallies =
                index.engine.tenant(tenant(1)).with_scope(reader).tally(&query.selection, &columns, usize::MAX);
            let most_used = index.engine.tenant(tenant(1)).with_scope(reader).tally(&query.selection, &columns, 1).0;
            for (few, tally) in most_used.iter().zip(&tallies.0) {
                assert_eq!(few.is_empty(), tally.is_empty());
                assert!(few.iter().all(|one| tally.contains(one)), "{few:?} of {tally:?}");
                let highest = |tally: &[(ColumnValue, u64)]| tally.iter().map(|(_, count)| *count).max();
                assert_eq!(highest(few), highest(tally), "{query:?}");
            }
            for (column, tally) in columns.iter().zip(tallies.0) {
                let mut counts = BTreeMap::new();
                for (value, count) in tally {
                    *counts.entry(value).or_insert(0) += count;
                }
                let mut expected = BTreeMap::new();
                for value in
                    slow_selection(&records, &query.selection, reader).flat_map(|one| values(one, &column.name))
                {
                    *expected.entry(value.clone()).or_insert(0) += 1;
                }
                assert_eq!(counts, expected, "{column:?} of {query:?}");
            }
        }
    }
}

#[test]
fn ids_in_a_column_are_told_apart_by_the_records_that_a_reader_finds() {
    let all = |kind, every_scope| ColumnSelection { kind, filters: Vec::new(), words: None, among: None, every_scope };
    let contact = |number: u64, task: u64| {
        let columns = vec![("task".into(), ColumnValue::Text(Uuid::from_bytes(id(task)).to_string()))];
        Document { columns, ..document(Heading::Contacts, number, "Any") }
    };
    let task = |number: u64, scopes| Document { scopes, ..document(Heading::Tasks, number, "Any") };
    let index = TestIndex::new();
    index.put(tenant(1), [contact(1, 11), contact(2, 12), contact(3, 13), contact(4, 12)]);
    index.put(tenant(1), [contact(5, 14), document(Heading::Contacts, 6, "Any")]);
    index.put(tenant(1), [task(11, None), task(12, Some(vec![scope(0)])), task(13, Some(vec![scope(0), scope(1)]))]);
    index.put(tenant(2), [contact(7, 15), task(14, None)]);
    let beyond = |column: &str, reader: u128, sees_all: bool| {
        let index = index.engine.tenant(tenant(1)).with_scope(scope(reader));
        let column = named_column((column, false));
        let mut ids = index.ids_beyond(&all("customer", false), &column, &all("task", sees_all));
        ids.sort();
        ids.into_iter().map(Uuid::into_bytes).collect::<Vec<_>>()
    };
    assert_eq!(beyond("task", 0, false), [id(14)]);
    assert_eq!(beyond("task", 1, false), [id(12), id(14)]);
    assert_eq!(beyond("task", 2, false), [id(12), id(13), id(14)]);
    assert_eq!(beyond("task", 2, true), [id(14)]);
    assert_eq!(beyond("absent", 0, false), [[0; 16]; 0]);
}

#[test]
fn a_page_begins_where_the_last_one_ended_also_when_that_record_is_gone() {
    let sized = |number: u64, size: i64| {
        let columns = vec![("size".into(), ColumnValue::Number(size))];
        Document { columns, ..document(Heading::Contacts, number, "Any") }
    };
    let named = |number: u64, name: &str| {
        let columns = vec![("name".into(), ColumnValue::Text(name.to_owned()))];
        Document { columns, ..document(Heading::Contacts, number, "Any") }
    };
    let index = TestIndex::new();
    index.put(tenant(1), [sized(1, 10), sized(2, 30), named(3, "a"), named(4, "c")]);
    let next = |sort: (&str, bool), value: ColumnValue, descending: bool| {
        let query = ColumnQuery {
            selection: ColumnSelection {
                kind: "customer",
                filters: Vec::new(),
                words: None,
                among: None,
                every_scope: false,
            },
            sort: named_column(sort),
            descending,
            after: Some(RowPlace { value: Some(value), id: id(9) }),
            limit: 1,
        };
        index.engine.tenant(tenant(1)).list(&query, None).rows[0].id
    };
    let size = |size| ColumnValue::Number(size);
    assert_eq!(next(("size", true), size(20), false), id(2));
    assert_eq!(next(("size", true), size(20), true), id(1));
    let name = |name: &str| ColumnValue::Text(name.to_owned());
    assert_eq!(next(("name", false), name("b"), false), id(4));
    assert_eq!(next(("name", false), name("b"), true), id(3));
    // Records without a value follow the last value.
    assert_eq!(next(("name", false), name("d"), false), id(1));
    assert_eq!(next(("name", false), name("A"), true), id(1));
}
