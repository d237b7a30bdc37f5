//! `atrium alerts list`: asks the running server what stands.

use super::named;
use crate::{
    cli::prelude::*,
    monitoring::{Alert, CheckStatus, Standing},
};

/// Returns what stands.
pub fn run(context: &Context) -> Result<Standing> {
    Ok(context.app()?.alerts.standing())
}

/// Returns what is printed: what stands, what is over but was not sent yet, and the channels.
pub fn text(standing: &Standing) -> String {
    let Standing { channels, alerts } = standing;
    let line = |(check, alert): (&String, &Alert)| match alert.ended {
        None => format!("{}  {check}  since {}  {}", alert.status.as_str(), alert.since, alert.message),
        Some(ended) => format!("over  {check}  since {ended}  It was: {}", alert.message),
    };
    let mut lines: Vec<String> = alerts.iter().map(line).collect();
    if !alerts.values().any(|alert| alert.status != CheckStatus::Ok) {
        lines.insert(0, "No alert stands.".to_owned());
    }
    lines.push(String::new());
    if channels.is_empty() {
        lines.push(NO_CHANNEL.to_owned());
    }
    lines.extend(channels.iter().map(|state| match &state.failure {
        None => format!("Sent by {}.", named(&state.channel)),
        Some(reason) => format!("Not sent by {}: {reason}", named(&state.channel)),
    }));
    lines.join("\n")
}

/// What is printed without channels.
pub const NO_CHANNEL: &str = "Alerts are only in the log: alerts.mail, alerts.command and alerts.webhook are not set.";
