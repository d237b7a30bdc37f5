//! Tests of the printed answers: every answer has texts, and its JSON.

use super::*;
use crate::{
    cli::commands::repair::RepairedRow,
    jobs::{Condition, DegradedReason},
    monitoring::Alert,
};

fn tenant(slug: &str) -> TenantShown {
    TenantShown {
        id: "0192".into(),
        slug: slug.into(),
        name: "Acme Ltd".into(),
        state: "active".into(),
        color_scheme: "teal".into(),
        layout: "modern".into(),
        locale: "en".into(),
        timezone: "UTC".into(),
        region: None,
        domains: vec![],
        members: 1,
    }
}

fn user() -> UserShown {
    UserShown {
        id: "0193".into(),
        tenant: "acme".into(),
        name: "Ada".into(),
        email: "ada@acme.example".into(),
        role: "owner".into(),
        state: "active".into(),
    }
}

fn session() -> SessionShown {
    SessionShown {
        id: "0194".into(),
        device: "Firefox".into(),
        address: "203.0.113.9".into(),
        created_at: "2026-11-21T09:30:00Z".into(),
        seen_at: "2026-11-21T09:30:00Z".into(),
        ends_at: "2026-11-21T21:30:00Z".into(),
    }
}

fn channel(name: &str, failure: Option<&str>) -> ChannelState {
    ChannelState { channel: name.into(), failure: failure.map(Into::into) }
}

fn checked(damages: &[&str]) -> Answer {
    let damages = damages.iter().map(|damage| (*damage).to_owned()).collect();
    Answer::Checked(CheckReport { companies: 1, records: 3, rows: 9, files: 0, damages })
}

fn repair(done: bool, outcome: &str) -> Answer {
    let row =
        RepairedRow { company: "acme".into(), kind: "customer".into(), id: "0196".into(), outcome: outcome.into() };
    let others = vec!["acme: figure #01 does not agree with the records".into()];
    let original = done.then(|| "/data/store.redb.damaged-1".to_owned());
    let damaged_pages = !done && outcome == "left";
    let unreadable = u64::from(damaged_pages);
    Answer::Repaired(RepairShown { done, rows: vec![row], others, rebuilt: 1, damaged_pages, unreadable, original })
}

