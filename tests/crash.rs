//! Crash tests: kill the real server at random moments under concurrent writes, start it again, and check that
//! everything it acknowledged is there, complete and once, and that it responds at once. The test process, which
//! survives, records what was acknowledged.
//!
//! `ATRIUM_CRASH_CYCLES` sets the number of kills (30 by default), `ATRIUM_CRASH_SEED` the random seed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::{BTreeMap, HashMap},
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

#[path = "machine/agent.rs"]
mod agent;
#[path = "machine/program.rs"]
mod program;

use agent::agent_settings;
use atrium::kernel::Entropy;
use program::program;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

/// How long the test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Access tokens are valid for five minutes; in a long run the clients sign in again before.
const TOKEN_AGE: Duration = Duration::from_mins(3);

/// How many records of a kind a writer keeps: less than one page of the longest list.
const KEPT: usize = 150;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var_os(name).and_then(|value| value.to_str()?.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn acknowledged_writes_survive_every_kill() {
    let folder = tempfile::tempdir().unwrap();
    let house = House { data: folder.path().join("data"), log: folder.path().join("log") };
    house.populate();
    let dice = Dice(Entropy::seeded(setting("ATRIUM_CRASH_SEED", 7)));
    let mut people = HashMap::new();
    let mut server = house.start();
    for email in ["ada", "ben", "cleo", "dora"] {
        people.insert(email, Person::sign_in(&server.url, email));
    }
    let chat = open_chat(&people["ada"], &people["ben"]);
    let group = open_group(&people["ada"], &[&people["cleo"], &people["dora"]]);
    // The creation of these members by the operator notified the administrators.
    people["ben"].remove_all("/api/common/notifications");
    let mut writers: Vec<(&str, Box<dyn Writer>)> = vec![
        ("ada", Box::new(Records::new(&CUSTOMERS, dice.clone()))),
        ("ben", Box::new(Records::new(&TASKS, dice.clone()))),
        ("ada", Box::new(Talk::new("ada", &["ada", "ben"], &chat))),
        ("ben", Box::new(Talk::new("ben", &["ada", "ben"], &chat))),
        ("ada", Box::new(Talk::new("ada", &["ada", "cleo", "dora"], &group))),
        ("cleo", Box::new(Talk::new("cleo", &["ada", "cleo", "dora"], &group))),
        ("dora", Box::new(Talk::new("dora", &["ada", "cleo", "dora"], &group))),
        ("cleo", Box::new(Notices::new("/api/common/messages", "message", dice.clone()))),
        ("ben", Box::new(Notices::new("/api/common/notifications", "notification", dice.clone()))),
        ("dora", Box::new(Renewals::default())),
        ("dora", Box::new(Works::default())),
    ];

    for cycle in 0..setting("ATRIUM_CRASH_CYCLES", 30) {
        work_until_killed(&mut server, &people, &mut writers, &dice);
        if dice.below(4) == 0 {
            house.start_and_kill(dice.micros(60_000));
        }
        server = house.start();
        for (name, person) in &mut people {
            person.url.clone_from(&server.url);
            // The session survived the kill, whatever the server was doing.
            let user = person.get("/api/common/user");
            assert_eq!(user["email"], address(name), "cycle {cycle}: {user}");
            if person.since.elapsed() > TOKEN_AGE {
                *person = Person::sign_in(&server.url, name);
            }
        }
        for (name, writer) in &mut writers {
            writer.verify(&people[name]);
        }
    }
    server.kill();
    assert_eq!(house.command(&["check", "--json"], "")["damages"], json!([]));
    let log = std::fs::read_to_string(&house.log).unwrap();
    let faults: Vec<&str> = log.lines().filter(|line| line.contains("ERROR") || line.contains("panicked")).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs all writers and kills the server a few milliseconds after a random number of acknowledgements.
fn work_until_killed(
    server: &mut Server,
    people: &HashMap<&str, Person>,
    writers: &mut [(&str, Box<dyn Writer>)],
    dice: &Dice,
) {
    let killed = Arc::new(AtomicBool::new(false));
    let (tell, told) = mpsc::channel();
    let wanted = 40 + dice.below(80);
    let longer = dice.micros(8_000);
    thread::scope(|scope| {
        for (name, writer) in writers {
            let person = people[name].connect();
            let killed = Arc::clone(&killed);
            let tell = tell.clone();
            scope.spawn(move || work(writer.as_mut(), &person, &tell, &killed));
        }
        drop(tell);
        let mut acknowledged = 0;
        while acknowledged < wanted {
            match told.recv_timeout(PATIENCE) {
                Ok(()) => acknowledged += 1,
                // The writer that failed has reported why; stop the others.
                Err(error) => {
                    killed.store(true, Ordering::SeqCst);
                    server.kill();
                    panic!("after {acknowledged} acknowledgements: {error}");
                }
            }
        }
        let until = Instant::now() + longer;
        while told.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
        killed.store(true, Ordering::SeqCst);
        server.kill();
    });
}

fn work(writer: &mut dyn Writer, person: &Person, tell: &Sender<()>, killed: &AtomicBool) {
    loop {
        match writer.step(person) {
            Ok(()) => drop(tell.send(())),
            Err(_) if killed.load(Ordering::SeqCst) => return,
            Err(error) => panic!("the server broke off by itself: {error}"),
        }
    }
}

/// A client that writes one change at a time and records the acknowledged ones.
trait Writer: Send {
    /// Writes one change and waits for the acknowledgement. A change without one at the kill is sent again, as clients
    /// do.
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error>;

    /// Checks that the server has everything that it acknowledged.
    fn verify(&mut self, person: &Person);
}

/// A kind of record: its path, and the content of its `n`th record in a version. All fields contain number and version,
/// so that a mix of two records or versions is detected.
struct Kind {
    path: &'static str,
    name: &'static str,
    form: fn(n: u64, version: u64) -> Value,
}

const CUSTOMERS: Kind = Kind {
    path: "/api/customers",
    name: "name",
    form: |n, version| {
        let word = format!("customer{n}v{version}");
        json!({
            "name": format!("Crash {word}"),
            "about": word.repeat(20),
            "tags": [format!("n{n}"), format!("v{version}")],
            "status": if version % 2 == 0 { "active" } else { "lead" },
            "details": {"emails": [{"email": format!("{word}@crash.example"), "label": "Work"}], "company": word},
        })
    },
};

const TASKS: Kind = Kind {
    path: "/api/tasks",
    name: "title",
    form: |n, version| {
        let word = format!("task{n}v{version}");
        json!({
            "title": format!("Crash {word}"),
            "notes": word.repeat(20),
            "tags": [format!("n{n}"), format!("v{version}")],
            "completed": version % 2 == 0,
            "priority": version % 3,
            "subtasks": [{"title": word, "completed": version % 2 == 0}],
        })
    },
};

/// An acknowledged record.
#[derive(Clone, Copy)]
struct Acknowledged {
    n: u64,
    version: u64,
}

#[derive(Clone)]
enum Doing {
    Create(u64),
    Change(String),
    Remove(String),
}

struct Records {
    kind: &'static Kind,
    dice: Dice,
    made: u64,
    known: BTreeMap<String, Acknowledged>,
    /// The change that is not acknowledged yet.
    doing: Option<Doing>,
    last: Option<String>,
}

impl Records {
    fn new(kind: &'static Kind, dice: Dice) -> Self {
        Self { kind, dice, made: 0, known: BTreeMap::new(), doing: None, last: None }
    }

    fn choose(&mut self) -> Doing {
        let any = self.known.keys().nth(self.dice.index(self.known.len())).cloned();
        match (any, self.dice.below(10)) {
            (Some(id), _) if self.known.len() >= KEPT => Doing::Remove(id),
            (Some(id), 0) => Doing::Remove(id),
            (Some(id), 1..=5) => Doing::Change(id),
            _ => {
                self.made += 1;
                Doing::Create(self.made)
            }
        }
    }

    /// Records that the server has a version of a record.
    fn note(&mut self, id: &str, n: u64, version: u64) {
        self.known.insert(id.to_owned(), Acknowledged { n, version });
        self.last = Some(id.to_owned());
    }

    fn assert_whole(&self, record: &Value, known: Acknowledged) {
        let form = (self.kind.form)(known.n, known.version);
        assert!(includes(record, &form), "{record} is not {form}");
    }

    /// Checks that search finds the last write, so the index has caught up with the store.
    fn assert_found(&self, person: &Person) {
        let Some((id, known)) = self.last.as_ref().and_then(|id| Some((id, self.known.get(id)?))) else { return };
        let name = (self.kind.form)(known.n, known.version)[self.kind.name].clone();
        let begun = Instant::now();
        let mut answer = Value::Null;
        while begun.elapsed() < PATIENCE {
            answer = person
                .call("POST", "/api/common/search", &[], Some(&json!({"query": name, "limit": 50})))
                .unwrap()
                .expect(200);
            let mut results = answer.as_array().unwrap().iter().flat_map(|set| set["results"].as_array().unwrap());
            if results.any(|found| found["id"] == **id && found["value"] == name) {
                return;
            }
        }
        panic!("{name} is not found: {answer}");
    }
}

impl Writer for Records {
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let doing = self.doing.take().unwrap_or_else(|| self.choose());
        self.doing = Some(doing.clone());
        match doing {
            Doing::Create(n) => {
                // Whether or not the server created it before the kill, the key ensures that there is only one.
                let key = format!("crash-{n}");
                let form = (self.kind.form)(n, 1);
                let made = person.call("POST", self.kind.path, &[("Idempotency-Key", &key)], Some(&form))?.expect(201);
                self.assert_whole(&made, Acknowledged { n, version: 1 });
                self.note(made["id"].as_str().unwrap(), n, 1);
            }
            Doing::Change(id) => {
                let Acknowledged { n, version } = self.known[&id];
                let path = format!("{}/{id}", self.kind.path);
                let tag = format!("\"{version}\"");
                let form = (self.kind.form)(n, version + 1);
                let changed = person.call("PATCH", &path, &[("If-Match", &tag)], Some(&form))?.expect(200);
                assert_eq!(changed["version"], version + 1, "{changed}");
                self.note(&id, n, version + 1);
            }
            Doing::Remove(id) => {
                person.call("DELETE", &format!("{}/{id}", self.kind.path), &[], None)?.expect(204);
                self.known.remove(&id);
            }
        }
        self.doing = None;
        Ok(())
    }

    fn verify(&mut self, person: &Person) {
        let list = person.get(&format!("{}?limit=200", self.kind.path));
        let items = list["items"].as_array().unwrap();
        let mut there: BTreeMap<&str, &Value> = items.iter().map(|item| (item["id"].as_str().unwrap(), item)).collect();
        assert_eq!((there.len(), list["total"].as_u64()), (items.len(), Some(items.len() as u64)), "counted wrongly");
        for (id, known) in self.known.clone() {
            let was_under_way = |doing: Option<&Doing>| match doing {
                Some(Doing::Change(other) | Doing::Remove(other)) => *other == id,
                _ => false,
            };
            let open = was_under_way(self.doing.as_ref());
            let Some(record) = there.remove(id.as_str()) else {
                assert!(open && matches!(self.doing, Some(Doing::Remove(_))), "{id} was acknowledged and is lost");
                self.known.remove(&id);
                self.doing = None;
                continue;
            };
            let version = record["version"].as_u64().unwrap();
            if version == known.version + 1 && open && matches!(self.doing, Some(Doing::Change(_))) {
                self.note(&id, known.n, version);
                self.doing = None;
            } else {
                assert_eq!(version, known.version, "{record}");
            }
            self.assert_whole(record, self.known[&id]);
        }
        for (id, record) in there {
            let Some(Doing::Create(n)) = self.doing else { panic!("nobody asked for {id}: {record}") };
            self.assert_whole(record, Acknowledged { n, version: 1 });
        }
        self.assert_found(person);
    }
}

/// Whether a value contains another one.
fn includes(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            part.iter().all(|(name, part)| value.get(name).is_some_and(|value| includes(value, part)))
        }
        (Value::Array(value), Value::Array(part)) => {
            value.len() == part.len() && value.iter().zip(part).all(|(value, part)| includes(value, part))
        }
        _ => value == part,
    }
}

