//! OpenID Connect Core (authorization code flow with PKCE): requests to the provider, and validation of its answers.

use std::time::{Duration, UNIX_EPOCH};

use openidconnect::{
    AccessToken, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret, CsrfToken,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RequestTokenError, Scope, SignatureVerificationError, SubjectIdentifier, TokenResponse, UserInfoError,
    core::{
        CoreClient, CoreIdToken, CoreIdTokenClaims, CoreJwsSigningAlgorithm as Algorithm, CoreResponseType,
        CoreUserInfoClaims,
    },
};
use url::Url;

use super::{
    Provider,
    directory::{Metadata, describe, unreachable},
    http,
};
use crate::kernel::{Code, Entropy, Error, Result, Timestamp, hex, text};

/// Accepted signature algorithms: only with keys of the provider, never with a shared secret, never none.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];
/// Authentication methods (RFC 8176) by kind: knowledge, possession, inherence. Two kinds are two factors.
const KINDS: [&[&str]; 3] =
    [&["pwd", "pin", "kba"], &["otp", "hwk", "swk", "sc", "sms", "tel"], &["fpt", "face", "iris", "retina", "vbm"]];
/// Authentication context classes that stand for two factors.
const CLASSES: [&str; 5] = [
    "phr",
    "phrh",
    "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
    "https://refeds.org/profile/mfa",
    "urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract",
];
/// Seconds by which the provider's clock may be ahead.
const MAX_AHEAD_SECONDS: i64 = 120;

/// Secrets that are kept until the browser returns.
pub(super) struct Secrets {
    pub(super) nonce: String,
    pub(super) verifier: String,
}

impl Secrets {
    pub(super) fn new(entropy: &Entropy) -> Self {
        Self { nonce: hex::encode(&entropy.bytes::<32>()), verifier: hex::encode(&entropy.bytes::<32>()) }
    }
}

/// An identity that a provider asserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The provider's permanent id of the account (`sub`).
    pub subject: String,
    /// The address in its canonical form, verified by the provider.
    pub email: String,
    /// The name, if the provider sends one.
    pub name: Option<String>,
    /// Whether the provider reports more than a password.
    pub second_factor: bool,
}

/// A client of a provider, built from its metadata.
type Client =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

fn client(metadata: &Metadata, provider: &Provider) -> Client {
    let id = ClientId::new(provider.client_id.clone());
    let secret = ClientSecret::new(provider.client_secret.0.clone());
    CoreClient::from_provider_metadata(metadata.as_ref().clone(), id, Some(secret))
}

/// Builds the authorization URL; the browser returns from it with a code for `state`.
pub(super) fn authorization_url(
    metadata: &Metadata,
    provider: &Provider,
    redirect_uri: &str,
    state: &str,
    secrets: &Secrets,
) -> Result<Url> {
    let client = client(metadata, provider)
        .set_redirect_uri(RedirectUrl::new(redirect_uri.to_owned()).map_err(Error::internal)?);
    let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(secrets.verifier.clone()));
    let state = CsrfToken::new(state.to_owned());
    let nonce = Nonce::new(secrets.nonce.clone());
    let code = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
    let request = client
        .authorize_url(code, move || state, move || nonce)
        .add_scope(Scope::new("email".to_owned()))
        .add_scope(Scope::new("profile".to_owned()))
        .set_pkce_challenge(challenge);
    Ok(request.url().0)
}

/// The provider's answer to a code.
pub(super) struct Tokens {
    id: CoreIdToken,
    access: AccessToken,
}

/// The result of reading an ID token.
pub(super) enum Outcome {
    /// Its claims.
    Claims(Box<UsedClaims>),
    /// It is signed by an unknown key: the provider may have a new one.
    NewKey,
}

/// The claims that are used.
pub(super) struct UsedClaims {
    subject: SubjectIdentifier,
    email: Option<String>,
    verified: bool,
    name: Option<String>,
    second_factor: bool,
}

/// Exchanges a code for tokens.
/// Errors: `busy` when the provider cannot be reached; `invalid_credentials` when it refuses the code.
pub(super) fn exchange(
    metadata: &Metadata,
    provider: &Provider,
    redirect_uri: &str,
    (code, verifier): (String, String),
) -> Result<Tokens> {
    let client = client(metadata, provider)
        .set_redirect_uri(RedirectUrl::new(redirect_uri.to_owned()).map_err(Error::internal)?);
    let request = client.exchange_code(AuthorizationCode::new(code)).map_err(unreachable)?;
    let tokens = request.set_pkce_verifier(PkceCodeVerifier::new(verifier)).request(&http::call);
    let tokens = tokens.map_err(|error| match &error {
        RequestTokenError::Request(_) => unreachable(describe(&error)),
        _ => refused(describe(&error)),
    })?;
    let id = tokens.id_token().cloned().ok_or_else(|| refused("no ID token"))?;
    Ok(Tokens { id, access: tokens.access_token().clone() })
}

