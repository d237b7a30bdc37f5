//! Checks of the addresses at which the server listens.

use std::{io::ErrorKind, net::SocketAddr};

use super::{Check, Facts, Fix, Outcome, is_reachable, stopped};
use crate::{
    cli::commands::doctor::{facts::unit::UnitState, fix},
    config::ListenAddress,
};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "network.plain_text",
        looks_at: "whether other machines reach the server without encryption",
        means: "Passwords travel in the clear.",
        mend: "listen = \"127.0.0.1:PORT\", or acme.domains = [\"HOST\"]",
        fix: None,
        find: |facts| {
            let config = &facts.config;
            if !is_reachable(config) || config.has_tls() || !config.trusted_proxies.is_empty() {
                return Outcome::Ok;
            }
            Outcome::failing(format!("The server listens at {} without a certificate.", config.listen))
                .with("PORT", port(facts))
                .with("HOST", host(facts))
        },
    },
    Check {
        id: "network.taken",
        looks_at: "whether another program listens at `listen`",
        means: "The server cannot start.",
        mend: "ss -ltnp 'sport = :PORT'",
        fix: None,
        find: |facts| refused(facts, ErrorKind::AddrInUse, "Another program listens at"),
    },
    Check {
        id: "network.no_such_address",
        looks_at: "whether `listen` is an address of this machine",
        means: "The server cannot start.",
        mend: "listen = \"0.0.0.0:PORT\"",
        fix: None,
        find: |facts| refused(facts, ErrorKind::AddrNotAvailable, "This machine does not have the address"),
    },
    Check {
        id: "network.forbidden",
        looks_at: "whether this user may listen at the port of `listen`",
        means: "Ports below 1024 need a capability, which the unit of the package has.",
        mend: "systemctl start atrium",
        fix: None,
        find: |facts| refused(facts, ErrorKind::PermissionDenied, "This user may not listen at"),
    },
    Check {
        id: "network.redirect_taken",
        looks_at: "whether `tls.redirect` can be listened at",
        means: "The server cannot start.",
        mend: "ss -ltnp 'sport = :PORT'",
        fix: None,
        find: |facts| match (facts.config.tls.redirect, facts.listening.redirect) {
            (Some(address), Some(why)) => {
                Outcome::failing(format!("tls.redirect {address}: {why}.")).with("PORT", address.port())
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "network.silent",
        looks_at: "whether the running server answers at `listen`",
        means: "Neither people nor the proxy reach it.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| {
            if let Some(outcome) = stopped(facts) {
                return outcome;
            }
            let Some(answer) = &facts.network.local else { return Outcome::left_out("its address is not a fixed one") };
            match answer.reply() {
                Some(reply) if reply.status == 200 && reply.body.contains("\"status\"") => Outcome::Ok,
                Some(_) => Outcome::failing(format!("Another program answers at {}.", facts.config.listen)),
                None => {
                    let why = answer.reason().unwrap_or_default();
                    Outcome::failing(format!("The server does not answer at {}: {why}.", facts.config.listen))
                }
            }
        },
    },
    Check {
        id: "network.socket_folder",
        looks_at: "whether the folder of the Unix socket exists",
        means: "The server cannot start.",
        mend: "install -d -m 0755 -o OWNER FOLDER",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| {
                let folder = facts.listening.missing_folder.iter();
                folder.map(|folder| fix::make_folder(folder, 0o755, facts)).collect()
            },
        }),
        find: |facts| match &facts.listening.missing_folder {
            Some(folder) => Outcome::failing(format!("The folder of the socket, {}, is missing.", folder.display()))
                .with("FOLDER", folder.display()),
            None => Outcome::Ok,
        },
    },
    Check {
        id: "network.stale_socket",
        looks_at: "whether a server left its Unix socket behind",
        means: "The proxy finds a socket at which no program listens.",
        mend: "rm FILE",
        fix: Some(Fix {
            beside_server: false,
            run: |facts| fix::remove_files(facts.listening.stale_socket.as_slice(), facts),
        }),
        find: |facts| match &facts.listening.stale_socket {
            Some(file) if !facts.is_running => {
                Outcome::note(format!("No program listens at {}.", file.display())).with("FILE", file.display())
            }
            _ => Outcome::Ok,
        },
    },
];

fn address(facts: &Facts) -> Option<SocketAddr> {
    match facts.config.listen {
        ListenAddress::Tcp(address) => Some(address),
        ListenAddress::Unix(_) => None,
    }
}

fn port(facts: &Facts) -> u16 {
    address(facts).map_or(8080, |address| address.port())
}

fn host(facts: &Facts) -> String {
    let host = facts.config.public_url.as_ref().and_then(url::Url::host_str);
    host.unwrap_or("atrium.example").to_owned()
}

fn refused(facts: &Facts, kind: ErrorKind, message: &str) -> Outcome {
    // systemd itself listens, for a server that the first connection starts.
    if facts.unit.as_ref().is_some_and(|unit| unit.state == UnitState::Waiting) {
        return Outcome::Ok;
    }
    match facts.listening.main {
        Some(found) if found == kind => {
            Outcome::failing(format!("{message} {}.", facts.config.listen)).with("PORT", port(facts))
        }
        _ => Outcome::Ok,
    }
}
