//! Sign-up: creates a tenant with its owner, or a member in a tenant that allows joining. E-mails are decided on after
//! the response, so that it does not reveal which addresses have an account.

use poem_openapi::{Enum, Object};
use serde::Serialize;

use super::rules::{email_to, greeting};
use crate::{
    access::{
        Offer, Visitor,
        links::{self, Purpose},
    },
    features::{
        team::{self, NewMember},
        tenants::{self, NewTenant, Owner},
    },
    kernel::{Code, Error, MemberId, Result, TenantId, error::Faults, i18n::Locale, text},
    mail::{self, Kind},
    people::{
        audit::{self, Event},
        members::{self, ActiveMember, Company, Credentials, MEMBERS_BY_EMAIL, MemberRecord, MemberState},
        permission::Role,
        region::{RegionChoice, RegionPatch},
    },
    store::{Actor, Store, Stored, TenantWrite},
};

/// Attempts to find a free slug when another tenant takes the chosen one at the same time.
const TRIES: usize = 5;

/// The form of a sign-up.
#[derive(Clone, Object)]
#[oai(rename = "SignUp", rename_all = "camelCase", deny_unknown_fields)]
pub struct Form {
    /// The name of the new company; ignored when joining the company of the host.
    company: Option<String>,
    name: String,
    #[oai(validator(max_length = 320))]
    email: String,
    #[oai(validator(max_length = 1024))]
    password: String,
    locale: Option<String>,
    /// The IANA time zone.
    timezone: Option<String>,
    /// The region of a new company, such as that of the browser; what is absent is usual in the language, and the currency
    /// is that of the country. Ignored when joining a company.
    region: Option<RegionPatch>,
    /// The token that the server printed at its start; required for the first company of an installation.
    token: Option<String>,
}

/// The next step after a sign-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "AfterSignUp", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Next {
    /// Open the link in the confirmation email.
    Confirm,
    /// Sign in.
    SignIn,
}

/// Signs up. Returns the address in its canonical form, and the next step.
/// Errors: `forbidden` where sign-up is closed; `invalid` with the faulty fields; `link_invalid` for a wrong token;
/// `slow_down`.
pub async fn sign_up(visitor: &Visitor, form: Form) -> Result<(String, Next)> {
    visitor.count_request()?;
    let offer = visitor.offer()?.ok_or_else(|| Error::new(Code::Forbidden))?;
    let (form, region) = form.checked(&offer)?;
    let joined = if let Offer::Join(company) = &offer { Some(company.name.as_str()) } else { None };
    let context = [&form.name, form.company.as_deref().or(joined).unwrap_or_default()];
    let hash = visitor.hash_password(form.password.clone(), &form.email, &context).await?;
    let email = form.email.clone();
    let locale = form.locale.as_deref().and_then(Locale::parse).unwrap_or_else(|| visitor.locale());
    let address = visitor.address().to_string();
    let new = Newcomer { form, region, hash, locale, address };
    match offer {
        Offer::First => {
            let (store, taken) = visitor.first(new.form.token.as_deref().unwrap_or_default())?;
            new.found(&store, MemberState::Active).await?;
            taken.used();
            return Ok((email, Next::SignIn));
        }
        Offer::Company => visitor.later(move |store| async move { new.found_once(&store).await })?,
        Offer::Join(company) => {
            let tenant = TenantId::from_bytes(*company.id.as_bytes());
            let tenant = tenant.ok_or_else(|| Error::internal("a company of no tenant"))?;
            visitor.later(move |store| async move {
                store.write(tenant, Actor::System, move |tx| new.join(tx)).await.map(drop)
            })?;
        }
    }
    Ok((email, Next::Confirm))
}

impl Form {
    /// Validates all fields at once and converts the address to its canonical form. Returns the region apart.
    fn checked(mut self, offer: &Offer) -> Result<(Self, RegionChoice)> {
        let mut faults = Faults::default();
        if !matches!(offer, Offer::Join(_)) {
            faults.required("company", self.company.as_deref().unwrap_or_default(), 200);
        }
        faults.required("name", &self.name, team::NAME);
        match text::email(&self.email) {
            None => faults.add("email", "errors.fields.email"),
            Some(email) => {
                if let Offer::Join(company) = offer
                    && !company.joining.admits(&email)
                {
                    faults.add("email", "errors.fields.other_domain");
                }
                self.email = email;
            }
        }
        if self.locale.as_deref().is_some_and(|code| Locale::parse(code).is_none()) {
            faults.add("locale", "errors.fields.locale");
        }
        if self.timezone.as_deref().is_some_and(|zone| jiff::tz::TimeZone::get(zone).is_err()) {
            faults.add("timezone", "errors.fields.timezone");
        }
        let mut region = RegionChoice::default();
        if let Some(chosen) = self.region.take() {
            chosen.apply(&mut region);
        }
        region.check(&mut faults);
        faults.into_result().map(|()| (self, region))
    }
}

/// A validated sign-up.
#[derive(Clone)]
struct Newcomer {
    form: Form,
    region: RegionChoice,
    hash: String,
    locale: Locale,
    address: String,
}

