//! API of the company's settings.

use poem_openapi::{Object, OpenApi, types::MaybeUndefined};
use serde::Serialize;

use super::{
    health::{self, Found, ServerWatch},
    mail::{mail_off, record_failure, record_test},
    model::{JoiningPatch, JoiningView, SecondFactorPatch, SecondFactorView},
    rules,
};
use crate::{
    access::{Member, Visitor},
    features::{
        factors::{PasskeyAnswer, Password},
        files::FileStore,
        team,
        tenants::{self, closing},
    },
    kernel::{Code, Error, Id, MemberId, Timestamp, text},
    mail::Mailer,
    people::{
        members::Company,
        permission::{SettingsCompany, TenantOwn},
        region::{Region, RegionPatch},
    },
    store::{Stored, TenantWrite},
    wire::{IfMatch, Json, JsonResponse, NoContent, NotNull, Reply, Versioned},
};

/// The settings of a company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CompanySettings")]
pub struct View {
    id: Id<Company>,
    version: u64,
    updated_at: Timestamp,
    /// The company's name in web addresses.
    slug: String,
    name: String,
    /// The logo for light backgrounds: the `url` of an upload.
    #[oai(nullable)]
    logotipo_dark: Option<String>,
    /// The logo for dark backgrounds: the `url` of an upload.
    #[oai(nullable)]
    logotipo_light: Option<String>,
    /// One of the 21 colour schemes.
    color_scheme: String,
    /// The layout of members who have not chosen one.
    layout: String,
    /// The language of members who have not chosen one.
    locale: String,
    /// The IANA time zone of members who have not chosen one.
    timezone: String,
    /// The region of members who have not chosen one.
    region: Region,
    /// The company's host names.
    domains: Vec<String>,
    /// Where members find help: a path of the application, or an http(s) or mailto URL; the built-in help when null.
    #[oai(nullable, rename = "supportLink")]
    #[serde(rename = "supportLink")]
    support_link: Option<String>,
    /// Idle minutes after which a session is locked; 0 for never.
    #[oai(rename = "idleMinutes")]
    #[serde(rename = "idleMinutes")]
    idle_minutes: u32,
    #[oai(rename = "secondFactor")]
    #[serde(rename = "secondFactor")]
    second_factor: SecondFactorView,
    joining: JoiningView,
}

impl From<Stored<Company>> for View {
    fn from(record: Stored<Company>) -> Self {
        let company = record.value;
        let region = company.region();
        Self {
            id: record.id,
            version: record.version,
            updated_at: record.updated_at,
            slug: company.slug,
            name: company.name,
            logotipo_dark: company.logotipo_dark,
            logotipo_light: company.logotipo_light,
            color_scheme: company.color_scheme,
            layout: company.layout,
            locale: company.locale,
            timezone: company.timezone,
            region,
            domains: company.domains,
            support_link: company.support_link,
            idle_minutes: company.idle_minutes,
            second_factor: company.second_factor.into(),
            joining: company.joining.into(),
        }
    }
}

/// Changes to the company. Absent fields stay as they are; null removes a logo or the help link.
#[derive(Object)]
#[oai(rename = "CompanyPatch", deny_unknown_fields)]
struct Patch {
    /// Unique on the installation. `{slug}.{base domain}` is the company's address.
    slug: NotNull<String>,
    name: NotNull<String>,
    logotipo_dark: MaybeUndefined<String>,
    logotipo_light: MaybeUndefined<String>,
    color_scheme: NotNull<String>,
    layout: NotNull<String>,
    locale: NotNull<String>,
    timezone: NotNull<String>,
    /// Null restores what is usual in the company's language.
    region: NotNull<RegionPatch>,
    /// At most 20 host names. Only the operator can add one.
    domains: NotNull<Vec<String>>,
    /// A path of the application, or an http(s) or mailto URL.
    #[oai(rename = "supportLink")]
    support_link: MaybeUndefined<String>,
    /// 0 to 1,440; 0 for never.
    #[oai(rename = "idleMinutes")]
    idle_minutes: NotNull<u32>,
    #[oai(rename = "secondFactor")]
    second_factor: NotNull<SecondFactorPatch>,
    joining: NotNull<JoiningPatch>,
}

impl Patch {
    fn apply(self, company: &mut Company, now: Timestamp) {
        if let Some(name) = self.name.into_option() {
            company.name = text::line(&name);
        }
        self.logotipo_dark.update_to(&mut company.logotipo_dark);
        self.logotipo_light.update_to(&mut company.logotipo_light);
        self.support_link.update_to(&mut company.support_link);
        self.slug.update_to(&mut company.slug);
        self.color_scheme.update_to(&mut company.color_scheme);
        self.layout.update_to(&mut company.layout);
        self.locale.update_to(&mut company.locale);
        self.timezone.update_to(&mut company.timezone);
        if let Some(patch) = self.region.into_option() {
            patch.apply(&mut company.region);
        }
        if let Some(names) = self.domains.into_option() {
            company.domains = tenants::domains(&names);
        }
        self.idle_minutes.update_to(&mut company.idle_minutes);
        if let Some(patch) = self.second_factor.into_option() {
            patch.apply(&mut company.second_factor, now);
        }
        if let Some(patch) = self.joining.into_option() {
            patch.apply(&mut company.joining);
        }
    }
}

