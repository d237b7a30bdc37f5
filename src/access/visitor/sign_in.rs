//! Signing in with a password.
//!
//! Each failure is one log line with the target `atrium::sign_in`: the client's address, the company, and the reason.
//! The typed address is in it only when it belongs to an account.

use std::net::IpAddr;

use super::{SignedIn, Visitor};
use crate::{
    access::{
        AuthService,
        factors::SecondFactorProof,
        login_throttle::LoginAttempt,
        sessions::{NotifyMember, Verified},
    },
    kernel::{Code, Error, MemberId, Result, TenantId, text},
    people::{
        audit::{self, Event},
        members::{self, ActiveMember, Company, Credentials, MemberRecord},
    },
    store::{Actor, Snapshot, Stored, TenantWrite},
    wire::problem,
};

/// The target of log lines about failed sign-ins, for tools such as fail2ban.
const LOG_TARGET: &str = "atrium::sign_in";

/// Logs a failed sign-in: one line, however many companies the account is in.
fn write_log_line(
    snapshot: &Snapshot,
    address: IpAddr,
    meant: &[(TenantId, MemberId)],
    reason: &'static str,
) -> Result<()> {
    let mut companies = Vec::new();
    let mut account = None;
    for (tenant, member) in meant {
        let data = snapshot.tenant(*tenant, None);
        companies.push(Company::of(&data)?.value.slug);
        let record = data.find::<MemberRecord>(*member)?;
        account = account.or(record.map(|record| record.value.email));
    }
    let company = Some(companies.join(",")).filter(|company| !company.is_empty());
    tracing::warn!(target: LOG_TARGET, %address, company, reason, account, "sign-in failed");
    Ok(())
}

/// Logs that a member failed to authenticate.
pub(in crate::access) fn log_failure(
    auth: &AuthService,
    address: IpAddr,
    who: (TenantId, MemberId),
    reason: &'static str,
) {
    let logged = auth.0.store.snapshot();
    if let Err(error) = logged.and_then(|snapshot| write_log_line(&snapshot, address, &[who], reason)) {
        tracing::warn!(target: LOG_TARGET, %address, reason, detail = ?error, "sign-in failed");
    }
}

/// The form of a sign-in.
pub struct SignIn {
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
    /// The company's slug, when the address belongs to several.
    pub company: Option<String>,
    /// Whether the session outlives the browser.
    pub remember: bool,
    /// The second factor.
    pub proof: SecondFactorProof,
}

/// A member whose password may be the typed one.
struct Candidate {
    who: (TenantId, MemberId),
    /// Whether they may sign in.
    may: bool,
    hash: Option<String>,
}

impl Visitor {
    /// Signs a member in. An unknown address, a wrong password and a suspended member take equally long and get the
    /// same answer. `on_new_device` informs the member when they never signed in from this browser before.
    /// Errors: `invalid_credentials`; `choose_company` when the password is right in several; `second_factor_needed`
    /// and `invalid_code` when it is right and the second factor is missing or wrong; `slow_down` after failures.
    pub async fn sign_in(&self, form: SignIn, on_new_device: NotifyMember) -> Result<SignedIn> {
        let auth = &self.auth.0;
        let email = text::email(&form.email).unwrap_or_else(|| form.email.trim().to_lowercase());
        let candidates = self.candidates(&email, form.company.as_deref())?;
        let device = self.known_device(candidates.iter().map(|one| one.who.1));
        let known_device = device.as_ref().map(<[u8; 16]>::as_slice);
        let attempt = LoginAttempt { account: &email, address: self.peer.address, known_device };
        let company = form.company.as_deref();
        auth.throttle
            .attempt(attempt, auth.store.clock().now())
            .inspect_err(|error| self.log_rejected_attempt(error, company))?;
        let hashes = candidates.iter().map(|one| one.hash.clone()).collect();
        let verified = auth.passwords.verify_each(form.password.clone(), &email, hashes).await;
        let verified = verified.inspect_err(|_| auth.throttle.return_attempt(attempt))?;
        let mut right = Vec::new();
        let mut meant = Vec::new();
        let mut reason = "unknown account";
        for (Candidate { who: (tenant, member), may, hash }, verified) in candidates.into_iter().zip(verified) {
            if verified && may {
                right.push(Verified { tenant, member, hash, second_factor: false });
            } else {
                reason = if verified { "account not active" } else { "wrong password" };
                meant.push((tenant, member));
            }
        }
        if right.is_empty() {
            self.log_and_audit_failure(meant, reason);
            return Err(Error::new(Code::InvalidCredentials));
        }
        // Failures are reset only after a complete sign-in: otherwise a person with the password could guess codes.
        if right.len() > 1 {
            auth.throttle.return_attempt(attempt);
            return Err(self.choose_company_error(&right));
        }
        let mut who = right.pop().ok_or_else(|| Error::new(Code::InvalidCredentials))?;
        let one = (who.tenant, who.member);
        who.second_factor = self.auth.second_factor(one, form.proof).await.inspect_err(|error| {
            if error.code() == Code::InvalidCode {
                self.log_and_audit_failure(vec![one], "wrong code");
            } else {
                auth.throttle.return_attempt(attempt);
            }
        })?;
        auth.throttle.succeeded(attempt);
        let kept = who.hash.clone();
        let signed_in = match self.open_session(who.clone(), form.remember, on_new_device).await {
            Err(error) if error.code() == Code::InvalidCredentials => {
                // The hash was replaced in between: by another of the same password, or because that changed.
                who.hash = Some(self.verify_current_hash(&who, &form.password).await?);
                self.open_session(who, form.remember, on_new_device).await?
            }
            done => done?,
        };
        self.renew_hash(one, kept, form.password, email);
        Ok(signed_in)
    }

