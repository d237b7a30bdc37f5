//! API of the team: members, invitations and former members.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    audit_entries,
    invitations::{self, Invitation, Invitations},
    model::NewMember,
    rules::{self, MemberFilter},
};
use crate::{
    access::{Member, factors},
    kernel::{Code, Error, Heading, MemberId, Result, Timestamp, text},
    mail::Mailer,
    people::{
        audit::Event,
        former_members::FormerMember,
        members::{MemberRecord, MemberState, Status, visible_status},
        permission::{Permission, Read, Right, Role, TeamManage},
    },
    store::{Stored, TenantWrite},
    wire::{
        Accepted, Created, IdempotencyKey, IfMatch, Json, JsonResponse, Listed, NoContent, NotNull, Reply, Versioned,
    },
};

/// A member of the company.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Member", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: MemberId,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member who created the record; absent when the operator did.
    created_by: Option<MemberId>,
    name: String,
    #[serde(serialize_with = "text::serialize_email")]
    email: String,
    /// The URL of the member's picture.
    avatar: Option<String>,
    role: Role,
    state: MemberState,
    /// Job title.
    title: Option<String>,
    phone: Option<String>,
    /// A short description.
    about: Option<String>,
    /// When the member last used the application; absent when they have no open session, and for others when their
    /// status is `not-visible`.
    last_seen_at: Option<Timestamp>,
    /// Whether the member has set up a second factor; absent when the caller may not manage the team.
    second_factor: Option<bool>,
    /// The presence that others see: the chosen status, `away` while the member is idle, `not-visible` while none of
    /// their devices is connected.
    presence: Status,
}

impl View {
    fn new<R: Right>(record: Stored<MemberRecord>, caller: &Member<R>) -> Result<Self> {
        let id = record.id;
        let manages = caller.may(Permission::TeamManage);
        let second_factor = match manages.then(|| caller.read(|tx| factors::has(tx, id))).transpose() {
            // Damaged factors: unknown here; signing in with them is refused.
            Err(error) if error.is_damage() => None,
            known => known?,
        };
        let seen = caller.sessions().last_seen(id).filter(|_| record.status != Status::NotVisible || caller.id() == id);
        let member = record.value;
        Ok(Self {
            second_factor,
            id,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
            created_by: record.created_by,
            presence: visible_status(member.status, caller.presence_of(id)),
            last_seen_at: seen,
            name: member.name,
            email: member.email,
            avatar: member.avatar,
            role: member.role,
            state: member.state,
            title: member.title,
            phone: member.phone,
            about: member.about,
        })
    }
}

/// A member to add to the company.
#[derive(Object)]
#[oai(rename = "NewMember", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    name: String,
    /// Unique in the company; case does not matter.
    email: String,
    /// The role; only owners can assign `owner`.
    role: Role,
    /// 12 to 128 characters; common passwords are refused.
    password: Option<String>,
    title: Option<String>,
    phone: Option<String>,
    about: Option<String>,
}

/// A person to invite.
#[derive(Object)]
#[oai(rename = "Invitee", deny_unknown_fields)]
struct Invitee {
    email: String,
    /// The member's name until they choose another; the local part of the address when absent.
    name: Option<String>,
}

/// People to invite.
#[derive(Object)]
#[oai(rename = "NewInvitations", deny_unknown_fields)]
struct Invite {
    /// Addresses without names. 1 to 50 together with `people`.
    #[oai(default)]
    emails: Vec<String>,
    /// Addresses with names.
    #[oai(default)]
    people: Vec<Invitee>,
    /// The role of the new members; only owners can assign `owner`.
    role: Role,
    /// A message for the email; plain text, at most 1,000 characters.
    message: Option<String>,
}

/// The outcome of the invitations.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Invitations")]
struct InvitedList {
    /// In the order of the addresses: those of `emails`, then those of `people`.
    items: Vec<Invitation>,
}

