//! Checks of sign-up and sign-in.

use super::{Check, Outcome, is_public, listed, offline};
use crate::config::Signup;

/// Wrong passwords of an account above which guessing is easy.
const MANY_FAILURES: u32 = 20;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "sign_in.open_sign_up",
        looks_at: "`signup`, if people reach the installation from other machines",
        means: "Everyone on the network can create companies, and fill the disk.",
        mend: "signup = \"first\"",
        fix: None,
        find: |facts| {
            if facts.config.signup != Signup::Open || !is_public(&facts.config) {
                return Outcome::Ok;
            }
            Outcome::warning("Everyone may create a company.")
        },
    },
    Check {
        id: "sign_in.issuer",
        looks_at: "whether the providers of `sign_in.issuers` answer",
        means: "People cannot sign in with them.",
        mend: "curl -v ISSUER/.well-known/openid-configuration",
        fix: None,
        find: |facts| {
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let silent = facts.network.issuers.iter().find_map(|(issuer, answer)| match answer.reply() {
                Some(reply) if reply.status == 200 => None,
                Some(reply) => Some((issuer, format!("status {}", reply.status))),
                None => Some((issuer, answer.reason().unwrap_or_default().to_owned())),
            });
            match silent {
                Some((issuer, why)) => Outcome::failing(format!("{issuer} does not describe itself: {why}."))
                    .with("ISSUER", issuer.trim_end_matches('/')),
                None => Outcome::Ok,
            }
        },
    },
    Check {
        id: "sign_in.no_owner",
        looks_at: "whether each active company has an owner who may sign in",
        means: "No member can transfer or close it.",
        mend: "atrium user set-role --tenant SLUG --email EMAIL --role owner",
        fix: None,
        find: |facts| {
            let Ok(server) = &facts.server else { return Outcome::left_out("the companies are not known") };
            let without = server.companies.iter().filter(|company| company.is_active && company.owners == 0);
            let without: Vec<String> = without.map(|company| company.slug.clone()).collect();
            match without.first() {
                Some(first) => {
                    Outcome::warning(format!("No owner can sign in to {}.", listed(&without))).with("SLUG", first)
                }
                None => Outcome::Ok,
            }
        },
    },
    Check {
        id: "sign_in.weak_throttle",
        looks_at: "`sign_in.account_failures`",
        means: "Programs can guess passwords.",
        mend: "sign_in.account_failures = 5",
        fix: None,
        find: |facts| match facts.config.sign_in.account_failures {
            failures if failures > MANY_FAILURES => {
                Outcome::warning(format!("An account waits only after {failures} wrong passwords."))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "sign_in.plain_origins",
        looks_at: "`socket_origins`, if `public_url` is https",
        means: "Who changes such a page on its way reads what is new in the company.",
        mend: "socket_origins = [\"https://HOST\"]",
        fix: None,
        find: |facts| {
            let plain = facts.config.socket_origins.iter().find(|origin| origin.starts_with("http://"));
            match plain {
                Some(origin) if facts.config.is_https() => {
                    Outcome::warning(format!("Pages of {origin}, without encryption, may open sockets."))
                        .with("HOST", origin.trim_start_matches("http://"))
                }
                _ => Outcome::Ok,
            }
        },
    },
];
