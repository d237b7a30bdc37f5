//! The socket over a real connection (threats T-34).

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};
use tokio_tungstenite::tungstenite::Message;

use super::{ledger_seq, wire::Socket};
use crate::{
    features::operator::companies,
    people::permission::Role,
    testing::{As, Line, TestApp, served},
};

async fn make_task(who: &As) -> Value {
    who.post("/api/tasks", json!({"title": "Call"})).await.expect(201)["id"].clone()
}

#[tokio::test]
async fn handshake_requires_a_valid_ticket_and_an_own_origin() {
    let app = TestApp::with(|config| {
        config.public_url = Some("https://atrium.example".parse().unwrap());
        config.socket_origins = vec!["https://intranet.example".to_owned()];
    })
    .await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let ours = line.origin();
        let offer = |ticket: &str| format!("atrium.v1, ticket.{ticket}");
        let fresh = || line.ticket(&ada);
        let table = [
            ("no ticket", Some("atrium.v1".to_owned()), Some(&*ours), 401),
            ("nonsense", Some(offer("abc")), Some(&ours), 401),
            ("no protocol at all", None, Some(&ours), 400),
            ("not our protocol", Some(format!("chat.v1, ticket.{}", fresh().await)), Some(&ours), 400),
            ("only a ticket", Some(format!("ticket.{}", fresh().await)), Some(&ours), 400),
            ("missing origin", Some(offer(&fresh().await)), None, 403),
            ("another site's page", Some(offer(&fresh().await)), Some("https://evil.example"), 403),
            ("the same host on another port", Some(offer(&fresh().await)), Some("http://127.0.0.1:1"), 403),
            ("an opaque origin", Some(offer(&fresh().await)), Some("null"), 403),
            ("issued to another of our origins", Some(offer(&fresh().await)), Some("https://atrium.example"), 401),
        ];
        for (name, protocols, origin, status) in table {
            let got = line.handshake("", origin, protocols.as_deref()).await.err();
            assert_eq!(got, Some(status), "{name}");
        }

        let used = fresh().await;
        assert!(line.handshake("", Some(&ours), Some(&offer(&used))).await.is_ok());
        assert_eq!(line.handshake("", Some(&ours), Some(&offer(&used))).await.err(), Some(401), "used");
        let old = fresh().await;
        ada.clock.advance(30_000);
        assert_eq!(line.handshake("", Some(&ours), Some(&offer(&old))).await.err(), Some(401), "old");
        let mine = fresh().await;
        let other = forged_ticket(&line, &ada).await;
        let forged = format!("{}{}", &other[..32], &mine[32..]);
        assert_eq!(line.handshake("", Some(&ours), Some(&offer(&forged))).await.err(), Some(401), "other session's");
        let over = fresh().await;
        ada.post("/api/auth/lock-session", json!({})).await.expect(204);
        assert_eq!(
            line.handshake("", Some(&ours), Some(&offer(&over))).await.err(),
            Some(423),
            "locked after it was issued"
        );
    })
    .await;

    let bob = app.acme(Role::Viewer).await;
    for origin in ["https://atrium.example", "https://intranet.example"] {
        let headers = [("host", "inside"), ("origin", origin)];
        bob.send_with("POST", "/api/auth/socket-ticket", Some(json!({})), &headers).await.expect(200);
    }
    let headers = [("host", "inside"), ("origin", "https://evil.example")];
    bob.send_with("POST", "/api/auth/socket-ticket", Some(json!({})), &headers).await.refused("forbidden");
}

/// A ticket that is not valid: it names another session.
async fn forged_ticket(line: &Line, who: &As) -> String {
    let ticket = line.ticket(who).await;
    format!("{}{}", "ab".repeat(16), &ticket[32..])
}