// Chat: each message arrives once, in the order of sending, for all members.

struct Talk {
    name: &'static str,
    /// The members of the conversation.
    people: &'static [&'static str],
    chat: String,
    /// The number of this author's acknowledged messages, which are numbered from 0.
    said: u64,
}

impl Talk {
    fn new(name: &'static str, people: &'static [&'static str], chat: &str) -> Self {
        Self { name, people, chat: chat.to_owned(), said: 0 }
    }
}

impl Writer for Talk {
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let value = format!("{} {}", self.name, self.said);
        let form = json!({"chatId": self.chat, "value": value, "clientId": value});
        let sent = person.call("POST", "/api/apps/chat/messages", &[], Some(&form))?.expect(201);
        assert_eq!((&sent["value"], &sent["clientId"]), (&json!(value), &json!(value)));
        self.said += 1;
        Ok(())
    }

    fn verify(&mut self, person: &Person) {
        let mut history: Vec<Value> = Vec::new();
        let mut before = String::new();
        loop {
            let page = person.get(&format!("/api/apps/chat/messages?chatId={}&limit=200{before}", self.chat));
            let items = page["items"].as_array().unwrap();
            history.splice(0..0, items.iter().cloned());
            let Some(first) = items.first().filter(|_| page["more"] == true) else { break };
            before = format!("&before={}", first["id"].as_str().unwrap());
        }
        history.retain(|message| message["kind"] == "text");
        for name in self.people {
            let by = |message: &&Value| message["value"].as_str().unwrap().starts_with(name);
            let said: Vec<Value> = history.iter().filter(by).map(|message| message["value"].clone()).collect();
            let expected: Vec<Value> = (0..said.len()).map(|n| json!(format!("{name} {n}"))).collect();
            assert_eq!(said, expected, "lost, doubled or out of order");
            if *name == self.name {
                // One more than was acknowledged may have arrived; it is sent again with the same client id.
                let count = u64::try_from(said.len()).unwrap();
                assert!((self.said..=self.said + 1).contains(&count), "{count} of {} are there", self.said);
            }
        }
        // Message, memberships, read marks and counters are written in one commit.
        let chat = person.get(&format!("/api/apps/chat/chat?id={}", self.chat));
        let unread = history.iter().rev().take_while(|message| message["isMine"] == false).count();
        if let Some(last) = history.last() {
            assert_eq!(chat["lastMessage"], last["value"]);
        }
        assert_eq!(chat["unreadCount"], unread);
        let mine = history.iter().rev().find(|message| message["isMine"] == true).map(|message| message["id"].clone());
        let mut marks = chat["read"].as_array().unwrap().iter();
        let mark = marks.find(|mark| mark["memberId"] == person.id).map(|mark| mark["messageId"].clone());
        assert_eq!(mark, mine, "who says something has read all before it");
        let chats = person.get("/api/apps/chat/chats");
        let all: u64 = chats.as_array().unwrap().iter().map(|chat| chat["unreadCount"].as_u64().unwrap()).sum();
        assert_eq!(person.get("/api/apps/chat/unread")["unread"], all);
    }
}

