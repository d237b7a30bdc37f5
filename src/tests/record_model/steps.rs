//! The steps: each is done in the system and in the model, and the responses must be those of the model.

use rand::RngExt;
use serde_json::{Map, Value, json};

use super::{
    ADA, BOB, CROWDED, EVENTS, KINDS, Kind, TAGS, World,
    model::{Action, Bulk, Content, Field, Place, Record, View, value_of},
};
use crate::testing::Got;

/// Maximum fields in use and in all of a kind; the server allows 50 and 200.
const FIELDS: [usize; 2] = [5, 190];
/// Maximum views of the model.
const VIEWS: usize = 20;
/// Latest bulk changes that are undone; the server keeps 20.
const UNDONE: usize = 8;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

impl World {
    /// Makes a random step.
    pub(super) async fn step(&mut self) {
        match self.below(100) {
            0..18 => self.create().await,
            18..45 => self.change().await,
            45..55 => self.comment().await,
            55..62 => self.remove().await,
            62..70 => self.restore().await,
            70..72 => self.purge().await,
            72..82 => self.change_many().await,
            82..87 => self.undo_many().await,
            87..92 => self.keep_view().await,
            92..98 => self.define_field().await,
            98 => self.pass(31_000).await,
            _ if self.chance.random_bool(0.3) => {
                self.model.crashes += 1;
                self.crash().await;
            }
            _ => {}
        }
    }

    fn content(&mut self, kind: usize) -> Content {
        let keys = self.model.fields_in_use(kind);
        let fields = keys.into_iter().filter(|_| self.chance.random_bool(0.4)).collect::<Vec<_>>();
        let fields = fields.into_iter().map(|key| (key, self.number())).collect();
        let tags =
            if KINDS[kind].has_tags && self.chance.random_bool(0.6) { vec![self.one(&TAGS)] } else { Vec::new() };
        Content {
            title: self.title(),
            value: self.one(&KINDS[kind].values).to_owned(),
            tags: tags.into_iter().map(str::to_owned).collect(),
            fields,
        }
    }

    async fn create(&mut self) {
        let kind = self.below(KINDS.len());
        if self.model.records.values().filter(|record| record.kind == kind && record.is_live()).count() > CROWDED {
            return self.remove().await;
        }
        let who = self.who();
        let content = self.content(kind);
        let Kind { path, title, field, has_tags, .. } = KINDS[kind];
        let mut body = json!({title: content.title, field: value_of(kind, &content.value), "fields": content.fields});
        if has_tags {
            body["tags"] = json!(content.tags);
        }
        if kind == EVENTS {
            body["start"] = json!("2026-12-01T09:00:00Z");
            body["end"] = json!("2026-12-01T10:00:00Z");
        }
        let made = self.send(who, "POST", &format!("/api/{path}"), Some(body)).await.expect(201);
        let id = text(&made["id"]);
        self.note(&format!("{who} creates {path} {id} {content:?}"));
        let record = Record {
            kind,
            author: who,
            place: Place::Live,
            version: made["version"].as_u64().unwrap(),
            first: content.clone(),
            now: content,
            comments: Vec::new(),
        };
        self.model.records.insert(id, record);
    }

    /// Changes a record, sometimes over an old version, or one that is gone.
    async fn change(&mut self) {
        let anywhere = self.chance.random_bool(0.1);
        let Some(id) = self.pick(None, |record| anywhere || record.is_live()) else { return };
        let (who, record) = (self.who(), self.model.record(&id).clone());
        let wanted = self.content(record.kind);
        let kind = &KINDS[record.kind];
        let mut new = record.now.clone();
        let mut patch = Map::new();
        match self.below(4) {
            0 => {
                patch.insert(kind.title.to_owned(), json!(wanted.title));
                new.title = wanted.title;
            }
            1 => {
                patch.insert(kind.field.to_owned(), value_of(record.kind, &wanted.value));
                new.value = wanted.value;
            }
            2 if kind.has_tags => {
                patch.insert("tags".to_owned(), json!(wanted.tags));
                new.tags = wanted.tags;
            }
            _ => {
                let mut values = Map::new();
                for (key, value) in wanted.fields {
                    if value % 5 == 0 {
                        values.insert(key.clone(), Value::Null);
                        new.fields.remove(&key);
                    } else {
                        values.insert(key.clone(), json!(value));
                        new.fields.insert(key, value);
                    }
                }
                patch.insert("fields".to_owned(), values.into());
            }
        }
        let is_stale = self.chance.random_bool(0.1) && record.version > 1;
        let seen = if is_stale { record.version - 1 } else { record.version };
        self.note(&format!("{who} changes {} {id} {patch:?} at {seen}", kind.path));
        let tag = format!("\"{seen}\"");
        let path = format!("/api/{}/{id}", kind.path);
        let got = self.people[who].send_with("PATCH", &path, Some(patch.into()), &[("if-match", &tag)]).await;
        if !record.is_live() || !record.is_visible_to(who) {
            got.refused("not_found");
        } else if is_stale {
            got.refused("stale_version");
        } else if !record.may_become(who, &new) {
            got.refused("forbidden");
        } else {
            let changed = got.expect(200);
            let record = self.model.record(&id);
            record.change(|now| *now = new);
            assert_eq!(changed["version"], record.version, "{changed}");
        }
    }