#[tokio::test]
async fn socket_greets_and_resumes_after_a_reconnection() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let mut socket = line.open(&ada, "").await;
        let hello = socket.frame().await;
        assert_eq!((&hello["type"], &hello["data"]["resumed"]), (&json!("hello"), &json!(false)));
        assert_eq!(hello["data"]["memberId"], json!(ada.id));
        let all = socket.until(|frame| frame["type"] == "presence.all").await.pop().unwrap();
        assert_eq!(all["data"]["members"], json!([{"memberId": ada.id, "status": "online"}]));
        let task = make_task(&ada).await;
        let changed = socket.until(|frame| frame["type"] == "record.changed").await.pop().unwrap();
        let data = json!({"kind": "task", "recordId": task, "version": 1, "op": "created", "memberId": ada.id});
        assert_eq!(changed["data"], data);
        assert!(changed["id"].as_u64() > hello["id"].as_u64());
        drop(socket);

        let missed = [make_task(&ada).await, make_task(&ada).await];
        let mut again = line.open(&ada, &format!("?after={}", changed["id"])).await;
        let frames = again.until(|frame| frame["type"] == "presence.all").await;
        assert_eq!(frames[0]["data"]["resumed"], true);
        let received: Vec<_> = frames.iter().filter(|frame| frame["type"] == "record.changed").collect();
        assert_eq!(
            received.iter().map(|frame| &frame["data"]["recordId"]).collect::<Vec<_>>(),
            missed.iter().collect::<Vec<_>>()
        );

        let mut lost = line.open(&ada, "?after=999999").await;
        assert_eq!(lost.frame().await["data"]["resumed"], false, "a sequence number that was never reached");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconnecting_socket_misses_no_change_under_writes() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let mut after = line.open(&ada, "").await.frame().await["id"].as_u64().unwrap();
        let writer = ada.clone();
        let mut task = JoinSet::new();
        let writing = task.spawn(async move {
            let mut made = Vec::new();
            for _ in 0..200 {
                made.push(make_task(&writer).await.as_str().unwrap().to_owned());
            }
            made
        });
        let mut received = BTreeSet::new();
        let mut record = |after: &mut u64, frames: Vec<Value>| {
            for frame in frames {
                *after = frame["id"].as_u64().unwrap().max(*after);
                received.extend(frame["data"]["recordId"].as_str().map(str::to_owned));
            }
            received.len()
        };
        while !writing.is_finished() {
            let mut socket = line.open(&ada, &format!("?after={after}")).await;
            record(&mut after, socket.until(|frame| frame["type"] == "presence.all").await);
            socket.send_message(Message::Close(None)).await;
            socket.last_frame_and_code().await;
        }
        let made = task.join_next().await.unwrap().unwrap();
        let mut socket = line.open(&ada, &format!("?after={after}")).await;
        // A missed frame never comes: then waiting for it ends the test.
        while record(&mut after, vec![]) < made.len() {
            let frame = socket.frame().await;
            record(&mut after, vec![frame]);
        }
    })
    .await;
}

#[tokio::test]
async fn invalid_or_too_many_frames_close_the_socket() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let activity = json!({"type": "activity", "data": {"idle": false}}).to_string();
        let long = json!({"type": "typing", "data": {"chatId": "x".repeat(70_000)}}).to_string();
        let record = json!({"kind": "task", "recordId": ada.id});
        let many = json!({"type": "editing", "data": {"records": vec![record; 21]}}).to_string();
        let table = [
            (Message::binary(vec![1, 2, 3]), 1, 4400),
            (Message::text("hello"), 1, 4400),
            (Message::text(r#"{"type": "shout", "data": {}}"#), 1, 4400),
            (Message::text(long), 1, 4400),
            (Message::text(many), 1, 4400),
            (Message::text(activity), 60, 4429),
            (Message::Ping("x".into()), 60, 4429),
        ];
        for (message, times, code) in table {
            let mut socket = line.open(&ada, "").await;
            for _ in 0..times {
                socket.send_message(message.clone()).await;
            }
            assert_eq!(socket.last_frame_and_code().await.1, Some(code), "{:.60}", message.to_string());
        }
    })
    .await;
}

