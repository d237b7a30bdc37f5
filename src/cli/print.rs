//! Output of answers: sentences and tables for people, one JSON object for scripts.

use serde_json::{Value, json};

use super::answer::{
    Answer, BackupShown, HealthShown, LetterShown, RepairShown, RestoreShown, SessionShown, TenantExport, TenantImport,
    TenantShown, UserShown,
};
use crate::kernel::i18n::{Locale, say};

/// Returns an answer as one JSON object. A record has its `id`; a list has its `items`.
pub fn as_json(answer: &Answer) -> serde_json::Result<Value> {
    Ok(match answer {
        Answer::TenantCreated(made) => serde_json::to_value(made)?,
        Answer::Tenant(tenant)
        | Answer::TenantUpdated(tenant)
        | Answer::TenantSuspended(tenant)
        | Answer::TenantResumed(tenant)
        | Answer::TenantAlready(tenant)
        | Answer::TenantDeleted(tenant) => serde_json::to_value(tenant)?,
        Answer::TenantExported(done) => serde_json::to_value(done)?,
        Answer::TenantImported(done) => serde_json::to_value(done)?,
        Answer::BackedUp(done) => serde_json::to_value(done)?,
        Answer::Restored(done) => serde_json::to_value(done)?,
        Answer::UserCreated(user)
        | Answer::PasswordSet(user)
        | Answer::UserInvited(user)
        | Answer::RoleSet(user)
        | Answer::UserSuspended(user)
        | Answer::UserResumed(user)
        | Answer::UserAlready(user)
        | Answer::RoleAlready(user) => serde_json::to_value(user)?,
        Answer::Sessions(sessions) => json!({ "items": sessions }),
        Answer::SessionsEnded { user, ended } => json!({ "id": user.id, "ended": ended }),
        Answer::KeysRotated { key } => json!({ "id": key }),
        Answer::Mail(letters) => json!({ "items": letters }),
        Answer::TestSent { address, file } => json!({ "address": address, "file": file }),
        Answer::Tenants(tenants) => json!({ "items": tenants }),
        Answer::Users(users) => json!({ "items": users }),
        Answer::Checked(report) => serde_json::to_value(report)?,
        Answer::Repaired(repair) => serde_json::to_value(repair)?,
        Answer::Reindexed { documents, damaged } => json!({ "documents": documents, "damaged": damaged }),
        Answer::Compacted { before, after } => json!({ "before": before, "after": after }),
        Answer::Healthy(health) => {
            let mut value = serde_json::to_value(health)?;
            value["status"] = if health.condition.reasons.is_empty() { "ok" } else { "degraded" }.into();
            value
        }
    })
}

