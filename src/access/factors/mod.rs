//! Second factors: an authenticator app with recovery codes, and passkeys. Stores what a member has set up, and
//! verifies what they present at the sign-in.

mod challenges;
mod passkeys;
mod record;
mod recovery;
mod sign_in;
mod totp;

pub(super) use self::challenges::{CHALLENGE_SECONDS, Challenges};
use self::record::{App, Pending, Secret};
#[cfg(test)]
pub(crate) use self::totp::code_at;
pub use self::{
    passkeys::Assertion,
    record::{Factors, Passkey, passkeys as passkeys_of},
    sign_in::{NewPasskey, PasskeyChallenge},
    totp::{Enrolment, Picture},
};
use crate::{
    kernel::{Code, Entropy, Error, Id, MemberId, Result, Timestamp},
    people::members::{Company, Credentials},
    store::{Stored, TenantRead, TenantWrite},
};

/// Milliseconds within which a new authenticator app must be confirmed by its first code.
const ENROLMENT_MILLIS: i64 = 15 * 60_000;

/// Challenges for passkeys, of registrations and of sign-ins.
#[derive(Default)]
pub(crate) struct PasskeyChallenges {
    pub(crate) registrations: Challenges<passkeys::Making>,
    pub(crate) sign_ins: Challenges<passkeys::Asking>,
}

/// What a person presents besides the password.
#[derive(Debug, Default)]
pub struct SecondFactorProof {
    /// A code of the authenticator app, or a recovery code.
    pub(crate) code: Option<String>,
    /// A passkey.
    pub(crate) passkey: Option<Assertion>,
    /// The host of the request, at which only its own passkeys are offered.
    pub(crate) host: Option<String>,
}

/// Verifies the second factor after the password. Returns whether one was used; the write uses it up.
/// Errors: `second_factor_needed`, with those that the member has, when they have one and present none; `invalid_code`
/// when what they present is wrong or was used.
pub fn verify(tx: &TenantWrite<'_>, member: MemberId, proof: &SecondFactorProof) -> Result<bool> {
    if !has(tx, member)? {
        return Ok(false);
    }
    match (&proof.code, &proof.passkey) {
        (None, None) => {
            let list = offered(tx, member, proof.host.as_deref())?;
            Err(Error::new(Code::SecondFactorNeeded).with_extra("factors", list.into()))
        }
        (_, Some(passkey)) => passkey.prove(tx, member).map(|()| true),
        (Some(code), None) => prove_code(tx, member, code).map(|()| true),
    }
}

/// Verifies a passkey that is presented without a password.
/// Errors: `invalid_credentials` when it does not match.
pub(super) fn verify_passkey(tx: &TenantWrite<'_>, member: MemberId, assertion: &Assertion) -> Result<bool> {
    assertion.prove(tx, member).map(|()| true).map_err(|error| match error.code() {
        Code::InvalidCode => {
            let text = error.message().map_or("errors.passkey_refused", |words| words.key);
            Error::new(Code::InvalidCredentials).say(text, Vec::new())
        }
        _ => error,
    })
}

/// Verifies a code of the app or a recovery code, and uses it up.
fn prove_code(tx: &TenantWrite<'_>, member: MemberId, code: &str) -> Result<()> {
    let refused = || Error::new(Code::InvalidCode);
    let mut kept = tx.find::<Factors>(member)?.ok_or_else(refused)?.value;
    let right = if recovery::is_recovery_code(code) {
        recovery::take(&mut kept.recovery, code, member)
    } else {
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        kept.app.as_mut().map(|app| totp::take(app, &digits, tx.now())).transpose()?.unwrap_or(false)
    };
    if !right {
        return Err(refused());
    }
    keep(tx, member, kept)
}

fn keep(tx: &TenantWrite<'_>, member: MemberId, factors: Factors) -> Result<()> {
    if tx.find::<Factors>(member)?.is_none() {
        return tx.create_at(member, factors).map(drop);
    }
    tx.update::<Factors>(member, None, |kept| {
        *kept = factors;
        Ok(())
    })
    .map(drop)
}