#[tokio::test]
async fn session_has_at_most_five_connections() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    served(&app, |line| async move {
        let mut open = Vec::new();
        for _ in 0..5 {
            open.push(line.open(&ada, "").await);
        }
        assert_eq!(line.open(&ada, "").await.last_frame_and_code().await, (None, Some(4429)));
        ada.get("/api/live?wait=0").await.refused("slow_down");
        bob.get("/api/live?wait=0").await.expect(200);
        assert_eq!(open[4].frame().await["type"], "hello");
    })
    .await;
}

#[tokio::test]
async fn tenant_connections_are_limited() {
    let app = TestApp::with(|config| config.limits.sockets_per_company = 1).await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.other(Role::Member).await;
    served(&app, |line| async move {
        let mut one = line.open(&ada, "").await;
        assert_eq!(one.frame().await["type"], "hello");
        assert_eq!(line.open(&bob, "").await.last_frame_and_code().await, (None, Some(4429)));
        bob.get("/api/live?wait=0").await.refused("busy");
        assert_eq!(line.open(&eve, "").await.frame().await["type"], "hello", "another company is not limited");
    })
    .await;
}

#[tokio::test]
async fn socket_closes_with_its_session_and_names_the_reason() {
    let app = TestApp::new().await;
    let (owner, admin, viewer) =
        (app.acme(Role::Owner).await, app.acme(Role::Admin).await, app.acme(Role::Viewer).await);
    let sign_in = async || app.acme(Role::Member).await;
    let store = app.app.store();
    let acme = app.acme.id;
    served(&app, |line| async move {
        let line = &line;
        let open = async |who: &As| {
            let mut socket = line.open(who, "").await;
            socket.until(|frame| frame["type"] == "presence.all").await;
            socket
        };
        let outcome = async |socket: Socket| {
            let (last, code) = socket.last_frame_and_code().await;
            let last = last.unwrap();
            assert_eq!(last["type"], "session.ended");
            (last["data"]["reason"].as_str().unwrap().to_owned(), code.unwrap())
        };
        let end = |reason: &str, code| (reason.to_owned(), code);

        let member = sign_in().await;
        let socket = open(&member).await;
        member.post("/api/auth/lock-session", json!({})).await.expect(204);
        assert_eq!(outcome(socket).await, end("locked", 4423));

        let member = sign_in().await;
        let socket = open(&member).await;
        member.post("/api/auth/sign-out", json!({})).await.expect(204);
        assert_eq!(outcome(socket).await, end("signed_out", 4401));

        let member = sign_in().await;
        let socket = open(&member).await;
        admin.delete(&format!("/api/team/{}/sessions", member.id)).await.expect(200);
        assert_eq!(outcome(socket).await, end("ended", 4401));

        admin.set_up_app().await;
        let member = sign_in().await;
        let socket = open(&member).await;
        let rule = |required: bool| json!({"secondFactor": {"required": required, "graceDays": 0}});
        admin.patch("/api/settings/company", rule(true)).await.expect(200);
        assert_eq!(outcome(socket).await, end("second_factor_required", 4401));
        admin.patch("/api/settings/company", rule(false)).await.expect(200);

        let member = sign_in().await;
        let socket = open(&member).await;
        admin.patch(&format!("/api/team/{}", member.id), json!({"state": "suspended"})).await.expect(200);
        assert_eq!(outcome(socket).await, end("suspended", 4401));

        let socket = open(&viewer).await;
        admin.delete(&format!("/api/team/{}", viewer.id)).await;
        assert_eq!(outcome(socket).await, end("suspended", 4401));

        let socket = open(&owner).await;
        companies::suspend(store, acme).await.unwrap();
        assert_eq!(outcome(socket).await, end("suspended", 4401));
    })
    .await;
}

#[tokio::test]
async fn shutdown_closes_sockets_with_restart_code() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let mut socket = line.open(&ada, "").await;
        assert_eq!(socket.frame().await["type"], "hello");
        line.stop.send_replace(true);
        assert_eq!(socket.last_frame_and_code().await.1, Some(1012));
    })
    .await;
}

