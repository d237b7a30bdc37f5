//! Application of a demo plan: runs each act at its time, as its member, through the product's own rules.

use std::collections::BTreeMap;

use super::{
    fixtures::{Line, Person, Script},
    generator::{Act, ActKind, Plan},
};
use crate::{
    feature::{Audience, FieldValues, Visibility, VisibleTo},
    features::{
        chat,
        customers::{self, Customer},
        deals::{self, Deal},
        events::{self, Attendee, Event},
        messages::Messages,
        notices::{self, Author, Kind, Notice, rules::Recipients},
        notifications::Notifications,
        organizations::{self, Organization},
        pages::{self, Page, PageStatus},
        records::{
            KindName,
            activities::{self, Activity, ActivityLink},
            content::{Mention, Reference},
        },
        shortcuts::{self, Shortcut},
        tasks::{self, Task, TaskType},
        team::{self, NewMember},
    },
    kernel::{Error, Id, MemberId, Result, Timestamp},
    people::{
        members::MemberRecord,
        permission::{Reader, Role},
    },
    store::{Actor, Record as _, Stored, TenantWrite},
};

/// How many days ago the first member joined.
const FIRST_JOINED_DAYS_AGO: i64 = 430;
const DAY_MS: i64 = 86_400_000;

/// The state of a demo tenant while its plan is applied.
pub struct Applier<'t, 'a> {
    tx: &'t TenantWrite<'a>,
    script: &'t Script,
    people: Vec<MemberId>,
    customers: BTreeMap<usize, Id<Customer>>,
    organizations: BTreeMap<String, Id<Organization>>,
    deals: BTreeMap<usize, Id<Deal>>,
    tasks: BTreeMap<usize, Id<Task>>,
    pages: BTreeMap<usize, Id<Page>>,
    groups: BTreeMap<usize, Id<chat::Conversation>>,
    lines: BTreeMap<(usize, usize), Id<chat::ChatMessage>>,
}

impl<'t, 'a> Applier<'t, 'a> {
    /// Creates the members of a tenant with one shared password hash. The owner already exists.
    pub fn set(tx: &'t TenantWrite<'a>, script: &'t Script, owner: &Stored<MemberRecord>, hash: &str) -> Result<Self> {
        let boss: MemberId = owner.id;
        let mut people = vec![boss];
        for (place, person) in (0..).zip(&script.members) {
            let came = tx.now().plus_millis((place - FIRST_JOINED_DAYS_AGO) * DAY_MS);
            let tx = tx.falsely_dated_for_demo(came, Actor::Member(boss));
            let id = if place == 0 { owner.id } else { join(&tx, person, hash)?.id };
            if place > 0 {
                people.push(id);
            }
            tx.update(id, None, |member| {
                apply_profile(member, person);
                Ok(())
            })?;
        }
        let customers = BTreeMap::new();
        let organizations = BTreeMap::new();
        let deals = BTreeMap::new();
        let tasks = BTreeMap::new();
        let pages = BTreeMap::new();
        let groups = BTreeMap::new();
        let lines = BTreeMap::new();
        Ok(Self { tx, script, people, customers, organizations, deals, tasks, pages, groups, lines })
    }

    /// Applies the whole plan.
    pub fn play(mut self, plan: &Plan<'_>) -> Result<()> {
        for act in &plan.acts {
            let actor = act.by.map_or(Actor::System, |by| Actor::Member(self.person(by)));
            let tx = self.tx.falsely_dated_for_demo(act.at, actor);
            self.act(&tx, act)?;
        }
        Ok(())
    }

    fn person(&self, place: usize) -> MemberId {
        self.people.get(place).copied().unwrap_or_else(|| self.people[0])
    }

    fn visibility(&self, places: &[usize]) -> Visibility {
        let people: Vec<MemberId> = places.iter().map(|place| self.person(*place)).collect();
        Visibility { to: if people.is_empty() { VisibleTo::Company } else { VisibleTo::People }, people }
    }

    fn customer(&self, number: Option<usize>) -> Option<Id<Customer>> {
        number.and_then(|number| self.customers.get(&number).copied())
    }

    /// Returns the draft of a line with its mention and reference.
    fn draft(&self, line: &Line) -> Result<chat::rules::Draft> {
        let mention = |place: usize| Mention {
            member_id: self.person(place),
            text: format!("@{}", self.script.members.get(place).map_or("", |person| person.name.as_str())),
        };
        let reference = |place: usize| -> Result<Reference> {
            let record = self.customer(Some(place)).ok_or_else(|| unknown("customer"))?;
            let name = self.script.known.get(place).map_or("", |known| known.name.as_str());
            let kind = KindName::find(Customer::KIND).ok_or_else(|| unknown("kind"))?;
            let text = format!("#{name}");
            Ok(Reference { kind, record_id: record.uuid(), text })
        };
        Ok(chat::rules::Draft {
            mentions: line.mention.map(mention).into_iter().collect(),
            references: line.customer.map(reference).transpose()?.into_iter().collect(),
            ..chat::rules::Draft::text(line.text.as_str())
        })
    }

