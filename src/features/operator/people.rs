//! Operator commands for members of a tenant.

use crate::{
    access::{
        passwords::{self, Passwords},
        sessions::{self, Session, Sessions},
    },
    features::{
        factors,
        notifications::{self, NotificationDraft, NotificationKind, ParamValue},
        operator::notify_admins,
        team::{self, NewMember, rules},
    },
    kernel::{Result, TenantId},
    mail::{self, Email, Kind},
    people::{
        audit::{self, Event},
        members::{ActiveMember, Company, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, Store, Stored, TenantWrite},
};

/// Adds an active member to a tenant.
/// Errors: `invalid`, also at `password`; `conflict` when the address is taken; `slow_down` when too many passwords are
/// being hashed.
pub async fn create_user(
    store: &Store,
    passwords: &Passwords,
    tenant: TenantId,
    new: NewMember,
    password: String,
) -> Result<Stored<MemberRecord>> {
    // Cheap checks come first, so that an invalid form does not cost a hash.
    let email = new.clone().into_record()?.email;
    let company = Company::of(&store.snapshot()?.tenant(tenant, None))?;
    passwords::check_new_password(&password, &[&new.name, &email, &company.name, &company.slug])?;
    let hash = passwords.hash(password, &email).await?;
    let work = move |tx: &TenantWrite<'_>| {
        let member = rules::add(tx, new, hash)?;
        let event = Event::new("operator.user_create").with("role", member.role.as_str());
        audit_and_notify(tx, event, "server.operator.user_create", &member)?;
        Ok(member)
    };
    store.write(tenant, Actor::Operator, work).await.map(|(member, _)| member)
}

/// Returns all members of a tenant, by name.
pub fn list_users(store: &Store, tenant: TenantId) -> Result<Vec<Stored<MemberRecord>>> {
    rules::all(&store.snapshot()?.tenant(tenant, None))
}

/// Sets the password of the member with an address, ends all their sessions and notifies them, also by e-mail.
/// Errors: `not_found` when no member of the tenant has the address; `invalid` at `password`; `slow_down`.
pub async fn set_password(
    store: &Store,
    passwords: &Passwords,
    sessions: &Sessions,
    tenant: TenantId,
    email: &str,
    password: String,
) -> Result<Stored<MemberRecord>> {
    let id = {
        let snapshot = store.snapshot()?;
        let data = snapshot.tenant(tenant, None);
        let member = rules::by_email(&data, email)?;
        let company = Company::of(&data)?;
        passwords::check_new_password(&password, &[&member.name, email, &company.name, &company.slug])?;
        member.id
    };
    let hash = passwords.hash(password, email).await?;
    let work = move |tx: &TenantWrite<'_>| {
        let member = rules::set_password(tx, id, hash)?;
        audit_and_notify(tx, Event::new("operator.user_set_password"), "server.operator.user_set_password", &member)?;
        let draft = NotificationDraft::new(
            NotificationKind::Security,
            "server.notifications.password_set",
            "/settings/security".to_owned(),
        );
        notifications::notify(tx, &[id], &draft.without_email())?;
        let kind = Kind::PasswordChanged { from: None };
        let email = Email::new(kind, &member.email, &member.name, member.language(&Company::of(tx)?.value));
        mail::queue(tx, email.for_member(id))?;
        Ok(member)
    };
    let (member, _) = store.write(tenant, Actor::Operator, work).await?;
    sessions.forget_all(tenant, id);
    Ok(member)
}

/// Invites a person by e-mail.
/// Errors: `invalid` at `email`; `conflict` when a member who has joined has the address; `slow_down` when the tenant
/// has invited too many.
pub async fn invite(
    store: &Store,
    tenant: TenantId,
    email: String,
    name: Option<String>,
    role: Role,
) -> Result<Stored<MemberRecord>> {
    let work = move |tx: &TenantWrite<'_>| {
        let member = team::ask(tx, &email, name.as_deref(), role)?;
        let event = Event::new("operator.user_invite").with("role", member.role.as_str());
        audit_and_notify(tx, event, "server.operator.user_invite", &member)?;
        Ok(member)
    };
    store.write(tenant, Actor::Operator, work).await.map(|(member, _)| member)
}

/// Changes a member's role. Returns the member, and whether anything changed.
/// Errors: `not_found`; `conflict` when no active owner would be left.
pub async fn set_role(
    store: &Store,
    tenant: TenantId,
    email: &str,
    role: Role,
) -> Result<(Stored<MemberRecord>, bool)> {
    let event = Event::new("operator.user_set_role").with("role", role.as_str());
    change(store, tenant, email, event, "server.operator.user_set_role", move |member| member.role = role).await
}

