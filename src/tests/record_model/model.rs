//! The model: plain maps of the expected content of the store.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{BOB, KINDS, PAGES, TASKS};

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Live,
    /// In the bin, removed by this member.
    Binned(usize),
    Purged,
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content {
    pub(super) title: String,
    /// The value of the kind's field.
    pub(super) value: String,
    pub(super) tags: Vec<String>,
    /// The values of custom fields, also of deleted ones.
    pub(super) fields: BTreeMap<String, i64>,
}

/// A record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) kind: usize,
    pub(super) author: usize,
    pub(super) place: Place,
    pub(super) version: u64,
    pub(super) first: Content,
    pub(super) now: Content,
    /// Comments, the oldest first: id, author, text.
    pub(super) comments: Vec<(String, usize, String)>,
}

impl Record {
    pub(super) fn is_live(&self) -> bool {
        self.place == Place::Live
    }

    /// Whether a member may read it: drafts are for their authors and administrators.
    pub(super) fn is_visible_to(&self, who: usize) -> bool {
        self.kind != PAGES || self.now.value != "draft" || self.author == who || who == BOB
    }

    /// Whether a member sees it in the bin, and may restore it.
    pub(super) fn is_restorable_by(&self, who: usize) -> bool {
        matches!(self.place, Place::Binned(by) if by == who || who == BOB) && self.is_visible_to(who)
    }

    /// Whether a member may give it this content: who turns a page into a draft hides it from all but its author.
    pub(super) fn may_become(&self, who: usize, new: &Content) -> bool {
        self.kind != PAGES || self.now.value == new.value || self.author == who || who == BOB
    }

    /// Whether a member finds it by search: drafts are found by their authors only.
    pub(super) fn is_found_by(&self, who: usize) -> bool {
        self.is_live() && (self.kind != PAGES || self.now.value != "draft" || self.author == who)
    }

    /// Changes the content; the version only if it differs.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Content)) -> bool {
        let before = self.now.clone();
        change(&mut self.now);
        let differs = self.now != before;
        self.version += u64::from(differs);
        differs
    }
}

/// A change of many records.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    pub(super) id: String,
    pub(super) author: usize,
    pub(super) is_undone: bool,
    /// Whether some of it could not be undone, so that undoing it again tries that again.
    pub(super) has_left: bool,
    pub(super) action: Action,
    /// What it did: the record, its version afterwards and its content before; no content for a removal.
    pub(super) done: Vec<(String, u64, Option<Content>)>,
}

/// What is done to each record.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Remove,
    Value(String),
    Field(String, i64),
    AddTag(String),
    RemoveTag(String),
}

impl Action {
    pub(super) fn body(&self, kind: usize) -> Map<String, Value> {
        let body = match self {
            Self::Remove => json!({"remove": true}),
            Self::Value(value) => json!({"change": {KINDS[kind].field: value_of(kind, value)}}),
            Self::Field(key, value) => json!({"change": {"fields": {key.as_str(): value}}}),
            Self::AddTag(tag) => json!({"addTags": [tag]}),
            Self::RemoveTag(tag) => json!({"removeTags": [tag]}),
        };
        body.as_object().cloned().unwrap_or_default()
    }

    pub(super) fn apply(&self, to: &mut Content) {
        match self {
            Self::Value(value) => to.value.clone_from(value),
            Self::Field(key, value) => drop(to.fields.insert(key.clone(), *value)),
            Self::AddTag(tag) if !to.tags.contains(tag) => to.tags.push(tag.clone()),
            Self::Remove | Self::AddTag(_) => {}
            Self::RemoveTag(tag) => to.tags.retain(|one| one != tag),
        }
    }

    /// Gives back what the action changed.
    pub(super) fn undo(&self, to: &mut Content, before: &Content) {
        match self {
            Self::Remove => {}
            Self::Value(_) => to.value.clone_from(&before.value),
            Self::Field(key, _) => match before.fields.get(key) {
                Some(value) => drop(to.fields.insert(key.clone(), *value)),
                None => drop(to.fields.remove(key)),
            },
            Self::AddTag(_) | Self::RemoveTag(_) => to.tags.clone_from(&before.tags),
        }
    }
}

/// Writes a value of a kind's field as calls do.
pub(super) fn value_of(kind: usize, value: &str) -> Value {
    if kind == TASKS { json!(value.parse::<u8>().unwrap_or_default()) } else { json!(value) }
}

/// A custom field with numbers.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) id: String,
    pub(super) kind: usize,
    pub(super) key: String,
    pub(super) is_deleted: bool,
}

/// A saved view.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) id: String,
    pub(super) kind: usize,
    pub(super) author: usize,
    pub(super) name: String,
    pub(super) is_shared: bool,
}

impl View {
    pub(super) fn is_visible_to(&self, who: usize) -> bool {
        self.is_shared || self.author == who
    }
}

/// The expected content of the store.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) records: BTreeMap<String, Record>,
    pub(super) fields: Vec<Field>,
    pub(super) views: Vec<View>,
    /// The views with which lists open, by member and kind.
    pub(super) defaults: BTreeMap<(usize, usize), String>,
    pub(super) bulk: Vec<Bulk>,
    pub(super) crashes: u64,
}

impl Model {
    pub(super) fn record(&mut self, id: &str) -> &mut Record {
        self.records.get_mut(id).expect("a known record")
    }

    /// The fields of a kind that are in use.
    pub(super) fn fields_in_use(&self, kind: usize) -> Vec<String> {
        let of_kind = self.fields.iter().filter(|field| field.kind == kind && !field.is_deleted);
        of_kind.map(|field| field.key.clone()).collect()
    }

    /// The values that calls show.
    pub(super) fn shown_fields(&self, record: &Record) -> BTreeMap<String, i64> {
        let used = self.fields_in_use(record.kind);
        let values = record.now.fields.iter().filter(|(key, _)| used.contains(key));
        values.map(|(key, value)| (key.clone(), *value)).collect()
    }
}
