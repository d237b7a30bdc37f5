//! The calls for the company's settings.

use poem_openapi::{Object, OpenApi, param::Header, types::MaybeUndefined};
use serde::Serialize;

use super::{
    mail::{mail_off, record_test},
    model::{JoiningPatch, JoiningView, SecondFactorPatch, SecondFactorView},
    rules,
};
use crate::{
    access::{
        Member,
        members::{Company, MemberRecord},
        permission::{SettingsCompany, TenantOwn},
    },
    features::{
        team,
        tenants::{self, closing},
    },
    kernel::{Code, Error, Id, Timestamp, text},
    mail::Mailer,
    store::{Stored, TenantWrite},
    wire::{Given, Json, JsonResponse, NoContent, Reply, Versioned, etag},
};

/// The company's settings.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CompanySettings")]
pub struct View {
    id: Id<Company>,
    version: u64,
    updated_at: Timestamp,
    /// The company's name in addresses.
    slug: String,
    name: String,
    /// Picture for light ground: the `url` of an upload.
    #[oai(nullable)]
    logotipo_dark: Option<String>,
    /// Picture for dark ground: the `url` of an upload.
    #[oai(nullable)]
    logotipo_light: Option<String>,
    /// One of the 21 colour schemes.
    color_scheme: String,
    /// The layout of who chose none.
    layout: String,
    /// The language of who chose none.
    locale: String,
    /// The time zone of who chose none, as IANA names it.
    timezone: String,
    /// Host names under which the company is found.
    domains: Vec<String>,
    /// Where the company's people find help: a path of the application, http(s) or mailto; the built-in help
    /// when null.
    #[oai(nullable, rename = "supportLink")]
    #[serde(rename = "supportLink")]
    support_link: Option<String>,
    /// Minutes of idling after which a session is locked; 0 for never.
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
            domains: company.domains,
            support_link: company.support_link,
            idle_minutes: company.idle_minutes,
            second_factor: company.second_factor.into(),
            joining: company.joining.into(),
        }
    }
}

/// Changes to the company: what is absent stays, null takes a picture or the link to help away.
#[derive(Object)]
#[oai(rename = "CompanyPatch", deny_unknown_fields)]
struct Patch {
    /// Unique on the installation: `{slug}.{base domain}` leads to the company.
    slug: Given<String>,
    name: Given<String>,
    logotipo_dark: MaybeUndefined<String>,
    logotipo_light: MaybeUndefined<String>,
    color_scheme: Given<String>,
    layout: Given<String>,
    locale: Given<String>,
    timezone: Given<String>,
    /// At most 20.
    domains: Given<Vec<String>>,
    /// A path of the application, http(s) or mailto.
    #[oai(rename = "supportLink")]
    support_link: MaybeUndefined<String>,
    /// 0 to 1,440; 0 for never.
    #[oai(rename = "idleMinutes")]
    idle_minutes: Given<u32>,
    #[oai(rename = "secondFactor")]
    second_factor: Given<SecondFactorPatch>,
    joining: Given<JoiningPatch>,
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

/// To whom the company is handed over.
#[derive(Object)]
#[oai(rename = "HandOver", rename_all = "camelCase", deny_unknown_fields)]
struct HandOver {
    /// An active member other than the caller.
    member_id: Id<MemberRecord>,
    /// The caller's own.
    password: String,
}

/// What shows that closing is meant.
#[derive(Object)]
#[oai(rename = "CloseCompany", deny_unknown_fields)]
struct Close {
    /// The company's.
    slug: String,
    /// The caller's own.
    password: String,
}

/// A company that was closed.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ClosedCompany", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Closed {
    /// When its data is erased.
    erased_at: Timestamp,
}

/// Whether the server sends email.
#[derive(Serialize, Object)]
#[oai(rename = "MailSettings")]
struct MailSettings {
    /// Whether a mail server is set up. Without one, emails are kept on the server and reach no one.
    configured: bool,
}