    /// Adds, changes or removes a comment.
    async fn comment(&mut self) {
        let Some(id) = self.pick(None, Record::is_live) else { return };
        let (who, record) = (self.who(), self.model.record(&id).clone());
        let path = format!("/api/{}/{id}/comments", KINDS[record.kind].path);
        let value = self.title();
        let body = json!({"value": value});
        let existing = record.comments.len();
        let place = self.below(existing.max(1));
        match self.below(3) {
            1 if existing > 0 => {
                let (comment, author, _) = record.comments[place].clone();
                self.note(&format!("{who} changes comment {comment}"));
                let got = self.send(who, "PATCH", &format!("{path}/{comment}"), Some(body)).await;
                if !record.is_visible_to(who) {
                    return got.refused("not_found");
                }
                if author != who {
                    return got.refused("forbidden");
                }
                got.expect(200);
                self.model.record(&id).comments[place].2 = value;
            }
            2 if existing > 0 => {
                let (comment, author, _) = record.comments[place].clone();
                self.note(&format!("{who} removes comment {comment}"));
                let got = self.send(who, "DELETE", &format!("{path}/{comment}"), None).await;
                if !record.is_visible_to(who) {
                    return got.refused("not_found");
                }
                if author != who && who != BOB {
                    return got.refused("forbidden");
                }
                got.expect(204);
                self.model.record(&id).comments.remove(place);
            }
            _ => {
                self.note(&format!("{who} comments on {id}"));
                let got = self.send(who, "POST", &path, Some(body)).await;
                if !record.is_visible_to(who) {
                    return got.refused("not_found");
                }
                let made = got.expect(201);
                self.model.record(&id).comments.push((text(&made["id"]), who, value));
            }
        }
    }

    async fn remove(&mut self) {
        let Some(id) = self.pick(None, Record::is_live) else { return };
        let (who, record) = (self.who(), self.model.record(&id).clone());
        self.note(&format!("{who} removes {id}"));
        let got = self.send(who, "DELETE", &format!("/api/{}/{id}", KINDS[record.kind].path), None).await;
        if !record.is_visible_to(who) {
            got.refused("not_found");
        } else if who == ADA && record.author != ADA {
            got.refused("forbidden");
        } else {
            got.expect(204);
            self.model.record(&id).place = Place::Binned(who);
        }
    }

    async fn restore(&mut self) {
        let anywhere = self.chance.random_bool(0.1);
        let Some(id) = self.pick(None, |record| anywhere || matches!(record.place, Place::Binned(_))) else { return };
        let (who, record) = (self.who(), self.model.record(&id).clone());
        self.note(&format!("{who} restores {id}"));
        let got = self.send(who, "POST", &format!("/api/bin/{id}/restore"), Some(json!({}))).await;
        if record.is_restorable_by(who) {
            got.expect(200);
            self.restored(&id).await;
        } else {
            got.refused("not_found");
        }
    }

    /// Notes that a record is out of the bin, with the version that it has since.
    async fn restored(&mut self, id: &str) {
        let record = self.model.record(id);
        record.place = Place::Live;
        let (kind, version) = (record.kind, record.version);
        let now = self.get(BOB, &format!("/api/{}/{id}", KINDS[kind].path)).await["version"].as_u64().unwrap();
        assert!(now >= version, "{id} has version {now} after {version}");
        self.model.record(id).version = now;
    }

    async fn purge(&mut self) {
        let Some(id) = self.pick(None, |record| matches!(record.place, Place::Binned(_))) else { return };
        let who = self.who();
        self.note(&format!("{who} purges {id}"));
        let got = self.send(who, "DELETE", &format!("/api/bin/{id}"), None).await;
        if who == ADA {
            return got.refused("forbidden");
        }
        got.expect(204);
        self.model.record(&id).place = Place::Purged;
    }