/// The transfer of a company to another owner.
#[derive(Object)]
#[oai(rename = "HandOver", rename_all = "camelCase", deny_unknown_fields)]
struct HandOver {
    /// An active member other than the caller.
    member_id: MemberId,
    /// The caller's password.
    password: String,
    /// A code from the authenticator app, or a recovery code, if a second factor is set up.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// The confirmation that closes a company.
#[derive(Object)]
#[oai(rename = "CloseCompany", deny_unknown_fields)]
struct Close {
    /// The company's slug.
    slug: String,
    /// The caller's password.
    password: String,
    /// A code from the authenticator app, or a recovery code, if a second factor is set up.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// A closed company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ClosedCompany", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Closed {
    /// When the company's data is erased.
    erased_at: Timestamp,
}

/// Whether the server sends email.
#[derive(Serialize, Object)]
#[oai(rename = "MailSettings")]
struct MailSettings {
    /// Whether a mail server is set up. Without one, emails are kept on the server and reach no one.
    configured: bool,
}

/// A test email that the mail server has accepted.
#[derive(Serialize, Object)]
#[oai(rename = "TestEmail")]
struct TestEmail {
    /// The caller's address, which the email was sent to.
    email: String,
}

/// Emails of the queue among which those of a company are counted.
const MAX_COUNTED_EMAILS: usize = 10_000;

/// The API of the company's settings.
pub struct Api;

#[OpenApi(prefix_path = "/settings/company", tag = "crate::wire::Tag::Settings")]
impl Api {
    /// Get the company's settings.
    #[oai(path = "/", method = "get", operation_id = "getCompanySettings")]
    async fn get(&self, member: Member<SettingsCompany>) -> Reply<Versioned<View>> {
        let company = member.read(Company::of)?;
        let version = company.version;
        Ok(Versioned(company.into(), version))
    }

    /// Change the company's settings.
    ///
    /// A slug that another company has is a conflict.
    #[oai(path = "/", method = "patch", operation_id = "changeCompanySettings")]
    async fn change(
        &self,
        member: Member<SettingsCompany>,
        body: Json<Patch>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<Versioned<View>> {
        let patch = body.0;
        let from = member.address();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            rules::change(tx, if_match.0, from, |company| patch.apply(company, now))
        };
        let company = member.write(work).await?;
        let version = company.version;
        Ok(Versioned(company.into(), version))
    }

    /// Get what concerns the company in the condition of the server.
    ///
    /// Only the operator of the server can mend what is wrong.
    #[oai(path = "/health", method = "get", operation_id = "getCompanyHealth")]
    async fn health(
        &self,
        member: Member<SettingsCompany>,
        server: ServerWatch,
        files: FileStore,
        mailer: Mailer,
    ) -> Reply<JsonResponse<health::View>> {
        let view = member.read_blocking(move |tx| {
            let emails = mailer.queue(Some(tx.tenant()), MAX_COUNTED_EMAILS)?;
            let found = Found { server: server.condition()?, files: &files, mailer: &mailer, emails };
            health::view(tx, &found)
        });
        Ok(JsonResponse(view.await?))
    }

    /// Get the mail settings.
    #[oai(path = "/mail", method = "get", operation_id = "getMailSettings")]
    async fn mail(&self, _member: Member<SettingsCompany>, mailer: Mailer) -> Reply<JsonResponse<MailSettings>> {
        Ok(JsonResponse(MailSettings { configured: !mailer.stores_locally() }))
    }

    /// Send a test email to the caller's own address.
    ///
    /// Returns when the mail server has accepted the email. Where no mail server is set up, the call is a conflict. A
    /// company can send at most five test emails within an hour.
    #[oai(path = "/mail/test", method = "post", operation_id = "sendTestEmail")]
    async fn test_mail(&self, member: Member<SettingsCompany>, mailer: Mailer) -> Reply<JsonResponse<TestEmail>> {
        if mailer.stores_locally() {
            return Err(mail_off().into());
        }
        let from = member.address();
        member.write(move |tx| record_test(tx, from)).await?;
        let email = member.record().email.clone();
        let sent = tokio::time::timeout(mailer.request_wait(), mailer.send_test(&email, member.locale())).await;
        let sent = sent.unwrap_or_else(|_| Err(Error::new(Code::Busy).with_detail("the mail server does not answer")));
        if let Err(error) = sent {
            // The log has no addresses of people.
            let why = error.explanation().map(|text| text.replace(&email, "its recipient"));
            tracing::warn!(detail = ?error, why, "mail: test email not sent");
            member.write(move |tx| record_failure(tx, from)).await?;
            return Err(Error::new(Code::Busy).say("errors.mail_refused", Vec::new()).into());
        }
        Ok(JsonResponse(TestEmail { email }))
    }

    /// Transfer ownership of the company.
    ///
    /// The other member becomes an owner, and the caller becomes an administrator.
    #[oai(path = "/hand-over", method = "post", operation_id = "handCompanyOver")]
    async fn hand_over(&self, member: Member<TenantOwn>, visitor: Visitor, body: Json<HandOver>) -> Reply<NoContent> {
        let HandOver { member_id, password, code, passkey } = body.0;
        Password { password, code, passkey }.prove(&visitor, &member).await?;
        let from = Some(member.address());
        member.write(move |tx| team::rules::hand_over(tx, member_id, from).map(drop)).await?;
        Ok(NoContent)
    }

    /// Close the company.
    ///
    /// All members are signed out and cannot sign in any more. The data is erased after 30 days. Until then the
    /// operator of the installation can reopen the company.
    #[oai(path = "/close", method = "post", operation_id = "closeCompany")]
    async fn close(
        &self,
        member: Member<TenantOwn>,
        visitor: Visitor,
        body: Json<Close>,
    ) -> Reply<JsonResponse<Closed>> {
        let Close { slug, password, code, passkey } = body.0;
        Password { password, code, passkey }.prove(&visitor, &member).await?;
        let from = member.address().to_string();
        let until = member.write(move |tx| closing::close(tx, &slug, from)).await?;
        member.sessions().end_of_company().await?;
        Ok(JsonResponse(Closed { erased_at: until }))
    }
}
