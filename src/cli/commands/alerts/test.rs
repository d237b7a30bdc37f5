//! `atrium alerts test`: sends a test by every channel.

use super::named;
use crate::{cli::prelude::*, monitoring::ChannelState};

/// Sends a test by every channel.
pub async fn run(context: &Context) -> Result<Vec<ChannelState>> {
    Ok(context.app()?.alerts.test().await)
}

/// Returns what is printed: whether each channel worked; nothing if there is none, which is a failure.
pub fn text(channels: &[ChannelState]) -> String {
    let line = |state: &ChannelState| match &state.failure {
        None => format!("{}: sent", named(&state.channel)),
        Some(reason) => format!("{}: failed: {reason}", named(&state.channel)),
    };
    channels.iter().map(line).collect::<Vec<_>>().join("\n")
}