fn answers() -> Vec<Answer> {
    vec![
        Answer::TenantCreated(TenantMade {
            tenant: tenant("acme"),
            owner_id: "0193".into(),
            owner_email: "ada@acme.example".into(),
        }),
        Answer::Tenant(tenant("acme")),
        Answer::Tenants(vec![tenant("acme"), tenant("a")]),
        Answer::Tenants(vec![]),
        Answer::UserCreated(user()),
        Answer::Users(vec![user()]),
        Answer::Users(vec![]),
        Answer::PasswordSet(user()),
        Answer::TenantUpdated(tenant("acme")),
        Answer::TenantSuspended(tenant("acme")),
        Answer::TenantResumed(tenant("acme")),
        Answer::TenantDeleted(tenant("acme")),
        Answer::TenantExported(TenantExport {
            tenant: tenant("acme"),
            file: "/srv/acme.tenant".into(),
            records: 3,
            files: 1,
            damaged: 1,
        }),
        Answer::TenantImported(TenantImport {
            tenant: tenant("acme"),
            records: 3,
            files: 1,
            domains_left_out: vec!["acme.example".into()],
            left_out: [("passkey".to_owned(), 2)].into(),
        }),
        Answer::BackedUp(BackupShown {
            file: "/srv/all.backup".into(),
            bytes: 1,
            sealed: true,
            companies: 2,
            rows: 3,
            files: 1,
            damaged: 1,
        }),
        Answer::Restored(RestoreShown {
            file: "/srv/all.backup".into(),
            made_at: "2026-11-21T09:30:00Z".into(),
            made_by: "0.1.0".into(),
            companies: 2,
            rows: 3,
            files: 1,
            damaged: 1,
            replaced: Some("/srv/atrium/replaced-20261121T093000Z".into()),
        }),
        Answer::UserInvited(user()),
        Answer::RoleSet(user()),
        Answer::FactorsReset(user()),
        Answer::NoFactors(user()),
        Answer::UserSuspended(user()),
        Answer::UserResumed(user()),
        Answer::UserAlready(user()),
        Answer::UserAlready(UserShown { state: "suspended".into(), ..user() }),
        Answer::RoleAlready(user()),
        Answer::TenantAlready(tenant("acme")),
        Answer::TenantAlready(TenantShown { state: "suspended".into(), ..tenant("acme") }),
        Answer::Sessions(vec![]),
        Answer::Sessions(vec![session()]),
        Answer::SessionsEnded(SessionsEnded { user: user(), ended: 2 }),
        Answer::KeysRotated(KeysRotated { key: "c0ffee".into() }),
        Answer::Mail(vec![]),
        Answer::Mail(vec![EmailShown {
            id: "0195".into(),
            tenant: "acme".into(),
            kind: "reset".into(),
            to: "ada@acme.example".into(),
            state: "kept".into(),
            created_at: "2026-11-21T09:30:00Z".into(),
            attempts: 1,
            next_at: None,
            error: None,
            file: Some("x.eml".into()),
            link: Some("http://127.0.0.1:8080/reset-password#c0ffee".into()),
        }]),
        Answer::TestSent(TestSent { address: "ops@acme.example".into(), file: None }),
        Answer::TestSent(TestSent { address: "ops@acme.example".into(), file: Some("x.eml".into()) }),
        checked(&[]),
        checked(&["one"]),
        repair(false, "left"),
        repair(true, "left"),
        repair(false, "taken"),
        repair(true, "taken"),
        repair(false, "dropped"),
        repair(true, "dropped"),
        repair(false, "rebuilt"),
        repair(true, "rebuilt"),
        Answer::Repaired(RepairShown::default()),
        Answer::Reindexed(Reindexed { documents: 3, damaged: 0 }),
        Answer::Reindexed(Reindexed { documents: 3, damaged: 1 }),
        Answer::Compacted(Compacted { before: 2, after: 1 }),
    ]
}

fn answers_of_monitoring() -> Vec<Answer> {
    vec![
        Answer::Healthy(Box::default()),
        Answer::Healthy(Box::new(HealthShown {
            condition: Condition { reasons: DegradedReason::ALL.to_vec(), ..Condition::default() },
            ..HealthShown::default()
        })),
        Answer::Status(Box::default()),
        Answer::Alerts(Standing::default()),
        Answer::Alerts(Standing {
            channels: vec![channel("mail:ops@acme.example", None), channel("webhook", Some("no answer"))],
            alerts: [("backup".to_owned(), Alert { message: "It failed.".into(), ..Alert::default() })].into(),
        }),
        Answer::AlertsTested(vec![channel("command", None), channel("mail:ops@acme.example", Some("no answer"))]),
    ]
}

fn all_answers() -> impl Iterator<Item = Answer> {
    answers().into_iter().chain(answers_of_monitoring())
}

#[test]
fn every_answer_has_a_text() {
    for answer in all_answers() {
        let text = answer.text();
        assert!(!text.is_empty() && !text.contains("{{"), "{text}");
    }
}

#[test]
fn every_answer_is_json_objects_and_records_have_their_id() {
    for answer in all_answers() {
        let lines = answer.shown(true).unwrap();
        let is_list = matches!(
            answer,
            Answer::Tenants(_) | Answer::Users(_) | Answer::Sessions(_) | Answer::Mail(_) | Answer::AlertsTested(_)
        );
        assert!(is_list || lines.lines().count() == 1, "{lines}");
        let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(objects.iter().all(Value::is_object), "{lines}");
        let value = objects.first().cloned().unwrap_or_default();
        if let Answer::TenantCreated(_)
        | Answer::Tenant(_)
        | Answer::TenantExported(_)
        | Answer::TenantImported(_)
        | Answer::UserCreated(_) = answer
        {
            assert!(value["id"].is_string());
        }
    }
}
