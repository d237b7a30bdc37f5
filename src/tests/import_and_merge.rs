//! Model-based test of people who edit, merge and import at once: two members do so on the same customers, each step of
//! one between those of the other and of the background work. Whatever they do, no comment, no e-mail address and no row
//! of a file is lost. 120 steps of each member; `ATRIUM_STEPS` sets another number, `ATRIUM_SEED` another random seed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp, setting},
};

/// Steps of each member.
const STEPS: u64 = 120;

/// What was given to customers, and must be found at the end.
#[derive(Default)]
struct Given {
    /// The ids of all customers that were created one by one.
    customers: Vec<String>,
    /// The comments.
    comments: BTreeSet<String>,
    /// E-mail addresses.
    emails: BTreeSet<String>,
    /// E-mail addresses of rows of files whose import was not undone.
    rows: BTreeSet<String>,
    merges: Vec<String>,
    /// Imports that are done, with the addresses of their rows.
    imports: Vec<(String, Vec<String>)>,
    /// How often each step was made.
    made: BTreeMap<&'static str, u64>,
}

/// A member who works, and what all members gave.
struct Worker<'a> {
    member: &'a As,
    given: &'a Mutex<Given>,
    random: StdRng,
    name: &'static str,
    numbers: u64,
}

impl Worker<'_> {
    /// Returns a text that no other step uses.
    fn token(&mut self) -> String {
        self.numbers += 1;
        format!("{}{}", self.name, self.numbers)
    }

    fn any_customer(&mut self) -> Option<String> {
        self.given.lock().customers.choose(&mut self.random).cloned()
    }

    fn count(&self, step: &'static str) {
        *self.given.lock().made.entry(step).or_default() += 1;
    }

    async fn work(mut self, steps: u64) {
        for _ in 0..steps {
            match self.random.random_range(0..100) {
                0..20 => self.create().await,
                20..35 => self.comment().await,
                35..55 => self.edit().await,
                55..75 => self.merge().await,
                75..85 => self.undo_merge().await,
                85..95 => self.import().await,
                _ => self.undo_import().await,
            }
        }
    }

    async fn create(&mut self) {
        let token = self.token();
        let email = format!("{token}@made.example");
        let body = json!({"name": format!("Person {token}"), "details": {"emails": [{"email": email}]}});
        let made = self.member.post("/api/customers", body).await.expect(201);
        let mut given = self.given.lock();
        given.customers.push(made["id"].as_str().unwrap().to_owned());
        given.emails.insert(email);
    }

    async fn comment(&mut self) {
        let Some(id) = self.any_customer() else { return };
        let text = format!("comment {}", self.token());
        let answer = self.member.post(&format!("/api/customers/{id}/comments"), json!({"value": text})).await;
        if answer.status == 201 {
            self.given.lock().comments.insert(text);
            self.count("comment");
        } else {
            // It was merged into another one.
            answer.refused("not_found");
        }
    }

    /// Adds an e-mail address over the version that was read, as a form does.
    async fn edit(&mut self) {
        let Some(id) = self.any_customer() else { return };
        let path = format!("/api/customers/{id}");
        let read = self.member.get(&path).await;
        if read.status == 404 {
            return;
        }
        let mut emails = read.body["details"]["emails"].as_array().cloned().unwrap_or_default();
        if emails.len() >= 15 {
            return;
        }
        let email = format!("{}@edit.example", self.token());
        emails.push(json!({"email": email}));
        let version = format!("\"{}\"", read.body["version"]);
        let body = json!({"about": email, "details": {"emails": emails}});
        let answer = self.member.send_with("PATCH", &path, Some(body), &[("If-Match", &version)]).await;
        match answer.status {
            200 => {
                self.given.lock().emails.insert(email);
                self.count("edit");
            }
            404 => {}
            _ => answer.refused("stale_version"),
        }
    }

    async fn merge(&mut self) {
        let (Some(kept), Some(duplicate)) = (self.any_customer(), self.any_customer()) else { return };
        let body = json!({"duplicateId": duplicate});
        let answer = self.member.post(&format!("/api/customers/{kept}/merge"), body).await;
        if answer.status == 200 {
            let merge = answer.body["id"].as_str().unwrap().to_owned();
            self.given.lock().merges.push(merge);
            self.count("merge");
        } else {
            // One of them is gone, they are the same, they have too many addresses together, or a merge is in progress.
            assert!([404, 409, 422].contains(&answer.status), "{}", answer.body);
        }
    }

    async fn undo_merge(&mut self) {
        let Some(merge) = self.given.lock().merges.choose(&mut self.random).cloned() else { return };
        let answer = self.member.post(&format!("/api/merges/{merge}/undo"), json!({})).await;
        if answer.status == 200 {
            self.count("undo of a merge");
        } else {
            // It was undone before, or is in progress.
            answer.refused("conflict");
        }
    }

    async fn import(&mut self) {
        let mut rows = Vec::new();
        let mut csv = "Name,Email,Title\n".to_owned();
        let known: Vec<String> = self.given.lock().emails.iter().cloned().collect();
        for _ in 0..8 {
            let token = self.token();
            // Some rows describe people who are there.
            let there = known.choose(&mut self.random).filter(|_| self.random.random_bool(0.4)).cloned();
            let email = there.unwrap_or_else(|| format!("{token}@row.example"));
            csv.extend(["Person ", &token, ",", &email, ",Title ", &token, "\n"]);
            rows.push(email);
        }
        let path = "/api/imports?kind=customers";
        let upload = self.member.upload_to(path, "list.csv", "text/csv", csv.as_bytes()).await.expect(201);
        let id = upload["id"].as_str().unwrap().to_owned();
        let rule = if self.random.random_bool(0.5) { "update" } else { "skip" };
        self.member.patch(&format!("/api/imports/{id}"), json!({"duplicates": rule})).await.expect(200);
        let started = self.member.post(&format!("/api/imports/{id}/start"), json!({})).await;
        if started.status != 202 {
            // Another import of the company is in progress.
            return started.refused("import_in_progress");
        }
        let done = self.member.import_over(&upload).await;
        assert_eq!((done["state"].as_str(), done["counts"]["done"].as_u64()), (Some("done"), Some(8)), "{done}");
        // A record that is full of addresses refuses a row, which is listed.
        let refused: HashSet<u64> =
            done["problems"].as_array().into_iter().flatten().filter_map(|problem| problem["row"].as_u64()).collect();
        let kept = (2..).zip(&rows).filter(|(row, _)| !refused.contains(row)).map(|(_, email)| email.clone());
        let kept: Vec<String> = kept.collect();
        let mut given = self.given.lock();
        given.rows.extend(kept.iter().cloned());
        given.imports.push((id, kept));
        drop(given);
        self.count("import");
    }

    async fn undo_import(&mut self) {
        let Some((id, rows)) = self.given.lock().imports.choose(&mut self.random).cloned() else { return };
        let answer = self.member.post(&format!("/api/imports/{id}/undo"), json!({})).await;
        if answer.status != 202 {
            // Another member's, undone before, or another import is in progress.
            assert!([404, 409].contains(&answer.status), "{}", answer.body);
            return;
        }
        self.member.import_over(&answer.body).await;
        let mut given = self.given.lock();
        for row in rows.iter().filter(|row| row.ends_with("@row.example")) {
            given.rows.remove(row);
        }
        drop(given);
        self.count("undo of an import");
    }
}

