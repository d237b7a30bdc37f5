//! API of accounts: sign-up, mailed links, password and email address.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::{
    api::{Token, opened},
    recovery,
    sign_up::{self, Form, Next},
};
use crate::{
    access::{Member, Visitor},
    features::factors::{PasskeyAnswer, Password},
    people::permission::OwnAccount,
    wire::{
        Json, JsonResponse, NoContent, Reply,
        response::{Accepted, WithCookie},
    },
};

/// The address to send an email to.
#[derive(Object)]
#[oai(rename = "MailTo", deny_unknown_fields)]
struct MailTo {
    #[oai(validator(max_length = 320))]
    email: String,
}

/// The fragment of a mailed link.
#[derive(Object)]
#[oai(rename = "LinkToken", deny_unknown_fields)]
struct LinkToken {
    #[oai(validator(max_length = 256))]
    token: String,
}

/// A mailed link; for an invitation also the name and the password that the new member chooses, for a sign-up the
/// password that was chosen.
#[derive(Object)]
#[oai(rename = "ActivateAccount", deny_unknown_fields)]
struct Activation {
    #[oai(validator(max_length = 256))]
    token: String,
    name: Option<String>,
    #[oai(validator(max_length = 1024))]
    password: Option<String>,
}

/// A mailed link and the new password.
#[derive(Object)]
#[oai(rename = "ResetPassword", deny_unknown_fields)]
struct Reset {
    #[oai(validator(max_length = 256))]
    token: String,
    #[oai(validator(max_length = 1024))]
    password: String,
}

/// The current password and the new one.
#[derive(Object)]
#[oai(rename = "ChangePassword", rename_all = "camelCase", deny_unknown_fields)]
struct NewPassword {
    #[oai(validator(max_length = 1024))]
    current_password: String,
    #[oai(validator(max_length = 1024))]
    new_password: String,
    /// A code from the authenticator app, or a recovery code, if a second factor is set up.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// The new email address, and the caller's password.
#[derive(Object)]
#[oai(rename = "ChangeEmail", deny_unknown_fields)]
struct NewEmail {
    #[oai(validator(max_length = 320))]
    email: String,
    #[oai(validator(max_length = 1024))]
    password: String,
    /// A code from the authenticator app, or a recovery code, if a second factor is set up.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// The result of a sign-up. It does not reveal whether the address has an account.
#[derive(Serialize, Object)]
#[oai(rename = "SignedUp")]
struct SignedUp {
    /// The address in its canonical form.
    email: String,
    next: Next,
}

/// An empty response.
#[derive(Serialize, Object)]
#[oai(rename = "Nothing")]
struct Nothing {}

/// The purpose of a mailed link.
#[derive(Serialize, Object)]
#[oai(rename = "MailedLink")]
struct LinkView {
    /// `confirm`, `invite`, `reset` or `email`.
    purpose: String,
    /// The email address that the link confirms or belongs to.
    email: String,
    /// The member's name; for an invited member the provisional one.
    name: String,
    company: LinkCompany,
}

/// The company that the link belongs to.
#[derive(Serialize, Object)]
#[oai(rename = "MailedLinkCompany")]
struct LinkCompany {
    name: String,
}

/// The API of accounts, for callers who are not signed in.
pub struct AccountApi;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Auth")]
impl AccountApi {
    /// Sign up.
    ///
    /// Creates a company, creates the first company of the installation, or joins the company of the host. The response
    /// is the same whether or not the address has an account; details are sent to the address by email.
    #[oai(path = "/sign-up", method = "post", operation_id = "signUp")]
    async fn sign_up(&self, visitor: Visitor, body: Json<Form>) -> Reply<Accepted<SignedUp>> {
        let (email, next) = sign_up::sign_up(&visitor, body.0).await?;
        Ok(Accepted(SignedUp { email, next }))
    }