/// A test email that the mail server accepted.
#[derive(Serialize, Object)]
#[oai(rename = "TestEmail")]
struct TestEmail {
    /// The address that it was sent to: the caller's own.
    email: String,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/settings/company", tag = "crate::wire::Tag::Settings")]
impl Api {
    /// The company's settings.
    #[oai(path = "/", method = "get", operation_id = "getCompanySettings")]
    async fn get(&self, member: Member<SettingsCompany>) -> Reply<Versioned<View>> {
        let company = member.read(Company::of)?;
        let version = company.version;
        Ok(Versioned(company.into(), version))
    }

    /// Changes the company's settings; a slug or host name that another company has is a conflict.
    #[oai(path = "/", method = "patch", operation_id = "changeCompanySettings")]
    async fn change(
        &self,
        member: Member<SettingsCompany>,
        body: Json<Patch>,
        /// The version that the caller saw.
        #[oai(name = "If-Match")]
        if_match: Header<Option<String>>,
    ) -> Reply<Versioned<View>> {
        let expected = etag::expected(if_match.0.as_deref());
        let patch = body.0;
        let from = member.address();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            rules::change(tx, expected, from, |company| patch.apply(company, now))
        };
        let company = member.write(work).await?;
        let version = company.version;
        Ok(Versioned(company.into(), version))
    }

    /// Get the mail settings.
    #[oai(path = "/mail", method = "get", operation_id = "getMailSettings")]
    async fn mail(&self, _member: Member<SettingsCompany>, mailer: Mailer) -> Reply<JsonResponse<MailSettings>> {
        Ok(JsonResponse(MailSettings { configured: !mailer.keeps() }))
    }

    /// Send a test email to the caller's own address.
    ///
    /// The answer comes when the mail server accepted it. It is a conflict where no mail server is set up. A company
    /// sends at most five an hour.
    #[oai(path = "/mail/test", method = "post", operation_id = "sendTestEmail")]
    async fn test_mail(&self, member: Member<SettingsCompany>, mailer: Mailer) -> Reply<JsonResponse<TestEmail>> {
        if mailer.keeps() {
            return Err(mail_off().into());
        }
        let from = member.address();
        member.write(move |tx| record_test(tx, from)).await?;
        let email = member.record().email.clone();
        let sent = tokio::time::timeout(mailer.request_wait(), mailer.send_test(&email, member.locale())).await;
        let sent = sent.unwrap_or_else(|_| Err(Error::new(Code::Busy).with_detail("the mail server does not answer")));
        sent.map_err(|error| {
            tracing::warn!(detail = ?error, reason = ?error.words().map(|words| words.key), "mail: test email not sent");
            Error::new(Code::Busy).say("errors.mail_refused", Vec::new())
        })?;
        Ok(JsonResponse(TestEmail { email }))
    }

    /// Hands the company over: the other member owns it from now on, and the caller is an administrator.
    #[oai(path = "/hand-over", method = "post", operation_id = "handCompanyOver")]
    async fn hand_over(&self, member: Member<TenantOwn>, body: Json<HandOver>) -> Reply<NoContent> {
        let HandOver { member_id, password } = body.0;
        member.reauthenticate(password).await?;
        let from = Some(member.address());
        member.write(move |tx| team::rules::hand_over(tx, member_id, from).map(drop)).await?;
        Ok(NoContent)
    }

    /// Closes the company: everybody is signed out, nobody comes in any more, and after 30 days its data is erased.
    /// Until then the operator of the installation can open it again.
    #[oai(path = "/close", method = "post", operation_id = "closeCompany")]
    async fn close(&self, member: Member<TenantOwn>, body: Json<Close>) -> Reply<JsonResponse<Closed>> {
        let Close { slug, password } = body.0;
        member.reauthenticate(password).await?;
        let from = member.address().to_string();
        let (people, until) = member.write(move |tx| closing::close(tx, &slug, from)).await?;
        for person in people {
            member.forget_sessions_of(person);
        }
        Ok(JsonResponse(Closed { erased_at: until }))
    }
}