    /// Changes many records at once, chosen by ids or by a filter; sometimes the power fails before the end.
    async fn change_many(&mut self) {
        let kind = self.below(KINDS.len());
        let who = self.who();
        let action = self.action(kind);
        let mut body = action.body(kind);
        body.insert("kind".to_owned(), json!(KINDS[kind].path));
        let chosen: Vec<String> = if self.chance.random_bool(0.5) {
            let value = self.one(&KINDS[kind].values);
            body.insert("filter".to_owned(), json!([format!("{}:is:{value}", KINDS[kind].field)]));
            let fits = |record: &Record| {
                record.kind == kind && record.is_live() && record.is_visible_to(who) && record.now.value == value
            };
            self.model.records.iter().filter(|(_, record)| fits(record)).map(|(id, _)| id.clone()).collect()
        } else {
            let count = self.below(12) + 1;
            let mut ids: Vec<String> = (0..count).filter_map(|_| self.pick(Some(kind), |_| true)).collect();
            ids.sort();
            ids.dedup();
            body.insert("ids".to_owned(), json!(ids));
            ids
        };
        self.note(&format!("{who} changes many: {body:?} {chosen:?}"));
        let mut got = self.send(who, "POST", "/api/bulk", Some(body.clone().into())).await;
        if got.status == 429 {
            // A minute's records are used up.
            self.pass(61_000).await;
            got = self.send(who, "POST", "/api/bulk", Some(body.into())).await;
        }
        let (mut done, mut refused) = (Vec::new(), 0);
        for id in &chosen {
            let record = self.model.record(id);
            let before = record.now.clone();
            let mut new = before.clone();
            action.apply(&mut new);
            let is_removal = matches!(action, Action::Remove);
            let may = if is_removal { who == BOB || record.author == who } else { record.may_become(who, &new) };
            if !may || !record.is_live() || !record.is_visible_to(who) {
                refused += 1;
            } else if is_removal {
                record.place = Place::Binned(who);
                done.push((id.clone(), record.version, None));
            } else if record.change(|now| *now = new) {
                done.push((id.clone(), record.version, Some(before)));
            }
        }
        if got.status != 202 {
            assert!(refused > 0 && refused == chosen.len(), "{}", got.body);
            return;
        }
        let begun = got.expect(202);
        if begun["state"] == "running" && self.chance.random_bool(0.3) {
            self.model.crashes += 1;
            self.crash().await;
        }
        let change = self.people[who].bulk_over(&begun).await;
        assert_eq!((&change["state"], &change["total"]), (&json!("done"), &json!(chosen.len())), "{change}");
        assert_eq!(change["changed"], done.len(), "{change}");
        let id = text(&change["id"]);
        self.model.bulk.push(Bulk { id, author: who, is_undone: false, has_left: false, action, done });
    }

    fn action(&mut self, kind: usize) -> Action {
        let keys = self.model.fields_in_use(kind);
        match self.below(7) {
            0 => Action::Remove,
            1 if KINDS[kind].has_tags => Action::AddTag(self.one(&TAGS).to_owned()),
            2 if KINDS[kind].has_tags => Action::RemoveTag(self.one(&TAGS).to_owned()),
            3 | 4 if !keys.is_empty() => {
                let place = self.below(keys.len());
                Action::Field(keys[place].clone(), self.number())
            }
            _ => Action::Value(self.one(&KINDS[kind].values).to_owned()),
        }
    }

    async fn undo_many(&mut self) {
        let first = self.model.bulk.len().saturating_sub(UNDONE);
        let among = self.model.bulk.len() - first;
        if among == 0 {
            return;
        }
        let place = first + self.below(among);
        let bulk = self.model.bulk[place].clone();
        let who = self.who();
        self.note(&format!("{who} undoes {bulk:?}"));
        if bulk.has_left {
            return;
        }
        let got: Got = self.send(who, "POST", &format!("/api/bulk/{}/undo", bulk.id), Some(json!({}))).await;
        if who != bulk.author && who != BOB {
            return got.refused("not_found");
        }
        if bulk.is_undone {
            return got.refused("conflict");
        }
        self.model.bulk[place].is_undone = true;
        let change = self.people[who].bulk_over(&got.expect(202)).await;
        self.model.bulk[place].has_left = change["undoSkipped"] != 0;
        let mut undone = 0;
        for (id, version, before) in &bulk.done {
            let record = self.model.record(id);
            match before {
                None if record.place == Place::Binned(bulk.author) => {
                    undone += 1;
                    self.restored(id).await;
                }
                Some(before) if record.is_live() && record.version == *version && record.is_visible_to(who) => {
                    // A deleted field takes no value, but loses one.
                    let is_possible = match &bulk.action {
                        Action::Field(key, _) => {
                            let kind = record.kind;
                            !before.fields.contains_key(key) || self.model.fields_in_use(kind).contains(key)
                        }
                        _ => true,
                    };
                    if is_possible {
                        undone += 1;
                        self.model.record(id).change(|now| bulk.action.undo(now, before));
                    }
                }
                _ => {}
            }
        }
        assert_eq!((&change["state"], &change["undone"]), (&json!("undone"), &json!(undone)), "{change}");
    }

