//! Tests of the demo data in the store.

use super::*;
use crate::{
    feature::VisibleTo,
    features::{
        chat::{ChatMessage, Conversation, Membership},
        customers::Customer,
        deals::Deal,
        events::{self, Event},
        messages::Messages,
        notices,
        notifications::Notifications,
        organizations::Organization,
        pages::Page,
        records::activities::Activity,
        shortcuts,
        tasks::Task,
    },
    kernel::{Clock, Id, Timestamp},
    people::members::{self, MemberRecord},
    store::{Scan, TenantRead},
    testing::NOW,
};

struct Filled {
    store: Store,
    passwords: Passwords,
    _dir: tempfile::TempDir,
}

async fn filled_at(now: Timestamp) -> Filled {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("store.redb"), Clock::stopped(now), Entropy::seeded(1)).unwrap();
    let passwords = Passwords::with_cost([2; 32], 64, 1).unwrap();
    fill(&store, &passwords).await.unwrap();
    Filled { store, passwords, _dir: dir }
}

fn each_company(filled: &Filled, look: impl Fn(&TenantRead<'_>, &Script)) {
    let snapshot = filled.store.snapshot().unwrap();
    for script in fixtures::load_all().unwrap() {
        let tenant = members::tenant_by_slug(&snapshot, &script.slug).unwrap();
        look(&snapshot.tenant(tenant, None), &script);
    }
}

#[tokio::test]
async fn both_demo_tenants_have_a_full_set_of_records() {
    let filled = filled_at(Timestamp::from_millis(NOW)).await;
    let now = filled.store.clock().now();
    each_company(&filled, |tx, script| {
        let counts = [
            tx.count::<MemberRecord>().unwrap(),
            tx.count::<Customer>().unwrap(),
            tx.count::<Task>().unwrap(),
            tx.count::<Event>().unwrap(),
            tx.count::<Page>().unwrap(),
            tx.count::<Organization>().unwrap(),
            tx.count::<Deal>().unwrap(),
        ];
        assert_eq!(counts, [13, 400, 153, 60, 26, 24, 48], "{}", script.slug);
        assert!(tx.count::<Activity>().unwrap() > 200, "{}", script.slug);
        let owner = team::rules::by_email(tx, &script.members[0].email).unwrap();
        let restricted = tx.page::<Page>(&Scan::all(), |page| page.visibility.to == VisibleTo::People).unwrap().items;
        assert_eq!(restricted.iter().map(|page| page.created_by).collect::<Vec<_>>(), [Some(owner.id)]);
        let own = tx.person(owner.id);
        assert_eq!(own.page::<shortcuts::Shortcut>(&Scan::all(), |_| true).unwrap().items.len(), 6);
        assert!(own.page::<Membership>(&Scan::all(), |_| true).unwrap().items.len() >= 4);
        assert!(own.counter("chat/unread").unwrap() > 0);
        let mut group = Vec::new();
        tx.each::<ChatMessage>(|message| {
            group.extend(tx.get::<Conversation>(message.conversation)?.value.group.is_some().then_some(message.value));
            Ok(())
        })
        .unwrap();
        let has = |what: fn(&ChatMessage) -> bool| group.iter().any(what);
        assert!(has(|message| !message.mentions.is_empty()) && has(|message| !message.references.is_empty()));
        assert!(has(|message| !message.reactions.is_empty()) && has(|message| message.event.is_some()));
        let messages = notices::rules::list::<Messages>(&own, &notices::rules::NoticeFilter::default()).unwrap();
        let notifications =
            notices::rules::list::<Notifications>(&own, &notices::rules::NoticeFilter::default()).unwrap();
        assert!(messages.len() >= 8 && notifications.len() >= 8);
        assert!((1..8).contains(&notices::rules::count_unread::<Messages>(&own).unwrap()));
        assert!((1..8).contains(&notices::rules::count_unread::<Notifications>(&own).unwrap()));
        assert!(messages.iter().all(|message| message.time <= now && message.created_at == message.time));
        tx.each::<Customer>(|customer| {
            assert!(customer.created_at <= now && customer.updated_at <= now);
            Ok(())
        })
        .unwrap();
        let jose = tx.page::<Customer>(&Scan::all().limit(1), |customer| customer.name == "José Ñúñez").unwrap();
        assert_eq!(jose.items.len(), 1);
    });
}

#[tokio::test]
async fn demo_data_fills_past_charts_and_the_current_day() {
    let filled = filled_at(Timestamp::from_millis(NOW)).await;
    let today = filled.store.clock().now().day_in("UTC");
    each_company(&filled, |tx, script| {
        let days = |prefix: &str, from: i64, to: i64| {
            let name = |days: i64| format!("{prefix}/{}", today.plus_days(days));
            tx.counters(&name(from), &name(to)).unwrap().len()
        };
        let since = |days: i64| today.plus_days(days).start_in("UTC");
        assert!(tx.series("tasks/created", since(-60), since(1)).unwrap().len() > 20, "{}", script.slug);
        assert!(tx.series("tasks/completed", since(-60), since(1)).unwrap().len() > 20, "{}", script.slug);
        assert!(tx.level_changes("customers", since(-365), since(1)).unwrap().len() > 80, "{}", script.slug);
        assert!(tx.counter(&format!("tasks/due/{today}")).unwrap() >= 5);
        assert!(days("tasks/due", -30, 0) > 3, "something is overdue");
        assert!(tx.counter("tasks/open").unwrap() > 50);
        assert!(events::today(tx, filled.store.clock().now(), "UTC").unwrap() >= 3);
    });
}

#[tokio::test]
async fn demo_data_is_deterministic_and_works_on_any_day() {
    let names = |filled: &Filled| {
        let snapshot = filled.store.snapshot().unwrap();
        let tenant = members::tenant_by_slug(&snapshot, "sol").unwrap();
        let page = snapshot.tenant(tenant, None).page::<Customer>(&Scan::all().limit(400), |_| true).unwrap();
        page.items.into_iter().map(|customer| (customer.value.name, customer.created_at)).collect::<Vec<_>>()
    };
    let one = filled_at(Timestamp::from_millis(NOW)).await;
    let two = filled_at(Timestamp::from_millis(NOW)).await;
    assert_eq!(names(&one), names(&two));
    // New Year's night, and the night in which daylight saving time begins.
    for at in ["2027-01-01T00:00:30Z", "2027-03-28T01:00:00Z"] {
        filled_at(at.parse().unwrap()).await;
    }
}

#[tokio::test]
async fn demo_members_have_the_printed_password() {
    let filled = filled_at(Timestamp::from_millis(NOW)).await;
    let snapshot = filled.store.snapshot().unwrap();
    let ways = sign_ins(&snapshot).unwrap();
    let emails: Vec<&str> = ways.iter().map(|way| way.email.as_str()).collect();
    assert_eq!(emails, ["mira@northwind.example", "carmen@ferreteriasol.example"]);
    for slug in ["northwind", "sol"] {
        let tx = snapshot.tenant(members::tenant_by_slug(&snapshot, slug).unwrap(), None);
        let last = team::rules::all(&tx).unwrap().pop().unwrap();
        let hash = tx.get::<Credentials>(Id::cast(last.id)).unwrap().value.password;
        assert!(filled.passwords.verify(PASSWORD.to_owned(), hash).await.unwrap());
    }
}

#[tokio::test]
async fn fill_does_not_change_a_store_that_has_a_tenant() {
    let filled = filled_at(Timestamp::from_millis(NOW)).await;
    let before = filled.store.snapshot().unwrap().last_change().unwrap();
    fill(&filled.store, &filled.passwords).await.unwrap();
    assert_eq!(filled.store.snapshot().unwrap().last_change().unwrap(), before);
}
