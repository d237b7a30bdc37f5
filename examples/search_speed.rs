//! Search benchmark: a million contacts in a thousand tenants, the largest with 200,000.
//!
//! `cargo run --release --example search_speed [contacts] [directory]` prints the time of the index build, the index
//! size, and the search times by kind of query, in the large tenant and in usual ones.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]
#![expect(clippy::cast_possible_truncation, reason = "numbers are as large as the machine")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use atrium::index::{Engine, Entry, Options, TenantIndex};
use atrium::kernel::{Document, FieldText, Heading, TenantId};

const FIRST_NAMES: &str = "María José Antonio Carmen Manuel Ana Francisco Laura David Isabel Juan Marta Javier Lucía \
    Daniel Paula Carlos Elena Miguel Cristina Rafael Sara Pedro Raquel Ángel Beatriz Alejandro Rocío Sergio Nuria \
    James Mary Robert Patricia John Jennifer Michael Linda William Elizabeth Richard Barbara Joseph Susan Thomas \
    Jessica Charles Karen Christopher Nancy Matthew Lisa Anthony Betty Mark Sandra Steven Ashley Paul Kimberly \
    Søren Zoë Łukasz Agnieszka Jürgen François Chloé Björn Ingrid Matteo Giulia Dmitri Olga Yusuf Aisha Wei Mei";
const LAST_NAMES: &str = "García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz \
    Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Ramos Gil Ramírez \
    Serrano Blanco Molina Morales Suárez Ortega Delgado Castro Ortiz Rubio Marín Sanz Núñez Iglesias Medina Garrido \
    Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson Lee Thompson White Harris \
    Clark Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams Nelson Baker Hall Rivera Campbell \
    O'Brien Müller Schmidt Kowalski Nowak Dubois Lefèvre Rossi Bianchi Jensen Nielsen Ivanov Petrov Yılmaz Chen Wang";
const SYLLABLES: &str = "ba be bi bo bu ca ce co cu da de di do du fa fe fi ga go gu la le li lo lu ma me mi mo mu na \
    ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo za ze zo";
const COMPANY_WORDS: &str = "Global Logistics Solutions Consulting Group Systems Industries Foods Energy Transport \
    Design Media Partners Holding Construction Textiles Labs Networks Robotics Farm Bakery Travel Studio Health";
const TITLES: &str = "Director Manager Accountant Engineer Buyer Assistant Head Sales Marketing Support Owner Partner";
const DOMAINS: &str = "gmail.com outlook.com yahoo.es hotmail.com acme.example icloud.com proton.me";

/// A small random generator with a fixed seed, so that every run measures the same.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Picks the first entries often and the last ones rarely, like the frequency of names.
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let a = self.below(from.len());
        let b = self.below(from.len());
        from[a.min(b)]
    }
}

struct Words {
    first: Vec<&'static str>,
    last: Vec<&'static str>,
    syllables: Vec<&'static str>,
    company: Vec<&'static str>,
    title: Vec<&'static str>,
    domain: Vec<&'static str>,
}

impl Words {
    fn new() -> Words {
        let split = |words: &'static str| words.split_whitespace().collect();
        Words {
            first: split(FIRST_NAMES),
            last: split(LAST_NAMES),
            syllables: split(SYLLABLES),
            company: split(COMPANY_WORDS),
            title: split(TITLES),
            domain: split(DOMAINS),
        }
    }

    /// Returns a common last name, or one of many rare ones.
    fn last(&self, dice: &mut Dice) -> String {
        if dice.below(100) < 70 {
            return dice.pick(&self.last).to_owned();
        }
        let name: String = (0..2 + dice.below(3)).map(|_| dice.pick(&self.syllables)).collect();
        name[..1].to_uppercase() + &name[1..]
    }

