//! The calls for accounts: making one, and what the links in mails do.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::{
    api::{Token, opened},
    recovery,
    sign_up::{self, Form, Next},
};
use crate::{
    access::{Member, Visitor, members::Colleague, permission::OwnAccount},
    wire::{
        Json, JsonResponse, NoContent, Reply,
        response::{Accepted, WithCookie},
    },
};

/// An address that something is to be mailed to.
#[derive(Object)]
#[oai(rename = "MailTo", deny_unknown_fields)]
struct MailTo {
    #[oai(validator(max_length = 320))]
    email: String,
}

/// What stands behind `#` in a mailed link.
#[derive(Object)]
#[oai(rename = "LinkToken", deny_unknown_fields)]
struct LinkToken {
    #[oai(validator(max_length = 256))]
    token: String,
}

/// A link, and for who is invited the name and the password that they choose.
#[derive(Object)]
#[oai(rename = "ActivateAccount", deny_unknown_fields)]
struct Activation {
    #[oai(validator(max_length = 256))]
    token: String,
    name: Option<String>,
    #[oai(validator(max_length = 1024))]
    password: Option<String>,
}

/// A link, and the new password.
#[derive(Object)]
#[oai(rename = "ResetPassword", deny_unknown_fields)]
struct Reset {
    #[oai(validator(max_length = 256))]
    token: String,
    #[oai(validator(max_length = 1024))]
    password: String,
}

/// The password that one has, and the one to have.
#[derive(Object)]
#[oai(rename = "ChangePassword", rename_all = "camelCase", deny_unknown_fields)]
struct NewPassword {
    #[oai(validator(max_length = 1024))]
    current_password: String,
    #[oai(validator(max_length = 1024))]
    new_password: String,
}

/// The address to have, and the password.
#[derive(Object)]
#[oai(rename = "ChangeEmail", deny_unknown_fields)]
struct NewEmail {
    #[oai(validator(max_length = 320))]
    email: String,
    #[oai(validator(max_length = 1024))]
    password: String,
}

/// What came of signing up, as far as anybody may know.
#[derive(Serialize, Object)]
#[oai(rename = "SignedUp")]
struct SignedUp {
    /// The address in its canonical form.
    email: String,
    next: Next,
}

/// Nothing to say.
#[derive(Serialize, Object)]
#[oai(rename = "Nothing")]
struct Nothing {}

/// What a link is for.
#[derive(Serialize, Object)]
#[oai(rename = "MailedLink")]
struct LinkView {
    /// `confirm`, `invite`, `reset` or `email`.
    purpose: String,
    /// The address that it is about.
    email: String,
    /// The member's name, as far as it is known.
    name: String,
    company: LinkCompany,
}

/// The company that a link is about.
#[derive(Serialize, Object)]
#[oai(rename = "MailedLinkCompany")]
struct LinkCompany {
    name: String,
}

/// The calls.
pub struct AccountApi;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Auth")]
impl AccountApi {
    /// Signs up: for a company of one's own, for the first one of an installation, or in the company of the host.
    ///
    /// The answer is the same whether the address is known or not; what is to be known of that is mailed to it.
    #[oai(path = "/sign-up", method = "post", operation_id = "signUp")]
    async fn sign_up(&self, visitor: Visitor, body: Json<Form>) -> Reply<Accepted<SignedUp>> {
        let (email, next) = sign_up::sign_up(&visitor, body.0).await?;
        Ok(Accepted(SignedUp { email, next }))
    }

    /// Mails the link once more that confirms an address, if it is one that waits for it.
    #[oai(path = "/resend-confirmation", method = "post", operation_id = "resendConfirmation")]
    async fn resend(&self, visitor: Visitor, body: Json<MailTo>) -> Reply<Accepted<Nothing>> {
        recovery::resend(&visitor, &body.0.email)?;
        Ok(Accepted(Nothing {}))
    }

    /// What a mailed link is for. Looking does not use it up.
    #[oai(path = "/link", method = "post", operation_id = "readLink")]
    async fn link(&self, visitor: Visitor, body: Json<LinkToken>) -> Reply<JsonResponse<LinkView>> {
        visitor.ask()?;
        let shown = visitor.link(&body.0.token)?;
        Ok(JsonResponse(LinkView {
            purpose: shown.link.purpose.as_str().to_owned(),
            email: shown.link.value.email.unwrap_or_else(|| shown.member.email.clone()),
            name: shown.member.value.name,
            company: LinkCompany { name: shown.company.value.name },
        }))
    }

    /// Does what a link is for, and signs in: confirms an address, follows an invitation, or takes another address
    /// (in a session of the member who asked for it).
    #[oai(path = "/activate-account", method = "post", operation_id = "activateAccount")]
    async fn activate(&self, visitor: Visitor, body: Json<Activation>) -> Reply<WithCookie<Token>> {
        let Activation { token, name, password } = body.0;
        Ok(opened(recovery::activate(&visitor, &token, name, password).await?))
    }

    /// Mails a link by which a new password is chosen, if the address is a member's.
    #[oai(path = "/forgot-password", method = "post", operation_id = "forgotPassword")]
    async fn forgot(&self, visitor: Visitor, body: Json<MailTo>) -> Reply<Accepted<Nothing>> {
        recovery::forgot(&visitor, &body.0.email)?;
        Ok(Accepted(Nothing {}))
    }

    /// Sets a new password by a mailed link, and ends all sessions.
    #[oai(path = "/reset-password", method = "post", operation_id = "resetPassword")]
    async fn reset(&self, visitor: Visitor, body: Json<Reset>) -> Reply<NoContent> {
        recovery::reset(&visitor, &body.0.token, body.0.password).await?;
        Ok(NoContent)
    }
}

/// The calls for one's own account.
pub struct OwnApi;

#[OpenApi(prefix_path = "/common/user", tag = "crate::wire::Tag::User")]
impl OwnApi {
    /// Changes the caller's password; all of their other sessions end.
    #[oai(path = "/password", method = "post", operation_id = "changePassword")]
    async fn password(&self, member: Member<OwnAccount>, body: Json<NewPassword>) -> Reply<NoContent> {
        let NewPassword { current_password, new_password } = body.0;
        member.reauthenticate(current_password).await.map_err(|error| error.at("password", "currentPassword"))?;
        let hash = member.hash_password(new_password, &member.record().name, &member.record().email).await;
        let hash = hash.map_err(|error| error.at("password", "newPassword"))?;
        let whose = Colleague { member: member.record().clone(), company: member.company().clone() };
        let (here, device) = (member.session(), member.device().clone());
        member.write(move |tx| recovery::change_password(tx, &whose, here, hash, &device)).await?;
        member.forget_own_sessions_but_this();
        Ok(NoContent)
    }

    /// Asks at a new address whether it is the caller's; it is theirs when the link that is mailed there was opened.
    #[oai(path = "/email", method = "post", operation_id = "changeEmail")]
    async fn email(&self, member: Member<OwnAccount>, body: Json<NewEmail>) -> Reply<Accepted<Nothing>> {
        member.reauthenticate(body.0.password).await?;
        let whose = Colleague { member: member.record().clone(), company: member.company().clone() };
        member.write(move |tx| recovery::ask_for_email(tx, &whose, &body.0.email)).await?;
        Ok(Accepted(Nothing {}))
    }
}
