//! Tasks, in a manual order, grouped by sections. A task of a deal that few members may see is visible to them, its author
//! and its assignee.

mod api;
mod exchange;
mod model;
pub mod notifications;
pub mod rules;

pub use api::Api;
pub use model::{Subtask, Task, TaskType, completed, created, due_before, open_risen_since, open_unknown_before};
pub use rules::{RestrictedTask, find_restricted};
use uuid::Uuid;

use crate::{
    feature::{
        Audience, ColumnType, ExactKeys, Feature, FieldAccess, FieldReference, FormerAudience, KindRecord, KindRights,
        ListColumn, Menu, NextStepOps, RecordKind, Summary,
        columns::{checkbox, day, ids, number, texts, time, words},
        replace_reference,
    },
    features::{customers::Customer, deals::Deal, organizations::Organization},
    kernel::{MemberId, Result, Timestamp},
    people::{
        members::MemberRecord,
        permission::{Permission, Reader, TasksDelete, TasksDeleteOwn, TasksRead, TasksWrite},
    },
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("tasks").with_kinds(&[KIND]);

/// The description of the kind.
const KIND: RecordKind =
    RecordKind::of::<Task>("tasks", KindRights::of::<TasksRead, TasksWrite, TasksDeleteOwn, TasksDelete>())
        .with_visibility::<Task>()
        .in_bulk::<Task>()
        .exchanged::<Task>()
        .with_next_steps(NextStepOps {
            make: rules::make_next_step,
            first: rules::first_step,
            follow_audience: rules::follow_deal,
        })
        .in_menu(Menu { position: 20, icon: "circle-check-big", link: "/tasks", count: Some(count_own_open) });

impl KindRecord for Task {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("title", ColumnType::Text, |one| texts([&one.title])),
        ListColumn::new("completed", ColumnType::Checkbox, |one| vec![checkbox(one.completed)]),
        ListColumn::new("completedAt", ColumnType::Time, |one| one.completed_at.map(time).into_iter().collect()),
        ListColumn::new("priority", ColumnType::Number, |one| vec![number(one.priority.into())]),
        ListColumn::new("dueDate", ColumnType::Date, |one| one.due_date.map(day).into_iter().collect()),
        ListColumn::new("assigneeId", ColumnType::Member, |one| ids(one.assignee_id)),
        ListColumn::record("customerId", Customer::KIND, |one| ids(one.customer_id)),
        ListColumn::record("organizationId", Organization::KIND, |one| ids(one.organization_id)),
        ListColumn::record("dealId", Deal::KIND, |one| ids(one.deal_id)),
        ListColumn::new("tags", ColumnType::Tags, |one| words(&one.tags)),
        ListColumn::new("order", ColumnType::Number, |one| vec![number(one.order)]),
    ];

    const KEYS: ExactKeys = ExactKeys {
        external_id: Some(model::BY_EXTERNAL_ID),
        import_key: Some(model::BY_IMPORT_KEY),
        ..ExactKeys::NONE
    };

    const VALUES: Option<FieldAccess<Self>> =
        Some(FieldAccess { get: |one| &one.fields, get_mut: |one| &mut one.fields });

    const REFERENCES: &'static [FieldReference] = &[
        FieldReference { field: "customerId", target: Customer::KIND, lookup: Some(model::BY_CUSTOMER) },
        FieldReference { field: "organizationId", target: Organization::KIND, lookup: Some(model::BY_ORGANIZATION) },
        FieldReference { field: "dealId", target: Deal::KIND, lookup: Some(model::BY_DEAL) },
    ];

    /// As for deals.
    const SEES_ALL: Option<Permission> = Some(Permission::DealsDelete);

    fn audience(record: &Stored<Self>) -> Audience {
        record.audience_with(record.created_by)
    }

    fn former_audience(&self) -> Option<&FormerAudience> {
        self.former_audience.as_ref()
    }

    fn replace_references(&mut self, target: Uuid, by: Option<Uuid>) {
        replace_reference(&mut self.customer_id, target, by);
        replace_reference(&mut self.organization_id, target, by);
        replace_reference(&mut self.deal_id, target, by);
    }

    fn followers(record: &Stored<Self>) -> Vec<MemberId> {
        record.assignee_id.into_iter().collect()
    }

    fn summary(tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        if record.kind == TaskType::Section {
            return Ok(None);
        }
        let assignee = record.assignee_id.map_or(Ok(None), |id| tx.find_intact::<MemberRecord>(id))?;
        let subtitle = assignee.map(|member| member.value.name);
        Ok(Some(Summary { title: record.title.clone(), subtitle, done: Some(record.completed) }))
    }

    fn after_removal(tx: &TenantWrite<'_>, record: &Stored<Self>) -> Result<()> {
        rules::follow(tx, Some(record), None)
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        rules::follow(tx, None, Some(record))
    }

    fn adapt_restored(tx: &TenantWrite<'_>, _author: Option<MemberId>, record: &mut Self) -> Result<()> {
        record.limit = rules::limit_of(tx, record)?;
        record.order = rules::free(tx, record.order)?;
        Ok(())
    }
}

fn count_own_open(tx: &TenantRead<'_>, reader: Reader, _now: Timestamp, _zone: &str) -> Result<u64> {
    let open = tx.counter(&format!("tasks/open_by/{}", reader.id))? + tx.counter(&model::hidden_open_by(reader.id))?;
    Ok(open.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests;