    fn contact(&self, dice: &mut Dice, number: u64) -> Document {
        let first = dice.pick(&self.first);
        let last = self.last(dice);
        let mut title = format!("{first} {last}");
        if dice.below(2) == 0 {
            title = format!("{title} {}", self.last(dice));
        }
        let company = format!("{} {}", self.last(dice), dice.pick(&self.company));
        let plain = |text: &str| atrium::kernel::text::fold(text).replace([' ', '\''], "");
        let address = match dice.below(3) {
            0 => format!("{}.{}@{}", plain(first), plain(&last), dice.pick(&self.domain)),
            1 => format!("{}{}@{}.example", plain(first), dice.below(1000), plain(&company)),
            _ => format!("{}.{}{}@{}", &plain(first)[..1], plain(&last), dice.below(100), dice.pick(&self.domain)),
        };
        let phone = format!("+34 6{:02} {:03} {:03}", dice.below(100), dice.below(1000), dice.below(1000));
        let mut id = [0; 16];
        id[..8].copy_from_slice(&(number + 1).to_be_bytes());
        id[8..].copy_from_slice(&dice.next().to_be_bytes());
        Document {
            group: Heading::Contacts,
            kind: "customer",
            id,
            scopes: None,
            title,
            subtitle: FieldText::of("company", [format!("{}, {company}", dice.pick(&self.title))]).collect(),
            keywords: FieldText::of("email", [address]).chain(FieldText::of("phone", [phone])).collect(),
            body: Vec::new(),
            avatar: None,
            completed: None,
            at: 1_700_000_000_000 + i64::try_from(dice.below(60_000_000_000)).unwrap_or(0),
            columns: Vec::new(),
        }
    }
}

fn tenant(number: u64) -> TenantId {
    let mut bytes = [7; 16];
    bytes[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    TenantId::from_bytes(bytes).expect("not zero")
}

/// Returns the number of contacts of each tenant: a fifth of all for the first, then decreasing.
fn sizes_of_companies(contacts: usize) -> Vec<usize> {
    let others: usize = (1..1_000).sum();
    let usual = |number: usize| (contacts * 4 / 5 * (1_000 - number)).div_ceil(others);
    (0..1_000).map(|number| if number == 0 { contacts / 5 } else { usual(number) }).collect()
}

fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|e| if e.path().is_dir() { size(&e.path()) } else { e.metadata().map_or(0, |m| m.len()) }).sum()
}