    /// Saves, renames, shares or deletes a view, or opens the list with it.
    async fn keep_view(&mut self) {
        let who = self.who();
        let count = self.model.views.len();
        let place = self.below(count);
        let act = if count > VIEWS { 1 } else { self.below(5) };
        if count == 0 || act > 3 {
            let kind = self.below(KINDS.len());
            let name = self.title();
            let is_shared = self.chance.random_bool(0.5);
            let body = json!({"kind": KINDS[kind].path, "name": name, "shared": is_shared});
            let made = self.send(who, "POST", "/api/views", Some(body)).await.expect(201);
            let id = text(&made["id"]);
            return self.model.views.push(View { id, kind, author: who, name, is_shared });
        }
        let view = self.model.views[place].clone();
        let path = format!("/api/views/{}", view.id);
        self.note(&format!("{who} works on {view:?}: {act}"));
        let may_change = view.author == who || (view.is_shared && who == BOB);
        let refusal = if view.is_visible_to(who) { "forbidden" } else { "not_found" };
        match act {
            0 => {
                let name = self.title();
                let got = self.send(who, "PATCH", &path, Some(json!({"name": name}))).await;
                if !may_change {
                    return got.refused(refusal);
                }
                got.expect(200);
                self.model.views[place].name = name;
            }
            1 => {
                let got = self.send(who, "DELETE", &path, None).await;
                if !may_change {
                    return got.refused(refusal);
                }
                got.expect(204);
                self.model.views.remove(place);
                self.model.defaults.retain(|_, default| *default != view.id);
            }
            2 => {
                let shared = !view.is_shared;
                let got = self.send(who, "PATCH", &path, Some(json!({"shared": shared}))).await;
                if view.author != who {
                    return got.refused(if view.is_visible_to(who) { "forbidden" } else { "not_found" });
                }
                got.expect(200);
                self.model.views[place].is_shared = shared;
            }
            _ => {
                let body = json!({"kind": KINDS[view.kind].path, "viewId": view.id});
                let got = self.send(who, "PUT", "/api/views/default", Some(body)).await;
                if !view.is_visible_to(who) {
                    return got.refused("invalid");
                }
                got.expect(204);
                self.model.defaults.insert((who, view.kind), view.id);
            }
        }
    }

    /// Defines, deletes or restores a custom field.
    async fn define_field(&mut self) {
        let who = self.who();
        let kind = self.below(KINDS.len());
        let used = self.model.fields_in_use(kind).len();
        let all = self.model.fields.iter().filter(|field| field.kind == kind).count();
        let [most_used, most] = FIELDS;
        let wanted_deleted = used >= most_used || self.chance.random_bool(0.3);
        if !wanted_deleted && all < most && self.chance.random_bool(0.5) {
            let key = format!("f{}", self.model.fields.len());
            self.note(&format!("{who} defines {key} of {}", KINDS[kind].path));
            let body = json!({"kind": KINDS[kind].path, "key": key, "name": key, "type": "number"});
            let got = self.send(who, "POST", "/api/fields", Some(body)).await;
            if who == ADA {
                return got.refused("forbidden");
            }
            let id = text(&got.expect(201)["id"]);
            return self.model.fields.push(Field { id, kind, key, is_deleted: false });
        }
        let fits = |field: &&mut Field| field.kind == kind && field.is_deleted != wanted_deleted;
        let mut fitting: Vec<&mut Field> = self.model.fields.iter_mut().filter(fits).collect();
        if fitting.is_empty() {
            return;
        }
        let place = self.chance.random_range(0..fitting.len());
        let field = &mut *fitting[place];
        let id = field.id.clone();
        let was_deleted = field.is_deleted;
        if who == BOB {
            field.is_deleted = wanted_deleted;
        }
        self.note(&format!("{who} turns the deletion of field {id} from {was_deleted} to {wanted_deleted}"));
        let got = if wanted_deleted {
            self.send(who, "DELETE", &format!("/api/fields/{id}"), None).await
        } else {
            self.send(who, "POST", &format!("/api/fields/{id}/restore"), Some(json!({}))).await
        };
        if who == ADA {
            return got.refused("forbidden");
        }
        assert!(got.status < 300, "{}", got.body);
    }
}
