//! API of single sign-on.

use poem_openapi::{OpenApi, param::Query};
use url::form_urlencoded::byte_serialize;

use super::{
    model::{Choice, View},
    rules,
};
use crate::{
    access::{
        Member, Visitor,
        sso::{self, Provider},
    },
    features::auth,
    kernel::Result,
    people::permission::TenantOwn,
    wire::{Json, JsonResponse, NoContent, Reply, response::SeeOther},
};

/// The API of single sign-on.
pub struct Api;

#[OpenApi]
impl Api {
    /// Get the single sign-on settings.
    ///
    /// Includes the issuers that the operator allows.
    #[oai(
        path = "/settings/single-sign-on",
        method = "get",
        operation_id = "getSingleSignOn",
        tag = "crate::wire::Tag::Settings"
    )]
    async fn get(&self, member: Member<TenantOwn>) -> Reply<JsonResponse<View>> {
        let kept = member.read(|tx| tx.find(Provider::id(tx)))?;
        Ok(JsonResponse(View::new(kept.map(|kept| kept.value), member.config())))
    }

    /// Set the single sign-on provider of the company.
    #[oai(
        path = "/settings/single-sign-on",
        method = "put",
        operation_id = "setSingleSignOn",
        tag = "crate::wire::Tag::Settings"
    )]
    async fn set(&self, member: Member<TenantOwn>, body: Json<Choice>) -> Reply<JsonResponse<View>> {
        let config = member.config().clone();
        let from = member.address().to_string();
        let choice = body.0;
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            rules::choose(tx, |before| choice.into_provider(before, &config), from)
        };
        let kept = member.write(work).await?;
        Ok(JsonResponse(View::new(Some(kept), member.config())))
    }

    /// Remove the single sign-on provider.
    ///
    /// Existing sessions continue.
    #[oai(
        path = "/settings/single-sign-on",
        method = "delete",
        operation_id = "removeSingleSignOn",
        tag = "crate::wire::Tag::Settings"
    )]
    async fn remove(&self, member: Member<TenantOwn>) -> Reply<NoContent> {
        let from = member.address().to_string();
        member.write(move |tx| rules::forget(tx, from)).await?;
        Ok(NoContent)
    }

    /// Redirect the browser to the company's provider.
    #[oai(
        path = "/auth/oidc/start",
        method = "get",
        operation_id = "startSingleSignOn",
        tag = "crate::wire::Tag::Auth"
    )]
    async fn start(
        &self,
        visitor: Visitor,
        /// The company's slug; the host's company when absent.
        company: Query<Option<String>>,
        /// The path of the application to open after the sign-in.
        #[oai(name = "redirectURL")]
        to: Query<Option<String>>,
    ) -> Reply<SeeOther> {
        let redirect = visitor.start_single_sign_on(company.0.as_deref(), to.0).await;
        Ok(or_back(redirect.map(|redirect| SeeOther { location: redirect.location, cookies: redirect.cookies })))
    }

    /// Finish a single sign-on.
    ///
    /// The provider redirects the browser here. Signs in and redirects with the fragment `signed-in`, or to
    /// `/sign-in?error=` with an error code when it fails.
    #[oai(
        path = "/auth/oidc/callback",
        method = "get",
        operation_id = "finishSingleSignOn",
        tag = "crate::wire::Tag::Auth"
    )]
    async fn callback(
        &self,
        visitor: Visitor,
        code: Query<Option<String>>,
        state: Query<Option<String>>,
        /// The provider's error code.
        error: Query<Option<String>>,
        /// The issuer of the response (RFC 9207).
        iss: Query<Option<String>>,
    ) -> Reply<SeeOther> {
        let answer = sso::AuthorizationResponse { code: code.0, state: state.0, error: error.0, issuer: iss.0 };
        let back = visitor.finish_single_sign_on(answer, rules::welcome, auth::notify_of_new_device).await;
        Ok(or_back(back.map(|(signed, to)| SeeOther { location: arrived(&to), cookies: signed.cookies })))
    }
}

/// Returns the page to open after the sign-in. The page cannot read the cookie, and may be of another host than the one
/// where the sign-in began: the fragment tells it that a session exists.
fn arrived(to: &str) -> String {
    format!("{}#signed-in", to.split('#').next().unwrap_or("/"))
}

/// The client is a browser, so errors are shown by the sign-in page.
fn or_back(redirect: Result<SeeOther>) -> SeeOther {
    redirect.unwrap_or_else(|error| {
        tracing::info!(code = error.code().as_str(), detail = error.detail(), "single sign-on failed");
        let code: String = byte_serialize(error.code().as_str().as_bytes()).collect();
        SeeOther { location: format!("/sign-in?error={code}"), cookies: Vec::new() }
    })
}