/// Validates the ID token.
/// Errors: `invalid_credentials` when it is not valid for this request.
pub(super) fn read(
    metadata: &Metadata,
    provider: &Provider,
    (tokens, nonce): (&Tokens, &str),
    now: Timestamp,
) -> Result<Outcome> {
    let client = client(metadata, provider);
    let time = move || (UNIX_EPOCH + Duration::from_secs(now.seconds().unsigned_abs())).into();
    let verifier = client
        .id_token_verifier()
        .set_allowed_algs(ALGORITHMS)
        .set_other_audience_verifier_fn(|_| false)
        .set_time_fn(time)
        .set_issue_time_verifier_fn(move |issued| {
            let early = issued.timestamp() > now.seconds() + MAX_AHEAD_SECONDS;
            if early { Err("issued in the future".to_owned()) } else { Ok(()) }
        });
    match tokens.id.claims(&verifier, &Nonce::new(nonce.to_owned())) {
        Ok(claims) if claims.authorized_party().is_some_and(|party| **party != provider.client_id) => {
            Err(refused("made for another party"))
        }
        Ok(claims) => Ok(Outcome::Claims(Box::new(UsedClaims::of(claims)))),
        Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) => {
            Ok(Outcome::NewKey)
        }
        Err(error) => Err(refused(describe(&error))),
    }
}

impl UsedClaims {
    fn of(claims: &CoreIdTokenClaims) -> Self {
        let methods: Vec<&str> =
            claims.auth_method_refs().into_iter().flatten().map(|method| method.as_str()).collect();
        let class = claims.auth_context_ref().is_some_and(|class| CLASSES.contains(&class.as_str()));
        Self {
            subject: claims.subject().clone(),
            email: claims.email().map(|email| email.to_string()),
            verified: claims.email_verified() == Some(true),
            name: claims.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
            second_factor: class || are_two(&methods),
        }
    }

    /// Whether the token has no address: not all providers include it.
    pub(super) const fn lacks_address(&self) -> bool {
        self.email.is_none()
    }

    /// Requests the address from the provider's user info endpoint, for the token's subject.
    pub(super) fn ask(self, metadata: &Metadata, provider: &Provider, tokens: &Tokens) -> Result<Self> {
        if !metadata.userinfo_endpoint().is_some_and(|endpoint| http::is_safe(endpoint.url())) {
            return Ok(self);
        }
        let client = client(metadata, provider);
        let request = client.user_info(tokens.access.clone(), Some(self.subject.clone())).map_err(unreachable)?;
        let claims: CoreUserInfoClaims = request.request(&http::call).map_err(|error| match &error {
            UserInfoError::Request(_) => unreachable(describe(&error)),
            _ => refused(describe(&error)),
        })?;
        let name = claims.name().and_then(|name| name.get(None)).map(|name| name.to_string());
        let email = claims.email().map(|email| email.to_string());
        Ok(Self { email, verified: claims.email_verified() == Some(true), name: self.name.or(name), ..self })
    }

    /// Returns the identity.
    /// Errors: `forbidden` when the address is not verified.
    pub(super) fn identity(self) -> Result<Identity> {
        let unknown = || Error::new(Code::Forbidden);
        let email = self.email.filter(|_| self.verified).and_then(|email| text::email(&email)).ok_or_else(unknown)?;
        let name = self.name.map(|name| text::line(&name)).filter(|name| !name.is_empty());
        Ok(Identity { subject: self.subject.to_string(), email, name, second_factor: self.second_factor })
    }
}

/// Returns the error of a refused sign-in, and logs the reason.
pub(super) fn refused(why: impl std::fmt::Display) -> Error {
    tracing::warn!(%why, "single sign-on refused");
    Error::new(Code::InvalidCredentials)
}

/// Whether authentication methods are of two kinds, or include `mfa`.
fn are_two(methods: &[&str]) -> bool {
    let used = |kind: &&&[&str]| kind.iter().any(|method| methods.contains(method));
    methods.contains(&"mfa") || KINDS.iter().filter(used).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_factors_need_methods_of_two_kinds() {
        for (methods, two) in [
            (&["mfa"][..], true),
            (&["pwd", "otp"], true),
            (&["hwk", "fpt"], true),
            (&[], false),
            (&["pwd"], false),
            (&["pwd", "pin"], false),
            (&["otp", "sms"], false),
            (&["rba", "geo"], false),
        ] {
            assert_eq!(are_two(methods), two, "{methods:?}");
        }
    }
}
