//! What `serve` prints when it listens: the address, and how to start with the demo data or in an installation without
//! a tenant.

use crate::{
    app::App,
    cli::prelude::*,
    demo::{self, SignIn},
};

/// Prints where the server listens at `url`, and how to start.
pub fn announce(app: &App, url: &str, demo: bool, locale: Locale, json: bool) -> Result<(), Failure> {
    tracing::info!(url, version = env!("CARGO_PKG_VERSION"), "listening");
    let failure = |error| Failure::of(&error, locale);
    let sign_ins = if demo { Some(sign_ins(app).map_err(failure)?) } else { None };
    let set_up = app.auth().set_up().map_err(failure)?.map(|token| set_up_link(app, url, &token));
    if json {
        return print_text(&as_json(url, sign_ins, set_up));
    }
    print_text(&sentence(locale, "server.cli.listening", &[("url", &url)]))?;
    match (set_up, sign_ins) {
        (Some(link), _) => print_text(&sentence(locale, "server.cli.set_up", &[("url", &link)])),
        _ if !app.auth().has_tenants().map_err(failure)? => print_text(&say(locale, "server.cli.empty_store", &[])),
        (None, Some(none)) if none.is_empty() => print_text(&say(locale, "server.cli.demo_left_out", &[])),
        (None, ways) => ways.iter().flatten().try_for_each(|way| print_text(&as_text(way, locale))),
    }
}

fn sign_ins(app: &App) -> Result<Vec<SignIn>> {
    demo::sign_ins(&app.store().snapshot()?)
}

fn set_up_link(app: &App, url: &str, token: &str) -> String {
    let base = app.config().public_url.as_ref().map_or(url, url::Url::as_str);
    format!("{}/sign-up#{token}", base.trim_end_matches('/'))
}

fn as_json(url: &str, sign_ins: Option<Vec<SignIn>>, set_up: Option<String>) -> String {
    let mut whole = json!({ "url": url });
    if let Some(ways) = sign_ins {
        let line = |way: &SignIn| json!({ "company": way.company, "email": way.email, "password": demo::PASSWORD });
        whole["demo"] = ways.iter().map(line).collect::<Vec<Value>>().into();
    }
    if let Some(link) = set_up {
        whole["setUp"] = link.into();
    }
    whole.to_string()
}

fn as_text(way: &SignIn, locale: Locale) -> String {
    let SignIn { company, name, email, .. } = way;
    let params =
        [("company", company as _), ("name", name as _), ("email", email as _), ("password", &demo::PASSWORD as _)];
    sentence(locale, "server.cli.demo_sign_in", &params)
}