#[tokio::test]
async fn socket_counts_as_a_connection() {
    let app = TestApp::with(|config| config.limits.connections_per_address = 1).await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let mut socket = line.open(&ada, "").await;
        assert_eq!(socket.frame().await["type"], "hello");
        let mut further = TcpStream::connect(line.address).await.unwrap();
        further.write_all(b"GET /health/live HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        further.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 "), "the socket has the only connection: {answer}");
        assert_eq!(ledger_seq(&ada).await, ledger_seq(&ada).await);
    })
    .await;
}

#[tokio::test]
async fn drops_idle_and_refused_connections_while_an_open_socket_continues() {
    let app = TestApp::with(|config| {
        let limits = &mut config.limits;
        (limits.header_timeout, limits.keep_alive) = (Duration::from_millis(200), Duration::from_millis(200));
        limits.connections_per_address = 64;
    })
    .await;
    let ada = app.acme(Role::Member).await;
    served(&app, |line| async move {
        let mut socket = line.open(&ada, "").await;
        socket.until(|frame| frame["type"] == "presence.all").await;
        let host = line.address;
        let handshake = format!(
            "GET /api/socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: atrium.v1\r\n\r\n"
        );
        let requests = ["", "GET /api/socket HTTP/1.1\r\nHost: a", &handshake];
        let mut crowd = Vec::new();
        for n in 0..300 {
            let mut one = TcpStream::connect(host).await.unwrap();
            // A client that is dropped at once cannot even send it.
            drop(one.write_all(requests[n % requests.len()].as_bytes()).await);
            crowd.push(one);
        }
        let receives_changes = async |socket: &mut Socket| {
            let task = make_task(&ada).await;
            socket.until(|frame| frame["data"]["recordId"] == task).await;
        };
        receives_changes(&mut socket).await;
        for mut one in crowd {
            let mut answer = Vec::new();
            // Closed, or reset because its request was not read.
            let end = timeout(Duration::from_secs(20), one.read_to_end(&mut answer)).await;
            assert!(end.is_ok(), "still open: {}", String::from_utf8_lossy(&answer));
            assert!(!answer.starts_with(b"HTTP/1.1 101"));
        }
        receives_changes(&mut socket).await;
    })
    .await;
}

#[tokio::test]
async fn editors_are_shown_to_readers_of_the_record_only() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let admin = app.acme(Role::Admin).await;
    served(&app, |line| async move {
        let task = make_task(&author).await;
        for (status, known) in
            [("draft", json!([author.id, admin.id])), ("published", json!([author.id, viewer.id, admin.id]))]
        {
            let page = author.post("/api/pages", json!({"title": "Plan", "status": status})).await.expect(201);
            let records = json!([{"kind": "page", "recordId": page["id"]}, {"kind": "task", "recordId": task}]);
            let mut open = Vec::new();
            for who in [&author, &viewer, &admin] {
                let mut socket = line.open(who, "").await;
                socket.send_frame(&json!({"type": "editing", "data": {"records": records}})).await;
                // The last frame for both: the next one comes after it.
                socket.until(|frame| frame["type"] == "record.editors" && frame["data"]["kind"] == "task").await;
                open.push(socket);
            }
            let of_page = |frame: &Value| frame["data"]["recordId"] == page["id"] && frame["type"] == "record.editors";
            let all = open[0].until(|frame| of_page(frame) && frame["data"]["memberIds"] == known).await;
            assert!(all.iter().all(|frame| !of_page(frame) || status == "published" || !names_editor(frame, &viewer)));
        }
    })
    .await;
}

