//! The checks: what the members read must be what the model says.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use rand::RngExt;
use serde_json::{Value, json};

use super::{
    ADA, BOB, KINDS, Kind, TAGS, WORDS, World,
    model::{Record, value_of},
};
use crate::{
    features::TABLES,
    testing::{kinds_with_parts, list_path, wait_for},
};

/// Results that a search returns of each kind at most.
const FOUND: usize = 50;

/// Returns the path of the list of a kind.
fn list_of(kind: usize) -> String {
    list_path(kinds_with_parts().find(|known| known.kind == KINDS[kind].name).unwrap())
}

impl World {
    /// Checks one of the things that a member reads.
    pub(super) async fn check_part(&mut self) {
        let who = self.who();
        match self.below(7) {
            0 => {
                let kind = self.below(KINDS.len());
                self.check_list(who, kind).await;
            }
            1 | 2 => self.check_filtered(who).await,
            3 => {
                self.settle().await;
                let word = self.one(&WORDS);
                self.check_search(who, word).await;
            }
            4 => self.check_bin(who).await,
            5 => self.check_views(who).await,
            _ => {
                if let Some(id) = self.pick(None, |_| true) {
                    self.check_record(who, &id).await;
                }
            }
        }
    }

    /// Checks everything that both members read, and the store.
    pub(super) async fn check_all(&mut self) {
        self.settle().await;
        for who in [ADA, BOB] {
            for kind in 0..KINDS.len() {
                self.check_list(who, kind).await;
            }
            for _ in 0..10 {
                self.check_filtered(who).await;
            }
            for word in WORDS {
                self.check_search(who, word).await;
            }
            self.check_bin(who).await;
            self.check_views(who).await;
            let ids: Vec<String> = self.model.records.keys().cloned().collect();
            for id in ids.iter().filter(|_| self.chance.random_bool(0.3)).cloned().collect::<Vec<_>>() {
                self.check_record(who, &id).await;
            }
        }
        let report = self.app().app.store().check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(report.damage.is_empty(), "{:?}", report.damage);
    }