/// Returns all items of a list.
async fn all(member: &As, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut next = String::new();
    loop {
        let separator = if path.contains('?') { '&' } else { '?' };
        let page = member.get(&format!("{path}{separator}limit=200{next}")).await.expect(200);
        items.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => return items,
        }
    }
}

#[tokio::test]
async fn people_who_edit_merge_and_import_at_once_lose_nothing() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let bob = app.acme(Role::Admin).await;
    let given = Mutex::new(Given::default());
    let seed = setting("ATRIUM_SEED", 7);
    let steps = setting("ATRIUM_STEPS", STEPS);
    let worker = |member, name, number| Worker {
        member,
        given: &given,
        random: StdRng::seed_from_u64(seed + number),
        name,
        numbers: 0,
    };
    tokio::join!(worker(&ada, "a", 0).work(steps), worker(&bob, "b", 1).work(steps));
    let given = given.into_inner();
    for merge in &given.merges {
        ada.merge_over(&json!({"id": merge})).await;
    }

    let customers = all(&ada, "/api/customers").await;
    let ids: HashSet<&str> = customers.iter().map(|one| one["id"].as_str().unwrap()).collect();
    let mut emails = BTreeSet::new();
    let mut comments = Vec::new();
    for customer in &customers {
        let own = customer["details"]["emails"].as_array().cloned().unwrap_or_default();
        emails.extend(own.iter().map(|one| one["email"].as_str().unwrap().to_owned()));
        let path = format!("/api/customers/{}/comments", customer["id"].as_str().unwrap());
        comments.extend(all(&ada, &path).await.iter().map(|one| one["value"].as_str().unwrap().to_owned()));
    }
    let lost: Vec<&String> = given.emails.iter().chain(&given.rows).filter(|email| !emails.contains(*email)).collect();
    assert!(lost.is_empty(), "lost addresses: {lost:?}");
    comments.sort();
    assert_eq!(comments, given.comments.iter().cloned().collect::<Vec<_>>(), "each comment is on one customer");
    // Each customer is there, or was merged into one that is.
    for id in &given.customers {
        let mut id = id.clone();
        while !ids.contains(id.as_str()) {
            let gone = ada.get(&format!("/api/customers/{id}")).await;
            gone.refused("not_found");
            id = gone.body["error"]["mergedInto"].as_str().expect("a merged customer").to_owned();
        }
    }
    let steps_made = ["comment", "edit", "merge", "undo of a merge", "import", "undo of an import"];
    let missing: Vec<_> = steps_made.iter().filter(|step| !given.made.contains_key(*step)).collect();
    assert!(steps < STEPS || missing.is_empty(), "steps that were never made: {missing:?}");
}