/// The kind of fault: what a member may see is asked when their frame comes, and not when frames of others are made. A
/// member who may not see a record any more is no editor of it, and gets no frames about it.
#[tokio::test]
async fn member_who_may_no_longer_see_a_record_is_no_editor_of_it() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    served(&app, |line| async move {
        let create = async |path: &str, body: Value| author.post(path, body).await.expect(201)["id"].clone();
        let deal = create("/api/deals", json!({"title": "Rugs"})).await;
        let task = create("/api/tasks", json!({"title": "Call", "dealId": deal})).await;
        let page = create("/api/pages", json!({"title": "Plan", "status": "published"})).await;
        let draft = create("/api/pages", json!({"title": "Draft", "status": "published"})).await;
        let marker = make_task(&author).await;
        let path = |kind: &str, id: &Value| format!("/api/{kind}/{}", id.as_str().unwrap());
        let hidden = json!({"visibility": {"to": "me"}});
        let opened = json!({"visibility": {"to": "company"}});
        for (kind, id, changed, hide, open) in [
            ("deal", &deal, path("deals", &deal), &hidden, &opened),
            ("task", &task, path("deals", &deal), &hidden, &opened),
            ("page", &page, path("pages", &page), &hidden, &opened),
            ("page", &draft, path("pages", &draft), &json!({"status": "draft"}), &json!({"status": "published"})),
        ] {
            let record = json!({"kind": kind, "recordId": id});
            let marked = json!({"kind": "task", "recordId": marker});
            let edit = |records: Value| json!({"type": "editing", "data": {"records": records}});
            let editors = |frame: &Value, of: &Value, who: &[&As]| {
                let ids: Vec<_> = who.iter().map(|who| who.id).collect();
                frame["type"] == "record.editors"
                    && frame["data"]["recordId"] == *of
                    && frame["data"]["memberIds"] == json!(ids)
            };
            let mut mine = line.open(&author, "").await;
            let mut theirs = line.open(&other, "").await;
            theirs.send_frame(&edit(json!([record]))).await;
            theirs.until(|frame| editors(frame, id, &[&other])).await;
            mine.send_frame(&edit(json!([record]))).await;
            mine.until(|frame| editors(frame, id, &[&other, &author])).await;
            theirs.until(|frame| editors(frame, id, &[&other, &author])).await;

            author.patch(&changed, hide.clone()).await.expect(200);
            mine.until(|frame| editors(frame, id, &[&author])).await;
            mine.send_frame(&edit(json!([]))).await;
            mine.send_frame(&edit(json!([record]))).await;
            mine.until(|frame| editors(frame, id, &[&author])).await;
            // Nor by a frame that names it now.
            theirs.send_frame(&edit(json!([record, marked]))).await;
            let received = theirs.until(|frame| editors(frame, &marker, &[&other])).await;
            let is_of_record = |frame: &&Value| frame["type"] == "record.editors" && frame["data"]["recordId"] == *id;
            assert_eq!(received.iter().find(is_of_record), None, "{kind}");

            author.patch(&changed, open.clone()).await.expect(200);
            theirs.send_frame(&edit(json!([record]))).await;
            theirs.until(|frame| editors(frame, id, &[&author, &other])).await;
            drop(theirs);
            mine.until(|frame| editors(frame, id, &[&author])).await;
        }
    })
    .await;
}

#[tokio::test]
async fn member_with_fewer_rights_is_no_editor_of_what_they_no_longer_see() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let second = app.hire("second", Role::Admin).await;
    served(&app, |line| async move {
        let page = author.post("/api/pages", json!({"title": "Plan", "status": "draft"})).await.expect(201);
        let record = json!({"kind": "page", "recordId": page["id"]});
        let edit = json!({"type": "editing", "data": {"records": [record]}});
        let editors = |frame: &Value, who: &[&As]| {
            let ids: Vec<_> = who.iter().map(|who| who.id).collect();
            frame["type"] == "record.editors" && frame["data"]["memberIds"] == json!(ids)
        };
        let mut theirs = line.open(&second, "").await;
        theirs.send_frame(&edit).await;
        theirs.until(|frame| editors(frame, &[&second])).await;
        let mut mine = line.open(&author, "").await;
        mine.send_frame(&edit).await;
        mine.until(|frame| editors(frame, &[&second, &author])).await;
        admin.patch(&format!("/api/team/{}", second.id), json!({"role": "viewer"})).await.expect(200);
        mine.until(|frame| editors(frame, &[&author])).await;
    })
    .await;
}

/// Whether a frame with editors names a member.
fn names_editor(frame: &Value, who: &As) -> bool {
    frame["data"]["memberIds"].as_array().is_some_and(|ids| ids.contains(&json!(who.id)))
}
