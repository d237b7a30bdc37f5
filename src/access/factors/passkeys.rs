//! Passkeys (WebAuthn): kept on the device or in its owner's key ring, discoverable, and only after the device
//! knew its owner. Each belongs to one host, and answers no other.

use std::fmt;

use serde_json::Value;
use url::Url;
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{
        DiscoverableAuthentication, Passkey as Key, PasskeyRegistration, PublicKeyCredential,
        RegisterPublicKeyCredential,
    },
};

use super::record::{self, GLOBAL_CREDENTIAL, MOST_PASSKEYS, Passkey};
use crate::{
    access::members,
    config::Config,
    kernel::{Code, Error, MemberId, Result, TenantId, hex, text},
    store::{Snapshot, Stored, TenantRead, TenantWrite},
};

/// The longest name of a passkey.
const NAME: usize = 100;

/// The host that passkeys are made for and answer to.
#[derive(Clone)]
pub struct Party {
    host: String,
    webauthn: Webauthn,
}

/// A passkey that is to be made.
pub(crate) struct Making {
    party: Party,
    member: MemberId,
    state: PasskeyRegistration,
}

/// A passkey that is asked for; whose it is, its answer says.
pub(crate) struct Asking {
    party: Party,
    state: DiscoverableAuthentication,
}

/// What a passkey answered.
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
    /// The party of a host; none where browsers have no passkeys (an address of numbers, plain HTTP), and for
    /// hosts that are not ours.
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

    /// Begins to make a passkey: what the browser is asked for, and what its answer is held to.
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
        // The library leaves it to the browser whether the passkey can be found without a name.
        if let Some(selection) = options.get_mut("authenticatorSelection") {
            selection["residentKey"] = "required".into();
            selection["requireResidentKey"] = true.into();
        }
        Ok((options, Making { party: self.clone(), member, state }))
    }

    /// Asks for any passkey of this host.
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
    let gaps = vec![("max", MOST_PASSKEYS.to_string())];
    Err(Error::new(Code::Conflict).and_field("name", "errors.fields.too_many", gaps))
}

/// A name as it is kept.
fn named(name: &str) -> Result<String> {
    let mut faults = crate::kernel::error::Faults::default();
    faults.required("name", name, NAME);
    faults.into_result()?;
    Ok(text::line(name))
}

/// What a browser sends, less what we do not look at and need not understand.
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

/// Keeps the passkey that a browser made.
///
/// # Errors
/// `invalid_code` when it does not answer what was asked; `invalid` at `name`; `conflict` when the member has
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
    /// Whether it was begun by this member.
    pub(crate) fn is_of(&self, member: MemberId) -> bool {
        self.member == member
    }
}

impl Asking {
    /// What the browser answered.
    ///
    /// # Errors
    /// `invalid_code` when it cannot be read.
    pub(crate) fn answered(self, credential: Value) -> Result<Assertion> {
        Ok(Assertion { asked: self, credential: read(credential)? })
    }

    /// Whether it was asked at this host.
    pub(crate) fn is_at(&self, party: &Party) -> bool {
        self.party.host == party.host
    }
}

impl Assertion {
    /// Whose passkey it says it is.
    ///
    /// # Errors
    /// `busy` or `internal` when that cannot be read.
    pub(crate) fn claims(&self, snapshot: &Snapshot) -> Result<Option<(TenantId, MemberId)>> {
        let credential = hex::encode(&self.credential.raw_id);
        let found = snapshot.global::<Passkey>(GLOBAL_CREDENTIAL, credential)?;
        let Some((tenant, id)) = found.first() else { return Ok(None) };
        Ok(snapshot.tenant(*tenant, None).find(*id)?.map(|passkey| (*tenant, passkey.member)))
    }

    /// Holds the answer to the member's passkey, and notes its use.
    ///
    /// # Errors
    /// `invalid_code` when it is none of theirs, does not fit, or its counter went back: somebody copied it.
    pub(super) fn prove(&self, tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
        let (party, answer) = (&self.asked.party, &self.credential);
        let credential = hex::encode(&answer.raw_id);
        let kept = record::passkeys(tx, member)?.into_iter().find(|kept| kept.credential == credential);
        let kept = kept.filter(|kept| kept.host == party.host).ok_or_else(refused)?;
        // Whom the device thinks it signs in must be whom we think.
        if answer.get_user_unique_id() != Some(member.as_bytes().as_slice()) {
            return Err(refused());
        }
        let mut key: Key = serde_json::from_str(&kept.key).map_err(Error::internal)?;
        let state = self.asked.state.clone();
        let fits = party.webauthn.finish_discoverable_authentication_v2(answer, state, &key).map_err(|error| {
            tracing::warn!(passkey = %kept.id, %error, "a passkey was refused");
            refused()
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

/// Gives a passkey of a member another name.
///
/// # Errors
/// `not_found` when it is none of theirs; `invalid` at `name`.
pub(crate) fn rename(
    tx: &TenantWrite<'_>,
    member: MemberId,
    id: crate::kernel::Id<Passkey>,
    name: &str,
) -> Result<Stored<Passkey>> {
    if tx.get(id)?.member != member {
        return Err(Error::not_found());
    }
    tx.update(id, None, |passkey| {
        passkey.name = named(name)?;
        Ok(())
    })
}
