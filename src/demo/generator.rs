//! Generator of demo content: acts dated relative to now, the same at every run.

use std::collections::HashSet;

use super::fixtures::{
    ContactFixture, CustomerFixture, EventFixture, GroupFixture, Line, NoticeFixture, PageFixture, Script, TaskFixture,
};
use crate::{
    feature::FieldValues,
    feature::Money,
    features::{
        customers::{Customer, Details},
        deals::{Deal, DealOutcome},
        events::{Event, When},
        notices::{Kind, Notice},
        organizations::{Email, Organization, Phone},
        tasks::{Subtask, Task},
    },
    kernel::{Day, Entropy, Timestamp, text},
};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Working hours, in minutes after midnight.
const WORK_MINUTES: (i64, i64) = (8 * 60, 18 * 60);
/// For how many days the tenant has used Atrium.
const TENANT_AGE_DAYS: i64 = 420;

// The ids of the first statuses of customers.
const LEAD: &str = "lead";
const ACTIVE: &str = "active";
const INACTIVE: &str = "inactive";

const ORGANIZATIONS: usize = 24;
const CUSTOMERS: usize = 400;
const DEALS: usize = 48;
const CONTACTS: usize = 260;
const TASKS: usize = 150;
const EVENTS: usize = 60;
/// The distance between the order values of two task sections.
const SECTION_DISTANCE: f64 = 1_000_000.0;
/// The number of members that do most of the work: the first ones.
const WORKERS: usize = 10;

/// One act in the demo, at a time.
pub struct Act<'s> {
    pub at: Timestamp,
    /// The acting member's index; `None` for the system.
    pub by: Option<usize>,
    pub what: ActKind<'s>,
}