/// Returns an answer as text, without a line break at the end.
#[must_use]
pub fn as_text(answer: &Answer, locale: Locale) -> String {
    let words = |key: &str, gaps: &[(&'static str, String)]| say(locale, &format!("server.cli.{key}"), gaps);
    match answer {
        Answer::TenantCreated(made) => words(
            "tenant_created",
            &[
                ("name", made.tenant.name.clone()),
                ("slug", made.tenant.slug.clone()),
                ("email", made.owner_email.clone()),
            ],
        ),
        Answer::Tenant(tenant) => pairs(&[
            ("id", &tenant.id),
            ("slug", &tenant.slug),
            ("name", &tenant.name),
            ("state", &tenant.state),
            ("color_scheme", &tenant.color_scheme),
            ("layout", &tenant.layout),
            ("locale", &tenant.locale),
            ("timezone", &tenant.timezone),
            ("domains", &tenant.domains.join(", ")),
            ("members", &tenant.members.to_string()),
        ]),
        Answer::Tenants(tenants) => table(tenants, &words("no_tenants", &[]), |tenant: &TenantShown| {
            // A damaged record has only its id.
            let slug = if tenant.slug.is_empty() { &tenant.id } else { &tenant.slug };
            vec![slug.clone(), tenant.name.clone(), tenant.state.clone(), tenant.members.to_string()]
        }),
        Answer::TenantUpdated(tenant) => words("tenant_updated", &of_tenant(tenant)),
        Answer::TenantSuspended(tenant) => words("tenant_suspended", &of_tenant(tenant)),
        Answer::TenantResumed(tenant) => words("tenant_resumed", &of_tenant(tenant)),
        Answer::TenantAlready(tenant) if tenant.state == "active" => words("tenant_already_active", &of_tenant(tenant)),
        Answer::TenantAlready(tenant) => words("tenant_already_suspended", &of_tenant(tenant)),
        Answer::TenantDeleted(tenant) => words("tenant_deleted", &of_tenant(tenant)),
        Answer::TenantExported(done) => exported(done, &words),
        Answer::TenantImported(done) => imported(done, &words),
        Answer::BackedUp(done) => backed_up(done, &words),
        Answer::Restored(done) => restored(done, &words),
        Answer::UserCreated(user) => words("user_created", &of_user(user)),
        Answer::UserInvited(user) => words("user_invited", &of_user(user)),
        Answer::RoleSet(user) => words("role_set", &of_user(user)),
        Answer::UserSuspended(user) => words("user_suspended", &of_user(user)),
        Answer::UserResumed(user) => words("user_resumed", &of_user(user)),
        Answer::UserAlready(user) if user.state == "active" => words("user_already_active", &of_user(user)),
        Answer::UserAlready(user) => words("user_already_suspended", &of_user(user)),
        Answer::RoleAlready(user) => words("role_already", &of_user(user)),
        Answer::Sessions(sessions) => table(sessions, &words("no_sessions", &[]), |session: &SessionShown| {
            vec![session.seen_at.clone(), session.address.clone(), session.device.clone()]
        }),
        Answer::SessionsEnded { user, ended } => {
            words("sessions_ended", &[("email", user.email.clone()), ("ended", ended.to_string())])
        }
        Answer::KeysRotated { key } => words("keys_rotated", &[("key", key.clone())]),
        Answer::Mail(letters) => table(letters, &words("no_mail", &[]), letter),
        Answer::TestSent { address, file: None } => words("test_sent", &[("address", address.clone())]),
        Answer::TestSent { file: Some(file), .. } => words("test_kept", &[("file", file.clone())]),
        Answer::Users(users) => table(users, &words("no_users", &[]), |user: &UserShown| {
            vec![user.email.clone(), user.name.clone(), user.role.clone(), user.state.clone()]
        }),
        Answer::PasswordSet(user) => words("password_set", &[("email", user.email.clone())]),
        Answer::Checked(report) => {
            let key = if report.damages.is_empty() { "check_clean" } else { "check_damaged" };
            let gaps = [
                ("companies", report.companies.to_string()),
                ("rows", report.rows.to_string()),
                ("files", report.files.to_string()),
                ("damages", report.damages.len().to_string()),
            ];
            let mut lines = vec![words(key, &gaps)];
            lines.extend(report.damages.iter().map(|damage| format!("  {damage}")));
            if !report.damages.is_empty() {
                lines.push(words("check_next", &[]));
            }
            lines.join("\n")
        }
        Answer::Repaired(repair) => repaired(repair, &words),
        Answer::Reindexed { documents, damaged } => {
            let mut lines = vec![words("reindexed", &[("documents", documents.to_string())])];
            if *damaged > 0 {
                lines.push(words("reindexed_damaged", &[("damaged", damaged.to_string())]));
            }
            lines.join("\n")
        }
        Answer::Compacted { before, after } => {
            let megabytes = |bytes: &u64| bytes.div_ceil(1_000_000).to_string();
            words("compacted", &[("before", megabytes(before)), ("after", megabytes(after))])
        }
        Answer::Healthy(health) => degraded(health, &words),
    }
}

/// Translates a text of `server.cli` and fills in its parameters.
type Words<'w> = dyn Fn(&str, &[(&'static str, String)]) -> String + 'w;

fn degraded(health: &HealthShown, words: &Words<'_>) -> String {
    let reasons = &health.condition.reasons;
    if reasons.is_empty() {
        return words("healthy", &[]);
    }
    let mut lines = vec![words("degraded", &[])];
    lines.extend(reasons.iter().map(|reason| {
        let gaps = [
            ("damaged", health.condition.damaged.to_string()),
            ("error", health.condition.backup_error.clone().unwrap_or_default()),
            ("letters", health.condition.mail_waiting.to_string()),
            ("changes", health.condition.index_behind.to_string()),
            ("megabytes", (health.condition.disk_free.unwrap_or_default() / 1_000_000).to_string()),
        ];
        format!("  {}", words(&format!("reasons.{}", reason.word()), &gaps))
    }));
    lines.join("\n")
}