fn open_chat(one: &Person, other: &Person) -> String {
    let form = json!({"contactId": other.id});
    let chat = one.call("POST", "/api/apps/chat/chat", &[], Some(&form)).unwrap().expect(200);
    chat["id"].as_str().unwrap().to_owned()
}

fn open_group(one: &Person, others: &[&Person]) -> String {
    let others: Vec<&str> = others.iter().map(|other| other.id.as_str()).collect();
    let form = json!({"name": "All", "memberIds": others});
    let chat = one.call("POST", "/api/apps/chat/groups", &[], Some(&form)).unwrap().expect(201);
    chat["id"].as_str().unwrap().to_owned()
}

// Messages and notifications of the caller, read or unread.

struct Notices {
    path: &'static str,
    name: &'static str,
    dice: Dice,
    made: u64,
    /// Whether each is read, by id.
    known: BTreeMap<String, bool>,
    doing: Option<Told>,
}

#[derive(Clone)]
enum Told {
    Create(u64),
    Toggle(String, bool),
    Remove(String),
    ReadAll,
}

impl Notices {
    fn new(path: &'static str, name: &'static str, dice: Dice) -> Self {
        Self { path, name, dice, made: 0, known: BTreeMap::new(), doing: None }
    }

    fn choose(&mut self) -> Told {
        let any = self.known.iter().nth(self.dice.index(self.known.len()));
        let any = any.map(|(id, read)| (id.clone(), *read));
        match (any, self.dice.below(20)) {
            (Some((id, _)), _) if self.known.len() >= KEPT => Told::Remove(id),
            (Some((id, _)), 0..=2) => Told::Remove(id),
            (Some((id, read)), 3..=8) => Told::Toggle(id, !read),
            (Some(_), 9) => Told::ReadAll,
            _ => {
                self.made += 1;
                Told::Create(self.made)
            }
        }
    }
}