/// Changes to a member. Absent fields stay as they are; null clears a field.
#[derive(Object)]
#[oai(rename = "MemberPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    name: NotNull<String>,
    role: NotNull<Role>,
    /// The new state: `active` or `suspended`.
    state: NotNull<MemberState>,
    title: MaybeUndefined<String>,
    phone: MaybeUndefined<String>,
    about: MaybeUndefined<String>,
}

impl Patch {
    fn apply(self, member: &mut MemberRecord) {
        if let Some(name) = self.name.into_option() {
            member.name = text::line(&name);
        }
        self.role.update_to(&mut member.role);
        self.state.update_to(&mut member.state);
        self.title.update_to(&mut member.title);
        self.phone.update_to(&mut member.phone);
        self.about.update_to(&mut member.about);
        for line in [&mut member.title, &mut member.phone] {
            *line = text::filled(line.as_deref().map(text::line));
        }
        member.about = text::filled(member.about.as_deref().map(text::lines));
    }
}

/// A member who has left the company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FormerMember", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Former {
    /// The member's former id.
    id: MemberId,
    name: String,
    left_at: Timestamp,
}

/// The members who have left the company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FormerMembers")]
struct FormerList {
    items: Vec<Former>,
}

/// A link that lets an invited member join.
#[derive(Serialize, Object)]
#[oai(rename = "InvitationLink")]
struct InvitationLink {
    /// Path and fragment on this server. It works once, for seven days.
    link: String,
}

/// The API of the team.
pub struct Api;

#[OpenApi(prefix_path = "/team", tag = "crate::wire::Tag::Team")]
impl Api {
    /// List members by name.
    #[oai(path = "/", method = "get", operation_id = "listMembers")]
    async fn list(
        &self,
        member: Member<Read>,
        /// Words to search for in name, email address and phone number.
        q: Query<Option<String>>,
        role: Query<Option<Role>>,
        state: Query<Option<MemberState>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let searched = member.search_ids::<MemberRecord>(Heading::Contacts, q.0).await?;
        let filter = MemberFilter { ids: searched.found, role: role.0, state: state.0 };
        let (page, total) = member.read(|tx| rules::list(tx, &filter, paging))?;
        let items = page.items.into_iter().map(|record| View::new(record, &member));
        let items = items.collect::<Result<Vec<View>>>()?;
        let list = cursors.list(items, page.next, total)?.without_damaged(page.damaged);
        Ok(Listed(list.with_partial(searched.is_partial)))
    }

    /// List former members.
    ///
    /// At most 2,000, the most recently added first. Their work still shows their names.
    #[oai(path = "/former", method = "get", operation_id = "listFormerMembers")]
    async fn former(&self, member: Member<Read>) -> Reply<JsonResponse<FormerList>> {
        let view = |former: Stored<FormerMember>| Former {
            id: former.id,
            left_at: former.created_at,
            name: former.value.name,
        };
        Ok(JsonResponse(FormerList { items: member.read(rules::former)?.into_iter().map(view).collect() }))
    }

    /// Get a member.
    #[oai(path = "/:id", method = "get", operation_id = "getMember")]
    async fn get(&self, member: Member<Read>, id: Path<MemberId>) -> Reply<Versioned<View>> {
        let found = member.read(|tx| tx.get(id.0))?;
        let version = found.version;
        Ok(Versioned(View::new(found, &member)?, version))
    }

