//! What the sample data consists of, read from a JSON file of each language, with the days relative to today.

use jiff::civil::Weekday;
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    feature::{Audience, FieldValues, Money, Visibility},
    features::{
        customers::{Customer, Details, Statuses},
        deals::{Deal, DealOutcome, Pipeline},
        events::{Attendee, Event, When},
        organizations::{Email, Organization, Phone},
        pages::{self, Page, PageStatus},
        records::activities::{Activity, ActivityType},
        tasks::Task,
    },
    kernel::{Day, Error, Id, MemberId, Result, Timestamp, i18n::Locale},
    store::TenantRead,
};

const ENGLISH: &str = include_str!("en.json");
const SPANISH: &str = include_str!("es.json");

/// For whom and when sample data is added.
#[derive(Clone, Debug)]
pub struct Here {
    /// The member who adds it.
    pub owner: MemberId,
    /// Their language.
    pub locale: Locale,
    /// Their time zone.
    pub zone: String,
    /// The currency of amounts.
    pub currency: String,
    /// The current time.
    pub now: Timestamp,
}

/// The file of a language. Numbers refer to the records of another list by their place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    labels: Labels,
    organizations: Vec<OrganizationFixture>,
    people: Vec<PersonFixture>,
    deals: Vec<DealFixture>,
    tasks: Vec<TaskFixture>,
    events: Vec<EventFixture>,
    pages: Vec<PageFixture>,
    activities: Vec<ActivityFixture>,
}

/// The labels of addresses and phone numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    work: String,
    mobile: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrganizationFixture {
    name: String,
    about: String,
    website: String,
    address: String,
    email: String,
    phone: String,
    tags: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonFixture {
    name: String,
    title: String,
    email: String,
    phone: String,
    organization: Option<usize>,
    status: String,
    tags: Vec<String>,
    about: Option<String>,
}

/// A deal. The amount is in whole units of the currency; the day is the expected one, in days from today.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DealFixture {
    title: String,
    amount: i64,
    stage: String,
    day: i64,
    organization: Option<usize>,
    person: Option<usize>,
    #[serde(default)]
    outcome: DealOutcome,
    about: Option<String>,
    tags: Vec<String>,
}

/// A task. The day is when it is due, in days from today.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFixture {
    title: String,
    day: i64,
    priority: u8,
    #[serde(default)]
    completed: bool,
    organization: Option<usize>,
    person: Option<usize>,
    deal: Option<usize>,
    notes: Option<String>,
    tags: Vec<String>,
}

