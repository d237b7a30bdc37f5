//! Passkeys (WebAuthn): discoverable credentials that require user verification. Each belongs to one host, and is
//! refused at every other.

use std::fmt;

use serde_json::Value;
use url::Url;
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{
        DiscoverableAuthentication, Passkey as Key, PasskeyRegistration, PublicKeyCredential,
        RegisterPublicKeyCredential, WebauthnError,
    },
};

use super::record::{self, GLOBAL_CREDENTIAL, MOST_PASSKEYS, Passkey};
use crate::{
    config::Config,
    kernel::{Code, Error, MemberId, Result, TenantId, hex, text},
    people::members,
    store::{Snapshot, Stored, TenantRead, TenantWrite},
};

/// The longest name of a passkey.
const NAME: usize = 100;

/// The relying party: the host that passkeys belong to.
#[derive(Clone)]
pub struct Party {
    host: String,
    webauthn: Webauthn,
}

/// A registration of a passkey in progress.
pub(crate) struct Making {
    party: Party,
    member: MemberId,
    state: PasskeyRegistration,
}

/// A sign-in by passkey in progress; its response names the member.
pub(crate) struct Asking {
    party: Party,
    state: DiscoverableAuthentication,
}

/// A passkey's response to a challenge.
pub struct Assertion {
    asked: Asking,
    credential: PublicKeyCredential,
}

impl fmt::Debug for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assertion").field("host", &self.asked.party.host).finish_non_exhaustive()
    }
}

impl Party {
    /// Returns the relying party of a host; `None` where browsers have no passkeys (an IP address, plain HTTP), and
    /// for hosts that are not ours.
    pub(crate) fn at(snapshot: &Snapshot, config: &Config, host: &str, https: bool) -> Result<Option<Self>> {
        let name = members::without_port(host).to_ascii_lowercase();
        let local = name == "localhost";
        if !local && !https {
            return Ok(None);
        }
        let public = config.public_url.as_ref().and_then(Url::host_str).is_some_and(|public| public == name);
        if !local && !public && members::tenant_named_by(snapshot, &name, config)?.is_none() {
            return Ok(None);
        }
        let scheme = if https { "https" } else { "http" };
        let Ok(origin) = Url::parse(&format!("{scheme}://{}", host.to_ascii_lowercase())) else { return Ok(None) };
        let builder = WebauthnBuilder::new(&name, &origin).map(|builder| builder.rp_name(&config.installation.name));
        let built = builder.and_then(WebauthnBuilder::build);
        Ok(built.ok().map(|webauthn| Self { host: name.clone(), webauthn }))
    }

    /// The host.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Starts a registration: the options for the browser, and the state to verify its response.
    pub(crate) fn make(
        &self,
        tx: &TenantRead<'_>,
        member: MemberId,
        name: &str,
        email: &str,
    ) -> Result<(Value, Making)> {
        let known = record::passkeys(tx, member)?;
        room(&known)?;
        let ids = known.iter().filter_map(|passkey| hex::decode(&passkey.credential)).collect();
        let begun = self.webauthn.start_passkey_registration(member.uuid(), email, name, Some(ids));
        let (options, state) = begun.map_err(Error::internal)?;
        let mut options = serde_json::to_value(options.public_key).map_err(Error::internal)?;
        // The library lets the browser decide whether the passkey is discoverable.
        if let Some(selection) = options.get_mut("authenticatorSelection") {
            selection["residentKey"] = "required".into();
            selection["requireResidentKey"] = true.into();
        }
        Ok((options, Making { party: self.clone(), member, state }))
    }

    /// Starts a sign-in by any passkey of this host.
    pub(crate) fn ask(&self) -> Result<(Value, Asking)> {
        let (options, state) = self.webauthn.start_discoverable_authentication().map_err(Error::internal)?;
        let options = serde_json::to_value(options.public_key).map_err(Error::internal)?;
        Ok((options, Asking { party: self.clone(), state }))
    }
}

fn refused() -> Error {
    Error::new(Code::InvalidCode)
}

fn room(known: &[Stored<Passkey>]) -> Result<()> {
    if known.len() < MOST_PASSKEYS {
        return Ok(());
    }
    let params = vec![("max", MOST_PASSKEYS.to_string())];
    Err(Error::new(Code::Conflict).and_field("name", "errors.fields.too_many", params))
}

/// Returns a name as it is stored.
fn named(name: &str) -> Result<String> {
    let mut faults = crate::kernel::error::Faults::default();
    faults.required("name", name, NAME);
    faults.into_result()?;
    Ok(text::line(name))
}

