//! Model-based test of the parts that all kinds of records have: two members create, change, comment, remove, restore and purge
//! records, change many at once and undo it, keep views, define custom fields, and the power fails. Records, totals,
//! filtered lists, search, timelines, bin and views must be those of a small model. 600 steps; `ATRIUM_STEPS` sets
//! another number, `ATRIUM_SEED` another random seed.

mod check;
mod model;
mod steps;

use std::{sync::Arc, time::Duration};

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::Value;

use self::model::{Model, Record};
use crate::{
    people::permission::Role,
    store::tests::sim::Sim,
    testing::{As, Got, TestApp, kinds_with_parts, setting},
};

/// Steps of one run.
const STEPS: u64 = 600;
/// Steps between two checks of one part.
const PART_CHECKED: u64 = 10;
/// Steps between two checks of everything.
const ALL_CHECKED: u64 = 300;
/// Live records of a kind from which more are removed than created.
const CROWDED: usize = 60;
/// Milliseconds after which the members sign in again; access tokens are good for five minutes.
const SIGNED_IN: i64 = 4 * 60_000;

/// How long the index may take to read all changes, also when it is rebuilt.
const INDEXED: Duration = Duration::from_secs(60);

/// A member: Ada is a member, Bob an administrator.
const ADA: usize = 0;
const BOB: usize = 1;

/// A kind of record, as the test uses it.
struct Kind {
    /// The name of its calls.
    path: &'static str,
    /// Its name in the bin.
    name: &'static str,
    /// Its heading in search.
    group: &'static str,
    /// The field with its name or title.
    title: &'static str,
    /// A field with one of these values.
    field: &'static str,
    values: [&'static str; 3],
    /// Whether it has tags.
    has_tags: bool,
}

const KINDS: [Kind; 6] = [
    Kind {
        path: "customers",
        name: "customer",
        group: "contacts",
        title: "name",
        field: "status",
        values: ["lead", "active", "inactive"],
        has_tags: true,
    },
    Kind {
        path: "tasks",
        name: "task",
        group: "tasks",
        title: "title",
        field: "priority",
        values: ["0", "1", "2"],
        has_tags: true,
    },
    Kind {
        path: "pages",
        name: "page",
        group: "pages",
        title: "title",
        field: "status",
        values: ["draft", "published", "published"],
        has_tags: false,
    },
    Kind {
        path: "events",
        name: "event",
        group: "events",
        title: "title",
        field: "color",
        values: ["red", "teal", "pink"],
        has_tags: false,
    },
    Kind {
        path: "deals",
        name: "deal",
        group: "deals",
        title: "title",
        field: "stageId",
        values: ["new", "proposal", "negotiation"],
        has_tags: true,
    },
    Kind {
        path: "organizations",
        name: "organization",
        group: "organizations",
        title: "name",
        field: "address",
        values: ["Bath", "Leeds", "York"],
        has_tags: true,
    },
];
const TASKS: usize = 1;
const PAGES: usize = 2;
const EVENTS: usize = 3;

/// Words of titles. None begins with another or resembles it.
const WORDS: [&str; 16] = [
    "amberfox",
    "brickyard",
    "cloverleaf",
    "dromedary",
    "everglade",
    "foxtrot",
    "gingham",
    "harpsichord",
    "ivorytower",
    "juniper",
    "kettledrum",
    "lighthouse",
    "mulberry",
    "nightjar",
    "orangery",
    "periwinkle",
];
const TAGS: [&str; 4] = ["blue", "gold", "plum", "rust"];

/// The system under test and the model.
struct World {
    app: Option<TestApp>,
    disk: Arc<Sim>,
    people: Vec<As>,
    signed_in_at: i64,
    chance: StdRng,
    model: Model,
    /// What was done, for the message when a check fails.
    log: Vec<String>,
}

impl Drop for World {
    #[expect(clippy::print_stderr, reason = "the steps that led to the failure of the test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let last = self.log.len().saturating_sub(40);
            eprintln!("{}", self.log[last..].join("\n"));
        }
    }
}

