//! Test of `docs/socket.md`: the page is generated from the types of the frames.

use std::fmt::Write;

use serde_json::Value;

use super::file;
use crate::app;

const PAGE: &str = "docs/socket.md";

/// The text before the frames: how the socket is opened, kept alive and closed.
const HEAD: &str = "# The socket

<!-- Written by `make openapi`: the text is in `src/tests/socket.rs`, the frames in `src/features/live/frames.rs`. -->

`GET /api/socket` is a WebSocket. To connect, request a ticket from `POST /api/auth/socket-ticket` (good once, for 30 seconds, from the same origin) and open the socket with the protocols `atrium.v1` and `ticket.<ticket>`. `Origin` must be the host's own, `public_url` or one of `socket_origins`. To resume after a reconnection, add `?after=<id>` with the `id` of the last frame.

Frames are texts of at most 64 KiB: JSON with `type`, `id` and `data`. The `id` of a server frame is a sequence number: the client has received all changes up to it. Transient frames (`presence`, `chat.typing`, `record.editors`) have the `id` of the last change and are not sent again after a reconnection.

If a socket cannot be opened, `GET /api/live` returns the same frames by long polling: it waits up to 25 seconds. `after` is the last `at`, `moment` the last `moment`.

A session may have five connections at a time, sockets and waiting calls together, and a company `limits.sockets_per_company`. A client may send 20 frames in a second. The server pings every 25 seconds and closes a socket whose client has not answered by the next ping. Ending or locking a session closes its sockets at once; expiry and idle locks take effect with the next ping.

| Closed with | Meaning |
|---|---|
| 1012 | The server stops: connect again |
| 4400 | The message was not a valid frame |
| 4401 | The session has ended |
| 4408 | The client reads too slowly |
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
fn socket_documentation_matches_the_frames() {
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