impl Newcomer {
    /// Creates a tenant with the person as its owner.
    async fn found(self, store: &Store, state: MemberState) -> Result<()> {
        let mut tries = 0;
        loop {
            let name = self.form.company.clone().unwrap_or_default();
            let new = NewTenant {
                slug: tenants::free_slug(&store.snapshot()?, &name)?,
                name,
                color_scheme: None,
                layout: None,
                locale: Some(self.locale.code().to_owned()),
                timezone: self.form.timezone.clone(),
                region: self.region.clone().with_currency().unusual_in(self.locale),
                domains: Vec::new(),
                owner: Owner { name: self.form.name.clone(), email: self.form.email.clone() },
            };
            let address = self.address.clone();
            let further = move |tx: &TenantWrite<'_>, _: &Stored<Company>, owner: &Stored<MemberRecord>| {
                audit::write(tx, Event::new("auth.signed_up").about_member(owner).from_address(address))?;
                if state == MemberState::Active { Ok(()) } else { ask_to_confirm(tx, owner).map(drop) }
            };
            let founded = tenants::create_tenant(store, Actor::System, new, (self.hash.clone(), state), further).await;
            tries += 1;
            match founded {
                // Another tenant took the slug between the lookup and the write.
                Err(error) if error.code() == Code::Conflict && tries < TRIES => {}
                other => return other.map(drop),
            }
        }
    }

    /// Creates a tenant whose owner must confirm the address. A repeated sign-up updates the tenant that is waiting for
    /// confirmation and does not create a second one.
    async fn found_once(self, store: &Store) -> Result<()> {
        let Some((tenant, id)) = waiting_owner(store, &self.form.email)? else {
            return self.found(store, MemberState::Unconfirmed).await;
        };
        let work = move |tx: &TenantWrite<'_>| {
            let name = self.form.company.clone().unwrap_or_default();
            tx.update(Company::id(tx.tenant()), None, |company: &mut Company| {
                company.name = text::line(&name);
                Ok(())
            })?;
            self.try_again(tx, &tx.get(id)?)
        };
        store.write(tenant, Actor::System, work).await.map(drop)
    }

    /// Joins the tenant of the write. An existing member gets an e-mail that says so.
    fn join(self, tx: &TenantWrite<'_>) -> Result<()> {
        let known: Option<Stored<MemberRecord>> = tx.find_by(MEMBERS_BY_EMAIL, &self.form.email)?;
        if let Some(known) = known {
            return match known.state {
                MemberState::Unconfirmed => self.try_again(tx, &known),
                // The typed password is not trusted: only the recipient of the invitation may choose one.
                MemberState::Invited => team::remind(tx, &known),
                MemberState::Active | MemberState::Suspended => {
                    let company = Company::of(tx)?;
                    let whose = ActiveMember { member: known.into(), company: company.into() };
                    mail::queue(tx, email_to(Kind::AlreadyMember, &whose)).map(drop)
                }
            };
        }
        team::rules::has_room(tx)?;
        let company = Company::of(tx)?;
        if !company.joining.admits(&self.form.email) {
            return Ok(());
        }
        let new = NewMember::new(self.form.name.clone(), self.form.email.clone(), company.joining.role);
        let mut record = new.into_record_in(MemberState::Unconfirmed)?;
        self.own_choices(&mut record, &company);
        let member = tx.create(record)?;
        tx.create_at(member.id, Credentials { password: self.hash, changed_at: tx.now() })?;
        audit::write(tx, Event::new("auth.signed_up").about_member(&member).from_address(self.address))?;
        ask_to_confirm(tx, &member).map(drop)
    }

    /// Repeats the sign-up of a member who has not confirmed the address: the latest form replaces the earlier one, and
    /// earlier links are revoked so that they cannot activate it.
    fn try_again(self, tx: &TenantWrite<'_>, known: &Stored<MemberRecord>) -> Result<()> {
        let company = Company::of(tx)?;
        let credentials = Credentials { password: self.hash.clone(), changed_at: tx.now() };
        let member = tx.update(known.id, None, |member: &mut MemberRecord| {
            member.name = text::line(&self.form.name);
            self.own_choices(member, &company);
            Ok(())
        })?;
        members::write_credentials(tx, member.id, credentials)?;
        links::end(tx, member.id, &[Purpose::Confirm])?;
        ask_to_confirm(tx, &member).map(drop)
    }

    fn own_choices(&self, member: &mut MemberRecord, company: &Company) {
        let own = |choice: &str, usual: &str| (choice != usual).then(|| choice.to_owned());
        member.locale = own(self.locale.code(), &company.locale);
        member.timezone = self.form.timezone.as_deref().and_then(|zone| own(zone, &company.timezone));
    }
}

/// Finds the unconfirmed owner with an address in a tenant that has no confirmed owner.
fn waiting_owner(store: &Store, email: &str) -> Result<Option<(TenantId, MemberId)>> {
    let snapshot = store.snapshot()?;
    for (tenant, id) in members::by_email(&snapshot, email)? {
        let data = snapshot.tenant(tenant, None);
        let waits = data
            .find::<MemberRecord>(id)?
            .is_some_and(|member| member.state == MemberState::Unconfirmed && member.role == Role::Owner);
        if waits && data.counter("members/owners")? == 0 {
            return Ok(Some((tenant, id)));
        }
    }
    Ok(None)
}

/// Sends a link that confirms the member's address. Returns whether it will be sent.
pub fn ask_to_confirm(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<bool> {
    let link = links::create(tx, Purpose::Confirm, member.id, None)?;
    // Any stranger may have typed the address, and a name for it: no word of theirs goes there before it is confirmed.
    let nameless = mail::Email { name: String::new(), ..greeting(tx, Kind::Confirm, member)? };
    mail::queue(tx, nameless.with_link(*link.as_bytes()))
}