impl Writer for Notices {
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let told = self.choose();
        self.doing = Some(told.clone());
        match told {
            Told::Create(n) => {
                let form = json!({self.name: {"title": format!("notice {n}"), "description": format!("about {n}")}});
                let made = person.call("POST", self.path, &[], Some(&form))?.expect(200);
                self.known.insert(made["id"].as_str().unwrap().to_owned(), false);
            }
            Told::Toggle(id, read) => {
                let form = json!({self.name: {"id": id, "read": read}});
                let path = format!("{}/toggle-read-status", self.path);
                let notice = person.call("POST", &path, &[], Some(&form))?.expect(200);
                assert_eq!(notice["read"], read);
                self.known.insert(id, read);
            }
            Told::Remove(id) => {
                person.call("DELETE", &format!("{}?id={id}", self.path), &[], None)?.expect(200);
                self.known.remove(&id);
            }
            Told::ReadAll => {
                person.call("POST", &format!("{}/mark-all-as-read", self.path), &[], None)?.expect(200);
                self.known.values_mut().for_each(|read| *read = true);
            }
        }
        self.doing = None;
        Ok(())
    }

    fn verify(&mut self, person: &Person) {
        let list = person.get(self.path);
        let there: BTreeMap<String, bool> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|notice| (notice["id"].as_str().unwrap().to_owned(), notice["read"].as_bool().unwrap()))
            .collect();
        // The change in progress at the kill was made completely or not at all.
        let mut done = self.known.clone();
        match self.doing.take() {
            Some(Told::Create(n)) => {
                let new = list.as_array().unwrap().iter().find(|notice| notice["title"] == format!("notice {n}"));
                done.extend(new.map(|notice| (notice["id"].as_str().unwrap().to_owned(), false)));
            }
            Some(Told::Toggle(id, read)) => drop(done.insert(id, read)),
            Some(Told::Remove(id)) => drop(done.remove(&id)),
            Some(Told::ReadAll) => done.values_mut().for_each(|read| *read = true),
            None => {}
        }
        assert!(there == self.known || there == done, "{there:?} is neither {:?} nor {done:?}", self.known);
        self.known = there;
        for notice in list.as_array().unwrap() {
            let n = notice["title"].as_str().unwrap().strip_prefix("notice ").unwrap();
            assert_eq!(notice["description"], format!("about {n}"));
        }
        let unread = self.known.values().filter(|read| !**read).count();
        assert_eq!(person.get(&format!("{}/unread", self.path))["unread"], unread);
    }
}

