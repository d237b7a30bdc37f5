//! Checks of the clock.

use super::{Check, Facts, Outcome, offline};
use crate::{cli::commands::doctor::facts::network::Answer, monitoring::duration};

/// Seconds by which the clock may differ from others: codes of authenticator apps change every 30 seconds.
const MAX_OFFSET: i64 = 30;
/// Seconds by which it may be behind the newest change.
const MAX_BEHIND: i64 = 60;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "clock.offset",
        looks_at: "the time that providers, the certificate authority and `public_url` say",
        means: "Codes of authenticator apps, certificates and single sign-on fail.",
        mend: "timedatectl set-ntp true",
        fix: None,
        find: |facts| {
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let worst = answers(facts).filter_map(|(name, answer)| Some((name, answer.reply()?.clock_ahead?)));
            match worst.max_by_key(|(_, ahead)| ahead.abs()) {
                Some((name, ahead)) if ahead.abs() > MAX_OFFSET => {
                    let way = if ahead > 0 { "behind" } else { "ahead of" };
                    let length = duration(ahead.unsigned_abs());
                    Outcome::failing(format!("The clock of this machine is {length} {way} that of {name}."))
                }
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "clock.behind_data",
        looks_at: "whether the newest change is in the future",
        means: "The clock was set back: what is new seems old.",
        mend: "timedatectl set-ntp true",
        fix: None,
        find: |facts| {
            let newest = facts.server.as_ref().ok().and_then(|server| server.newest_change);
            let behind = newest.map_or(0, |newest| newest.seconds() - facts.now.seconds());
            if behind <= MAX_BEHIND {
                return Outcome::Ok;
            }
            let behind = duration(behind.unsigned_abs());
            Outcome::failing(format!("The clock is {behind} behind the newest change."))
        },
    },
    Check {
        id: "clock.not_synchronized",
        looks_at: "whether a service keeps the clock synchronized",
        means: "It will be wrong, sooner or later.",
        mend: "timedatectl set-ntp true",
        fix: None,
        find: |facts| match facts.machine.has_synchronized_clock {
            Some(false) => Outcome::warning("No service synchronizes the clock."),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "clock.no_time_zones",
        looks_at: "whether the data of time zones is there",
        means: "Times of events and reminders are those of UTC.",
        mend: "apt install tzdata",
        fix: None,
        find: |facts| {
            if facts.machine.has_time_zones {
                return Outcome::Ok;
            }
            Outcome::failing("The time zone Europe/Madrid is unknown.")
        },
    },
];

fn answers(facts: &Facts) -> impl Iterator<Item = (String, &Answer)> {
    let authority = facts.network.authority.iter().map(|answer| ("the certificate authority".to_owned(), answer));
    let public = facts.network.public.iter().map(|answer| ("public_url".to_owned(), answer));
    facts.network.issuers.iter().map(|(name, answer)| (name.clone(), answer)).chain(authority).chain(public)
}
