//! Tenants and members, as created by operator commands.

use super::{NewTenant, Owner, operator};
use crate::{
    access::{
        passwords::Passwords,
        sessions::{Device, NewSession, Session, Sessions, Verified},
    },
    features::{operator::people, team::NewMember},
    kernel::{Clock, Code, Entropy, Timestamp},
    people::{
        members::{Company, Credentials, MemberRecord, MemberState},
        permission::Role,
        region::RegionChoice,
    },
    store::Store,
};

fn new_session() -> NewSession {
    NewSession { remember: false, device: Device::default(), on_new_device: None }
}

const PASSWORD: &str = "correct horse battery";

struct Fixture {
    store: Store,
    passwords: Passwords,
    _dir: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let store = Store::open(&dir.path().join("store.redb"), clock, Entropy::seeded(1)).unwrap();
    let passwords = Passwords::with_cost([2; 32], 64, 1).unwrap();
    Fixture { store, passwords, _dir: dir }
}

fn acme() -> NewTenant {
    NewTenant {
        slug: "acme".into(),
        name: "Acme Ltd".into(),
        color_scheme: Some("teal".into()),
        layout: None,
        locale: None,
        timezone: Some("Europe/Madrid".into()),
        region: RegionChoice::default(),
        domains: vec!["Work.Acme.example".into()],
        owner: Owner { name: "Ada".into(), email: "Ada@acme.example".into() },
    }
}

