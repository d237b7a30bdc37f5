//! Notifications about tasks: assigned, moved to another due day, due today.

use std::collections::BTreeMap;

use super::model::{BY_DUE, Task};
use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind, ParamValue},
    kernel::{Day, MemberId, Result},
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Notifies the assignee that a task was assigned or got another due day. `before` is the task before the change.
pub(super) fn notify_change(tx: &TenantWrite<'_>, before: Option<&Task>, task: &Stored<Task>) -> Result<()> {
    let Some(assignee) = task.assignee_id.filter(|_| task.is_open()) else { return Ok(()) };
    let was_theirs = before.is_some_and(|before| before.assignee_id == Some(assignee));
    let moved = before.is_some_and(|before| before.due_date != task.due_date);
    let draft = match (was_theirs, task.due_date) {
        (false, None) => draft_about(task, NotificationKind::TaskAssigned, "server.notifications.task_assigned"),
        (false, Some(day)) => {
            draft_about(task, NotificationKind::TaskAssigned, "server.notifications.task_assigned.due")
                .with_param("day", ParamValue::Day(day))
        }
        (true, Some(day)) if moved => {
            let key = "server.notifications.task_moved";
            let group_key = format!("task_moved:{}", task.id);
            draft_about(task, NotificationKind::TaskDue, key)
                .with_param("day", ParamValue::Day(day))
                .with_group(group_key, key)
        }
        (true, _) => return Ok(()),
    };
    notifications::notify(tx, &[assignee], &draft)
}

fn draft_about(task: &Stored<Task>, kind: NotificationKind, text_key: &str) -> NotificationDraft {
    NotificationDraft::new(kind, text_key, format!("/tasks/{}", task.id)).with_text("task", &task.title)
}

/// Returns the open tasks that are due on a day, by assignee, or by creator without one.
pub fn due_on(tx: &TenantRead<'_>, day: Day) -> Result<BTreeMap<MemberId, Vec<Stored<Task>>>> {
    let mut found: BTreeMap<MemberId, Vec<Stored<Task>>> = BTreeMap::new();
    let mut after = None;
    loop {
        let scan = Scan::with(BY_DUE, day.to_string()).limit(500).after(after);
        let page = tx.page::<Task>(&scan, |task| task.is_open())?;
        for task in page.items {
            if let Some(whose) = task.assignee_id.or(task.created_by) {
                found.entry(whose).or_default().push(task);
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// Notifies a member of the tasks due today, in one notification.
pub fn notify_due(tx: &TenantWrite<'_>, member: MemberId, tasks: &[Stored<Task>]) -> Result<()> {
    let Some(first) = tasks.first() else { return Ok(()) };
    let draft = if tasks.len() == 1 {
        draft_about(first, NotificationKind::TaskDue, "server.notifications.task_due")
    } else {
        let key = "server.notifications.task_due.several";
        let draft = NotificationDraft::new(NotificationKind::TaskDue, key, "/tasks?show=today".to_owned());
        draft.with_text("task", &first.title).with_text("number", tasks.len().to_string())
    };
    notifications::notify(tx, &[member], &draft)
}

#[cfg(test)]
mod tests;
