//! API for administrators: the sessions of other members, and links to reset their passwords.

use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::{
    api::{Ended, SessionList},
    recovery,
};
use crate::{
    access::Member,
    features::team::rules::may_touch,
    kernel::{Code, Error, MemberId, Result},
    mail::Mailer,
    people::{members::MemberRecord, permission::TeamManage},
    wire::{JsonResponse, Reply},
};

/// A link with which a member chooses a new password.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PasswordLink")]
struct PasswordLink {
    /// The path of the page, with the secret. It works once, within an hour.
    link: String,
}

/// The API of members' sessions.
pub struct TeamApi;

/// Checks whether the caller may manage a member. Only owners may manage owners.
fn may(member: &Member<TeamManage>, id: MemberId) -> Result<()> {
    let whose = member.read(|tx| tx.get::<MemberRecord>(id))?;
    may_touch(member.role(), whose.role)
}

#[OpenApi(prefix_path = "/team", tag = "crate::wire::Tag::Team")]
impl TeamApi {
    /// List a member's sessions.
    ///
    /// The newest come first.
    #[oai(path = "/:id/sessions", method = "get", operation_id = "listMemberSessions")]
    async fn list(&self, member: Member<TeamManage>, id: Path<MemberId>) -> Reply<JsonResponse<SessionList>> {
        may(&member, id.0)?;
        Ok(JsonResponse(SessionList::new(member.sessions().list_of(id.0)?, member.session())))
    }

    /// End all sessions of a member.
    #[oai(path = "/:id/sessions", method = "delete", operation_id = "endMemberSessions")]
    async fn end(&self, member: Member<TeamManage>, id: Path<MemberId>) -> Reply<JsonResponse<Ended>> {
        may(&member, id.0)?;
        Ok(JsonResponse(Ended { ended: member.sessions().end_of(id.0).await? }))
    }

    /// Create a link to reset a member's password.
    ///
    /// The caller passes the link on; it works once, within an hour. Where a mail server is set up, the call is a conflict:
    /// members ask for the link themselves there, and it goes by email. Callers change their own password with the old
    /// one: for the caller, it is a conflict, too.
    #[oai(path = "/:id/password-link", method = "post", operation_id = "createPasswordLink")]
    async fn password_link(
        &self,
        member: Member<TeamManage>,
        mailer: Mailer,
        id: Path<MemberId>,
    ) -> Reply<JsonResponse<PasswordLink>> {
        if !mailer.stores_locally() {
            return Err(Error::new(Code::Conflict).say("errors.password_mail_on", Vec::new()).into());
        }
        let entropy = member.entropy();
        let from = member.address();
        let link = member.write(move |tx| recovery::create_link(tx, id.0, &entropy, from)).await?;
        Ok(JsonResponse(PasswordLink { link }))
    }
}
