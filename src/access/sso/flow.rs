//! The redirect to a provider and the return from it. A cookie binds both to one browser, and each return works once.

use url::Url;

use super::{
    Identity, Provider,
    protocol::{self, Outcome, Secrets},
    redirect_uri,
};
use crate::{
    access::{
        SignedIn, Visitor,
        factors::{self, CHALLENGE_SECONDS},
        hash::Hash,
        sessions::{NotifyMember, Verified},
    },
    kernel::{Code, Error, MemberId, Result, TenantId, hex, text},
    people::members::{self, Company},
    store::{Actor, TenantWrite},
};

/// The cookie's name.
const COOKIE: &str = "atrium-oidc";

/// A sign-in in progress at a provider.
pub(in crate::access) struct PendingSignIn {
    tenant: TenantId,
    issuer: String,
    secrets: Secrets,
    /// The hash of the secret in the cookie of the browser that started it.
    cookie: Hash,
    /// The path to open after the sign-in.
    to: String,
}

/// A redirect with its cookies.
pub struct Redirect {
    /// The address.
    pub location: String,
    /// `Set-Cookie` headers.
    pub cookies: Vec<String>,
}

/// The parameters with which a provider sends a browser back.
#[derive(Debug, Default)]
pub struct AuthorizationResponse {
    /// The authorization code.
    pub code: Option<String>,
    /// The state of the authorization request.
    pub state: Option<String>,
    /// The provider's error code.
    pub error: Option<String>,
    /// The issuer that answers (RFC 9207).
    pub issuer: Option<String>,
}