// Work in many steps, which goes on after a kill: an import, bulk changes and their undo, a merge. Each is made whole, once.

/// Rows of an import: more than one step takes.
const ROWS: u64 = 120;

/// What is done with the organizations of an import, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Upload,
    Import,
    Tag,
    Untag,
    Remove,
    Restore,
    Merge,
    Clear,
}

/// The acts, and how many organizations and how many of the second tag there are after each.
const ACTS: [(Act, u64, u64); 8] = [
    (Act::Upload, 0, 0),
    (Act::Import, ROWS, 0),
    (Act::Tag, ROWS, ROWS),
    (Act::Untag, ROWS, 0),
    (Act::Remove, 0, 0),
    (Act::Restore, ROWS, 0),
    (Act::Merge, ROWS - 1, 0),
    (Act::Clear, 0, 0),
];

#[derive(Default)]
struct Works {
    turn: u64,
    place: usize,
    /// The work of the last act that has one: its path.
    work: Option<String>,
    /// Whether the present act was acknowledged.
    begun: bool,
}

impl Works {
    fn count(&self, person: &Person, tag: &str) -> Result<u64, ureq::Error> {
        let path = format!("/api/organizations?limit=1&filter=tags:is:{tag}{}", self.turn);
        loop {
            let list = person.call("GET", &path, &[], None)?.expect(200);
            // The search index reaches what the work wrote.
            if list["partial"] != true {
                return Ok(list["total"].as_u64().unwrap());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Begins the present act. One that the server had begun before a kill is recognized.
    fn begin(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let (act, ..) = ACTS[self.place];
        let key = format!("work-{}-{}", self.turn, self.place);
        let key = [("Idempotency-Key", key.as_str())];
        let of_turn = json!([format!("tags:is:first{}", self.turn)]);
        let bulk = |more: Value| {
            let mut form = json!({"kind": "organizations", "filter": of_turn});
            form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let made = person.call("POST", "/api/bulk", &key, Some(&form))?.expect(202);
            Ok::<_, ureq::Error>(Some(format!("/api/bulk/{}", made["id"].as_str().unwrap())))
        };
        match act {
            Act::Upload => {
                let rows = (0..ROWS).map(|n| format!("Work {} {n},first{}\n", self.turn, self.turn));
                let csv: String = ["Name,Tags\n".to_owned()].into_iter().chain(rows).collect();
                let made = person.upload("/api/imports?kind=organizations", &key, &csv)?.expect(201);
                self.work = Some(format!("/api/imports/{}", made["id"].as_str().unwrap()));
            }
            Act::Import => {
                let path = self.work.clone().unwrap();
                if person.call("GET", &path, &[], None)?.expect(200)["state"] == "ready" {
                    person.call("POST", &format!("{path}/start"), &[], Some(&json!({})))?.expect(202);
                }
            }
            Act::Tag => self.work = bulk(json!({"addTags": [format!("second{}", self.turn)]}))?,
            Act::Remove | Act::Clear => self.work = bulk(json!({"remove": true}))?,
            Act::Untag | Act::Restore => {
                let path = self.work.clone().unwrap();
                if person.call("GET", &path, &[], None)?.expect(200)["state"] == "done" {
                    person.call("POST", &format!("{path}/undo"), &[], Some(&json!({})))?.expect(202);
                }
            }
            Act::Merge => {
                self.work = None;
                if self.count(person, "first")? == ROWS {
                    let path = format!("/api/organizations?limit=2&filter=tags:is:first{}", self.turn);
                    let two = person.call("GET", &path, &[], None)?.expect(200);
                    let id = |at: usize| two["items"][at]["id"].as_str().unwrap().to_owned();
                    let path = format!("/api/organizations/{}/merge", id(0));
                    person.call("POST", &path, &[], Some(&json!({"duplicateId": id(1)})))?.expect(200);
                }
            }
        }
        self.begun = true;
        Ok(())
    }

    /// Waits until the present act is done, and checks what came of it.
    fn finish(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let begun = Instant::now();
        while let Some(path) = &self.work {
            let work = person.call("GET", path, &[], None)?.expect(200);
            if !["running", "undoing", "checking"].contains(&work["state"].as_str().unwrap()) {
                let failed = [&work["skipped"], &work["undoSkipped"], &work["counts"]["failed"]];
                assert!(failed.iter().all(|count| count.as_u64().unwrap_or(0) == 0), "{work}");
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end: {work}");
            thread::sleep(Duration::from_millis(2));
        }
        let (act, organizations, tagged) = ACTS[self.place];
        let there = (self.count(person, "first")?, self.count(person, "second")?);
        assert_eq!(there, (organizations, tagged), "after {act:?} of turn {}", self.turn);
        self.begun = false;
        self.place = (self.place + 1) % ACTS.len();
        self.turn += u64::from(self.place == 0);
        Ok(())
    }
}

impl Writer for Works {
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error> {
        if self.begun { self.finish(person) } else { self.begin(person) }
    }

    fn verify(&mut self, person: &Person) {
        if self.begun {
            self.finish(person).unwrap();
        }
        let there = self.count(person, "first").unwrap();
        assert!(there <= ROWS, "{there} organizations: some are there twice");
    }
}

// Sessions: refreshed repeatedly; each cookie works once. A lost response does not end the session.

#[derive(Default)]
struct Renewals {
    cookie: Option<String>,
}

impl Writer for Renewals {
    fn step(&mut self, person: &Person) -> Result<(), ureq::Error> {
        let cookie = self.cookie.clone().unwrap_or_else(|| person.cookie.clone());
        let renewed = person.call("POST", "/api/auth/refresh", &[("Cookie", &cookie)], Some(&json!({})))?;
        self.cookie = Some(renewed.cookie.clone());
        renewed.expect(200);
        Ok(())
    }

    fn verify(&mut self, person: &Person) {
        let sessions = person.get("/api/auth/sessions");
        assert!(sessions["items"].as_array().unwrap().iter().any(|session| session["current"] == true), "{sessions}");
    }
}

// The server and its clients.

struct House {
    data: PathBuf,
    log: PathBuf,
}

impl House {
    fn process(&self, arguments: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_atrium"));
        command.args(arguments).arg("--data-dir").arg(&self.data);
        command.env("ATRIUM_LOG_LEVEL", "warn");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log(&self.log));
        command
    }

    fn command(&self, arguments: &[&str], input: &str) -> Value {
        let mut child = self.process(arguments).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said} {}", std::fs::read_to_string(&self.log).unwrap());
        serde_json::from_str(&said).unwrap()
    }

    /// Creates a tenant with four members.
    fn populate(&self) {
        let tenant = ["tenant", "create", "--json", "--slug", "acme", "--name", "Acme", "--owner-name", "Ada"];
        let owner = ["--owner-email", &address("ada"), "--owner-password-stdin"];
        self.command(&[&tenant[..], &owner[..]].concat(), PASSWORD);
        for name in ["ben", "cleo", "dora"] {
            let user = ["user", "create", "--json", "--tenant", "acme", "--name", name, "--role", "admin"];
            let email = ["--email", &address(name), "--password-stdin"];
            self.command(&[&user[..], &email[..]].concat(), PASSWORD);
        }
    }

    fn spawn(&self) -> Child {
        self.process(&["serve", "--listen", "127.0.0.1:0", "--json"]).spawn().unwrap()
    }

    /// Starts the server and waits until it is ready.
    fn start(&self) -> Server {
        let mut child = self.spawn();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("no start: {line}{}", std::fs::read_to_string(&self.log).unwrap()));
        let server = Server { child, url: started["url"].as_str().unwrap().to_owned() };
        let ready = agent().get(format!("{}/health/ready", server.url)).call().unwrap();
        assert_eq!(ready.status().as_u16(), 200);
        server
    }

    /// Starts the server and kills it after a while, at any point of its start.
    fn start_and_kill(&self, after: Duration) {
        let mut server = Server { child: self.spawn(), url: String::new() };
        let out = server.child.stdout.take().unwrap();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut line = String::new();
                BufReader::new(out).read_line(&mut line).unwrap();
                drop(tell.send(line));
            });
            // If the server ended before the kill, its start failed.
            let said = told.recv_timeout(after);
            server.kill();
            assert!(said != Ok(String::new()) && said != Err(RecvTimeoutError::Disconnected));
        });
    }
}

