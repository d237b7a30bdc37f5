//! API of the caller's own profile.

use poem_openapi::{Object, OpenApi, types::MaybeUndefined};
use serde::Serialize;

use crate::{
    access::Member,
    features::files,
    kernel::{Id, MemberId, Result, error::Faults, i18n::Locale, text},
    people::{
        members::{Company, LAYOUTS, MemberRecord, SCHEMES, Status},
        permission::{OwnAccount, Role},
        region::{Region, RegionChoiceView, RegionPatch},
    },
    store::{Stored, TenantWrite},
    wire::{Json, JsonResponse, NotNull, Reply},
};

/// The caller's profile.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "User")]
pub struct UserView {
    id: MemberId,
    name: String,
    #[serde(serialize_with = "text::serialize_email")]
    email: String,
    #[oai(nullable)]
    avatar: Option<String>,
    status: Status,
    role: Role,
    /// Names of the role's permissions.
    permissions: Vec<String>,
    /// The caller's language.
    locale: String,
    /// The caller's IANA time zone.
    timezone: String,
    /// The caller's region.
    region: Region,
    /// What the caller has chosen of it. The rest is the company's, or usual in the caller's language.
    #[oai(rename = "ownRegion")]
    #[serde(rename = "ownRegion")]
    own_region: RegionChoiceView,
    /// The caller's own layout; the company's when null.
    #[oai(nullable)]
    layout: Option<String>,
    /// The caller's own colour scheme; the company's when null.
    #[oai(nullable)]
    scheme: Option<String>,
    customer: Customer,
    personal: Personal,
}

/// The caller's company, under the name that the original API gave it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UserCustomer")]
struct Customer {
    id: Id<Company>,
    name: String,
    design: Design,
    /// Minutes without input after which a session is locked; 0 for never.
    #[oai(rename = "idleMinutes")]
    #[serde(rename = "idleMinutes")]
    idle_minutes: u32,
}

/// The company's branding.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UserDesign")]
struct Design {
    name: String,
}

/// The profile that layouts with a user block show.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UserPersonal")]
struct Personal {
    #[oai(nullable)]
    avatar: Option<String>,
    firstname: String,
}

impl UserView {
    /// Creates the view from the records of the member and the tenant.
    pub fn new(member: &Stored<MemberRecord>, company: &Stored<Company>) -> Self {
        Self {
            id: member.id,
            name: member.name.clone(),
            email: member.email.clone(),
            avatar: member.avatar.clone(),
            status: member.status,
            role: member.role,
            permissions: member.role.permissions().into_iter().map(str::to_owned).collect(),
            locale: member.language(company).code().to_owned(),
            timezone: member.timezone.clone().unwrap_or_else(|| company.timezone.clone()),
            region: member.region(company),
            own_region: member.region.clone().into(),
            layout: member.layout.clone(),
            scheme: member.scheme.clone(),
            customer: Customer {
                id: company.id,
                name: company.name.clone(),
                design: Design { name: company.name.clone() },
                idle_minutes: company.idle_minutes,
            },
            personal: Personal { avatar: member.avatar.clone(), firstname: text::first_word(&member.name).to_owned() },
        }
    }
}

/// Changes to the caller's profile. Absent fields stay as they are; null clears the picture or restores the company's
/// default.
#[derive(Object)]
#[oai(rename = "UserPatch", deny_unknown_fields)]
struct Patch {
    name: NotNull<String>,
    /// The `url` of an uploaded image.
    avatar: MaybeUndefined<String>,
    status: NotNull<Status>,
    locale: MaybeUndefined<String>,
    timezone: MaybeUndefined<String>,
    region: NotNull<RegionPatch>,
    layout: MaybeUndefined<String>,
    scheme: MaybeUndefined<String>,
}

impl Patch {
    fn apply(self, member: &mut MemberRecord) -> Result<()> {
        if let Some(name) = self.name.into_option() {
            member.name = text::line(&name);
        }
        self.status.update_to(&mut member.status);
        self.avatar.update_to(&mut member.avatar);
        // A stored language that was withdrawn must not make other changes fail.
        let locale_chosen = !self.locale.is_undefined();
        self.locale.update_to(&mut member.locale);
        self.timezone.update_to(&mut member.timezone);
        if let Some(patch) = self.region.into_option() {
            patch.apply(&mut member.region);
        }
        self.layout.update_to(&mut member.layout);
        self.scheme.update_to(&mut member.scheme);
        let mut faults = Faults::default();
        faults.required("name", &member.name, 200);
        let own = |choice: &Option<String>, offered: &dyn Fn(&str) -> bool| choice.as_deref().is_none_or(offered);
        if locale_chosen && !own(&member.locale, &|code| Locale::parse(code).is_some()) {
            faults.add("locale", "errors.fields.locale");
        }
        if !own(&member.timezone, &|zone| jiff::tz::TimeZone::get(zone).is_ok()) {
            faults.add("timezone", "errors.fields.timezone");
        }
        member.region.check(&mut faults);
        if !own(&member.layout, &|name| LAYOUTS.contains(&name)) {
            faults.add("layout", "errors.fields.format");
        }
        if !own(&member.scheme, &|name| SCHEMES.contains(&name)) {
            faults.add("scheme", "errors.fields.scheme");
        }
        faults.into_result()
    }
}

/// The API of the caller's own profile.
pub struct Api;

#[OpenApi(prefix_path = "/common/user", tag = "crate::wire::Tag::User")]
impl Api {
    /// Get the caller's profile.
    #[oai(path = "/", method = "get", operation_id = "getUser")]
    async fn get(&self, member: Member<OwnAccount>) -> Reply<JsonResponse<UserView>> {
        Ok(JsonResponse(UserView::new(member.record(), member.company())))
    }

    /// Change the caller's profile.
    ///
    /// The name, picture, status, language, time zone, region, layout and colour scheme can be changed.
    #[oai(path = "/", method = "patch", operation_id = "changeUser")]
    async fn change(&self, member: Member<OwnAccount>, body: Json<Patch>) -> Reply<JsonResponse<UserView>> {
        let id = member.id();
        let work = move |tx: &TenantWrite<'_>| {
            tx.update(id, None, |record: &mut MemberRecord| {
                let before = record.avatar.clone();
                body.0.apply(record)?;
                let mut faults = Faults::default();
                files::check_picture(tx, "avatar", record.avatar.as_deref(), before.as_deref(), &mut faults)?;
                faults.into_result()
            })
        };
        let changed = member.write(work).await?;
        Ok(JsonResponse(UserView::new(&changed, member.company())))
    }
}
