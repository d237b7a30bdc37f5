//! API for administrators: the sessions of other members.

use poem_openapi::{OpenApi, param::Path};

use super::api::{Ended, SessionList};
use crate::{
    access::Member,
    features::team::rules::may_touch,
    kernel::{MemberId, Result},
    people::{members::MemberRecord, permission::TeamManage},
    wire::{JsonResponse, Reply},
};

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
}
