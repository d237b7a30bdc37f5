//! Checks of the public address.

use url::Url;

use super::{Check, Facts, Outcome, is_local_name, is_reachable, offline};
use crate::cli::commands::doctor::facts::network::Answer;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "public.missing",
        looks_at: "whether `public_url` is set, if other machines reach the server",
        means: "Links in emails, single sign-on and secure cookies need it.",
        mend: "public_url = \"https://atrium.example\"",
        fix: None,
        find: |facts| {
            if facts.config.public_url.is_some() || !is_reachable(&facts.config) {
                return Outcome::Ok;
            }
            Outcome::warning("public_url is not set.")
        },
    },
    Check {
        id: "public.http",
        looks_at: "whether `public_url` begins with https",
        means: "Browsers keep their cookies for plain connections, too, where others can read them.",
        mend: "public_url = \"https://HOST\"",
        fix: None,
        find: |facts| match &facts.config.public_url {
            Some(url) if url.scheme() == "http" && !url.host_str().is_some_and(is_local_name) => {
                Outcome::failing(format!("public_url is {url}, without encryption."))
                    .with("HOST", url.host_str().unwrap_or_default())
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "public.unreachable",
        looks_at: "whether `public_url` answers",
        means: "People do not reach the installation, or not from this machine.",
        mend: "curl -v URL/health/live",
        fix: None,
        find: |facts| {
            asked(facts, |url, answer| match answer {
                Answer::Unreachable(why) => Some(Outcome::failing(format!("{url} does not answer: {why}."))),
                Answer::Response(reply) if reply.status >= 500 => {
                    Some(Outcome::failing(format!("{url} answers with the status {}.", reply.status)))
                }
                _ => None,
            })
        },
    },
    Check {
        id: "public.other_installation",
        looks_at: "whether requests to `public_url` arrive at this server",
        means: "Links in emails lead elsewhere.",
        mend: "public_url = \"https://the.host.of.this.server\"",
        fix: None,
        find: |facts| {
            let Some(server) = facts.running() else { return Outcome::left_out("no server runs") };
            asked(facts, |url, answer| match answer.reply() {
                Some(reply) if reply.status < 300 && server.probes.is_empty() => {
                    Some(Outcome::failing(format!("{url} answers, but it is not this installation.")))
                }
                Some(reply) if (400..500).contains(&reply.status) && server.probes.is_empty() => {
                    Some(Outcome::failing(format!(
                        "{url} answers with the status {}, and not from this installation.",
                        reply.status
                    )))
                }
                _ => None,
            })
        },
    },
    Check {
        id: "public.redirected",
        looks_at: "whether `public_url` leads to another address",
        means: "Single sign-on and links in emails work only at the final address.",
        mend: "public_url = \"TARGET\"",
        fix: None,
        find: |facts| {
            asked(facts, |url, answer| {
                let reply = answer.reply().filter(|reply| (300..400).contains(&reply.status))?;
                let target = reply.location.as_deref()?;
                let origin = Url::parse(target).ok().map(|target| target.origin().ascii_serialization());
                let found = Outcome::warning(format!("{url} leads to {target}."));
                Some(found.with("TARGET", origin.unwrap_or_else(|| target.to_owned())))
            })
        },
    },
];

fn asked(facts: &Facts, judge: impl FnOnce(&str, &Answer) -> Option<Outcome>) -> Outcome {
    let Some(url) = &facts.config.public_url else { return Outcome::left_out("public_url is not set") };
    if let Some(outcome) = offline(facts) {
        return outcome;
    }
    let url = url.as_str().trim_end_matches('/');
    let outcome = facts.network.public.as_ref().and_then(|answer| judge(url, answer));
    outcome.map_or(Outcome::Ok, |outcome| outcome.with("URL", url))
}