/// Returns the kinds of factors that a member can present at a host.
fn offered(tx: &TenantRead<'_>, member: MemberId, host: Option<&str>) -> Result<Vec<&'static str>> {
    let factors = record::factors(tx, member)?;
    let here = record::passkeys(tx, member)?.iter().any(|passkey| Some(passkey.host.as_str()) == host);
    let all = [(factors.app.is_some(), "totp"), (!factors.recovery.is_empty(), "recovery"), (here, "passkey")];
    Ok(all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect())
}

/// Whether a member has a second factor.
pub fn has(tx: &TenantRead<'_>, member: MemberId) -> Result<bool> {
    Ok(record::factors(tx, member)?.app.is_some() || !record::passkeys(tx, member)?.is_empty())
}

/// Whether a company requires a second factor by now.
pub fn is_required(company: &Company, now: Timestamp) -> bool {
    company.second_factor.required_from().is_some_and(|from| from <= now)
}

/// What a member has set up.
pub struct Overview {
    /// Whether there is a password.
    pub password: bool,
    /// Whether there is an authenticator app.
    pub totp: bool,
    /// The number of unused recovery codes.
    pub recovery_codes_left: usize,
    /// Passkeys, oldest first.
    pub passkeys: Vec<Stored<Passkey>>,
}

/// Returns what a member has set up.
pub fn overview(tx: &TenantRead<'_>, member: MemberId) -> Result<Overview> {
    let factors = record::factors(tx, member)?;
    let passkeys = record::passkeys(tx, member)?;
    let password = tx.find::<Credentials>(member)?.is_some();
    Ok(Overview { password, totp: factors.app.is_some(), recovery_codes_left: factors.recovery.len(), passkeys })
}

/// Starts the enrolment of an authenticator app. It replaces an earlier app once it has shown a correct code.
pub fn begin_app(
    tx: &TenantWrite<'_>,
    member: MemberId,
    (issuer, account): (&str, &str),
    entropy: &Entropy,
) -> Result<Enrolment> {
    let mut factors = record::factors(tx, member)?;
    let secret = Secret(entropy.bytes::<{ totp::SECRET }>().to_vec());
    let enrolment = totp::enrolment(&secret, issuer, account)?;
    factors.pending = Some(Pending { secret, until: tx.now().plus_millis(ENROLMENT_MILLIS) });
    keep(tx, member, factors)?;
    Ok(enrolment)
}

/// Confirms a new app by its first code. Returns new recovery codes.
/// Errors: `invalid_code` when it is wrong, or no enrolment was started within the last 15 minutes.
pub fn confirm_app(tx: &TenantWrite<'_>, member: MemberId, code: &str, entropy: &Entropy) -> Result<Vec<String>> {
    let mut factors = record::factors(tx, member)?;
    let pending = factors.pending.take().filter(|pending| tx.now() < pending.until);
    let secret = pending.ok_or_else(|| Error::new(Code::InvalidCode))?.secret;
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let step = totp::step(&secret, &digits, tx.now())?.ok_or_else(|| Error::new(Code::InvalidCode))?;
    factors.app = Some(App { secret, last_step: step });
    let (codes, hashes) = recovery::make(entropy, member);
    factors.recovery = hashes;
    keep(tx, member, factors)?;
    Ok(codes)
}

/// Removes the authenticator app; the recovery codes are removed with the last factor.
/// Errors: `not_found` when there is none.
pub fn remove_app(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    let mut factors = record::factors(tx, member)?;
    factors.app.take().ok_or_else(Error::not_found)?;
    keep(tx, member, factors)?;
    forget_codes(tx, member)
}

/// Makes new recovery codes; earlier ones become invalid.
/// Errors: `conflict` when the member has no second factor.
pub fn new_codes(tx: &TenantWrite<'_>, member: MemberId, entropy: &Entropy) -> Result<Vec<String>> {
    if !has(tx, member)? {
        return Err(Error::new(Code::Conflict));
    }
    let (codes, hashes) = recovery::make(entropy, member);
    keep(tx, member, Factors { recovery: hashes, ..record::factors(tx, member)? })?;
    Ok(codes)
}

/// Removes a passkey; the recovery codes are removed with the last factor.
/// Errors: `not_found` when it is not one of the member's.
pub fn remove_passkey(tx: &TenantWrite<'_>, member: MemberId, id: Id<Passkey>) -> Result<Stored<Passkey>> {
    if tx.get::<Passkey>(id)?.member != member {
        return Err(Error::not_found());
    }
    let removed = tx.remove::<Passkey>(id, None)?;
    forget_codes(tx, member)?;
    Ok(removed)
}

fn forget_codes(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    if !has(tx, member)? && tx.find::<Factors>(member)?.is_some() {
        tx.remove::<Factors>(member, None)?;
    }
    Ok(())
}

/// Renames a passkey of a member.
/// Errors: `not_found` when it is not one of theirs; `invalid` at `name`.
pub fn rename_passkey(tx: &TenantWrite<'_>, member: MemberId, id: Id<Passkey>, name: &str) -> Result<Stored<Passkey>> {
    passkeys::rename(tx, member, id, name)
}

/// Removes all second factors of a member: the device is lost, or the member is gone. Returns whether there were any.
pub fn remove_all(tx: &TenantWrite<'_>, member: MemberId) -> Result<bool> {
    let had = has(tx, member)?;
    for passkey in record::passkeys(tx, member)? {
        tx.remove::<Passkey>(passkey.id, None)?;
    }
    if tx.find::<Factors>(member)?.is_some() {
        tx.remove::<Factors>(member, None)?;
    }
    Ok(had)
}