/// An event of some minutes from a full hour on, or of a whole day.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventFixture {
    title: String,
    day: i64,
    hour: Option<u8>,
    #[serde(default)]
    minutes: i64,
    people: Vec<usize>,
    location: Option<String>,
    description: Option<String>,
    color: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageFixture {
    title: String,
    icon: String,
    parent: Option<usize>,
    body: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ActivityFixture {
    #[serde(rename = "type")]
    sort: ActivityType,
    days_ago: i64,
    hour: u8,
    person: usize,
    deal: Option<usize>,
    text: String,
    outcome: Option<String>,
}

/// The records to create, in their order. What they refer to is known by its place until it is created.
#[derive(Debug)]
pub struct SampleSet {
    /// The organizations.
    pub organizations: Vec<Organization>,
    /// The people.
    pub people: Vec<SamplePerson>,
    /// The deals.
    pub deals: Vec<SampleDeal>,
    /// The tasks.
    pub tasks: Vec<SampleTask>,
    /// The events.
    pub events: Vec<SampleEvent>,
    /// The pages.
    pub pages: Vec<SamplePage>,
    /// What was logged on the people and deals.
    pub activities: Vec<LoggedActivity>,
}

/// A person.
#[derive(Debug)]
pub struct SamplePerson {
    customer: Customer,
    organization: Option<usize>,
}

/// A deal.
#[derive(Debug)]
pub struct SampleDeal {
    deal: Deal,
    organization: Option<usize>,
    person: Option<usize>,
}

/// A task.
#[derive(Debug)]
pub struct SampleTask {
    task: Task,
    organization: Option<usize>,
    person: Option<usize>,
    deal: Option<usize>,
}

/// An event.
#[derive(Debug)]
pub struct SampleEvent {
    event: Event,
    people: Vec<usize>,
}

/// A page.
#[derive(Debug)]
pub struct SamplePage {
    page: Page,
    parent: Option<usize>,
}

/// An activity on a person, and on a deal if one is given.
#[derive(Debug)]
pub struct LoggedActivity {
    /// The activity without its links.
    pub activity: Activity,
    /// The place of the person.
    pub person: usize,
    /// The place of the deal.
    pub deal: Option<usize>,
}

/// Returns the id of a record at a place.
fn at<T>(ids: &[Id<T>], place: Option<usize>) -> Option<Id<T>> {
    place.and_then(|place| ids.get(place)).copied()
}

/// Returns a day some days from today; one at a weekend moves to the next working day, or to the one before if it is past.
fn working_day(today: Day, days: i64) -> Day {
    let day = today.plus_days(days);
    let step = match (day.0.weekday(), days.signum()) {
        (_, 0) => 0,
        (Weekday::Saturday, 1) => 2,
        (Weekday::Sunday, 1) | (Weekday::Saturday, _) => days.signum(),
        (Weekday::Sunday, _) => -2,
        _ => 0,
    };
    day.plus_days(step)
}

impl SampleSet {
    /// Returns the sample data in a language. Takes some milliseconds, so it is done before the write.
    pub fn new(here: &Here) -> Result<Self> {
        let text = if here.locale.language() == "es" { SPANISH } else { ENGLISH };
        let file: File = serde_json::from_str(text).map_err(Error::internal)?;
        let today = here.now.day_in(&here.zone);
        let labels = &file.labels;
        Ok(Self {
            organizations: file.organizations.into_iter().map(|one| one.prepare(here, labels)).collect(),
            people: file.people.into_iter().map(|one| one.prepare(here, labels)).collect(),
            deals: file.deals.into_iter().map(|one| one.prepare(here, today)).collect(),
            tasks: file.tasks.into_iter().map(|one| one.prepare(here, today)).collect(),
            events: file.events.into_iter().map(|one| one.prepare(here, today)).collect::<Result<_>>()?,
            pages: file.pages.into_iter().map(PageFixture::prepare).collect::<Result<_>>()?,
            activities: file.activities.into_iter().map(|one| one.prepare(here, today)).collect(),
        })
    }
}

fn email(address: String, label: &str) -> Vec<Email> {
    vec![Email { email: address, label: label.to_owned() }]
}

impl OrganizationFixture {
    fn prepare(self, here: &Here, labels: &Labels) -> Organization {
        Organization {
            name: self.name,
            about: Some(self.about),
            website: Some(self.website),
            address: Some(self.address),
            emails: email(self.email, &labels.work),
            phone_numbers: vec![Phone::new(None, &self.phone, &labels.work)],
            tags: self.tags,
            owner_id: Some(here.owner),
            ..Organization::default()
        }
    }
}

impl PersonFixture {
    fn prepare(self, here: &Here, labels: &Labels) -> SamplePerson {
        let customer = Customer {
            name: self.name,
            about: self.about,
            status: self.status,
            tags: self.tags,
            owner_id: Some(here.owner),
            details: Details {
                emails: email(self.email, &labels.work),
                phone_numbers: vec![Phone::new(None, &self.phone, &labels.mobile)],
                title: Some(self.title),
                ..Details::default()
            },
            ..Customer::default()
        };
        SamplePerson { customer, organization: self.organization }
    }
}

impl SamplePerson {
    /// Returns the customer, with the first status if the company does not have theirs.
    pub fn into_customer(self, tx: &TenantRead<'_>, organizations: &[Id<Organization>]) -> Result<Customer> {
        let statuses = Statuses::of(tx)?;
        let mut customer = self.customer;
        customer.organization_id = at(organizations, self.organization);
        if !statuses.offers(&customer.status) {
            customer.status = statuses.first();
        }
        Ok(customer)
    }
}

impl DealFixture {
    fn prepare(self, here: &Here, today: Day) -> SampleDeal {
        let digits = iso_currency::Currency::from_code(&here.currency).and_then(iso_currency::Currency::exponent);
        let amount = self.amount.saturating_mul(10_i64.pow(digits.unwrap_or(0).into()));
        let deal = Deal {
            title: self.title,
            worth: Some(Money { amount, currency: here.currency.clone() }),
            stage_id: self.stage,
            expected_day: Some(working_day(today, self.day)),
            owner_id: Some(here.owner),
            outcome: self.outcome,
            about: self.about,
            tags: self.tags,
            ..Deal::default()
        };
        SampleDeal { deal, organization: self.organization, person: self.person }
    }
}

impl SampleDeal {
    /// Returns the deal, in the first stage if the company does not have its stage.
    pub fn into_deal(
        self,
        tx: &TenantRead<'_>,
        organizations: &[Id<Organization>],
        people: &[Id<Customer>],
    ) -> Result<Deal> {
        let pipeline = Pipeline::of(tx)?;
        let mut deal = self.deal;
        deal.organization_id = at(organizations, self.organization);
        deal.customer_id = at(people, self.person);
        if pipeline.stage(&deal.stage_id).is_none() {
            deal.stage_id = pipeline.first_stage();
        }
        Ok(deal)
    }
}

impl TaskFixture {
    fn prepare(self, here: &Here, today: Day) -> SampleTask {
        let task = Task {
            title: self.title,
            notes: self.notes,
            completed: self.completed,
            priority: self.priority,
            due_date: Some(working_day(today, self.day)),
            assignee_id: Some(here.owner),
            tags: self.tags,
            ..Task::default()
        };
        SampleTask { task, organization: self.organization, person: self.person, deal: self.deal }
    }
}

impl SampleTask {
    /// Returns the task.
    pub fn into_task(self, organizations: &[Id<Organization>], people: &[Id<Customer>], deals: &[Id<Deal>]) -> Task {
        Task {
            organization_id: at(organizations, self.organization),
            customer_id: at(people, self.person),
            deal_id: at(deals, self.deal),
            ..self.task
        }
    }
}

impl EventFixture {
    fn prepare(self, here: &Here, today: Day) -> Result<SampleEvent> {
        let day = working_day(today, self.day);
        let when = match self.hour {
            None => When::AllDay { start_date: day, end_date: day },
            Some(hour) => {
                let start = day.hour_in(hour, &here.zone);
                let end = start.plus_seconds(self.minutes * 60);
                When::Timed { start, end, timezone: here.zone.clone() }
            }
        };
        let event = Event {
            title: self.title,
            description: self.description,
            location: self.location,
            color: Some(self.color),
            when,
            recurrence: None,
            last_day: None,
            attendees: Vec::new(),
            reminders: Vec::new(),
            fields: FieldValues::default(),
        };
        Ok(SampleEvent { event: event.normalize()?, people: self.people })
    }
}

impl SampleEvent {
    /// Returns the event, which the owner attends.
    pub fn into_event(self, owner: MemberId, people: &[Id<Customer>]) -> Event {
        let customers = self.people.iter().filter_map(|place| people.get(*place)).copied().map(Attendee::Customer);
        let attendees = std::iter::once(Attendee::Member(owner)).chain(customers).collect();
        Event { attendees, ..self.event }
    }
}

impl PageFixture {
    fn prepare(self) -> Result<SamplePage> {
        let page = Page {
            title: self.title,
            icon: Some(self.icon),
            parent_id: None,
            order: 0.0,
            status: PageStatus::Published,
            was_published: false,
            visibility: Visibility::default(),
            limit: Audience::Company,
            former_audience: None,
            body: pages::clean(&self.body)?,
            former_children: Vec::new(),
            former_parents: Vec::new(),
            former_visibilities: Vec::new(),
            fields: FieldValues::default(),
        };
        Ok(SamplePage { page, parent: self.parent })
    }
}

impl SamplePage {
    /// Returns the page, below one that was created before it.
    pub fn into_page(self, pages: &[Id<Page>]) -> Page {
        Page { parent_id: at(pages, self.parent), ..self.page }
    }
}

impl ActivityFixture {
    fn prepare(self, here: &Here, today: Day) -> LoggedActivity {
        let activity = Activity {
            sort: self.sort,
            at: working_day(today, -self.days_ago).hour_in(self.hour, &here.zone),
            links: Vec::new(),
            text: Some(self.text),
            outcome: self.outcome,
            next_task_id: None::<Uuid>,
            place: None,
            limit: Audience::Company,
        };
        LoggedActivity { activity, person: self.person, deal: self.deal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn days_at_a_weekend_move_to_a_working_day() {
        // A Friday.
        let today = day("2026-11-27");
        for (days, expected) in [
            (1, "2026-11-30"),
            (2, "2026-11-30"),
            (3, "2026-11-30"),
            (4, "2026-12-01"),
            (-5, "2026-11-20"),
            (-6, "2026-11-20"),
            (-1, "2026-11-26"),
        ] {
            assert_eq!(working_day(today, days).to_string(), expected, "{days}");
        }
        assert_eq!(working_day(day("2026-11-28"), 0).to_string(), "2026-11-28", "today stays today");
    }

    #[test]
    fn files_of_all_languages_have_the_same_shape() {
        let [english, spanish] = [ENGLISH, SPANISH].map(|text| serde_json::from_str::<File>(text).unwrap());
        let shape = |file: &File| {
            let people: Vec<_> = file.people.iter().map(|one| (one.organization, one.status.clone())).collect();
            let deals: Vec<_> = file.deals.iter().map(|one| (one.stage.clone(), one.person, one.day)).collect();
            let tasks: Vec<_> = file.tasks.iter().map(|one| (one.day, one.person, one.deal)).collect();
            let events: Vec<_> = file.events.iter().map(|one| (one.day, one.people.clone())).collect();
            let activities: Vec<_> = file.activities.iter().map(|one| (one.days_ago, one.person)).collect();
            (file.organizations.len(), people, deals, tasks, events, file.pages.len(), activities)
        };
        assert_eq!(shape(&english), shape(&spanish));
        for file in [&english, &spanish] {
            let mails = file.people.iter().map(|one| &one.email).chain(file.organizations.iter().map(|one| &one.email));
            assert!(mails.into_iter().all(|mail| mail.ends_with(".example")));
            let phones =
                file.people.iter().map(|one| &one.phone).chain(file.organizations.iter().map(|one| &one.phone));
            assert!(phones.into_iter().all(|phone| phone.contains("555")), "reserved for fiction");
        }
    }
}