    /// Reads all pages of a list, waiting while the index is being rebuilt.
    async fn list(&self, who: usize, path: &str) -> (Vec<Value>, Value) {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let path_of_page = format!("{path}{cursor}");
            let page = wait_for(&format!("all of {path_of_page}"), async || {
                let page = self.get(who, &path_of_page).await;
                (page["partial"] != true).then_some(page)
            })
            .await;
            assert_eq!(page.get("damaged"), None, "{path}");
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return (items, page["total"].clone()),
            }
        }
    }

    /// Returns what calls must show of a record.
    fn shown(&self, record: &Record) -> Value {
        let kind = &KINDS[record.kind];
        let mut shown = json!({
            "title": record.now.title,
            "value": value_of(record.kind, &record.now.value),
            "version": record.version,
            "fields": self.model.shown_fields(record),
        });
        if kind.has_tags {
            shown["tags"] = json!(record.now.tags);
        }
        shown
    }

    /// Returns the same values from a response.
    fn read(kind: usize, item: &Value) -> Value {
        let kind = &KINDS[kind];
        let mut read = json!({
            "title": item[kind.title],
            "value": item[kind.field],
            "version": item["version"],
            "fields": item["fields"],
        });
        if kind.has_tags {
            read["tags"] = item["tags"].clone();
        }
        read
    }

    /// Returns the live records of a kind that a member sees and that fit.
    fn expected(&self, who: usize, kind: usize, fits: impl Fn(&Record) -> bool) -> BTreeMap<String, Value> {
        let records = self.model.records.iter();
        let visible = records
            .filter(|(_, record)| record.kind == kind && record.is_live() && record.is_visible_to(who) && fits(record));
        visible.map(|(id, record)| (id.clone(), self.shown(record))).collect()
    }

    async fn check_list(&mut self, who: usize, kind: usize) {
        let (items, total) = self.list(who, &format!("{}?limit=50", list_of(kind))).await;
        let items = items.into_iter().map(|item| (item["id"].as_str().unwrap().to_owned(), Self::read(kind, &item)));
        let expected = self.expected(who, kind, |_| true);
        assert_eq!(total, expected.len(), "the total of {}", KINDS[kind].path);
        assert_eq!(items.collect::<BTreeMap<_, _>>(), expected);
    }

    async fn check_filtered(&mut self, who: usize) {
        let kind = self.below(KINDS.len());
        let value = self.one(&KINDS[kind].values).to_owned();
        let tag = self.one(&TAGS);
        let keys = self.model.fields_in_use(kind);
        let key = keys.get(self.below(keys.len())).cloned();
        let least = self.number();
        let has_tag = KINDS[kind].has_tags && self.chance.random_bool(0.5);
        let of_value = format!("&filter={}:is:{value}", KINDS[kind].field);
        let of_tag = if has_tag { format!("&filter=tags:is:{tag}") } else { String::new() };
        let of_field = key.as_ref().map_or_else(String::new, |key| format!("&filter=fields.{key}:gte:{least}"));
        let filters = [of_value, of_tag, of_field].concat();
        let sort = key.as_ref().map_or_else(String::new, |key| format!("&sort=-fields.{key}"));
        let path = format!("{}?limit=20{filters}{sort}", list_of(kind));
        let expected = self.expected(who, kind, |record| {
            let number = |key: &String| record.now.fields.get(key).is_some_and(|value| *value >= least);
            record.now.value == value
                && (!has_tag || record.now.tags.iter().any(|one| one == tag))
                && key.as_ref().is_none_or(number)
        });
        let (items, total) = self.list(who, &path).await;
        assert_eq!(total, expected.len(), "{path}");
        if let Some(key) = &key {
            let numbers: Vec<i64> = items.iter().map(|item| item["fields"][key].as_i64().unwrap()).collect();
            assert!(numbers.is_sorted_by(|one, next| one >= next), "{path}: {numbers:?}");
            let path = format!("/api/sums?kind={}&column=fields.{key}{filters}", KINDS[kind].path);
            let (sums, _) = self.list(who, &path).await;
            let sum = expected.values().filter_map(|one| one["fields"][key].as_f64()).sum::<f64>();
            let expected = json!({"column": format!("fields.{key}"), "sum": sum, "count": expected.len()});
            assert_eq!(sums, if expected["count"] == 0 { vec![] } else { vec![expected] }, "{path}");
        }
        let items = items.into_iter().map(|item| (item["id"].as_str().unwrap().to_owned(), Self::read(kind, &item)));
        assert_eq!(items.collect::<BTreeMap<_, _>>(), expected, "{path}");
    }

    async fn check_search(&mut self, who: usize, word: &str) {
        let body = json!({"query": word, "limit": FOUND});
        let sets = wait_for(&format!("all results of {word}"), async || {
            let sets = self.send(who, "POST", "/api/common/search", Some(body.clone())).await.expect(200);
            let is_whole = sets.as_array().unwrap().iter().all(|set| set["partial"] != true);
            is_whole.then_some(sets)
        })
        .await;
        for (place, kind) in KINDS.iter().enumerate() {
            let set = sets.as_array().unwrap().iter().find(|set| set["id"] == kind.group);
            let results = set.map_or(&Value::Null, |set| &set["results"]);
            let found = results.as_array().into_iter().flatten().filter(|hit| hit["kind"] == kind.name);
            let found: BTreeSet<&str> = found.map(|hit| hit["id"].as_str().unwrap()).collect();
            let has_word = |record: &Record| record.now.title.split(' ').any(|one| one == word);
            let records = self.model.records.iter();
            let expected: BTreeSet<&str> = records
                .filter(|(_, record)| record.kind == place && record.is_found_by(who) && has_word(record))
                .map(|(id, _)| id.as_str())
                .collect();
            if expected.len() <= FOUND {
                assert_eq!(found, expected, "{} with {word}", kind.path);
            } else {
                assert!(found.len() == FOUND && found.is_subset(&expected), "{} with {word}", kind.path);
            }
        }
    }

    async fn check_bin(&mut self, who: usize) {
        let (items, total) = self.list(who, "/api/bin?limit=50").await;
        let title =
            |item: &Value| (item["id"].as_str().unwrap().to_owned(), item["title"].as_str().unwrap().to_owned());
        let found: BTreeMap<String, String> = items.iter().map(title).collect();
        let records = self.model.records.iter();
        let expected: BTreeMap<String, String> = records
            .filter(|(_, record)| record.is_restorable_by(who))
            .map(|(id, record)| (id.clone(), record.now.title.clone()))
            .collect();
        assert_eq!((found, total), (expected.clone(), json!(expected.len())));
    }

    async fn check_views(&mut self, who: usize) {
        for (kind, Kind { path, .. }) in KINDS.iter().enumerate() {
            let list = self.get(who, &format!("/api/views?kind={path}")).await;
            let found: BTreeSet<(String, String, bool)> = list["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|view| (view["id"].to_string(), view["name"].to_string(), view["shared"] == true))
                .collect();
            let visible = self.model.views.iter().filter(|view| view.kind == kind && view.is_visible_to(who));
            let expected: BTreeSet<(String, String, bool)> = visible
                .clone()
                .map(|view| (json!(view.id).to_string(), json!(view.name).to_string(), view.is_shared))
                .collect();
            assert_eq!(found, expected);
            let default =
                self.model.defaults.get(&(who, kind)).filter(|id| visible.clone().any(|view| view.id == **id));
            assert_eq!(list["defaultId"].as_str(), default.map(String::as_str), "the default view of {path}");
        }
    }

    /// Checks a record by itself: its content, and its timeline with the history of title and value and the comments.
    async fn check_record(&mut self, who: usize, id: &str) {
        let record = self.model.record(id).clone();
        let path = format!("/api/{}/{id}", KINDS[record.kind].path);
        if !record.is_live() || !record.is_visible_to(who) {
            let refusal = if record.is_restorable_by(who) { "record_in_bin" } else { "not_found" };
            self.send(who, "GET", &path, None).await.refused(refusal);
            self.send(who, "GET", &format!("{path}/timeline"), None).await.refused("not_found");
            return;
        }
        assert_eq!(Self::read(record.kind, &self.get(who, &path).await), self.shown(&record));
        let mut entries = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.get(who, &format!("{path}/timeline?limit=100{cursor}")).await;
            entries.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let of = |event: &str| entries.iter().rev().filter(|entry| entry["event"] == event).collect::<Vec<_>>();
        let comments: Vec<&Value> = of("commented").iter().map(|entry| &entry["comment"]["value"]).collect();
        assert_eq!(comments, record.comments.iter().map(|(_, _, text)| text).collect::<Vec<_>>(), "{id}");
        assert_eq!(entries.last().map(|entry| &entry["event"]), Some(&json!("created")));
        let kind = &KINDS[record.kind];
        let ends = [
            (kind.title, json!(record.first.title), json!(record.now.title)),
            (kind.field, value_of(record.kind, &record.first.value), value_of(record.kind, &record.now.value)),
        ];
        for (field, first, last) in ends {
            let changes = of("changed").into_iter().flat_map(|entry| entry["changes"].as_array().unwrap());
            let value = changes.filter(|change| change["field"] == field).fold(first, |before, change| {
                assert_eq!(change["from"], before, "{id}: the history of {field} has a gap");
                change["to"].clone()
            });
            assert_eq!(value, last, "{id}: the history of {field}");
        }
    }
}