fn sizes_by_kind(dir: &Path, sizes: &mut std::collections::BTreeMap<String, u64>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sizes_by_kind(&path, sizes);
        } else {
            let kind = path.extension().map_or(String::new(), |kind| kind.to_string_lossy().into_owned());
            *sizes.entry(kind).or_default() += entry.metadata().map_or(0, |m| m.len());
        }
    }
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or("").to_owned();
    format!("{} {}", line("VmHWM"), line("RssAnon"))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let contacts: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let dir = arguments.next().map_or_else(|| std::env::temp_dir().join("search-speed"), PathBuf::from);
    let words = Words::new();
    let (engine, opened) = Engine::open(&dir, Options::default()).expect("open");
    let mut samples: Vec<Vec<Document>> = vec![Vec::new(), Vec::new()];
    let mut usual = Vec::new();
    let resumed = matches!(opened, atrium::index::Opened::Resumed { .. });
    let start = Instant::now();
    let mut rebuild = (!resumed).then(|| engine.rebuild().expect("rebuild"));
    let mut dice = Dice(0x5eed);
    // One tenant after the other, as in a rebuild of the index from the store.
    let owners = sizes_of_companies(contacts).into_iter().enumerate();
    for (number, owner) in owners.flat_map(|(owner, size)| std::iter::repeat_n(owner as u64, size)).enumerate() {
        let document = words.contact(&mut dice, number as u64);
        if number % 97 == 0 {
            samples[usize::from(owner != 0)].push(document.clone());
            if owner != 0 {
                usual.push(owner);
            }
        }
        if let Some(rebuild) = &mut rebuild {
            let entry = Entry { tenant: tenant(owner), kind: "customer", id: document.id, document: Some(document) };
            rebuild.add(&entry).expect("add");
        }
    }
    println!("made {contacts} in {:?}", start.elapsed());
    if let Some(rebuild) = rebuild {
        rebuild.finish(1).expect("finish");
        println!("indexed {contacts} in {:?}", start.elapsed());
    }
    println!("{}; size {} MB", memory(), size(&dir) / 1_000_000);
    let mut sizes = std::collections::BTreeMap::new();
    sizes_by_kind(&dir, &mut sizes);
    println!("{sizes:?}");

    for round in ["while merging", "later"] {
        println!("\n{round:32}{:>10}{:>10}{:>10}{:>10}{:>8}", "p50", "p99", "p99.8", "max", "hits");
        measure_all(&engine, &samples, &usual, &mut dice);
        measure_list(&engine, &mut dice);
        if round == "while merging" {
            let start = Instant::now();
            let mut size_before = 0;
            while size(&dir) != size_before && start.elapsed() < Duration::from_secs(90) {
                size_before = size(&dir);
                std::thread::sleep(Duration::from_secs(3));
            }
            println!("\nmerged for {:?}; size {} MB; {}", start.elapsed(), size(&dir) / 1_000_000, memory());
        }
        // A commit of one changed contact, as when a member saves.
        let document = samples[0][0].clone();
        let mut times: Vec<Duration> = (2..102)
            .map(|seq| {
                let entry =
                    Entry { tenant: tenant(0), kind: "customer", id: document.id, document: Some(document.clone()) };
                let start = Instant::now();
                engine.apply([entry], seq).expect("apply");
                engine.commit().expect("commit");
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        println!("commit of one change: p50 {:?}, p99 {:?}", times[50], times[98]);
    }
    let start = Instant::now();
    engine.verify().expect("sound");
    println!("verified in {:?}", start.elapsed());
    drop(engine);
    let start = Instant::now();
    let (engine, _) = Engine::open(&dir, Options::default()).expect("open");
    println!("opened in {:?}; {}", start.elapsed(), memory());
    drop(engine);
}

/// Measures queries of all kinds, in the large tenant and in the usual ones.
fn measure_all(engine: &Engine, samples: &[Vec<Document>], usual: &[u64], dice: &mut Dice) {
    for (large, samples) in samples.iter().enumerate() {
        let name = ["large", "usual"][large];
        let index = |at: usize| engine.tenant(tenant(if large == 0 { 0 } else { usual[at] }));
        measure(name, "title, being typed", samples, dice, index, |document, dice| {
            let chars: Vec<char> = document.title.chars().collect();
            chars[..(2 + dice.below(chars.len() - 1)).min(chars.len())].iter().collect()
        });
        measure(name, "first two letters", samples, dice, index, |document, _| {
            document.title.chars().take(2).collect()
        });
        measure(name, "part of address", samples, dice, index, |document, dice| {
            let address = &document.keywords[0].text;
            let from = dice.below(address.len() - 3);
            address[from..(from + 3 + dice.below(8)).min(address.len())].to_owned()
        });
        measure(name, "@domain", samples, dice, index, |document, _| {
            document.keywords[0].text.split_once('@').map_or(String::new(), |(_, domain)| format!("@{domain}"))
        });
        measure(name, "part of phone", samples, dice, index, |document, dice| {
            let phone = &document.keywords[1].text;
            phone[4..7 + dice.below(9)].to_owned()
        });
        measure(name, "with a typing error", samples, dice, index, |document, dice| {
            let mut chars: Vec<char> = document.title.chars().collect();
            let at = dice.below(chars.len() - 1);
            match dice.below(3) {
                0 => chars[at] = 'x',
                1 => chars.swap(at, at + 1),
                _ => drop(chars.remove(at)),
            }
            chars.into_iter().collect()
        });
        measure(name, "name and company", samples, dice, index, |document, dice| {
            let company = document.second_line().unwrap_or_default();
            let company = company.split_whitespace().nth(1).unwrap_or("");
            let first = document.title.split(' ').next().unwrap_or("");
            format!("{company} {}", first.chars().take(1 + dice.below(4)).collect::<String>())
        });
    }
}

/// Measures the search that filters a list: the ids of the best thousand.
fn measure_list(engine: &Engine, dice: &mut Dice) {
    let index = engine.tenant(tenant(0));
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let typed: String = FIRST_NAMES.split_whitespace().nth(dice.below(60)).unwrap_or("").to_owned();
            let start = Instant::now();
            let _ = index.find_ids(&typed, Heading::Contacts, "customer", 1_000);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{:32}{:>7} µs{:>7} µs", "large: 1,000 ids for a list", times[100].as_micros(), times[198].as_micros());
}

fn measure(
    tenant: &str,
    what: &str,
    samples: &[Document],
    dice: &mut Dice,
    index: impl Fn(usize) -> TenantIndex,
    typed: impl Fn(&Document, &mut Dice) -> String,
) {
    let mut times = Vec::new();
    let mut hits = 0;
    for _ in 0..1_000 {
        let at = dice.below(samples.len());
        let typed = typed(&samples[at], dice);
        let index = index(at);
        // The best of three, because the machine may be busy for a moment.
        let search = || {
            let start = Instant::now();
            let found = index.find(&typed, &Heading::ALL, 5);
            (start.elapsed(), !found.is_empty())
        };
        let (time, found) = [search(), search(), search()].into_iter().min().unwrap_or_default();
        times.push(time);
        hits += usize::from(found);
    }
    times.sort_unstable();
    let micros = |at: usize| format!("{} µs", times[at].as_micros());
    println!(
        "{:32}{:>10}{:>10}{:>10}{:>10}{hits:>8}",
        format!("{tenant}: {what}"),
        micros(500),
        micros(990),
        micros(998),
        micros(times.len() - 1)
    );
}