impl World {
    async fn new(seed: u64) -> Self {
        let disk = Arc::new(Sim::default());
        let app = TestApp::on(disk.clone()).await;
        let mut world = Self {
            app: Some(app),
            disk,
            people: Vec::new(),
            signed_in_at: 0,
            chance: StdRng::seed_from_u64(seed),
            model: Model::default(),
            log: Vec::new(),
        };
        world.sign_in().await;
        world
    }

    fn app(&self) -> &TestApp {
        self.app.as_ref().expect("an application")
    }

    async fn sign_in(&mut self) {
        self.people = vec![self.app().acme(Role::Member).await, self.app().acme(Role::Admin).await];
        self.signed_in_at = self.app().clock.now().millis();
    }

    /// Lets time pass.
    async fn pass(&mut self, millis: i64) {
        self.app().clock.advance(millis);
        if self.app().clock.now().millis() - self.signed_in_at > SIGNED_IN {
            self.sign_in().await;
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.chance.random_range(0..most.max(1))
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        *of.choose(&mut self.chance).expect("a choice")
    }

    fn who(&mut self) -> usize {
        self.below(2)
    }

    fn title(&mut self) -> String {
        format!("{} {}", self.one(&WORDS), self.one(&WORDS))
    }

    fn number(&mut self) -> i64 {
        self.chance.random_range(0..100)
    }

    fn note(&mut self, what: &str) {
        self.log.push(format!("{}: {what}", self.log.len()));
    }

    /// Picks a record in a state, of a kind if given.
    fn pick(&mut self, kind: Option<usize>, fits: impl Fn(&Record) -> bool) -> Option<String> {
        let fitting: Vec<&String> = self
            .model
            .records
            .iter()
            .filter(|(_, record)| kind.is_none_or(|kind| record.kind == kind) && fits(record))
            .map(|(id, _)| id)
            .collect();
        fitting.choose(&mut self.chance).map(|id| (*id).clone())
    }

    /// Sends a request as a member.
    async fn send(&self, who: usize, method: &str, path: &str, body: Option<Value>) -> Got {
        self.people[who].send_with(method, path, body, &[]).await
    }

    async fn get(&self, who: usize, path: &str) -> Value {
        self.send(who, "GET", path, None).await.expect(200)
    }

    /// Waits until the search index has all changes: searches wait only for their member's own.
    async fn settle(&self) {
        let app = &self.app().app;
        let last = app.store().snapshot().unwrap().last_change().unwrap();
        assert!(app.engine().wait_until(last, INDEXED).await, "the index is behind");
    }

    /// Cuts the power and opens what was on the disk.
    async fn crash(&mut self) {
        self.note("the power fails");
        self.people.clear();
        let app = self.app.take().expect("an application");
        let (app, disk) = app.crash(&self.disk).await;
        (self.app, self.disk) = (Some(app), disk);
        self.sign_in().await;
    }
}

#[test]
fn every_kind_is_modelled() {
    let modelled = KINDS.map(|kind| kind.name);
    let missing: Vec<&str> = kinds_with_parts().map(|kind| kind.kind).filter(|kind| !modelled.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_match_a_model_under_random_steps() {
    let steps = setting("ATRIUM_STEPS", STEPS);
    let mut world = World::new(setting("ATRIUM_SEED", 2)).await;
    for step in 1..=steps {
        let millis = world.one(&[0, 0, 1, 900, 20_000]);
        world.pass(millis).await;
        world.step().await;
        if step % PART_CHECKED == 0 {
            world.check_part().await;
        }
        if step % ALL_CHECKED == 0 || step == steps {
            world.check_all().await;
        }
    }
    let model = &world.model;
    assert!(steps < STEPS || (!model.bulk.is_empty() && model.crashes > 0), "not all steps were made");
}