/// Suspends or resumes a member. Returns the member, and whether anything changed.
/// Errors: `not_found`; `invalid` at `state` for a member who has not joined; `conflict` when no active owner would be
/// left.
pub async fn set_state(
    store: &Store,
    sessions: &Sessions,
    tenant: TenantId,
    email: &str,
    state: MemberState,
) -> Result<(Stored<MemberRecord>, bool)> {
    let (event, key) = if state == MemberState::Active {
        ("operator.user_resume", "server.operator.user_resume")
    } else {
        ("operator.user_suspend", "server.operator.user_suspend")
    };
    let event = Event::new(event);
    let (member, changed) = change(store, tenant, email, event, key, move |member| member.state = state).await?;
    if member.state != MemberState::Active {
        sessions.forget_all(tenant, member.id);
    }
    Ok((member, changed))
}

async fn change(
    store: &Store,
    tenant: TenantId,
    email: &str,
    event: Event,
    key: &'static str,
    change: impl FnOnce(&mut MemberRecord) + Send + 'static,
) -> Result<(Stored<MemberRecord>, bool)> {
    let id = rules::by_email(&store.snapshot()?.tenant(tenant, None), email)?.id;
    let work = move |tx: &TenantWrite<'_>| {
        let before = tx.get::<MemberRecord>(id)?;
        let after = rules::change(tx, id, None, None, change)?;
        if after.version == before.version {
            return Ok((after, false));
        }
        // `rules::change` has already notified the administrators of a promotion to administrator or owner.
        let is_notified = after.role >= Role::Admin && before.role < after.role;
        audit::write(tx, event.about_member(&after))?;
        if !is_notified {
            notify(tx, key, &after)?;
        }
        Ok((after, true))
    };
    store.write(tenant, Actor::Operator, work).await.map(|(changed, _)| changed)
}

/// Returns a member's active sessions, the newest first.
/// Errors: `not_found` when no member of the tenant has the address.
pub fn sessions_of(store: &Store, live: &Sessions, tenant: TenantId, email: &str) -> Result<Vec<Stored<Session>>> {
    let snapshot = store.snapshot()?;
    let tx = snapshot.tenant(tenant, None);
    let member = rules::by_email(&tx, email)?;
    // A member who may not sign in has no sessions.
    let whose = ActiveMember::find(&tx, member.id)?;
    whose.map_or(Ok(Vec::new()), |whose| live.list(&snapshot, &whose))
}

/// Ends all sessions of a member. Returns the member and the number of sessions.
/// Errors: `not_found` when no member of the tenant has the address.
pub async fn end_sessions(
    store: &Store,
    live: &Sessions,
    tenant: TenantId,
    email: &str,
) -> Result<(Stored<MemberRecord>, usize)> {
    let id = rules::by_email(&store.snapshot()?.tenant(tenant, None), email)?.id;
    let work = move |tx: &TenantWrite<'_>| {
        let member = tx.get::<MemberRecord>(id)?;
        let ended = sessions::end_others(tx, id, None)?;
        audit_and_notify(tx, Event::new("operator.user_end_sessions"), "server.operator.user_end_sessions", &member)?;
        Ok((member, ended))
    };
    let (done, _) = store.write(tenant, Actor::Operator, work).await?;
    live.forget_all(tenant, id);
    Ok(done)
}

/// Removes all second factors of a member. Returns the member, and whether there were any.
/// Errors: `not_found` when no member of the tenant has the address.
pub async fn reset_factors(store: &Store, tenant: TenantId, email: &str) -> Result<(Stored<MemberRecord>, bool)> {
    let id = rules::by_email(&store.snapshot()?.tenant(tenant, None), email)?.id;
    let work = move |tx: &TenantWrite<'_>| {
        let member = tx.get::<MemberRecord>(id)?;
        let had = factors::reset_by_operator(tx, &member)?;
        if had {
            let event = Event::new("operator.user_reset_factors");
            audit_and_notify(tx, event, "server.operator.user_reset_factors", &member)?;
        }
        Ok((member, had))
    };
    store.write(tenant, Actor::Operator, work).await.map(|(done, _)| done)
}

/// Writes an audit entry about a member, and notifies the administrators.
fn audit_and_notify(
    tx: &TenantWrite<'_>,
    event: Event,
    key: &'static str,
    member: &Stored<MemberRecord>,
) -> Result<()> {
    audit::write(tx, event.about_member(member))?;
    notify(tx, key, member)
}

fn notify(tx: &TenantWrite<'_>, key: &'static str, member: &Stored<MemberRecord>) -> Result<()> {
    let params = vec![
        ("name", ParamValue::Text(member.name.clone())),
        ("email", ParamValue::Text(member.email.clone())),
        ("role", ParamValue::TextKey(member.role.text_key())),
    ];
    notify_admins(tx, key, "shield-alert", params, "/team/list")
}
