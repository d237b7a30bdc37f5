//! Register of alerts: what stands, and what was sent by which channel. It decides when to send.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::message::{Event, one_line};
use crate::{
    kernel::Timestamp,
    monitoring::{Check, CheckStatus},
};

/// Checks in a row after which a failing check, a check that is not ok, and the end of an alert count.
const FAILING_TIMES: u32 = 2;
const WARNING_TIMES: u32 = 10;
const OK_TIMES: u32 = 4;

/// Milliseconds after which an alert that stands is sent again.
const AGAIN_MILLIS: u64 = 24 * 3_600_000;

/// An alert about a check. After its end, it is kept until each channel has sent that it is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// The status of the check.
    pub status: CheckStatus,
    /// What was found, in one sentence; after the end, what was found before.
    pub message: String,
    /// When the check ceased to be ok.
    pub since: Timestamp,
    /// When it became ok again.
    pub ended: Option<Timestamp>,
    /// What was sent last, by channel; `None` if nothing was sent yet.
    pub sent: BTreeMap<String, Option<Sent>>,
}

/// What was sent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The status that was sent.
    pub status: CheckStatus,
    /// When.
    pub at: Timestamp,
}

/// How often in a row a check had a status.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// When it ceased to be ok.
    since: Timestamp,
    failing: u32,
    not_ok: u32,
    not_failing: u32,
    ok: u32,
}

/// A change that is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub check: String,
    pub status: CheckStatus,
    pub message: String,
}

/// A message to send by a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    pub check: String,
    pub event: Event,
    pub alert: Alert,
    /// Identifies it, also when it is sent again after a failure or a restart.
    pub id: String,
}

/// All alerts, by the name of their check.
#[derive(Debug, Default)]
pub struct Register {
    pub alerts: BTreeMap<String, Alert>,
    rows: HashMap<String, Row>,
}

impl Register {
    /// Creates the register from what was recorded. New channels send what stands; former ones are forgotten.
    pub fn new(mut alerts: BTreeMap<String, Alert>, channels: &[String]) -> Self {
        for alert in alerts.values_mut() {
            alert.sent.retain(|channel, _| channels.contains(channel));
            if alert.ended.is_none() {
                for channel in channels {
                    alert.sent.entry(channel.clone()).or_default();
                }
            }
        }
        alerts.retain(|_, alert| alert.ended.is_none() || !alert.sent.is_empty());
        Self { alerts, rows: HashMap::new() }
    }

    /// Takes in the results of the checks. Returns the changes; checks that are missing stay as they are.
    pub fn observe(&mut self, checks: &[Check], now: Timestamp, channels: &[String]) -> Vec<Change> {
        let mut changes = Vec::new();
        for check in checks {
            let row = self.rows.entry(check.name.clone()).or_default();
            row.add(check.status, now);
            let row = *row;
            let stands = self.alerts.get_mut(&check.name).filter(|alert| alert.ended.is_none());
            let new = row.status();
            let changed = match (stands, new) {
                (None, Some(status)) => {
                    let sent = self.alerts.remove(&check.name).map(|former| former.sent).unwrap_or_default();
                    let sent = channels
                        .iter()
                        .map(|channel| (channel.clone(), sent.get(channel).copied().flatten()))
                        .collect();
                    let message = one_line(&check.message);
                    let alert = Alert { status, message, since: row.since, ended: None, sent };
                    self.alerts.insert(check.name.clone(), alert);
                    true
                }
                (Some(alert), Some(status)) => {
                    let is_worse = status > alert.status;
                    if is_worse || (status < alert.status && row.not_failing >= WARNING_TIMES) {
                        alert.status = status;
                    }
                    is_worse
                }
                (Some(alert), None) if row.ok >= OK_TIMES && !check.is_unsettled => {
                    alert.ended = Some(now);
                    alert.status = CheckStatus::Ok;
                    true
                }
                _ => false,
            };
            if let Some(alert) = self.alerts.get_mut(&check.name)
                && alert.is_described_by(check)
            {
                alert.message = one_line(&check.message);
            }
            if changed && let Some(alert) = self.alerts.get(&check.name) {
                let status = alert.status;
                let message = alert.message.clone();
                changes.push(Change { check: check.name.clone(), status, message });
            }
        }
        self.forget_sent();
        changes
    }

    /// Returns what to send next by a channel.
    pub fn due(&self, channel: &str, now: Timestamp) -> Option<Due> {
        let mut due: Vec<Due> =
            self.alerts.iter().filter_map(|(check, alert)| alert.due(check, channel, now)).collect();
        due.sort_by_key(|due| due.alert.ended.unwrap_or(due.alert.since));
        due.into_iter().next()
    }

    /// Records that something was sent. The alert may have changed in between.
    pub fn record(&mut self, channel: &str, due: &Due, now: Timestamp) {
        let Some(alert) = self.alerts.get_mut(&due.check).filter(|alert| alert.sent.contains_key(channel)) else {
            return;
        };
        if due.event != Event::Over {
            alert.sent.insert(channel.to_owned(), Some(Sent { status: due.alert.status, at: now }));
        } else if alert.ended.is_some() {
            alert.sent.remove(channel);
        } else {
            // It began again.
            alert.sent.insert(channel.to_owned(), None);
        }
        self.forget_sent();
    }

    /// Forgets alerts that are over and whose end every channel has sent.
    fn forget_sent(&mut self) {
        self.alerts.retain(|_, alert| alert.ended.is_none() || !alert.sent.is_empty());
    }
}

impl Alert {
    /// Whether the sentence of a check becomes that of the alert: the alert stands, and the check is as bad, or worse.
    fn is_described_by(&self, check: &Check) -> bool {
        self.ended.is_none() && check.status >= self.status
    }

    fn due(&self, check: &str, channel: &str, now: Timestamp) -> Option<Due> {
        let sent = *self.sent.get(channel)?;
        let status = self.status.as_str();
        let (event, moment) = match sent {
            _ if self.ended.is_some() => (Event::Over, self.since),
            None => (Event::Began, self.since),
            Some(sent) if sent.status < self.status => (Event::Began, self.since),
            Some(sent) if now.millis().abs_diff(sent.at.millis()) >= AGAIN_MILLIS => (Event::Stands, sent.at),
            Some(_) => return None,
        };
        let id = format!("{check}-{}-{status}-{}", event.as_str(), moment.millis());
        Some(Due { check: check.to_owned(), event, alert: self.clone(), id })
    }
}

impl Row {
    fn add(&mut self, status: CheckStatus, now: Timestamp) {
        let next = |count: u32, goes_on: bool| if goes_on { count.saturating_add(1) } else { 0 };
        let is_ok = status == CheckStatus::Ok;
        if !is_ok && self.not_ok == 0 {
            self.since = now;
        }
        self.failing = next(self.failing, status == CheckStatus::Failing);
        self.not_failing = next(self.not_failing, status != CheckStatus::Failing);
        self.not_ok = next(self.not_ok, !is_ok);
        self.ok = next(self.ok, is_ok);
    }

    /// Returns the status that has lasted long enough to count.
    const fn status(&self) -> Option<CheckStatus> {
        if self.failing >= FAILING_TIMES {
            Some(CheckStatus::Failing)
        } else if self.not_ok >= WARNING_TIMES {
            Some(CheckStatus::Warning)
        } else {
            None
        }
    }
}