fn log(path: &Path) -> File {
    OpenOptions::new().create(true).append(true).open(path).unwrap()
}

struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Sends SIGKILL: no handler runs, nothing is flushed.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn agent() -> ureq::Agent {
    agent_settings().timeout_global(Some(PATIENCE)).build().new_agent()
}

fn address(name: &str) -> String {
    format!("{name}@acme.example")
}

/// A signed-in member with a persistent connection.
struct Person {
    agent: ureq::Agent,
    url: String,
    token: String,
    cookie: String,
    id: String,
    since: Instant,
}

impl Person {
    fn sign_in(url: &str, name: &str) -> Self {
        let nobody = Self {
            agent: agent(),
            url: url.to_owned(),
            token: String::new(),
            cookie: String::new(),
            id: String::new(),
            since: Instant::now(),
        };
        let form = json!({"email": address(name), "password": PASSWORD});
        let answer = nobody.call("POST", "/api/auth/sign-in", &[], Some(&form)).unwrap();
        let cookie = answer.cookie.clone();
        let signed = answer.expect(200);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { token: text(&signed["accessToken"]), id: text(&signed["user"]["id"]), cookie, ..nobody }
    }

    /// Returns the same member with a new connection.
    fn connect(&self) -> Self {
        let Self { url, token, cookie, id, since, .. } = self;
        let url = url.clone();
        let token = token.clone();
        let cookie = cookie.clone();
        let id = id.clone();
        Self { agent: agent(), url, token, cookie, id, since: *since }
    }