    /// Send the confirmation email again.
    ///
    /// Nothing is sent unless the address is waiting for confirmation; the response is the same.
    #[oai(path = "/resend-confirmation", method = "post", operation_id = "resendConfirmation")]
    async fn resend(&self, visitor: Visitor, body: Json<MailTo>) -> Reply<Accepted<Nothing>> {
        recovery::resend(&visitor, &body.0.email)?;
        Ok(Accepted(Nothing {}))
    }

    /// Get the purpose of a mailed link.
    ///
    /// Reading does not use the link up.
    #[oai(path = "/link", method = "post", operation_id = "readLink")]
    async fn link(&self, visitor: Visitor, body: Json<LinkToken>) -> Reply<JsonResponse<LinkView>> {
        visitor.count_request()?;
        let resolved = visitor.link(&body.0.token)?;
        Ok(JsonResponse(LinkView {
            purpose: resolved.link.purpose.as_str().to_owned(),
            email: resolved.link.value.email.unwrap_or_else(|| resolved.member.email.clone()),
            name: resolved.member.value.name,
            company: LinkCompany { name: resolved.company.value.name },
        }))
    }

    /// Use a mailed link and sign in.
    ///
    /// Confirms the address of a sign-up, which needs its password; accepts an invitation; or changes an email address,
    /// which needs a session of the member who asked for it. A wrong password returns 400 `invalid_credentials`.
    #[oai(path = "/activate-account", method = "post", operation_id = "activateAccount")]
    async fn activate(&self, visitor: Visitor, body: Json<Activation>) -> Reply<WithCookie<Token>> {
        let Activation { token, name, password } = body.0;
        Ok(opened(recovery::activate(&visitor, &token, name, password).await?))
    }

    /// Request a link for resetting the password.
    ///
    /// The link is sent only if the address belongs to a member; the response is the same.
    #[oai(path = "/forgot-password", method = "post", operation_id = "forgotPassword")]
    async fn forgot(&self, visitor: Visitor, body: Json<MailTo>) -> Reply<Accepted<Nothing>> {
        recovery::forgot(&visitor, &body.0.email)?;
        Ok(Accepted(Nothing {}))
    }

    /// Reset the password with a mailed link.
    ///
    /// All sessions of the member end.
    #[oai(path = "/reset-password", method = "post", operation_id = "resetPassword")]
    async fn reset(&self, visitor: Visitor, body: Json<Reset>) -> Reply<NoContent> {
        recovery::reset(&visitor, &body.0.token, body.0.password).await?;
        Ok(NoContent)
    }
}

/// The API of the caller's own account.
pub struct OwnApi;

#[OpenApi(prefix_path = "/common/user", tag = "crate::wire::Tag::User")]
impl OwnApi {
    /// Change the caller's password.
    ///
    /// All other sessions of the caller end.
    #[oai(path = "/password", method = "post", operation_id = "changePassword")]
    async fn password(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<NewPassword>,
    ) -> Reply<NoContent> {
        let NewPassword { current_password, new_password, code, passkey } = body.0;
        let proof = Password { password: current_password, code, passkey };
        proof.prove(&visitor, &member).await.map_err(|error| error.rename_field("password", "currentPassword"))?;
        let hash = member.hash_password(new_password, &member.record().name, &member.record().email).await;
        let hash = hash.map_err(|error| error.rename_field("password", "newPassword"))?;
        let whose = member.active();
        let here = member.session();
        let device = member.device().clone();
        member.write(move |tx| recovery::change_password(tx, &whose, here, hash, &device)).await?;
        member.sessions().forget_others();
        Ok(NoContent)
    }

    /// Change the caller's email address.
    ///
    /// A link is sent to the new address; the change takes effect when the caller opens the link.
    #[oai(path = "/email", method = "post", operation_id = "changeEmail")]
    async fn email(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<NewEmail>,
    ) -> Reply<Accepted<Nothing>> {
        let NewEmail { email, password, code, passkey } = body.0;
        Password { password, code, passkey }.prove(&visitor, &member).await?;
        let whose = member.active();
        member.write(move |tx| recovery::ask_for_email(tx, &whose, &email)).await?;
        Ok(Accepted(Nothing {}))
    }
}