/// Finds or creates the member of an identity, in the write that admits them.
pub type AdmitMember = fn(&TenantWrite<'_>, &Provider, &Identity) -> Result<MemberId>;

impl Visitor {
    /// Returns the provider of the tenant that the host stands for, with the tenant's slug.
    pub fn single_sign_on(&self) -> Result<Option<(Provider, String)>> {
        let auth = &self.auth.0;
        let snapshot = auth.store.snapshot()?;
        let here = self.auth.tenant_at(&snapshot, &self.host)?;
        let Some(here) = here else { return Ok(None) };
        let data = snapshot.tenant(here, None);
        Ok(Provider::of(&data, &auth.config)?.zip(Some(Company::of(&data)?.value.slug)))
    }

    /// Redirects to the provider of a company: the named one, else the host's.
    /// Errors: `not_found` when the company has no provider; `busy` when it cannot be reached.
    pub async fn start_single_sign_on(&self, company: Option<&str>, to: Option<String>) -> Result<Redirect> {
        let auth = &self.auth.0;
        let to = to.filter(|to| text::is_app_path(to)).unwrap_or_else(|| "/".to_owned());
        let (tenant, slug, provider) = self.company_with_provider(company)?;
        let redirect_uri = redirect_uri(&auth.config).ok_or_else(Error::not_found)?;
        // The cookie must be sent on the return, which goes to the public address.
        if let Some(location) = start_at_public_host(&redirect_uri, &self.host, &slug, &to) {
            return Ok(Redirect { location, cookies: Vec::new() });
        }
        let now = auth.store.clock().now();
        let entropy = auth.store.entropy();
        let metadata = auth.sso.directory.find(&provider.issuer, now, None).await?;
        let secrets = Secrets::new(entropy);
        let cookie = entropy.bytes::<32>();
        let nonce = secrets.nonce.clone();
        let verifier = secrets.verifier.clone();
        let pending = PendingSignIn { tenant, issuer: provider.issuer.clone(), secrets, cookie: Hash::of(&cookie), to };
        let state = auth.sso.pending.issue(pending, self.peer.address, now, entropy);
        let location =
            protocol::authorization_url(&metadata, &provider, &redirect_uri, &state, &Secrets { nonce, verifier })?;
        let cookies = vec![self.lax_cookie(&hex::encode(&cookie), CHALLENGE_SECONDS)];
        Ok(Redirect { location: location.into(), cookies })
    }

    fn company_with_provider(&self, company: Option<&str>) -> Result<(TenantId, String, Provider)> {
        let auth = &self.auth.0;
        let snapshot = auth.store.snapshot()?;
        let tenant = match company {
            Some(slug) => Some(members::tenant_by_slug(&snapshot, slug)?),
            None => self.auth.tenant_at(&snapshot, &self.host)?,
        };
        let tenant = tenant.ok_or_else(Error::not_found)?;
        let data = snapshot.tenant(tenant, None);
        let provider = Provider::of(&data, &auth.config)?.ok_or_else(Error::not_found)?;
        Ok((tenant, Company::of(&data)?.value.slug, provider))
    }

    /// Completes a sign-in after the return from a provider. Returns the signed-in member, with the header that clears
    /// the flow's cookie, and the path to open.
    /// Errors: `link_invalid` when the sign-in was not started in this browser, or too long ago; `invalid_credentials`
    /// when the answer is not the provider's; `forbidden` when the person may not sign in; `second_factor_needed` when
    /// the company requires one, the provider asked for none, and the member has one here.
    pub async fn finish_single_sign_on(
        &self,
        answer: AuthorizationResponse,
        admit_member: AdmitMember,
        on_new_device: NotifyMember,
    ) -> Result<(SignedIn, String)> {
        self.finish(answer, admit_member, on_new_device)
            .await
            .inspect_err(|error| self.log_rejected_attempt(error, None))
    }

    async fn finish(
        &self,
        answer: AuthorizationResponse,
        admit_member: AdmitMember,
        on_new_device: NotifyMember,
    ) -> Result<(SignedIn, String)> {
        let auth = &self.auth.0;
        let link_invalid = || Error::new(Code::LinkInvalid);
        let now = auth.store.clock().now();
        let pending = answer.state.and_then(|state| auth.sso.pending.take(&state, now)).ok_or_else(link_invalid)?;
        let cookie = self.cookie(COOKIE).and_then(hex::decode).and_then(|bytes| bytes.try_into().ok());
        if cookie.is_none_or(|cookie| Hash::of(&cookie) != pending.cookie) {
            return Err(link_invalid());
        }
        if answer.issuer.is_some_and(|issuer| issuer != pending.issuer) {
            return Err(protocol::refused("another provider answered"));
        }
        if let Some(error) = answer.error {
            return Err(protocol::refused(format_args!("the provider said {error:?}")));
        }
        let code = answer.code.ok_or_else(|| protocol::refused("no code"))?;
        let PendingSignIn { tenant, issuer, secrets, to, .. } = pending;
        let provider = Provider::of(&auth.store.snapshot()?.tenant(tenant, None), &auth.config)?;
        let provider = provider.filter(|provider| provider.issuer == issuer).ok_or_else(link_invalid)?;
        let identity = self.exchange(&provider, (code, secrets)).await?;
        let second_factor = identity.second_factor || provider.second_factor;
        let work = move |tx: &TenantWrite<'_>| {
            let member = admit_member(tx, &provider, &identity)?;
            let asked = factors::is_required(&Company::of(tx)?.value, tx.now());
            if asked && !second_factor && factors::has(tx, member)? {
                return Err(Error::new(Code::SecondFactorNeeded));
            }
            Ok(member)
        };
        let (member, _) = auth.store.write(tenant, Actor::System, work).await?;
        let who = Verified { tenant, member, hash: None, second_factor };
        // A sign-in at the provider on a locked screen opens a new session: the locked one ends.
        if let Some(token) = self.refresh_token() {
            auth.sessions.end_by(&token, self.device()).await?;
        }
        let mut signed = self.open_session(who, false, on_new_device).await?;
        signed.cookies.push(self.lax_cookie("", 0));
        Ok((signed, to))
    }

    async fn exchange(&self, provider: &Provider, (code, secrets): (String, Secrets)) -> Result<Identity> {
        let auth = &self.auth.0;
        let redirect_uri = redirect_uri(&auth.config).ok_or_else(Error::not_found)?;
        let now = auth.store.clock().now();
        let metadata = auth.sso.directory.find(&provider.issuer, now, None).await?;
        let Secrets { nonce, verifier } = secrets;
        let asked = provider.clone();
        let known = metadata.clone();
        let work = move || protocol::exchange(&known, &asked, &redirect_uri, (code, verifier));
        let tokens = auth.sso.directory.ask(work).await?;
        let (mut metadata, mut outcome) =
            (metadata.clone(), protocol::read(&metadata, provider, (&tokens, &nonce), now)?);
        if matches!(outcome, Outcome::NewKey) {
            metadata = auth.sso.directory.find(&provider.issuer, now, Some(now)).await?;
            outcome = protocol::read(&metadata, provider, (&tokens, &nonce), now)?;
        }
        let Outcome::Claims(claims) = outcome else {
            return Err(protocol::refused("signed by no key of the provider's"));
        };
        if !claims.lacks_address() {
            return claims.identity();
        }
        let asked = provider.clone();
        auth.sso.directory.ask(move || claims.ask(&metadata, &asked, &tokens)?.identity()).await
    }

    /// Builds the flow's cookie, which browsers send when the provider sends them back.
    fn lax_cookie(&self, value: &str, seconds: i64) -> String {
        let (prefix, rest) = if self.peer.https { ("__Host-", "Path=/; Secure") } else { ("", "Path=/api/auth") };
        format!("{prefix}{COOKIE}={value}; HttpOnly; SameSite=Lax; {rest}; Max-Age={seconds}")
    }
}

/// Returns the URL at which to start instead, when the request's host is not the one of the return.
fn start_at_public_host(redirect_uri: &str, host: &str, slug: &str, to: &str) -> Option<String> {
    let mut url = Url::parse(redirect_uri).ok()?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    if host.eq_ignore_ascii_case(&format!("{}{port}", url.host_str()?)) {
        return None;
    }
    url.set_path("/api/auth/oidc/start");
    url.query_pairs_mut().append_pair("company", slug).append_pair("redirectURL", to);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_at_another_host_starts_at_the_public_host() {
        let redirect_uri = "https://atrium.example:8443/api/auth/oidc/callback";
        assert_eq!(start_at_public_host(redirect_uri, "ATRIUM.example:8443", "acme", "/"), None);
        assert_eq!(
            start_at_public_host(redirect_uri, "acme.atrium.example", "acme", "/a?b=c&d").as_deref(),
            Some("https://atrium.example:8443/api/auth/oidc/start?company=acme&redirectURL=%2Fa%3Fb%3Dc%26d")
        );
    }
}
