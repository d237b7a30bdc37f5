//! `atrium alerts test`: sends a test by every channel.

use super::{list::NO_CHANNEL, named};
use crate::{cli::prelude::*, monitoring::ChannelState};

/// Sends a test by every channel.
pub async fn run(context: &Context) -> Result<Vec<ChannelState>> {
    Ok(context.app()?.alerts.test().await)
}

/// Returns what is printed: whether each channel worked.
pub fn text(channels: &[ChannelState]) -> String {
    if channels.is_empty() {
        return NO_CHANNEL.to_owned();
    }
    let line = |state: &ChannelState| match &state.failure {
        None => format!("{}: sent", named(&state.channel)),
        Some(reason) => format!("{}: failed: {reason}", named(&state.channel)),
    };
    channels.iter().map(line).collect::<Vec<_>>().join("\n")
}