    /// Add a member.
    ///
    /// The member can sign in at once with the given password.
    #[oai(path = "/", method = "post", operation_id = "createMember")]
    async fn create(
        &self,
        member: Member<TeamManage>,
        body: Json<New>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<Created<View>> {
        let New { name, email, role, password, title, phone, about } = body.0;
        rules::may_touch(member.role(), role)?;
        let new = NewMember { name, email, role, title, phone, about };
        let email = new.clone().into_record()?.email;
        let password = password.ok_or_else(|| Error::field("password", "errors.fields.required"))?;
        let hash = member.hash_password(password, &new.name, &email).await?;
        let from = Some(member.address());
        let made = member
            .write_idempotent("team.create", key.0, body.1, move |tx| {
                let made = rules::add(tx, new, hash)?;
                audit_entries::note(
                    tx,
                    Event::new("member.added").about_member(&made).with("role", made.role.as_str()),
                    from,
                )?;
                audit_entries::joined(tx, &made)?;
                Ok(made)
            })
            .await?;
        Ok(Created {
            location: format!("/api/team/{}", made.id),
            version: made.version,
            body: View::new(made, &member)?,
        })
    }

    /// Invite people.
    ///
    /// Each becomes an `invited` member and gets an email; without a mail server the answer contains links instead. A
    /// member who was invited before gets another email, the new role, and the new name if one is given.
    #[oai(path = "/invitations", method = "post", operation_id = "inviteMembers")]
    async fn invite(
        &self,
        member: Member<TeamManage>,
        mailer: Mailer,
        body: Json<Invite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<JsonResponse<InvitedList>> {
        let Invite { emails, people, role, message } = body.0;
        let people = people.into_iter().map(|Invitee { email, name }| (email, name)).collect();
        let asked = Invitations { emails, people, role, message: message.unwrap_or_default() };
        let from = member.address();
        let work = move |tx: &TenantWrite<'_>| invitations::invite(tx, &asked, from);
        let mut items = member.write_idempotent("team.invite", key.0, body.1, work).await?;
        if mailer.stores_locally() {
            let entropy = member.entropy();
            items = member.write(move |tx| invitations::add_links(tx, items, &entropy)).await?;
        }
        Ok(JsonResponse(InvitedList { items }))
    }

    /// Create another invitation link for an invited member.
    ///
    /// The caller passes the link on. Where a mail server is set up, the call is a conflict: invitations go by email
    /// there.
    #[oai(path = "/:id/invitation-link", method = "post", operation_id = "createInvitationLink")]
    async fn invitation_link(
        &self,
        member: Member<TeamManage>,
        mailer: Mailer,
        id: Path<MemberId>,
    ) -> Reply<JsonResponse<InvitationLink>> {
        if !mailer.stores_locally() {
            return Err(Error::new(Code::Conflict).say("errors.mail_on", Vec::new()).into());
        }
        let entropy = member.entropy();
        let from = member.address();
        let work = move |tx: &TenantWrite<'_>| invitations::create_link(tx, id.0, &entropy, from);
        Ok(JsonResponse(InvitationLink { link: member.write(work).await? }))
    }

    /// Send an invitation again.
    ///
    /// Links that were sent before stay valid.
    #[oai(path = "/:id/resend-invitation", method = "post", operation_id = "resendInvitation")]
    async fn resend(&self, member: Member<TeamManage>, id: Path<MemberId>) -> Reply<Accepted<View>> {
        let from = member.address();
        let invited = member.write(move |tx| invitations::resend(tx, id.0, from)).await?;
        Ok(Accepted(View::new(invited, &member)?))
    }

    /// Change a member.
    ///
    /// A new role takes effect with the member's next request; a suspended member is signed out.
    #[oai(path = "/:id", method = "patch", operation_id = "changeMember")]
    async fn change(
        &self,
        member: Member<TeamManage>,
        id: Path<MemberId>,
        body: Json<Patch>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<Versioned<View>> {
        let from = Some(member.address());
        let patch = body.0;
        let work = move |tx: &TenantWrite<'_>| rules::change(tx, id.0, if_match.0, from, |record| patch.apply(record));
        let changed = member.write(work).await?;
        if changed.state != MemberState::Active {
            member.sessions().forget_of(changed.id);
        }
        let version = changed.version;
        Ok(Versioned(View::new(changed, &member)?, version))
    }

    /// Remove a member.
    ///
    /// The member is signed out, and their messages, notifications, shortcuts and chat list are deleted. What they
    /// created for the company stays.
    #[oai(path = "/:id", method = "delete", operation_id = "removeMember")]
    async fn remove(
        &self,
        member: Member<TeamManage>,
        id: Path<MemberId>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let from = Some(member.address());
        member.write(move |tx| rules::remove(tx, id.0, if_match.0, from)).await?;
        member.sessions().forget_of(id.0);
        Ok(NoContent)
    }
}