fn exported(done: &TenantExport, words: &Words<'_>) -> String {
    let (records, files) = (done.records.to_string(), done.files.to_string());
    let gaps = [("file", done.file.clone()), ("records", records), ("files", files)];
    let mut lines = vec![words("tenant_exported", &[&of_tenant(&done.tenant)[..], &gaps[..]].concat())];
    if done.damaged > 0 {
        lines.push(words("tenant_exported_damaged", &[("damaged", done.damaged.to_string())]));
    }
    lines.join("\n")
}

fn imported(done: &TenantImport, words: &Words<'_>) -> String {
    let gaps = [("records", done.records.to_string()), ("files", done.files.to_string())];
    let mut lines = vec![words("tenant_imported", &[&of_tenant(&done.tenant)[..], &gaps[..]].concat())];
    if !done.domains_left_out.is_empty() {
        lines.push(words("tenant_imported_domains", &[("domains", done.domains_left_out.join(", "))]));
    }
    if !done.left_out.is_empty() {
        let kinds: Vec<String> = done.left_out.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
        lines.push(words("tenant_imported_left_out", &[("kinds", kinds.join(", "))]));
    }
    lines.join("\n")
}

fn backed_up(done: &BackupShown, words: &Words<'_>) -> String {
    let gaps = [
        ("file", done.file.clone()),
        ("companies", done.companies.to_string()),
        ("rows", done.rows.to_string()),
        ("files", done.files.to_string()),
        ("megabytes", done.bytes.div_ceil(1_000_000).to_string()),
    ];
    let mut lines = vec![words("backed_up", &gaps)];
    lines.push(words(if done.sealed { "backed_up_sealed" } else { "backed_up_open" }, &[]));
    if done.damaged > 0 {
        lines.push(words("backed_up_damaged", &[("damaged", done.damaged.to_string())]));
    }
    lines.join("\n")
}

fn repaired(repair: &RepairShown, words: &Words<'_>) -> String {
    let pages = repair.damaged_pages || repair.original.is_some();
    if repair.rows.is_empty() && repair.others.is_empty() && repair.rebuilt == 0 && !pages {
        return words("repair_nothing", &[]);
    }
    let prefix = if repair.done { "repair_done" } else { "repair_would" };
    let mut lines = Vec::new();
    if let Some(file) = &repair.original {
        lines.push(words("repair_rewritten", &[("file", file.clone())]));
    }
    for row in &repair.rows {
        let gaps = [("company", row.company.clone()), ("kind", row.kind.clone()), ("id", row.id.clone())];
        lines.push(words(&format!("{prefix}_{}", row.outcome), &gaps));
    }
    lines.extend(repair.others.iter().map(|other| words("repair_other", &[("what", other.clone())])));
    if repair.done {
        lines.push(words("repair_rebuilt", &[("rows", repair.rebuilt.to_string())]));
    } else if repair.damaged_pages {
        lines.push(words("repair_unreadable", &[("places", repair.unreadable.to_string())]));
    } else {
        lines.push(words("repair_dry", &[]));
    }
    if repair.rows.iter().any(|row| row.outcome == "left") {
        lines.push(words("repair_left", &[]));
    }
    lines.join("\n")
}

fn restored(done: &RestoreShown, words: &Words<'_>) -> String {
    let gaps = [
        ("at", done.made_at.clone()),
        ("companies", done.companies.to_string()),
        ("rows", done.rows.to_string()),
        ("files", done.files.to_string()),
    ];
    let mut lines = vec![words("restored", &gaps)];
    if let Some(folder) = &done.replaced {
        lines.push(words("restored_replaced", &[("folder", folder.clone())]));
    }
    if done.damaged > 0 {
        lines.push(words("restored_damaged", &[("damaged", done.damaged.to_string())]));
    }
    lines.join("\n")
}

