//! What `serve` prints when it listens: the address, and how to start with the demo data or in an installation without
//! a tenant.

use crate::{
    app::App,
    cli::prelude::*,
    demo::{self, SignIn},
};

/// Prints where the server listens at `url`, and how to start.
pub fn announce(app: &App, url: &str, demo: bool, json: bool) -> Result<(), Failure> {
    tracing::info!(url, version = env!("CARGO_PKG_VERSION"), "listening");
    let failure = |error| Failure::of(&error);
    let sign_ins = if demo { Some(sign_ins(app).map_err(failure)?) } else { None };
    let set_up = app.auth().set_up().map_err(failure)?.map(|token| set_up_link(app, url, &token));
    if json {
        return print_text(&as_json(url, sign_ins, set_up));
    }
    print_text(&format!("Atrium is listening on {url}"))?;
    match (set_up, sign_ins) {
        (Some(link), _) => print_text(&format!(
            "There's no company yet. Open this link to create yours; it works until the server stops: {link}"
        )),
        _ if !app.auth().has_tenants().map_err(failure)? => print_text(
            "There are no companies yet. Create one with `atrium tenant create`; `atrium help tenant create` explains its options.",
        ),
        (None, Some(none)) if none.is_empty() => print_text("There is already a company, so no demo data was added."),
        (None, ways) => ways.iter().flatten().try_for_each(|way| print_text(&as_text(way))),
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

fn as_text(SignIn { company, name, email, .. }: &SignIn) -> String {
    format!("{company}: sign in as {email} ({name}) with the password \"{}\".", demo::PASSWORD)
}
