//! Audit entries, notifications and e-mails about changes to second factors.

use std::net::IpAddr;

use crate::{
    access::factors,
    features::{
        notifications::{self, NotificationDraft, NotificationKind},
        team,
    },
    kernel::{Code, Error, MemberId, Result},
    mail::{self, Email, FactorChange, Kind},
    people::{
        audit::{self, Event},
        members::{Company, MemberRecord},
    },
    store::{Stored, TenantWrite},
};

/// A change to a member's second factors.
#[derive(Clone, Copy)]
pub enum Change {
    /// An authenticator app was set up.
    AppAdded,
    /// An authenticator app was removed.
    AppRemoved,
    /// Recovery codes were renewed.
    NewCodes,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// An administrator removed all second factors.
    Reset,
}

impl Change {
    const fn in_email(self) -> FactorChange {
        match self {
            Self::AppAdded => FactorChange::TotpAdded,
            Self::AppRemoved => FactorChange::TotpRemoved,
            Self::NewCodes => FactorChange::RecoveryCodes,
            Self::PasskeyAdded => FactorChange::PasskeyAdded,
            Self::PasskeyRemoved => FactorChange::PasskeyRemoved,
            Self::Reset => FactorChange::Reset,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::AppAdded => "app_added",
            Self::AppRemoved => "app_removed",
            Self::NewCodes => "new_codes",
            Self::PasskeyAdded => "passkey_added",
            Self::PasskeyRemoved => "passkey_removed",
            Self::Reset => "reset",
        }
    }

    fn event(self) -> Event {
        match self {
            Self::AppAdded => Event::new("factor.added"),
            Self::AppRemoved => Event::new("factor.removed"),
            Self::NewCodes => Event::new("factor.codes"),
            Self::PasskeyAdded => Event::new("passkey.added"),
            Self::PasskeyRemoved => Event::new("passkey.removed"),
            Self::Reset => Event::new("factor.reset"),
        }
    }
}

/// Writes an audit entry for a change, and notifies the member in the application and by e-mail, in case it was not
/// them.
pub fn changed(tx: &TenantWrite<'_>, member: MemberId, change: Change, name: Option<&str>, from: IpAddr) -> Result<()> {
    let whose = tx.get::<MemberRecord>(member)?;
    let mut event = change.event().about_member(&whose).from_address(from.to_string());
    if let Some(name) = name {
        event = event.with("name", name);
    }
    audit::write(tx, event)?;
    let params = [("name", name.unwrap_or_default().to_owned()), ("address", from.to_string())];
    notify(tx, &whose, change, params)
}

/// Notifies the member in the application and by e-mail.
fn notify(
    tx: &TenantWrite<'_>,
    whose: &Stored<MemberRecord>,
    change: Change,
    params: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<()> {
    let words = format!("server.factors.{}", change.word());
    let draft =
        NotificationDraft::new(NotificationKind::Security, &words, "/settings/security".to_owned()).without_email();
    let draft = params.into_iter().fold(draft, |draft, (name, value)| draft.with_text(name, value));
    notifications::notify(tx, &[whose.id], &draft)?;
    let locale = whose.language(&Company::of(tx)?.value);
    let kind = Kind::FactorChanged { change: change.in_email() };
    let email = Email::new(kind, &whose.email, &whose.name, locale).for_member(whose.id);
    mail::queue(tx, email).map(drop)
}

/// Removes all second factors of a member who lost the device.
/// Errors: `not_found`; `forbidden` for an owner when the actor is not one, and for the actor's own factors.
pub fn reset(tx: &TenantWrite<'_>, id: MemberId, from: IpAddr) -> Result<()> {
    let whose = tx.get::<MemberRecord>(id)?;
    team::rules::may_touch(team::rules::acting(tx)?, whose.role)?;
    if Some(whose.id) == tx.me() {
        // Members remove their own second factors with their password.
        return Err(Error::new(Code::Forbidden));
    }
    if factors::remove_all(tx, id)? {
        changed(tx, id, Change::Reset, None, from)?;
    }
    Ok(())
}

/// Removes all second factors of a member for the operator, and notifies the member. Returns whether there were any.
pub fn reset_by_operator(tx: &TenantWrite<'_>, whose: &Stored<MemberRecord>) -> Result<bool> {
    let had = factors::remove_all(tx, whose.id)?;
    if had {
        notify(tx, whose, Change::Reset, [])?;
    }
    Ok(had)
}