fn of_tenant(tenant: &TenantShown) -> [(&'static str, String); 2] {
    [("name", tenant.name.clone()), ("slug", tenant.slug.clone())]
}

fn of_user(user: &UserShown) -> [(&'static str, String); 4] {
    [
        ("name", user.name.clone()),
        ("email", user.email.clone()),
        ("tenant", user.tenant.clone()),
        ("role", user.role.clone()),
    ]
}

/// Returns the table row of an e-mail. The last column is its link, its file or its error.
fn letter(letter: &LetterShown) -> Vec<String> {
    let about = [letter.link.as_ref(), letter.file.as_ref(), letter.error.as_ref()].into_iter().flatten().next();
    vec![
        letter.created_at.clone(),
        letter.tenant.clone(),
        letter.state.clone(),
        letter.kind.clone(),
        letter.to.clone(),
        about.cloned().unwrap_or_default(),
    ]
}

/// Formats names and values, one pair a line.
fn pairs(pairs: &[(&str, &str)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name:width$}  {value}").trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Formats rows with aligned columns, or returns `none` when there are no rows.
fn table<T>(items: &[T], none: &str, row: impl Fn(&T) -> Vec<String>) -> String {
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    if rows.is_empty() {
        return none.to_owned();
    }
    let mut widths = Vec::new();
    for row in &rows {
        widths.resize(row.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::answer::{CheckReport, RepairedRow, TenantMade},
        jobs::{Condition, Reason},
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
        Answer::Repaired(Box::new(RepairShown {
            done,
            rows: vec![row],
            others,
            rebuilt: 1,
            damaged_pages,
            unreadable,
            original,
        }))
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
            Answer::TenantExported(Box::new(TenantExport {
                tenant: tenant("acme"),
                file: "/srv/acme.tenant".into(),
                records: 3,
                files: 1,
                damaged: 1,
            })),
            Answer::TenantImported(Box::new(TenantImport {
                tenant: tenant("acme"),
                records: 3,
                files: 1,
                domains_left_out: vec!["acme.example".into()],
                left_out: [("passkey".to_owned(), 2)].into(),
            })),
            Answer::BackedUp(Box::new(BackupShown {
                file: "/srv/all.backup".into(),
                bytes: 1,
                sealed: true,
                companies: 2,
                rows: 3,
                files: 1,
                damaged: 1,
            })),
            Answer::Restored(Box::new(RestoreShown {
                file: "/srv/all.backup".into(),
                made_at: "2026-11-21T09:30:00Z".into(),
                made_by: "0.1.0".into(),
                companies: 2,
                rows: 3,
                files: 1,
                damaged: 1,
                replaced: Some("/srv/atrium/replaced-20261121T093000Z".into()),
            })),
            Answer::UserInvited(user()),
            Answer::RoleSet(user()),
            Answer::UserSuspended(user()),
            Answer::UserResumed(user()),
            Answer::UserAlready(user()),
            Answer::UserAlready(UserShown { state: "suspended".into(), ..user() }),
            Answer::RoleAlready(user()),
            Answer::TenantAlready(tenant("acme")),
            Answer::TenantAlready(TenantShown { state: "suspended".into(), ..tenant("acme") }),
            Answer::Sessions(vec![]),
            Answer::Sessions(vec![session()]),
            Answer::SessionsEnded { user: user(), ended: 2 },
            Answer::KeysRotated { key: "c0ffee".into() },
            Answer::Mail(vec![]),
            Answer::Mail(vec![LetterShown {
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
            Answer::TestSent { address: "ops@acme.example".into(), file: None },
            Answer::TestSent { address: "ops@acme.example".into(), file: Some("x.eml".into()) },
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
            Answer::Repaired(Box::default()),
            Answer::Reindexed { documents: 3, damaged: 0 },
            Answer::Reindexed { documents: 3, damaged: 1 },
            Answer::Compacted { before: 2, after: 1 },
            Answer::Healthy(Box::default()),
            Answer::Healthy(Box::new(HealthShown {
                condition: Condition { reasons: Reason::ALL.to_vec(), ..Condition::default() },
                ..HealthShown::default()
            })),
        ]
    }

    #[test]
    fn every_answer_has_its_words_in_every_language() {
        for answer in answers() {
            for locale in [Locale::EN, Locale::ES] {
                let text = as_text(&answer, locale);
                assert!(!text.is_empty() && !text.contains(".cli.") && !text.contains("{{"), "{text}");
            }
        }
    }

    #[test]
    fn every_answer_is_one_json_object_and_records_have_their_id() {
        for answer in answers() {
            let value = as_json(&answer).unwrap();
            assert!(value.is_object());
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

    #[test]
    fn columns_are_aligned() {
        let text = as_text(&Answer::Tenants(vec![tenant("acme"), tenant("a")]), Locale::EN);
        assert_eq!(text, "acme  Acme Ltd  active  1\na     Acme Ltd  active  1");
    }
}
