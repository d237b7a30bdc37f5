//! Commands on existing tenants, members, keys and e-mails.

use super::{
    answer::{Answer, LetterShown, SessionShown, TenantImport, TenantShown},
    command::{ChangedTenant, Command, Person},
    execute::{Operator, role, user_shown},
};
use crate::{
    access::sessions::Session,
    features::{
        operator::{self, companies, people},
        tenants::operator::Tenant,
    },
    kernel::{Error, Result, i18n::Locale},
    mail::{Listed, State},
    people::members::{Company, MemberState},
    store::{Actor, Stored},
};

/// Executes a command.
///
/// # Errors
/// Violated rules of tenants and members; `busy` or `internal` when store, index or mail fail.
pub async fn perform(operator: &Operator, command: Command) -> Result<Answer> {
    let store = &operator.store;
    match command {
        Command::UpdateTenant(form) => update_tenant(operator, form).await.map(Answer::TenantUpdated),
        Command::SuspendTenant { slug } => {
            let before = operator.tenant(&slug)?;
            let company = companies::suspend(store, before.id).await?;
            turned(operator, &before, company, Answer::TenantSuspended)
        }
        Command::ResumeTenant { slug } => {
            let before = operator.tenant(&slug)?;
            let company = companies::resume(store, before.id).await?;
            turned(operator, &before, company, Answer::TenantResumed)
        }
        Command::ImportTenant { file, slug } => {
            let done = operator::import(&operator.eraser, file, slug, operator.notifier.round()).await?;
            let left_out = done.left_out.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
            let (tenant, domains_left_out) = (operator.shown(&done.tenant)?, done.domains);
            let (records, files) = (done.records, done.files);
            Ok(Answer::TenantImported(TenantImport { tenant, records, files, domains_left_out, left_out }.into()))
        }
        Command::DeleteTenant { slug } => {
            let tenant = operator.tenant(&slug)?;
            let shown = operator.shown(&tenant)?;
            operator.eraser.erase(tenant.id, Actor::Operator).await?;
            // The tenant's audit log was erased as well, so the server's log is the only record.
            tracing::warn!(id = shown.id, slug, members = shown.members, "the operator erased a company");
            Ok(Answer::TenantDeleted(shown))
        }
        Command::InviteUser(form) => {
            let tenant = operator.tenant(&form.tenant)?;
            let user = people::invite(store, tenant.id, form.email, form.name, role(&form.role)?).await?;
            Ok(Answer::UserInvited(user_shown(&tenant, user)))
        }
        Command::SetRole { who, role: word } => {
            let tenant = operator.tenant(&who.tenant)?;
            let (user, changed) = people::set_role(store, tenant.id, &who.email, role(&word)?).await?;
            let user = user_shown(&tenant, user);
            Ok(if changed { Answer::RoleSet(user) } else { Answer::RoleAlready(user) })
        }
        Command::SuspendUser(who) => set_state(operator, who, MemberState::Suspended, Answer::UserSuspended).await,
        Command::ResumeUser(who) => set_state(operator, who, MemberState::Active, Answer::UserResumed).await,
        Command::ListSessions(who) => {
            let tenant = operator.tenant(&who.tenant)?;
            let sessions = people::sessions_of(store, operator.auth.sessions(), tenant.id, &who.email)?;
            Ok(Answer::Sessions(sessions.iter().map(session_shown).collect()))
        }
        Command::EndSessions(who) => {
            let tenant = operator.tenant(&who.tenant)?;
            let (user, ended) = people::end_sessions(store, operator.auth.sessions(), tenant.id, &who.email).await?;
            Ok(Answer::SessionsEnded { user: user_shown(&tenant, user), ended })
        }
        Command::RotateKeys { at_once } => {
            let key = operator.auth.tokens().rotate(store.entropy(), at_once)?;
            tracing::warn!(key, at_once, "the operator changed the key of access tokens");
            Ok(Answer::KeysRotated { key })
        }
        Command::ListMail => {
            let snapshot = store.snapshot()?;
            let shown = |listed: Listed| {
                let slug = Company::of(&snapshot.tenant(listed.tenant, None)).map(|company| company.value.slug);
                letter_shown(slug.unwrap_or_default(), listed)
            };
            Ok(Answer::Mail(operator.mailer.list()?.into_iter().map(shown).collect()))
        }
        Command::SendTest { address, locale } => {
            let locale = Locale::parse(&locale).unwrap_or(Locale::EN);
            let file = operator.mailer.send_test(&address, locale).await?;
            Ok(Answer::TestSent { address, file })
        }
        _ => Err(Error::internal("a command that nobody does")),
    }
}

async fn update_tenant(operator: &Operator, form: ChangedTenant) -> Result<TenantShown> {
    let id = operator.tenant(&form.tenant)?.id;
    operator.auth.refuse_own_hosts(form.changes.domains.as_deref().unwrap_or_default())?;
    let company = companies::update(&operator.store, id, form.changes).await?;
    operator.shown(&Tenant { id, company })
}

/// Returns the answer to a suspend or resume, which may have changed nothing.
fn turned(
    operator: &Operator,
    before: &Tenant,
    company: Stored<Company>,
    answer: impl FnOnce(TenantShown) -> Answer,
) -> Result<Answer> {
    let changed = company.version != before.company.version;
    let shown = operator.shown(&Tenant { id: before.id, company })?;
    Ok(if changed { answer(shown) } else { Answer::TenantAlready(shown) })
}

async fn set_state(
    operator: &Operator,
    who: Person,
    state: MemberState,
    answer: impl FnOnce(super::answer::UserShown) -> Answer,
) -> Result<Answer> {
    let tenant = operator.tenant(&who.tenant)?;
    let sessions = operator.auth.sessions();
    let (user, changed) = people::set_state(&operator.store, sessions, tenant.id, &who.email, state).await?;
    let user = user_shown(&tenant, user);
    Ok(if changed { answer(user) } else { Answer::UserAlready(user) })
}

fn session_shown(session: &Stored<Session>) -> SessionShown {
    SessionShown {
        id: session.id.to_string(),
        device: session.device.clone(),
        address: session.address.clone(),
        created_at: session.created_at.to_string(),
        seen_at: session.seen_at.to_string(),
        ends_at: session.ends_at.to_string(),
    }
}

fn letter_shown(tenant: String, listed: Listed) -> LetterShown {
    let Listed { letter, file, link, .. } = listed;
    LetterShown {
        id: letter.id.to_string(),
        tenant,
        kind: letter.kind.word().to_owned(),
        created_at: letter.created_at.to_string(),
        attempts: letter.attempts,
        next_at: (letter.state == State::Waiting).then(|| letter.due.to_string()),
        state: letter.state.word().to_owned(),
        to: letter.value.to,
        error: letter.value.error,
        file,
        link,
    }
}