/// The kinds of acts. `number` identifies a customer, task or page in the plan.
pub enum ActKind<'s> {
    Customer { number: usize, customer: Box<Customer>, owner: usize },
    Status { number: usize, status: &'static str },
    Contact { contact: &'s ContactFixture, customer: usize },
    Deal { number: usize, deal: Box<Deal>, owner: usize, customer: Option<usize> },
    DealStep { number: usize, stage: &'static str, outcome: DealOutcome, reason: Option<&'static str> },
    Section { title: &'s str, order: f64 },
    Task { number: usize, task: Box<Task>, assignee: Option<usize>, customer: Option<usize> },
    Complete { number: usize },
    Event { event: Box<Event>, members: Vec<usize>, customer: Option<usize> },
    Page { number: usize, sheet: &'s PageFixture, parent: Option<usize> },
    SendDirectMessage { to: usize, text: &'s str },
    ReadConversation { from: usize },
    Group { number: usize, group: &'s GroupFixture },
    PostToGroup { group: usize, number: usize, line: &'s Line },
    React { group: usize, number: usize, emoji: &'s str },
    Message { to: usize, notice: Text, read: bool },
    Notification { to: usize, notice: Text, read: bool },
    Shortcut { place: usize },
    Organization { organization: Box<Organization>, owner: usize },
}

/// A message or a notification with its parameters filled in.
pub struct Text {
    pub icon: String,
    pub title: String,
    pub description: String,
    pub link: Option<String>,
    pub external: bool,
}

impl Text {
    /// Converts the text into a notice of a kind.
    pub fn notice<K: Kind>(&self, at: Timestamp) -> Notice<K> {
        Notice {
            icon: Some(self.icon.clone()),
            title: Some(self.title.clone()),
            description: Some(self.description.clone()),
            link: self.link.clone(),
            use_router: self.link.is_some() && !self.external,
            ..Notice::new(at)
        }
    }
}

/// What texts and tasks need to know about a customer.
struct CustomerInfo {
    name: String,
    company: String,
    city: String,
    address: String,
    since: Timestamp,
}

/// All acts, in the order of time.
pub struct Plan<'s> {
    pub acts: Vec<Act<'s>>,
}

impl<'s> Plan<'s> {
    /// Generates the plan of a tenant, relative to `now`.
    pub fn of(script: &'s Script, now: Timestamp, chance: Entropy) -> Self {
        let mut planner =
            Planner { script, now, today: now.day_in(&script.timezone), chance, faces: Vec::new(), acts: Vec::new() };
        planner.customers();
        planner.tasks();
        planner.routines();
        planner.events();
        let mut number = 0;
        planner.pages(&script.pages, None, &mut number);
        planner.chats();
        planner.groups();
        planner.notices();
        planner.shortcuts();
        planner.organizations();
        planner.deals();
        planner.contacts();
        let mut acts = planner.acts;
        acts.sort_by_key(|act| act.at);
        Self { acts }
    }
}

/// Returns the letters and digits of a name, for an address of a host or mailbox.
fn plain(text: &str) -> String {
    text::fold(text).chars().filter(char::is_ascii_alphanumeric).collect()
}

struct Planner<'s> {
    script: &'s Script,
    now: Timestamp,
    today: Day,
    chance: Entropy,
    faces: Vec<CustomerInfo>,
    acts: Vec<Act<'s>>,
}

impl<'s> Planner<'s> {
    fn random_below(&self, end: usize) -> usize {
        usize::try_from(self.chance.random_below(end as u64)).unwrap_or(0)
    }

    /// Returns a random number from `from` to `to`, both inclusive.
    fn between(&self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.chance.random_below(u64::try_from(to - from + 1).unwrap_or(1))).unwrap_or(0)
    }

    fn percent(&self, chance: u64) -> bool {
        self.chance.random_below(100) < chance
    }

    fn pick<T>(&self, list: &'s [T]) -> &'s T {
        &list[self.random_below(list.len())]
    }

    fn act(&mut self, at: Timestamp, by: impl Into<Option<usize>>, what: ActKind<'s>) {
        self.acts.push(Act { at, by: by.into(), what });
    }

    /// Returns the working day for a day: a weekend becomes the Friday before it.
    fn workday(day: Day) -> Day {
        let past_friday = i64::from(day.0.weekday().to_monday_zero_offset()) - 4;
        day.plus_days(-past_friday.max(0))
    }

    /// Returns a time in working hours `days_ago` days ago, but at least a few minutes ago.
    fn working_time(&self, days_ago: i64) -> Timestamp {
        let day = Self::workday(self.today.plus_days(-days_ago));
        let at = self.time_on(day, self.between(WORK_MINUTES.0, WORK_MINUTES.1));
        at.min(self.minutes_ago(self.between(3, 90)))
    }

    fn time_on(&self, day: Day, minute: i64) -> Timestamp {
        day.start_in(&self.script.timezone).plus_millis(minute * MINUTE_MS)
    }

    fn minutes_ago(&self, minutes: i64) -> Timestamp {
        self.now.plus_millis(-minutes * MINUTE_MS)
    }

    /// Returns the index of a random member that works.
    fn worker(&self) -> usize {
        self.random_below(WORKERS.min(self.script.members.len()))
    }

    fn phone(&self, form: &str) -> String {
        form.chars()
            .map(|c| if c == '#' { char::from(b'0' + self.chance.random_below(10).to_le_bytes()[0]) } else { c })
            .collect()
    }

    /// Returns a random customer that existed at a time.
    fn customer_at(&self, at: Timestamp) -> Option<usize> {
        let known: Vec<usize> = (0..self.faces.len()).filter(|number| self.faces[*number].since < at).collect();
        (!known.is_empty()).then(|| known[self.random_below(known.len())])
    }

    fn fill_template(&self, text: &str, customer: Option<usize>) -> String {
        let mut filled = text.replace("{member}", &self.script.members[self.worker()].name);
        if let Some(face) = customer.map(|number| &self.faces[number]) {
            for (gap, value) in [
                ("{customer}", &face.name),
                ("{company}", &face.company),
                ("{city}", &face.city),
                ("{address}", &face.address),
            ] {
                filled = filled.replace(gap, value);
            }
        }
        filled
    }

    /// Returns a random city, and an address there.
    fn address(&self) -> (String, String) {
        let (city, code) = self.pick(&self.script.cities).clone();
        let address = self
            .script
            .address
            .replace("{number}", &self.between(1, 120).to_string())
            .replace("{street}", self.pick(&self.script.streets).as_str())
            .replace("{city}", &city)
            .replace("{code}", &code);
        (city, address)
    }

    fn organizations(&mut self) {
        let script = self.script;
        for name in script.companies.iter().take(ORGANIZATIONS) {
            let host = format!("{}.example", plain(name));
            let organization = Organization {
                name: name.clone(),
                tags: vec![self.pick(&script.tags).clone()],
                emails: vec![Email { email: format!("info@{host}"), label: script.labels.work.clone() }],
                phone_numbers: vec![Phone::new(
                    Some(&script.country),
                    &self.phone(&script.phones.office),
                    &script.labels.work,
                )],
                website: Some(format!("https://{host}")),
                address: Some(self.address().1),
                ..Organization::default()
            };
            let at = self.working_time(self.between(5, 280));
            let owner = self.worker();
            self.act(at, owner, ActKind::Organization { organization: Box::new(organization), owner });
        }
    }

    fn contacts(&mut self) {
        let script = self.script;
        for _ in 0..CONTACTS {
            // Squared, so that more of them are recent than old.
            let ago = self.between(0, 1_000);
            let at = self.working_time(120 * ago * ago / 1_000_000);
            let contact = self.pick(&script.contacts);
            if let Some(customer) = self.customer_at(at) {
                self.act(at, self.worker(), ActKind::Contact { contact, customer });
            }
        }
    }

    fn deals(&mut self) {
        let script = self.script;
        for number in 0..DEALS {
            let days_ago = self.between(1, 170);
            let began = self.working_time(days_ago);
            let customer = self.customer_at(began);
            let owner = self.worker();
            let fate = self.between(0, 99);
            let amount = 10_000 * self.between(3, 20) * self.between(1, 12);
            let deal = Deal {
                title: script.deals[number % script.deals.len()].clone(),
                worth: self.percent(90).then(|| Money { amount, currency: script.currency().to_owned() }),
                expected_day: self.percent(85).then(|| self.today.plus_days(self.between(-10, 100))),
                tags: vec![self.pick(&script.tags).clone()],
                ..Deal::default()
            };
            self.act(began, owner, ActKind::Deal { number, deal: Box::new(deal), owner, customer });
            let step = |stage, outcome, reason| ActKind::DealStep { number, stage, outcome, reason };
            let mut at = began;
            for stage in
                ["qualified", "proposal", "negotiation"].into_iter().take(usize::try_from(fate % 4).unwrap_or(0))
            {
                at = at.plus_millis(self.between(1, 12) * 24 * HOUR_MS);
                if at < self.now {
                    self.act(at, owner, step(stage, DealOutcome::Open, None));
                }
            }
            let closed = at.plus_millis(self.between(2, 20) * 24 * HOUR_MS);
            if fate < 52 && closed < self.now {
                let reason = *self.pick(&["price", "competitor", "timing", "no_answer"]);
                let end = if fate < 32 {
                    ("negotiation", DealOutcome::Won, None)
                } else {
                    ("proposal", DealOutcome::Lost, Some(reason))
                };
                self.act(closed, owner, step(end.0, end.1, end.2));
            }
        }
    }

    fn customers(&mut self) {
        let mut names = HashSet::new();
        for number in 0..CUSTOMERS {
            let (city, address) = self.address();
            // Squared, so that more customers are recent than old: the tenant grows.
            let ago = self.between(0, 1_000);
            let (mut customer, days_ago) = match self.script.known.get(number) {
                Some(known) => (self.fixed_customer(known), 300 - 60 * i64::try_from(number).unwrap_or(0)),
                None => (self.random_customer(&mut names, &address), TENANT_AGE_DAYS * ago * ago / 1_000_000),
            };
            let since = self.working_time(days_ago);
            let company = customer.details.company.clone().unwrap_or_else(|| customer.name.clone());
            let street = address.split('\n').next().unwrap_or_default().to_owned();
            self.faces.push(CustomerInfo { name: customer.name.clone(), company, city, address: street, since });
            let by = self.worker();
            let owner = self.worker();
            let fate = self.between(0, 99);
            if number >= self.script.known.len() && fate >= 25 {
                LEAD.clone_into(&mut customer.status);
            }
            let was_lead = customer.status == LEAD;
            self.act(since, by, ActKind::Customer { number, customer: Box::new(customer), owner });
            let won = since.plus_millis(self.between(4, 45) * 24 * HOUR_MS);
            if was_lead && fate < 80 && won < self.now {
                self.act(won, owner, ActKind::Status { number, status: ACTIVE });
            }
            let lost = since.plus_millis(self.between(120, 300) * 24 * HOUR_MS);
            if fate % 8 == 0 && lost < self.now {
                self.act(lost, owner, ActKind::Status { number, status: INACTIVE });
            }
        }
    }

    fn fixed_customer(&self, known: &CustomerFixture) -> Customer {
        let labels = &self.script.labels;
        let details = Details {
            emails: vec![Email { email: known.email.clone(), label: labels.work.clone() }],
            phone_numbers: vec![Phone::new(Some(&known.country), &known.phone, &labels.mobile)],
            title: Some(known.title.clone()),
            company: Some(known.company.clone()),
            ..Details::default()
        };
        Customer {
            name: known.name.clone(),
            about: Some(known.about.clone()),
            status: known.status.clone(),
            tags: known.tags.clone(),
            details,
            ..Customer::default()
        }
    }

    fn random_customer(&self, names: &mut HashSet<String>, address: &str) -> Customer {
        let script = self.script;
        let company = self.pick(&script.companies).clone();
        let mut first = self.pick(&script.first_names);
        let mut last = self.pick(&script.last_names);
        while !names.insert(format!("{first} {last}")) {
            (first, last) = (self.pick(&script.first_names), self.pick(&script.last_names));
        }
        let is_company = self.percent(8) && names.insert(company.clone());
        let mailbox = if is_company { "info".to_owned() } else { format!("{}.{}", plain(first), plain(last)) };
        let label = |text: &String| text.clone();
        let mut details = Details {
            emails: vec![Email {
                email: format!("{mailbox}@{}.example", plain(&company)),
                label: label(&script.labels.work),
            }],
            ..Details::default()
        };
        let phone = |form: &str, name: &String| Phone::new(Some(&script.country), &self.phone(form), &label(name));
        details.phone_numbers.push(phone(&script.phones.office, &script.labels.work));
        if !is_company {
            details.title = Some(self.pick(&script.titles).clone());
            details.company = Some(company.clone());
            if self.percent(55) {
                details.phone_numbers.push(phone(&script.phones.mobile, &script.labels.mobile));
            }
            if self.percent(25) {
                let email = format!("{}@mail.example", plain(&format!("{first}{last}")));
                details.emails.push(Email { email, label: label(&script.labels.personal) });
            }
            if self.percent(35) {
                details.birthday = Some(self.today.plus_days(-self.between(22 * 365, 66 * 365)).into());
            }
        }
        details.address = self.percent(70).then(|| address.to_owned());
        Customer {
            name: if is_company { company } else { format!("{first} {last}") },
            about: self.percent(40).then(|| self.pick(&script.abouts).clone()),
            notes: self.percent(20).then(|| self.pick(&script.notes).clone()),
            status: ACTIVE.to_owned(),
            tags: (0..self.between(1, 3)).map(|_| self.pick(&script.tags).clone()).collect(),
            details,
            ..Customer::default()
        }
    }

    fn tasks(&mut self) {
        let script = self.script;
        for (title, order) in script.sections.iter().zip(0..) {
            self.act(self.working_time(130), 1, ActKind::Section { title, order: f64::from(order) * SECTION_DISTANCE });
        }
        let recurring: Vec<&TaskFixture> = script.tasks.iter().filter(|job| job.customer).collect();
        for number in 0..TASKS {
            // 37 and 150 are coprime, so every task of the fixtures is used, far from its neighbours.
            let slot = number * 37 % TASKS;
            let job = script.tasks.get(slot).unwrap_or_else(|| recurring[slot % recurring.len()]);
            let (due, done) = match number {
                0..84 => (Some(self.between(-75, -1)), true),
                84..93 => (Some(self.between(-12, -1)), false),
                93..99 => (Some(0), false),
                99..102 => (Some(0), true),
                102..105 => (Some(self.between(2, 9)), true),
                105..138 => (Some(self.between(1, 24)), false),
                _ => (None, false),
            };
            let begun = self.between(4, 25) - due.unwrap_or_else(|| self.between(-30, -2));
            self.task(number, job, begun.max(1), due, done);
        }
    }

    fn task(&mut self, number: usize, job: &'s TaskFixture, begun: i64, due: Option<i64>, done: bool) {
        let at = self.working_time(begun);
        let customer = if job.customer { self.customer_at(at) } else { None };
        let half = self.random_below(job.steps.len() + 1);
        let steps = job.steps.iter().enumerate().map(|(place, title)| Subtask {
            id: self.chance.uuid(at).into(),
            title: title.clone(),
            completed: done || place < half,
        });
        let place = i32::try_from(number).unwrap_or(0) + if done { 1_000 } else { 1 };
        let section = i32::try_from(job.section).unwrap_or(0);
        let task = Task {
            title: self.fill_template(&job.title, customer),
            notes: job.notes.clone(),
            priority: match self.random_below(20) {
                0..3 => 0,
                3..16 => 1,
                _ => 2,
            },
            due_date: due.map(|days| self.today.plus_days(days)),
            tags: job.tags.clone(),
            order: f64::from(section) * SECTION_DISTANCE + f64::from(place) * 64.0,
            subtasks: steps.collect(),
            ..Task::default()
        };
        let by = self.worker();
        let assignee = self.percent(88).then(|| self.worker());
        self.act(at, by, ActKind::Task { number, task: Box::new(task), assignee, customer });
        if done {
            let late = due.map_or(0, |due| (due + self.between(-3, 2)).min(0));
            let at = self.working_time(-late).max(at.plus_millis(HOUR_MS)).min(self.minutes_ago(2));
            self.act(at, assignee.unwrap_or(by), ActKind::Complete { number });
        }
    }

    fn routines(&mut self) {
        for routine in &self.script.routines {
            let day = first_day(&routine.rule, self.today.plus_days(-63));
            let when = if routine.minutes == 0 {
                When::AllDay { start_date: day, end_date: day }
            } else {
                self.timed_when(self.time_on(day, routine.start), routine.minutes)
            };
            let event = Event {
                title: routine.title.clone(),
                description: routine.description.clone(),
                location: Some(routine.location.clone()),
                color: Some(routine.color.clone()),
                when,
                recurrence: Some(routine.rule.clone()),
                last_day: None,
                attendees: Vec::new(),
                reminders: vec![10],
                fields: FieldValues::default(),
            };
            let members = routine.who.clone();
            let by = members.first().copied().unwrap_or(0);
            self.act(self.working_time(70), by, ActKind::Event { event: Box::new(event), members, customer: None });
        }
    }

    fn timed_when(&self, start: Timestamp, minutes: i64) -> When {
        When::Timed { start, end: start.plus_millis(minutes * MINUTE_MS), timezone: self.script.timezone.clone() }
    }

    fn events(&mut self) {
        let script = self.script;
        let of_minutes: Vec<&EventFixture> = script.events.iter().filter(|date| date.days.is_none()).collect();
        let of_days: Vec<&EventFixture> = script.events.iter().filter(|date| date.days.is_some()).collect();
        for number in 0..EVENTS - script.routines.len() {
            // Each whole-day event is used once; the others are repeated.
            let date = of_days.get(number).unwrap_or_else(|| &of_minutes[number % of_minutes.len()]);
            let days = match number {
                _ if date.days.is_some() => self.between(-20, 50),
                8..26 => self.between(-28, -1),
                26..30 => 0,
                30..33 => 1,
                _ => self.between(2, 45),
            };
            self.event(date, days);
        }
    }

    fn event(&mut self, date: &EventFixture, days: i64) {
        let day = self.today.plus_days(days);
        // Events of today stay on today, even on a weekend, so that today's calendar is never empty.
        let day = if days == 0 { day } else { Self::workday(day) };
        let when = match date.days {
            Some(length) => When::AllDay { start_date: day, end_date: day.plus_days(length - 1) },
            None => self.timed_when(self.time_on(day, 30 * self.between(17, 33)), date.minutes.unwrap_or(60)),
        };
        let made = self.working_time((self.between(3, 30) - days).max(1));
        let customer = if date.customer { self.customer_at(made) } else { None };
        let by = self.worker();
        let mut members = vec![by];
        members.extend((0..self.between(0, 2)).map(|_| self.worker()));
        let event = Event {
            title: self.fill_template(&date.title, customer),
            description: date.description.clone(),
            location: date.location.as_deref().map(|location| self.fill_template(location, customer)),
            color: Some(date.color.clone()),
            when,
            recurrence: None,
            last_day: None,
            attendees: Vec::new(),
            reminders: if self.percent(60) { vec![30] } else { vec![15, 1_440] },
            fields: FieldValues::default(),
        };
        self.act(made, by, ActKind::Event { event: Box::new(event), members, customer });
    }

    fn pages(&mut self, sheets: &'s [PageFixture], parent: Option<usize>, number: &mut usize) {
        for sheet in sheets {
            let own = *number;
            *number += 1;
            // Each page is a few days newer than the previous one, so that a parent exists before its children.
            let at = self.working_time(200 - 7 * i64::try_from(own).unwrap_or(0));
            // Few see drafts and pages for chosen people, so these belong to the owner, who signs in to the demo.
            let is_private = sheet.status.is_some() || !sheet.people.is_empty();
            let by = if is_private { 0 } else { own % 4 };
            self.act(at, by, ActKind::Page { number: own, sheet, parent });
            self.pages(&sheet.children, Some(own), number);
        }
    }

    fn chats(&mut self) {
        for talk in &self.script.chats {
            let mut at = self.minutes_ago(talk.ended);
            let [one, other] = talk.between;
            let partner = |author: usize| if author == one { other } else { one };
            if let Some((author, _)) = talk.lines.last()
                && talk.read
            {
                let heard = at.plus_millis(MINUTE_MS);
                self.act(heard, partner(*author), ActKind::ReadConversation { from: *author });
            }
            for (author, line) in talk.lines.iter().rev() {
                self.act(at, *author, ActKind::SendDirectMessage { to: partner(*author), text: line });
                at = at.plus_millis(-self.between(1, 6) * MINUTE_MS - self.between(1, 50) * 1_000);
            }
        }
    }

    fn groups(&mut self) {
        for (number, group) in self.script.groups.iter().enumerate() {
            let founder = group.members.first().copied().unwrap_or(0);
            let mut at = self.minutes_ago(group.ended);
            for (place, line) in group.lines.iter().enumerate().rev() {
                self.act(at, line.by, ActKind::PostToGroup { group: number, number: place, line });
                for (by, emoji) in &line.reactions {
                    let soon = at.plus_millis(self.between(5, 55) * 1_000);
                    self.act(soon, *by, ActKind::React { group: number, number: place, emoji });
                }
                at = at.plus_millis(-self.between(2, 9) * MINUTE_MS);
            }
            self.act(at.plus_millis(-20 * 24 * HOUR_MS), founder, ActKind::Group { number, group });
        }
    }

    fn notices(&mut self) {
        let script = self.script;
        for (to, _) in script.members.iter().enumerate().filter(|(_, person)| person.is_active()) {
            let mine = |place: usize| to == 0 || (place + to) % 4 != 3;
            for (_, note) in script.messages.iter().enumerate().filter(|(place, _)| mine(*place)) {
                if note.from != Some(to) {
                    let (at, notice) = self.note(to, note);
                    self.act(at, note.from, ActKind::Message { to, notice, read: note.read });
                }
            }
            for (_, note) in script.notifications.iter().enumerate().filter(|(place, _)| mine(*place)) {
                let (at, notice) = self.note(to, note);
                self.act(at, None, ActKind::Notification { to, notice, read: note.read });
            }
        }
    }

    fn note(&self, to: usize, note: &NoticeFixture) -> (Timestamp, Text) {
        let late = if to == 0 { 0 } else { self.between(1, 20) };
        let at = self.minutes_ago(note.minutes + late);
        let customer = self.customer_at(at);
        let filled = |text: &str| self.fill_template(text, customer);
        let text = Text {
            icon: note.icon.clone(),
            title: filled(&note.title),
            description: filled(&note.description),
            link: note.link.clone(),
            external: note.external,
        };
        (at, text)
    }

    fn shortcuts(&mut self) {
        for (by, _) in self.script.members.iter().enumerate().filter(|(_, person)| person.is_active()) {
            let count = if by == 0 { self.script.shortcuts.len() } else { 4 };
            // The newest shortcut is on top, so the last of the fixtures is created first.
            for place in (0..count).rev() {
                let at = self.minutes_ago(100 * 24 * 60 + i64::try_from(place).unwrap_or(0));
                self.act(at, by, ActKind::Shortcut { place });
            }
        }
    }
}

/// Returns the first day, from a day on, that matches an RRULE with `BYDAY`.
fn first_day(rule: &str, from: Day) -> Day {
    const NAMES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let days = rule.split("BYDAY=").nth(1).unwrap_or_default();
    let first = days.split([',', ';']).next().unwrap_or_default();
    let place = NAMES.iter().position(|name| first.ends_with(name)).and_then(|place| i8::try_from(place).ok());
    let weekday = place.unwrap_or(0);
    let on_weekday = |day: &Day| day.0.weekday().to_monday_zero_offset() == weekday;
    let last_of_month = |day: &Day| day.0.month() != day.plus_days(7).0.month();
    let fits = |day: &Day| on_weekday(day) && (!first.starts_with('-') || last_of_month(day));
    (0..62).map(|days| from.plus_days(days)).find(fits).unwrap_or(from)
}