    /// Returns the stored hash, if it has changed and the password matches it as well.
    async fn verify_current_hash(&self, who: &Verified, password: &str) -> Result<String> {
        let auth = &self.auth.0;
        let kept = auth.store.snapshot()?.tenant(who.tenant, None).find::<Credentials>(who.member)?;
        let kept = kept.map(|kept| kept.value.password).filter(|kept| Some(kept) != who.hash.as_ref());
        if let Some(kept) = kept
            && auth.passwords.verify(password.to_owned(), kept.clone()).await?
        {
            return Ok(kept);
        }
        Err(Error::new(Code::InvalidCredentials))
    }

    /// Returns the members who may be meant by an address.
    fn candidates(&self, email: &str, company: Option<&str>) -> Result<Vec<Candidate>> {
        let snapshot = self.auth.0.store.snapshot()?;
        let here = match company {
            Some(slug) => members::tenant_by_slug(&snapshot, slug).ok(),
            None => self.auth.tenant_at(&snapshot, &self.host)?,
        };
        let mut found = Vec::new();
        for (tenant, id) in members::by_email(&snapshot, email)? {
            if here.is_some_and(|here| here != tenant) || (here.is_none() && company.is_some()) {
                continue;
            }
            let data = snapshot.tenant(tenant, None);
            let may = ActiveMember::find(&data, id)?.is_some();
            let hash = data.find::<Credentials>(id)?.map(|credentials| credentials.value.password);
            found.push(Candidate { who: (tenant, id), may, hash });
        }
        Ok(found)
    }

    /// Replaces the hash of a correct password, if it was made for an earlier address or at another cost: after the
    /// response, so that the response takes no longer.
    fn renew_hash(&self, who: (TenantId, MemberId), kept: Option<String>, password: String, email: String) {
        let auth = &self.auth.0;
        let (tenant, member) = who;
        let Some(kept) = kept.filter(|kept| auth.passwords.is_outdated(kept, &email)) else { return };
        let passwords = auth.passwords.clone();
        auth.deferred.try_enqueue(move |store| async move {
            let hash = passwords.hash(password, &email).await?;
            let work = move |tx: &TenantWrite<'_>| {
                let now = tx.find::<Credentials>(member)?.filter(|now| now.value.password == kept);
                now.map_or(Ok(()), |now| {
                    members::write_credentials(tx, member, Credentials { password: hash, ..now.value })
                })
            };
            store.write(tenant, Actor::System, work).await.map(drop)
        });
    }

    /// Logs a refused sign-in, and writes it to the audit logs of the members who may be meant: after the response, so
    /// that it takes as long as for an address without an account.
    fn log_and_audit_failure(&self, meant: Vec<(TenantId, MemberId)>, reason: &'static str) {
        let device = self.device();
        let client = self.peer.address;
        self.auth.0.deferred.try_enqueue(move |store| async move {
            write_log_line(&store.snapshot()?, client, &meant, reason)?;
            for (tenant, member) in meant {
                let address = device.address.clone();
                let work = move |tx: &TenantWrite<'_>| {
                    let whose: Option<Stored<MemberRecord>> = tx.find(member)?;
                    whose.map_or(Ok(()), |whose| {
                        audit::write(tx, Event::new("auth.refused").about_member(&whose).from_address(address))
                    })
                };
                store.write(tenant, Actor::System, work).await?;
            }
            Ok(())
        });
    }

    /// Logs that a member failed to authenticate.
    pub(super) fn log_member_failure(&self, who: (TenantId, MemberId), reason: &'static str) {
        log_failure(&self.auth, self.peer.address, who, reason);
    }

    /// Logs a refusal before an account was looked up.
    pub(in crate::access) fn log_rejected_attempt(&self, error: &Error, company: Option<&str>) {
        let reason = match error.code() {
            Code::SlowDown => "too many attempts",
            Code::InvalidCredentials | Code::InvalidCode | Code::Forbidden => "not accepted",
            _ => return,
        };
        let address = self.peer.address;
        let company = company.and_then(|slug| self.known_company(slug));
        tracing::warn!(target: LOG_TARGET, %address, company, reason, "sign-in failed");
    }

    /// Returns the slug, if a company has it: other input does not go to the log.
    fn known_company(&self, slug: &str) -> Option<String> {
        let snapshot = self.auth.0.store.snapshot().ok()?;
        members::tenant_by_slug(&snapshot, slug).ok().map(|_| slug.to_owned())
    }

    fn choose_company_error(&self, right: &[Verified]) -> Error {
        let choices: Result<Vec<problem::Choice>> = self.auth.0.store.snapshot().and_then(|snapshot| {
            let company = |who: &Verified| Company::of(&snapshot.tenant(who.tenant, None));
            let choice =
                |company: Stored<Company>| problem::Choice { slug: company.value.slug, name: company.value.name };
            right.iter().map(|who| company(who).map(choice)).collect()
        });
        match choices.map(serde_json::to_value) {
            Ok(Ok(list)) => Error::new(Code::ChooseCompany).with_extra("companies", list),
            Ok(Err(error)) => Error::internal(error),
            Err(error) => error,
        }
    }
}
