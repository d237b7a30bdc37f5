//! API of second factors and passkeys.

use poem_openapi::{OpenApi, param::Path};

use super::{
    rules::{self, Change},
    views::{Code, Codes, EnrolmentView, New, PasskeyView, Password, QuestionView, Rename, View},
};
use crate::{
    access::{
        Member, Visitor,
        factors::{self, Passkey},
    },
    kernel::{Id, MemberId},
    people::permission::{OwnAccount, TeamManage},
    wire::{Created, Empty, Json, JsonResponse, NoContent, Reply},
};

/// The API of second factors.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Auth")]
impl Api {
    /// Get the caller's second factors.
    #[oai(path = "/auth/factors", method = "get", operation_id = "getFactors")]
    async fn get(&self, member: Member<OwnAccount>) -> Reply<JsonResponse<View>> {
        let overview = member.read(|tx| factors::overview(tx, member.id()))?;
        Ok(JsonResponse(View::new(overview, member.company().second_factor.required_from())))
    }

    /// Begin to set up an authenticator app.
    ///
    /// The app replaces the previous one when its first code is confirmed, within 15 minutes.
    #[oai(path = "/auth/factors/totp", method = "post", operation_id = "beginTotp")]
    async fn begin_totp(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<Password>,
    ) -> Reply<JsonResponse<EnrolmentView>> {
        body.0.prove(&visitor, &member).await?;
        let me = member.id();
        let entropy = member.entropy();
        let issuer = member.company().name.clone();
        let account = member.record().email.clone();
        let begun = member.write(move |tx| factors::begin_app(tx, me, (&issuer, &account), &entropy)).await?;
        Ok(JsonResponse(begun.into()))
    }

    /// Confirm the new authenticator app with its first code.
    ///
    /// Returns new recovery codes.
    #[oai(path = "/auth/factors/totp/confirm", method = "post", operation_id = "confirmTotp")]
    async fn confirm_totp(&self, member: Member<OwnAccount>, body: Json<Code>) -> Reply<JsonResponse<Codes>> {
        let me = member.id();
        let entropy = member.entropy();
        let from = member.address();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let codes = factors::confirm_app(tx, me, &body.code, &entropy)?;
            rules::changed(tx, me, Change::AppAdded, None, from)?;
            Ok(codes)
        };
        Ok(JsonResponse(Codes { recovery_codes: member.write(work).await? }))
    }

    /// Remove the authenticator app.
    ///
    /// If it was the last second factor, the recovery codes are removed too.
    #[oai(path = "/auth/factors/totp/remove", method = "post", operation_id = "removeTotp")]
    async fn remove_totp(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<Password>,
    ) -> Reply<NoContent> {
        body.0.prove(&visitor, &member).await?;
        let me = member.id();
        let from = member.address();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            factors::remove_app(tx, me)?;
            rules::changed(tx, me, Change::AppRemoved, None, from)
        };
        member.write(work).await?;
        Ok(NoContent)
    }

    /// Renew the recovery codes.
    ///
    /// The previous codes become invalid.
    #[oai(path = "/auth/factors/recovery-codes", method = "post", operation_id = "renewRecoveryCodes")]
    async fn recovery_codes(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<Password>,
    ) -> Reply<JsonResponse<Codes>> {
        body.0.prove(&visitor, &member).await?;
        let me = member.id();
        let entropy = member.entropy();
        let from = member.address();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let codes = factors::new_codes(tx, me, &entropy)?;
            rules::changed(tx, me, Change::NewCodes, None, from)?;
            Ok(codes)
        };
        Ok(JsonResponse(Codes { recovery_codes: member.write(work).await? }))
    }

    /// Begin to add a passkey.
    ///
    /// Returns 409 `conflict` where passkeys are impossible: at an IP address, over plain HTTP, or when the caller has
    /// ten.
    #[oai(path = "/auth/factors/passkeys/options", method = "post", operation_id = "beginPasskey")]
    async fn begin_passkey(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<Password>,
    ) -> Reply<JsonResponse<QuestionView>> {
        body.0.prove(&visitor, &member).await?;
        Ok(JsonResponse(visitor.registration_challenge(&member)?.into()))
    }

    /// Add the passkey that the browser has created.
    #[oai(path = "/auth/factors/passkeys", method = "post", operation_id = "addPasskey")]
    async fn add_passkey(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<New>,
    ) -> Reply<Created<PasskeyView>> {
        let New { challenge_id, name, credential } = body.0;
        let me = member.id();
        let from = member.address();
        let made = visitor.new_passkey(&member, &challenge_id, credential.0)?;
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let kept = made.keep(tx, &name)?;
            rules::changed(tx, me, Change::PasskeyAdded, Some(&kept.name), from)?;
            Ok(kept)
        };
        Ok(Created::in_list("/api/auth/factors/passkeys", member.write(work).await?))
    }

    /// Rename a passkey.
    #[oai(path = "/auth/factors/passkeys/:id", method = "patch", operation_id = "renamePasskey")]
    async fn rename_passkey(
        &self,
        member: Member<OwnAccount>,
        id: Path<Id<Passkey>>,
        body: Json<Rename>,
    ) -> Reply<JsonResponse<PasskeyView>> {
        let me = member.id();
        let name = body.0.name;
        let kept = member.write(move |tx| factors::rename_passkey(tx, me, id.0, &name)).await?;
        Ok(JsonResponse(kept.into()))
    }

    /// Remove a passkey.
    ///
    /// If it was the last second factor, the recovery codes are removed too.
    #[oai(path = "/auth/factors/passkeys/:id/remove", method = "post", operation_id = "removePasskey")]
    async fn remove_passkey(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        id: Path<Id<Passkey>>,
        body: Json<Password>,
    ) -> Reply<NoContent> {
        body.0.prove(&visitor, &member).await?;
        let me = member.id();
        let from = member.address();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let removed = factors::remove_passkey(tx, me, id.0)?;
            rules::changed(tx, me, Change::PasskeyRemoved, Some(&removed.name), from)
        };
        member.write(work).await?;
        Ok(NoContent)
    }

    /// Request a challenge for any passkey of this host.
    ///
    /// The answer serves as a second factor, or signs in without a password.
    #[oai(path = "/auth/passkey/options", method = "post", operation_id = "askPasskey")]
    async fn passkey_challenge(&self, visitor: Visitor, _body: Json<Empty>) -> Reply<JsonResponse<QuestionView>> {
        Ok(JsonResponse(visitor.passkey_challenge()?.into()))
    }

    /// Remove all second factors of a member who lost the device.
    ///
    /// The member then signs in with the password alone.
    #[oai(path = "/team/:id/factors", method = "delete", operation_id = "resetFactors")]
    async fn reset(&self, member: Member<TeamManage>, id: Path<MemberId>) -> Reply<NoContent> {
        let from = member.address();
        member.write(move |tx| rules::reset(tx, id.0, from)).await?;
        Ok(NoContent)
    }
}