/// Parses what a browser sends, without the parts that are not used.
fn read<T: serde::de::DeserializeOwned>(mut credential: Value) -> Result<T> {
    if let Some(credential) = credential.as_object_mut() {
        credential.remove("clientExtensionResults");
        credential.remove("extensions");
        if let Some(response) = credential.get_mut("response").and_then(Value::as_object_mut) {
            response.remove("transports");
        }
    }
    T::deserialize(credential).map_err(|_| refused())
}

/// Stores the passkey that a browser created.
/// Errors: `invalid_code` when it does not answer the challenge; `invalid` at `name`; `conflict` when the member has
/// ten, or the passkey is known already.
pub(crate) fn keep(tx: &TenantWrite<'_>, made: Making, credential: Value, name: &str) -> Result<Stored<Passkey>> {
    let Making { party, member, state } = made;
    let answer: RegisterPublicKeyCredential = read(credential)?;
    let key = party.webauthn.finish_passkey_registration(&answer, &state).map_err(|_| refused())?;
    room(&record::passkeys(tx, member)?)?;
    tx.create(Passkey {
        member,
        name: named(name)?,
        last_used_at: None,
        host: party.host,
        credential: hex::encode(key.cred_id()),
        key: serde_json::to_string(&key).map_err(Error::internal)?,
    })
}

impl Making {
    /// Whether this member started it.
    pub(crate) fn is_of(&self, member: MemberId) -> bool {
        self.member == member
    }
}

impl Asking {
    /// Takes the browser's response.
    /// Errors: `invalid_code` when it cannot be parsed.
    pub(crate) fn answered(self, credential: Value) -> Result<Assertion> {
        Ok(Assertion { asked: self, credential: read(credential)? })
    }

    /// Whether it was started at this host.
    pub(crate) fn is_at(&self, party: &Party) -> bool {
        self.party.host == party.host
    }
}

impl Assertion {
    /// Returns the owner of the passkey, without verifying the response.
    pub(crate) fn claims(&self, snapshot: &Snapshot) -> Result<Option<(TenantId, MemberId)>> {
        let credential = hex::encode(&self.credential.raw_id);
        let found = snapshot.global::<Passkey>(GLOBAL_CREDENTIAL, credential)?;
        let Some((tenant, id)) = found.first() else { return Ok(None) };
        Ok(snapshot.tenant(*tenant, None).find::<Passkey>(*id)?.map(|passkey| (*tenant, passkey.member)))
    }

    /// Verifies the response by the member's passkey, and records its use.
    /// Errors: `invalid_code` when it is not one of theirs, does not match, or its counter went back: it was copied.
    pub(super) fn prove(&self, tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
        let party = &self.asked.party;
        let answer = &self.credential;
        let credential = hex::encode(&answer.raw_id);
        let kept = record::passkeys(tx, member)?.into_iter().find(|kept| kept.credential == credential);
        let kept = kept.filter(|kept| kept.host == party.host).ok_or_else(refused)?;
        // The device and the server must mean the same member.
        if answer.get_user_unique_id() != Some(member.as_bytes().as_slice()) {
            return Err(refused());
        }
        let mut key: Key = serde_json::from_str(&kept.key).map_err(Error::internal)?;
        let state = self.asked.state.clone();
        let fits = party.webauthn.finish_discoverable_authentication_v2(answer, state, &key).map_err(|error| {
            tracing::warn!(passkey = %kept.id, %error, "a passkey was refused");
            match error {
                WebauthnError::CredentialPossibleCompromise => refused().say("errors.passkey_copied", Vec::new()),
                _ => refused(),
            }
        })?;
        key.update_credential(&fits);
        let key = serde_json::to_string(&key).map_err(Error::internal)?;
        let used = |passkey: &mut Passkey| {
            passkey.key = key;
            passkey.last_used_at = Some(tx.now());
            Ok(())
        };
        tx.update(kept.id, None, used).map(drop)
    }
}

/// Renames a passkey of a member.
/// Errors: `not_found` when it is not one of theirs; `invalid` at `name`.
pub(crate) fn rename(
    tx: &TenantWrite<'_>,
    member: MemberId,
    id: crate::kernel::Id<Passkey>,
    name: &str,
) -> Result<Stored<Passkey>> {
    if tx.get::<Passkey>(id)?.member != member {
        return Err(Error::not_found());
    }
    tx.update::<Passkey>(id, None, |passkey| {
        passkey.name = named(name)?;
        Ok(())
    })
}
