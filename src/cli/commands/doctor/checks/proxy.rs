//! Checks of the proxy in front of the server, by what arrives of requests to `public_url`.

use url::Url;

use super::{Check, Facts, Outcome, offline};
use crate::http::Probe;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "proxy.upgrade",
        looks_at: "whether the proxy lets WebSockets through",
        means: "Browsers then ask again and again for what is new, each with a waiting request.",
        mend: "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;",
        fix: None,
        find: |facts| {
            probed(facts, |_, probe| {
                if probe.upgrade.is_some() {
                    return Outcome::Ok;
                }
                Outcome::warning("The proxy removes the Upgrade header of requests.")
            })
        },
    },
    Check {
        id: "proxy.host",
        looks_at: "whether the proxy passes the requested host",
        means: "Hosts do not identify companies, and only pages of public_url open sockets.",
        mend: "proxy_set_header Host $http_host;",
        fix: None,
        find: |facts| {
            probed(facts, |facts, probe| {
                let sent = facts.config.public_url.as_ref().map(authority).unwrap_or_default();
                match &probe.host {
                    Some(host) if *host != sent => {
                        Outcome::failing(format!("Requests for {sent} arrive with the host {host}."))
                    }
                    _ => Outcome::Ok,
                }
            })
        },
    },
    Check {
        id: "proxy.untrusted",
        looks_at: "whether the proxy that forwards requests is one of `trusted_proxies`",
        means: "All people seem to have the proxy's address, and share its limits.",
        mend: "trusted_proxies = [\"PEER\"]",
        fix: None,
        find: |facts| {
            probed(facts, |facts, probe| match &probe.peer {
                Some(peer) if probe.forwarded_for.is_some() && !is_trusted(facts, peer) => {
                    Outcome::failing(format!("{peer} forwards requests, but is not trusted.")).with("PEER", peer)
                }
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "proxy.no_client_address",
        looks_at: "whether the proxy passes the address of clients",
        means: "All people seem to have the proxy's address, and share its limits.",
        mend: "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
        fix: None,
        find: |facts| {
            probed(facts, |facts, probe| match &probe.peer {
                Some(peer) if probe.forwarded_for.is_none() && is_trusted(facts, peer) => {
                    Outcome::warning(format!("The proxy {peer} does not set X-Forwarded-For."))
                }
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "proxy.trusts_everyone",
        looks_at: "whether `trusted_proxies` has a range of all addresses",
        means: "Everyone can pretend to have any address, and evade the limits of wrong passwords.",
        mend: "trusted_proxies = [\"127.0.0.1\"]",
        fix: None,
        find: |facts| match facts.config.trusted_proxies.iter().find(|network| network.is_everything()) {
            Some(network) => Outcome::failing(format!("trusted_proxies has {network}, which is every address.")),
            None => Outcome::Ok,
        },
    },
    Check {
        id: "proxy.body_limit",
        looks_at: "whether the proxy lets the largest file through (`limits.upload`, `limits.import`)",
        means: "People cannot upload files that Atrium would take.",
        mend: "client_max_body_size SIZE;",
        fix: None,
        find: |facts| {
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let most = facts.config.limits.upload.max(facts.config.limits.import);
            match facts.network.large_request {
                Some(413) => Outcome::failing(format!("The proxy refuses requests of {most} bytes."))
                    .with("SIZE", format!("{}m", most.div_ceil(1 << 20) + 1)),
                Some(_) => Outcome::Ok,
                None => Outcome::left_out("public_url does not answer such requests"),
            }
        },
    },
];

/// Judges the request as it arrived at the server.
fn probed(facts: &Facts, judge: impl FnOnce(&Facts, &Probe) -> Outcome) -> Outcome {
    if let Some(outcome) = offline(facts) {
        return outcome;
    }
    match facts.running().and_then(|server| server.probes.first()) {
        Some(probe) => judge(facts, probe),
        None => Outcome::left_out("no request to public_url arrived at a running server"),
    }
}

fn is_trusted(facts: &Facts, peer: &str) -> bool {
    peer.parse().is_ok_and(|peer| facts.config.proxies().iter().any(|network| network.contains(peer)))
}

/// Returns the host, and the port unless it is the usual one.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
