//! Fills a data directory with tenants and customers for measurements: `fill DIR TENANTS CUSTOMERS`.
//!
//! One tenant gets a fifth of all customers; the rest are distributed over the others with a long tail.
//! `owner@t0.example` signs in to the largest tenant, with the password below.

use std::path::PathBuf;

use atrium::{
    app::{App, Environment},
    config::Config,
    features::{
        customers::{self, Customer, Details},
        organizations::{Email, Phone},
        tenants::{NewTenant, Owner, operator},
    },
    kernel::{Entropy, Error, Result},
    people::region::RegionChoice,
    store::Actor,
};

const PASSWORD: &str = "correct horse battery";
const GIVEN: [&str; 40] = [
    "José",
    "María",
    "Ana",
    "Li",
    "Wei",
    "Søren",
    "Priya",
    "Margarethe",
    "Hollis",
    "Mira",
    "Ada",
    "Grace",
    "Alan",
    "Edsger",
    "Barbara",
    "Donald",
    "Katherine",
    "Dorothy",
    "Linus",
    "Guido",
    "Yukihiro",
    "Bjarne",
    "Dennis",
    "Ken",
    "Brian",
    "Rob",
    "Radia",
    "Vint",
    "Tim",
    "Sophie",
    "Carlos",
    "Lucía",
    "Iker",
    "Nerea",
    "Pau",
    "Núria",
    "Xavi",
    "Aitana",
    "Hugo",
    "Martina",
];
const FAMILY: [&str; 40] = [
    "Ñúñez",
    "López",
    "García",
    "Fernández",
    "Castellanos",
    "Kjærgaard",
    "Raman",
    "Hollenbeck",
    "Reed",
    "Okafor",
    "Lovelace",
    "Hopper",
    "Turing",
    "Dijkstra",
    "Liskov",
    "Knuth",
    "Johnson",
    "Vaughan",
    "Torvalds",
    "Rossum",
    "Matsumoto",
    "Stroustrup",
    "Ritchie",
    "Thompson",
    "Kernighan",
    "Pike",
    "Perlman",
    "Cerf",
    "Lee",
    "Wilson",
    "Pérez",
    "Etxeberria",
    "Agirre",
    "Puig",
    "Ferrer",
    "Soler",
    "Roca",
    "Vidal",
    "Serra",
    "Costa",
];

fn pick(entropy: &Entropy, list: &[&'static str]) -> &'static str {
    // The product of two uniform numbers favours the front of the list, like the frequency of names.
    let n = list.len() as u64;
    let at = entropy.random_below(n) * entropy.random_below(n) / n;
    list.get(usize::try_from(at).unwrap_or(0)).copied().unwrap_or("Ana")
}

fn customer(entropy: &Entropy, n: u64) -> Customer {
    let name = format!("{} {} {}", pick(entropy, &GIVEN), pick(entropy, &FAMILY), pick(entropy, &FAMILY));
    let email = Email { email: format!("contact{n}@company{}.example", n % 9_973), label: "Work".to_owned() };
    let number = format!("6{:08}", n.wrapping_mul(7_919) % 100_000_000);
    let phone = Phone::new(Some("ES"), &number, "Mobile");
    Customer {
        name,
        details: Details { emails: vec![email], phone_numbers: vec![phone], ..Details::default() },
        ..Customer::default()
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or_else(|| Error::internal("fill DIR TENANTS CUSTOMERS"));
    let dir = PathBuf::from(next()?);
    let tenants: u64 = next()?.parse().map_err(Error::internal)?;
    let total: u64 = next()?.parse().map_err(Error::internal)?;
    let app = App::open(
        Config { data_dir: dir, ..Config::default() },
        Environment { password_cost: (64, 1), ..Environment::default() },
    )?;
    let entropy = Entropy::seeded(7);
    let mut left = total;
    for number in 0..tenants {
        let new = NewTenant {
            slug: format!("t{number}"),
            name: format!("Tenant {number}"),
            color_scheme: None,
            layout: None,
            locale: None,
            timezone: None,
            region: RegionChoice::default(),
            domains: Vec::new(),
            owner: Owner { name: "Ada".to_owned(), email: format!("owner@t{number}.example") },
        };
        let passwords = app.auth().passwords();
        let id = operator::create(app.store(), passwords, new, PASSWORD.to_owned()).await?.0.id;
        let mut share = if number == 0 { total / 5 } else { left / (tenants - number) };
        left = left.saturating_sub(share);
        while share > 0 {
            let step = share.min(2_000);
            let new: Vec<Customer> = (0..step).map(|n| customer(&entropy, number * 1_000_003 + share - n)).collect();
            let work = move |tx: &atrium::store::TenantWrite<'_>| {
                new.into_iter().try_for_each(|new| customers::create(tx, new).map(drop))
            };
            app.store().write(id, Actor::System, work).await?;
            share -= step;
        }
    }
    app.close().await;
    Ok(())
}
