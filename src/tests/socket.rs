//! Test of `docs/socket.md`: the page is generated from the types of the frames.

use std::fmt::Write;

use serde_json::Value;

use super::file;
use crate::app;

const PAGE: &str = "docs/socket.md";

/// The text before the frames: how the socket is opened, kept alive and closed.
const HEAD: &str = "# The socket

<!-- Written by `tests/socket.rs` from `features/live/frames.rs`: change it there. -->

`GET /api/socket` is a WebSocket. A page asks `POST /api/auth/socket-ticket` for a ticket (good once, for thirty seconds, from the origin that asked) and opens the socket with the protocols `atrium.v1` and `ticket.<ticket>`. `Origin` must be the host's own, `public_url` or one of `socket_origins`. Who has heard something before adds `?after=<place>`: the `id` of the last frame.

Frames are texts of at most 64 KiB: JSON with `type`, `id` and `data`. The `id` of what the server says is the place in the ledger up to which its hearer has then heard everything; frames that only pass (`presence`, `chat.typing`, `record.editors`) bear the last one and are not told again.

Where no socket opens, `GET /api/live` answers the same frames: it waits for them up to 25 seconds. `after` is the last `at`, `moment` the last `moment`.

Five places of a session may listen at a time, sockets and waiting calls together, and `limits.sockets_per_company` of a company. A client may send 20 frames in a second. The server pings every 25 seconds and lets go of who has not answered by the next time. What ends or locks a session closes its sockets at once; what the clock ends or locks is found with the next ping.

| Closed with | Meaning |
|---|---|
| 1012 | The server stops: connect anew |
| 4400 | What came is no frame |
| 4401 | The session is over |
| 4408 | The client does not take what is said to it |
| 4423 | The session is locked |
| 4429 | Too many frames, or too many sockets |
";

/// Resolves the references of a schema.
fn follow<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    reference.map_or(schema, |name| &document["components"]["schemas"][name.rsplit('/').next().unwrap()])
}

/// Returns the name of a schema in the table.
fn kind(document: &Value, schema: &Value) -> String {
    if schema["type"] == "array" {
        return format!("list of {}", kind(document, &schema["items"]));
    }
    let whole = follow(document, schema);
    if let Some(words) = whole["enum"].as_array() {
        return words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect::<Vec<_>>().join(", ");
    }
    match whole["type"].as_str() {
        Some("object") => {
            let name = whole["title"].as_str().map_or_else(|| name_of(schema), str::to_owned);
            format!("`{name}`")
        }
        _ => whole["format"].as_str().or_else(|| whole["type"].as_str()).unwrap_or("anything").to_owned(),
    }
}

fn name_of(schema: &Value) -> String {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    reference.and_then(|name| name.rsplit('/').next()).unwrap_or("object").to_owned()
}

/// Returns a text on one line.
fn line(text: &Value) -> String {
    text.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn frames(document: &Value, union: &str, page: &mut String) {
    let schemas = &document["components"]["schemas"];
    for variant in schemas[union]["oneOf"].as_array().unwrap() {
        let variant = follow(document, variant);
        let word = variant["allOf"][0]["properties"]["type"]["enum"][0].as_str().unwrap();
        let frame = follow(document, &variant["allOf"][1]);
        write!(page, "\n### `{word}`\n\n{}\n", line(&frame["description"])).unwrap();
        let data = follow(document, &frame["properties"]["data"]);
        let Some(fields) = data["properties"].as_object().filter(|fields| !fields.is_empty()) else { continue };
        page.push_str("\n| `data` | | |\n|---|---|---|\n");
        for (name, schema) in fields {
            let required = data["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            let may = if required { "" } else { ", may be absent" };
            let says = if schema["description"].is_string() {
                &schema["description"]
            } else {
                &schema["allOf"][1]["description"]
            };
            writeln!(page, "| `{name}` | {}{may} | {} |", kind(document, schema), line(says)).unwrap();
        }
    }
}

#[test]
fn the_page_about_the_socket_says_what_the_frames_are() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let mut page = HEAD.to_owned();
    page.push_str("\n## What the server says\n");
    frames(&document, "ServerFrame", &mut page);
    page.push_str("\n## What clients say\n");
    frames(&document, "ClientFrame", &mut page);
    if std::env::var_os("ATRIUM_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/socket.md"), &page).unwrap();
    }
    assert!(file(PAGE) == page, "{PAGE} is not what the frames are: run the test with ATRIUM_UPDATE=1");
}