#[tokio::test]
async fn created_tenant_has_an_owner_and_is_found_by_its_slug() {
    let f = fixture();
    let (tenant, owner) = operator::create(&f.store, &f.passwords, acme(), PASSWORD.into()).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let shown = operator::show(&snapshot, "acme").unwrap();
    assert_eq!((shown.id, &shown.company), (tenant.id, &tenant.company));
    assert_eq!(shown.company.domains, ["work.acme.example"]);
    assert_eq!((shown.company.layout.as_str(), shown.company.locale.as_str()), ("modern", "en"));
    assert_eq!((owner.role, owner.state, owner.email.as_str()), (Role::Owner, MemberState::Active, "ada@acme.example"));
    let kept = snapshot.tenant(tenant.id, None).get::<Credentials>(owner.id).unwrap();
    assert!(f.passwords.verify(PASSWORD.into(), kept.value.password).await.unwrap());
    assert_eq!(operator::show(&snapshot, "other").unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn slugs_and_domains_are_unique_on_the_installation() {
    let f = fixture();
    operator::create(&f.store, &f.passwords, acme(), PASSWORD.into()).await.unwrap();
    let again = operator::create(&f.store, &f.passwords, acme(), PASSWORD.into()).await.unwrap_err();
    assert_eq!((again.code(), again.fields()[0].0.as_str()), (Code::Conflict, "slug"));
    let other = NewTenant { slug: "beta".into(), ..acme() };
    let error = operator::create(&f.store, &f.passwords, other.clone(), PASSWORD.into()).await.unwrap_err();
    assert_eq!((error.code(), error.fields()[0].0.as_str()), (Code::Conflict, "domains"));
    let other = NewTenant { domains: Vec::new(), ..other };
    operator::create(&f.store, &f.passwords, other, PASSWORD.into()).await.unwrap();
    let slugs: Vec<String> = operator::list(&f.store.snapshot().unwrap())
        .unwrap()
        .into_iter()
        .map(|tenant| tenant.company.value.slug)
        .collect();
    assert_eq!(slugs, ["acme", "beta"]);
}

#[tokio::test]
async fn invalid_form_reports_all_fields_and_creates_nothing() {
    let f = fixture();
    let bad = NewTenant {
        slug: "Acme!".into(),
        name: " ".into(),
        color_scheme: Some("pinkish".into()),
        layout: Some("wide".into()),
        locale: Some("xx".into()),
        timezone: Some("Mars/Olympus".into()),
        region: RegionChoice { phone_country: Some("UK".into()), ..RegionChoice::default() },
        domains: vec!["acme.example:80".into()],
        owner: Owner { name: String::new(), email: "ada".into() },
    };
    let error = operator::create(&f.store, &f.passwords, bad, PASSWORD.into()).await.unwrap_err();
    let mut fields: Vec<&str> = error.fields().iter().map(|(path, _)| path.as_str()).collect();
    fields.sort_unstable();
    let expected = [
        "color_scheme",
        "domains.0",
        "layout",
        "locale",
        "name",
        "ownerEmail",
        "ownerName",
        "region.phoneCountry",
        "slug",
        "timezone",
    ];
    assert_eq!((error.code(), fields.as_slice()), (Code::Invalid, expected.as_slice()));
    let easy = operator::create(&f.store, &f.passwords, acme(), "password1234".into()).await.unwrap_err();
    assert_eq!(easy.fields()[0].0, "password");
    assert!(operator::list(&f.store.snapshot().unwrap()).unwrap().is_empty());
}

#[tokio::test]
async fn operator_adds_members_and_a_new_password_ends_their_sessions() {
    let f = fixture();
    let (acme, _) = operator::create(&f.store, &f.passwords, acme(), PASSWORD.into()).await.unwrap();
    let ben = NewMember::new("Ben", "ben@acme.example", Role::Member);
    let ben = people::create_user(&f.store, &f.passwords, acme.id, ben, PASSWORD.into()).await.unwrap();
    let again = NewMember::new("Benjamin", "BEN@acme.example", Role::Viewer);
    let error = people::create_user(&f.store, &f.passwords, acme.id, again, PASSWORD.into()).await.unwrap_err();
    assert_eq!((error.code(), error.fields()[0].0.as_str()), (Code::Conflict, "email"));
    let names: Vec<String> =
        people::list_users(&f.store, acme.id).unwrap().into_iter().map(|user| user.value.name).collect();
    assert_eq!(names, ["Ada", "Ben"]);

    let sessions = Sessions::load(f.store.clone()).unwrap();
    let hash = |store: &Store| {
        let kept = store.snapshot().unwrap().tenant(acme.id, None).get::<Credentials>(ben.id).unwrap();
        Verified { tenant: acme.id, member: ben.id, hash: Some(kept.value.password), second_factor: false }
    };
    sessions.open(hash(&f.store), new_session()).await.unwrap();
    let checked = hash(&f.store);
    let email = "Ben@ACME.example";
    let new = "another long passphrase";
    people::set_password(&f.store, &f.passwords, &sessions, acme.id, email, new.into()).await.unwrap();
    assert_eq!(sessions.last_seen(acme.id, ben.id), None, "no session is left");
    let late = sessions.open(checked, new_session()).await.unwrap_err();
    assert_eq!(late.code(), Code::InvalidCredentials, "the old password was checked before the new one was set");
    assert_eq!(f.store.snapshot().unwrap().tenant(acme.id, None).count::<Session>().unwrap(), 0);
    let snapshot = f.store.snapshot().unwrap();
    let kept = snapshot.tenant(acme.id, None).get::<Credentials>(ben.id).unwrap();
    assert!(f.passwords.verify(new.into(), kept.value.password).await.unwrap());
    let nobody = people::set_password(&f.store, &f.passwords, &sessions, acme.id, "x@acme.example", new.into()).await;
    assert_eq!(nobody.unwrap_err().code(), Code::NotFound);
    assert_eq!(snapshot.tenant(acme.id, None).count::<MemberRecord>().unwrap(), 2);
}

#[test]
fn reads_a_tenant_stored_without_a_support_link() {
    let kept = serde_json::json!({
        "slug": "acme", "name": "Acme Ltd", "color_scheme": "teal", "layout": "modern", "locale": "en",
        "timezone": "UTC", "domains": ["work.acme.example"], "state": "active",
    });
    let read: Company = rmp_serde::from_slice(&rmp_serde::to_vec_named(&kept).unwrap()).unwrap();
    assert_eq!((read.name.as_str(), &read.support_link), ("Acme Ltd", &None));
    assert_eq!((read.idle_minutes, read.second_factor.grace_days, read.closed_at), (30, 7, None));
    assert!(!read.second_factor.required && !read.joining.enabled);
    // Absent values are not written, so that an older Atrium can read the record too.
    assert_eq!(serde_json::to_value(&read).unwrap(), kept);
}