    /// Sends a request and reads the whole response; an incomplete one is not an acknowledgement.
    fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Answer, ureq::Error> {
        let body = body.map(|body| ("application/json", body.to_string()));
        self.send(method, path, headers, body)
    }

    /// Uploads a CSV file.
    fn upload(&self, path: &str, headers: &[(&str, &str)], csv: &str) -> Result<Answer, ureq::Error> {
        let head = "Content-Disposition: form-data; name=\"file\"; filename=\"list.csv\"\r\nContent-Type: text/csv";
        let body = format!("--part\r\n{head}\r\n\r\n{csv}\r\n--part--\r\n");
        self.send("POST", path, headers, Some(("multipart/form-data; boundary=part", body)))
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, String)>,
    ) -> Result<Answer, ureq::Error> {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Bearer {}", self.token));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = match body {
            Some((kind, body)) => self.agent.run(request.header("Content-Type", kind).body(body).unwrap()),
            None => self.agent.run(request.body(()).unwrap()),
        }?;
        let cookie = response.headers().get("Set-Cookie").and_then(|value| value.to_str().ok()?.split(';').next());
        let cookie = cookie.unwrap_or_default().to_owned();
        let status = response.status().as_u16();
        let text = response.body_mut().read_to_string()?;
        Ok(Answer { status, cookie, body: serde_json::from_str(&text).unwrap_or_default() })
    }

    #[track_caller]
    /// Removes all entries of a list.
    fn remove_all(&self, path: &str) {
        for one in self.get(path).as_array().unwrap() {
            let path = format!("{path}?id={}", one["id"].as_str().unwrap());
            self.call("DELETE", &path, &[], None).unwrap().expect(200);
        }
    }

    fn get(&self, path: &str) -> Value {
        self.call("GET", path, &[], None).unwrap().expect(200)
    }
}

struct Answer {
    status: u16,
    cookie: String,
    body: Value,
}

impl Answer {
    #[track_caller]
    fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }
}

/// Random numbers, the same for the same seed.
#[derive(Clone)]
struct Dice(Entropy);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        self.0.random_below(end)
    }

    fn index(&self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    fn micros(&self, most: u64) -> Duration {
        Duration::from_micros(self.below(most))
    }
}
