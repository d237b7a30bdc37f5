//! Checks of host names.

use url::Url;

use super::{Check, Facts, Outcome, listed, offline};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "dns.no_name_server",
        looks_at: "whether /etc/resolv.conf names a name server",
        means: "Mail servers, providers and authorities are not found.",
        mend: "echo 'nameserver ADDRESS' >> /etc/resolv.conf",
        fix: None,
        find: |facts| {
            if facts.machine.has_name_server {
                return Outcome::Ok;
            }
            Outcome::warning("No name server is set up.")
        },
    },
    Check {
        id: "dns.public_url",
        looks_at: "whether the host of `public_url` has an address",
        means: "People do not find the installation.",
        mend: "dig HOST",
        fix: None,
        find: |facts| {
            let host = facts.config.public_url.as_ref().and_then(Url::host_str);
            looked_up(facts, &host.map(ToOwned::to_owned).into_iter().collect::<Vec<_>>())
        },
    },
    Check {
        id: "dns.companies",
        looks_at: "whether the hosts of the companies have addresses",
        means: "Their people do not find the installation there.",
        mend: "dig HOST",
        fix: None,
        find: |facts| {
            let Ok(server) = &facts.server else { return Outcome::left_out("the companies are not known") };
            let active = server.companies.iter().filter(|company| company.is_active);
            looked_up(facts, &active.flat_map(|company| company.all_hosts(&facts.config)).collect::<Vec<_>>())
        },
    },
    Check {
        id: "dns.mail",
        looks_at: "whether the host of `mail.host` has an address",
        means: "No email is sent.",
        mend: "dig HOST",
        fix: None,
        find: |facts| looked_up(facts, &facts.config.mail.host.clone().into_iter().collect::<Vec<_>>()),
    },
];

fn looked_up(facts: &Facts, hosts: &[String]) -> Outcome {
    if let Some(outcome) = offline(facts) {
        return outcome;
    }
    let is_missing = |host: &&String| matches!(facts.network.hosts.get(*host), Some(Err(_)));
    let missing: Vec<String> = hosts.iter().filter(is_missing).cloned().collect();
    match missing.first() {
        None => Outcome::Ok,
        Some(first) => {
            let why =
                facts.network.hosts.get(first).and_then(|found| found.as_ref().err()).cloned().unwrap_or_default();
            Outcome::failing(format!("{}: {why}.", listed(&missing))).with("HOST", first)
        }
    }
}
