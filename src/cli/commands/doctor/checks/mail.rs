//! Checks of mail.

use super::{Check, Facts, Outcome, is_local_name, is_public, of_server, offline};
use crate::{config::MailSecurity, mail::Step};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "mail.off",
        looks_at: "whether a mail server is set, if people reach the installation from other machines",
        means: "People who forgot their password need the operator.",
        mend: "mail.host = \"mail.example\"",
        fix: None,
        find: |facts| {
            if facts.config.mail.host.is_some() || !is_public(&facts.config) {
                return Outcome::Ok;
            }
            Outcome::warning("No mail server is set; emails are stored in the data directory.")
        },
    },
    Check {
        id: "mail.unreachable",
        looks_at: "whether the mail server answers",
        means: "Emails wait until it does.",
        mend: "nc -v HOST PORT",
        fix: None,
        find: |facts| refused(facts, &[Step::Connect, Step::Greet], "does not answer"),
    },
    Check {
        id: "mail.encryption",
        looks_at: "whether the mail server encrypts as `mail.security` says, with a trusted certificate",
        means: "Emails wait: they are not sent unencrypted.",
        mend: "openssl s_client -starttls smtp -connect HOST:PORT",
        fix: None,
        find: |facts| refused(facts, &[Step::Encrypt], "does not encrypt"),
    },
    Check {
        id: "mail.sign_in",
        looks_at: "whether the mail server accepts `mail.user` and its password",
        means: "Emails wait until it does.",
        mend: "atrium mail send-test YOU@EXAMPLE",
        fix: None,
        find: |facts| refused(facts, &[Step::SignIn], "refuses the sign-in"),
    },
    Check {
        id: "mail.sender",
        looks_at: "whether the mail server accepts `mail.from` as sender",
        means: "Emails wait until it does.",
        mend: "mail.from = \"an.address.of@that.account\"",
        fix: None,
        find: |facts| refused(facts, &[Step::Sender, Step::Recipient, Step::Content], "refuses the sender"),
    },
    Check {
        id: "mail.plain_text",
        looks_at: "whether emails travel unencrypted to another machine",
        means: "Who listens to the network can take over accounts by the links in emails.",
        mend: "mail.security = \"starttls\"",
        fix: None,
        find: |facts| {
            let mail = &facts.config.mail;
            let host = mail.host.as_deref().unwrap_or("localhost");
            let is_here = is_local_name(host) || matches!(facts.network.hosts.get(host), Some(Ok(true)));
            if mail.security != MailSecurity::None || is_here {
                return Outcome::Ok;
            }
            Outcome::failing(format!("Emails go to {host} unencrypted."))
        },
    },
    Check {
        id: "mail.unused_encryption",
        looks_at: "whether the mail server offers an encryption that is not used",
        means: "It would cost nothing to use it.",
        mend: "mail.security = \"starttls\"",
        fix: None,
        find: |facts| match &facts.network.mail {
            Some(Ok(true)) => Outcome::note("The mail server offers STARTTLS, which mail.security does not use."),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "mail.sender_policy",
        looks_at: "whether the domain of `mail.from` has an SPF record",
        means: "Emails are taken for spam.",
        mend: "DOMAIN. TXT \"v=spf1 mx a:HOST -all\"",
        fix: None,
        find: |facts| {
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let from = facts.config.mail.from.as_deref().unwrap_or_default();
            let domain = from.rsplit_once('@').map_or(from, |(_, domain)| domain).trim_end_matches('>');
            match &facts.network.sender_policy {
                Some(policy) if policy.is_empty() => {
                    let message = format!("The domain {domain} does not say which servers may send its emails (SPF).");
                    server(facts, Outcome::warning(message)).with("DOMAIN", domain)
                }
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "mail.late",
        looks_at: "emails that have waited for more than an hour",
        means: "People wait for links and notifications.",
        mend: "atrium mail list",
        fix: None,
        find: |facts| of_server(facts, "mail"),
    },
    Check {
        id: "mail.refused",
        looks_at: "emails that the mail server refused for good",
        means: "Their recipients do not exist, or do not accept emails of this server.",
        mend: "atrium mail list",
        fix: None,
        find: |facts| match facts.running().map_or(0, |server| server.refused_emails) {
            0 => Outcome::Ok,
            refused => Outcome::note(format!("Refused emails: {refused}.")),
        },
    },
];

fn refused(facts: &Facts, steps: &[Step], what: &str) -> Outcome {
    if let Some(outcome) = offline(facts) {
        return outcome;
    }
    let host = facts.config.mail.host.as_deref().unwrap_or_default();
    match &facts.network.mail {
        Some(Err((step, why))) if steps.contains(step) => {
            server(facts, Outcome::failing(format!("The mail server {host} {what}: {why}.")))
        }
        _ => Outcome::Ok,
    }
}

fn server(facts: &Facts, outcome: Outcome) -> Outcome {
    let host = facts.config.mail.host.as_deref().unwrap_or_default();
    outcome.with("HOST", host).with("PORT", facts.config.mail.port())
}
