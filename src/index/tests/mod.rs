//! Tests of search: results and their order, tenant isolation, agreement with a slow and simple search, and robustness
//! against damaged files.

mod columns;
mod damage;
mod finding;
mod isolation;
mod oracle;
mod reasons;
mod writing;

use super::{Engine, Entry, Hit, Opened, Options};
use crate::kernel::{Document, FieldText, Heading, TenantId};

/// An engine in a temporary directory.
struct TestIndex {
    engine: Engine,
    dir: tempfile::TempDir,
}

impl TestIndex {
    /// Creates an empty index that is complete.
    fn new() -> TestIndex {
        let dir = tempfile::tempdir().unwrap();
        let (engine, opened) = Engine::open(dir.path(), options()).unwrap();
        assert!(matches!(opened, Opened::RebuildNeeded { .. }));
        engine.rebuild().unwrap().finish(0).unwrap();
        TestIndex { engine, dir }
    }

    fn with(documents: impl IntoIterator<Item = Document>) -> TestIndex {
        let test_index = TestIndex::new();
        test_index.put(tenant(1), documents);
        test_index
    }

    fn put(&self, tenant: TenantId, documents: impl IntoIterator<Item = Document>) {
        let entries = documents.into_iter().map(|document| entry(tenant, document));
        self.engine.apply(entries, self.engine.reached() + 1).unwrap();
        self.engine.commit().unwrap();
    }

    /// Returns the titles found, over all groups, best first in each.
    fn titles(&self, typed: &str) -> Vec<String> {
        self.hits(typed).into_iter().map(|hit| hit.title).collect()
    }

    fn hits(&self, typed: &str) -> Vec<Hit> {
        let found = self.engine.tenant(tenant(1)).find(typed, &Heading::ALL, 50);
        found.into_iter().flat_map(|(_, hits)| hits).collect()
    }
}

fn options() -> Options {
    Options { memory_per_thread: 15_000_000, rebuild_threads: 1 }
}

fn tenant(number: u8) -> TenantId {
    TenantId::from_bytes([number; 16]).unwrap()
}

fn entry(tenant: TenantId, document: Document) -> Entry {
    Entry { tenant, kind: document.kind, id: document.id, document: Some(document) }
}

fn removed(tenant: TenantId, document: &Document) -> Entry {
    Entry { tenant, kind: document.kind, id: document.id, document: None }
}

fn id(number: u64) -> [u8; 16] {
    let mut id = [0; 16];
    id[8..].copy_from_slice(&number.to_be_bytes());
    id
}

fn document(group: Heading, number: u64, title: &str) -> Document {
    let kind = match group {
        Heading::Contacts => "customer",
        Heading::Pages => "page",
        Heading::Tasks => "task",
        Heading::Events => "event",
        Heading::Organizations => "organization",
        Heading::Deals => "deal",
        Heading::Chat => "chat_message",
    };
    Document::new(group, (kind, id(number)), title, 1_700_000_000_000 + i64::try_from(number).unwrap())
}

/// A text of any field.
fn some_text(text: impl Into<String>) -> Vec<FieldText> {
    FieldText::of("notes", [text]).collect()
}

fn contact(number: u64, title: &str, keywords: &[&str]) -> Document {
    let keywords = FieldText::of("email", keywords.iter().copied()).collect();
    Document { keywords, ..document(Heading::Contacts, number, title) }
}

/// A pseudo-random generator with a seed, so that each run does the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

const NAMES: [&str; 24] = [
    "José",
    "Jose",
    "Josefa",
    "Núñez",
    "Nunes",
    "María",
    "Mario",
    "Marta",
    "Martínez",
    "Martin",
    "Ana",
    "Anaïs",
    "Søren",
    "Strauß",
    "O'Brien",
    "Brien",
    "Łukasz",
    "López",
    "Lopes",
    "Acme",
    "Zoë",
    "García",
    "Gracia",
    "2026",
];

/// A random record with all fields.
fn random_document(dice: &mut Dice, number: u64) -> Document {
    let group = Heading::ALL[dice.roll(Heading::ALL.len())];
    let mut words = |most: usize| {
        let count = 1 + dice.roll(most);
        (0..count).map(|_| dice.pick(&NAMES)).collect::<Vec<_>>().join(" ")
    };
    let title = words(3);
    let subtitle = words(2);
    let body = words(4);
    let plain = crate::kernel::text::fold(&title).replace(' ', ".");
    let mut keywords = Vec::new();
    if dice.roll(2) == 0 {
        keywords.push(format!("{plain}{}@{}.example", dice.roll(50), dice.pick(&["acme", "umbrella", "gmail"])));
    }
    if dice.roll(2) == 0 {
        keywords.push(format!("+34 6{:02} {:03} {:03}", dice.roll(100), dice.roll(1000), dice.roll(1000)));
    }
    Document {
        subtitle: FieldText::of("company", (dice.roll(2) == 0).then_some(subtitle)).collect(),
        keywords: FieldText::of("email", keywords).collect(),
        body: FieldText::of("notes", (dice.roll(3) == 0).then_some(body)).collect(),
        completed: Some(dice.roll(2) == 0),
        ..document(group, number, &title)
    }
}

/// A random query: words, beginnings, parts, and typing errors.
fn random_query(dice: &mut Dice) -> String {
    let mut words = Vec::new();
    for _ in 0..=dice.roll(3) {
        let word: Vec<char> = match dice.roll(8) {
            0 => format!("{}@{}", dice.pick(&NAMES), dice.pick(&["acme", "umb", "gmail.ex"])).chars().collect(),
            1 => format!("{:03}", dice.roll(1000)).chars().collect(),
            _ => dice.pick(&NAMES).chars().collect(),
        };
        let mut word = word;
        if dice.roll(4) == 0 {
            let at = dice.roll(word.len());
            match dice.roll(4) {
                0 => word[at] = 'x',
                1 => word.insert(at, 'x'),
                2 if word.len() > 2 => drop(word.remove(at)),
                _ if at + 1 < word.len() => word.swap(at, at + 1),
                _ => {}
            }
        }
        words.push(word.into_iter().collect::<String>());
    }
    let typed = words.join(" ");
    let chars = typed.chars().count();
    typed.chars().take(chars.min(2 + dice.roll(chars + 4))).collect()
}