    /// Applies an act with customers, organizations and deals.
    fn sell(&mut self, tx: &TenantWrite<'_>, act: &Act<'_>) -> Result<()> {
        match &act.what {
            ActKind::Customer { number, customer, owner } => {
                let owner_id = Some(self.person(*owner));
                let company = customer.details.company.as_ref();
                let organization_id = company.and_then(|company| self.organizations.get(company)).copied();
                let customer = Customer { owner_id, organization_id, ..Customer::clone(customer) };
                let made = customers::rules::create(tx, customer)?;
                self.customers.insert(*number, made.id);
            }
            ActKind::Organization { organization, owner } => {
                let owner_id = Some(self.person(*owner));
                let organization = Organization { owner_id, ..Organization::clone(organization) };
                let made = organizations::rules::create(tx, organization)?;
                for customer in self.customers.values() {
                    if tx.get::<Customer>(*customer)?.details.company.as_ref() == Some(&made.name) {
                        let link = |one| Customer { organization_id: Some(made.id), ..one };
                        customers::rules::change(tx, *customer, None, link)?;
                    }
                }
                self.organizations.insert(made.name.clone(), made.id);
            }
            ActKind::Contact { contact, customer } => {
                let kind = KindName::find(Customer::KIND).ok_or_else(|| unknown("kind"))?;
                let record_id = self.customer(Some(*customer)).ok_or_else(|| unknown("customer"))?.uuid();
                let author = tx.actor().member().ok_or_else(|| unknown("member"))?;
                let activity = Activity {
                    sort: contact.sort,
                    at: tx.now(),
                    links: vec![ActivityLink { kind, record_id }],
                    text: Some(contact.text.clone()),
                    outcome: contact.outcome.clone(),
                    next_task_id: None,
                    place: None,
                    limit: Audience::Company,
                };
                activities::rules::create(tx, Reader { id: author, role: Role::Owner }, activity, None)?;
            }
            ActKind::Deal { number, deal, owner, customer } => {
                let customer_id = self.customer(*customer);
                let customer = customer_id.map_or(Ok(None), |id| tx.find::<Customer>(id))?;
                let deal = Deal {
                    owner_id: Some(self.person(*owner)),
                    customer_id,
                    organization_id: customer.and_then(|customer| customer.organization_id),
                    ..Deal::clone(deal)
                };
                self.deals.insert(*number, deals::rules::create(tx, deal)?.id);
            }
            ActKind::DealStep { number, stage, outcome, reason } => {
                let id = self.deals.get(number).copied().ok_or_else(|| unknown("deal"))?;
                let author = tx.actor().member().ok_or_else(|| unknown("member"))?;
                let reader = Reader { id: author, role: Role::Owner };
                let step = |deal| Deal {
                    stage_id: (*stage).to_owned(),
                    outcome: *outcome,
                    reason_id: reason.map(str::to_owned),
                    ..deal
                };
                deals::rules::change(tx, reader, id, None, step)?;
            }
            ActKind::Status { number, status } => {
                let id = self.customer(Some(*number)).ok_or_else(|| unknown("customer"))?;
                let status = (*status).to_owned();
                customers::rules::change(tx, id, None, |customer| Customer { status, ..customer })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn act(&mut self, tx: &TenantWrite<'_>, act: &Act<'_>) -> Result<()> {
        match &act.what {
            ActKind::Customer { .. }
            | ActKind::Status { .. }
            | ActKind::Organization { .. }
            | ActKind::Contact { .. }
            | ActKind::Deal { .. }
            | ActKind::DealStep { .. } => self.sell(tx, act)?,
            ActKind::Section { title, order } => {
                let section =
                    Task { kind: TaskType::Section, title: (*title).to_owned(), priority: 1, ..Task::default() };
                tasks::rules::create(tx, section, Some(*order))?;
            }
            ActKind::Task { number, task, assignee, customer } => {
                let mut task = Task::clone(task);
                task.assignee_id = assignee.map(|place| self.person(place));
                task.customer_id = self.customer(*customer);
                let order = task.order;
                self.tasks.insert(*number, tasks::rules::create(tx, task, Some(order))?.id);
            }
            ActKind::Complete { number } => {
                let id = self.tasks.get(number).copied().ok_or_else(|| unknown("task"))?;
                let reader = Reader { id: self.person(act.by.unwrap_or(0)), role: Role::Owner };
                tasks::rules::change(tx, reader, id, None, |task| task.completed = true)?;
            }
            ActKind::Event { event, members, customer } => {
                let members = members.iter().map(|place| Attendee::Member(self.person(*place)));
                let customer = self.customer(*customer).map(Attendee::Customer);
                let attendees = members.chain(customer).collect();
                events::rules::create(tx, Event { attendees, ..Event::clone(event) }.normalize()?)?;
            }
            ActKind::Page { number, sheet, parent } => {
                let reader = Reader { id: self.person(act.by.unwrap_or(0)), role: Role::Owner };
                let page = Page {
                    title: sheet.title.clone(),
                    icon: sheet.icon.clone(),
                    parent_id: parent.and_then(|number| self.pages.get(&number).copied()),
                    order: 0.0,
                    status: sheet.status.unwrap_or(PageStatus::Published),
                    was_published: false,
                    visibility: self.visibility(&sheet.people),
                    limit: Audience::Company,
                    former_audience: None,
                    former_children: Vec::new(),
                    former_parents: Vec::new(),
                    former_visibilities: Vec::new(),
                    body: pages::clean(&sheet.body)?,
                    fields: FieldValues::default(),
                };
                self.pages.insert(*number, pages::rules::create(tx, reader, page, None)?.id);
            }
            ActKind::SendDirectMessage { to, text } => {
                let chat = chat::rules::open(tx, self.person(*to))?;
                chat::rules::send(tx, &chat.id.to_string(), chat::rules::Draft::text(*text))?;
            }
            ActKind::ReadConversation { from } => {
                let chat = chat::rules::open(tx, self.person(*from))?;
                chat::rules::change(tx, &chat.id.to_string(), None, Some(0))?;
            }
            ActKind::Group { number, group } => {
                let others: Vec<MemberId> = group.members.iter().skip(1).map(|place| self.person(*place)).collect();
                self.groups.insert(*number, chat::rules::create_group(tx, &group.name, &others)?.id);
            }
            ActKind::PostToGroup { group, number, line } => {
                let chat = self.groups.get(group).copied().ok_or_else(|| unknown("group"))?;
                let said = chat::rules::send(tx, &chat.to_string(), self.draft(line)?)?;
                self.lines.insert((*group, *number), said.id);
            }
            ActKind::React { group, number, emoji } => {
                let line = self.lines.get(&(*group, *number)).copied().ok_or_else(|| unknown("line"))?;
                chat::rules::react(tx, line, emoji, true)?;
            }
            ActKind::Message { to, notice, read } => {
                notify::<Messages>(tx, self.person(*to), notice.notice(act.at), *read)?;
            }
            ActKind::Notification { to, notice, read } => {
                notify::<Notifications>(tx, self.person(*to), notice.notice(act.at), *read)?;
            }
            ActKind::Shortcut { place } => {
                let link = self.script.shortcuts.get(*place).ok_or_else(|| unknown("shortcut"))?;
                let shortcut = Shortcut {
                    label: link.label.clone(),
                    description: Some(link.description.clone()),
                    icon: link.icon.clone(),
                    link: link.link.clone(),
                    use_router: !link.external,
                    place: 0,
                };
                shortcuts::rules::create(&tx.own_data()?, shortcut)?;
            }
        }
        Ok(())
    }
}

fn unknown(what: &str) -> Error {
    Error::internal(format_args!("the plan names a {what} before it is there"))
}

fn join(tx: &TenantWrite<'_>, person: &Person, hash: &str) -> Result<Stored<MemberRecord>> {
    team::rules::add(tx, NewMember::new(&person.name, &person.email, person.role), hash.to_owned())
}

fn apply_profile(member: &mut MemberRecord, person: &Person) {
    member.title.clone_from(&person.title);
    member.phone.clone_from(&person.phone);
    member.about.clone_from(&person.about);
    member.status = person.status.unwrap_or(member.status);
    member.state = person.state.unwrap_or(member.state);
}

/// Sends a notice as the acting member, or as the system when there is none. A notice marked as read is read half an
/// hour later.
fn notify<K: Kind>(tx: &TenantWrite<'_>, to: MemberId, mut notice: Notice<K>, read: bool) -> Result<()> {
    if let Some(author) = tx.me().map(|me| tx.get::<MemberRecord>(me)).transpose()? {
        notice.from = Some(Author { member_id: author.id, name: author.value.name });
    }
    let sent: Timestamp = notice.time;
    let kept = notices::rules::send(tx, &notice, &Recipients::Members(vec![to]))?;
    if read {
        let later = tx.falsely_dated_for_demo(sent.plus_millis(30 * 60_000), Actor::Member(to));
        notices::rules::set_read(&later.person(to), kept.id, true)?;
    }
    Ok(())
}
