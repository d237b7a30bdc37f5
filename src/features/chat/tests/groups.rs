//! Groups: members, permissions, and the loss of access after removal.

use serde_json::{Value, json};

use super::{CHAT, CHATS, MESSAGES, chat, open, send_text, unread};
use crate::{
    features::chat::{Conversation, Membership, model::GroupProperties},
    people::{members::MemberRecord, permission::Role},
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

const GROUPS: &str = "/api/apps/chat/groups";

pub(super) async fn group(who: &As, name: &str, with: &[&As]) -> String {
    let ids: Vec<String> = with.iter().map(|other| other.id.to_string()).collect();
    let made = who.post(GROUPS, json!({"name": name, "memberIds": ids})).await.expect(201);
    made["id"].as_str().unwrap().to_owned()
}

pub(super) async fn change(who: &As, id: &str, change: Value) -> Value {
    who.patch(&format!("{GROUPS}/{id}"), change).await.expect(200)
}

fn members(chat: &Value) -> Vec<&str> {
    chat["group"]["members"].as_array().unwrap().iter().map(|member| member["id"].as_str().unwrap()).collect()
}

fn events(chat: &Value) -> Vec<(&str, &str)> {
    let messages = chat["messages"].as_array().unwrap().iter().filter(|message| message["kind"] == "event");
    messages
        .map(|message| (message["contactId"].as_str().unwrap(), message["event"]["what"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn group_is_one_conversation_of_all_its_members() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Admin).await;
    let a = ada.id.to_string();
    let b = bob.id.to_string();
    let e = eve.id.to_string();
    let made = ada.post(GROUPS, json!({"name": " The  office\n", "memberIds": [b, e, b, a]})).await.expect(201);
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        (&made["kind"], &made["contactId"], &made["contact"]["name"]),
        (&json!("group"), &json!(id), &json!("The office"))
    );
    assert_eq!((&made["group"]["name"], &made["group"]["ownerId"]), (&json!("The office"), &json!(a)));
    assert_eq!(members(&made), [a.as_str(), &b, &e], "the creator first, each once");
    assert_eq!(events(&made), [(a.as_str(), "created")]);
    assert_eq!(made["messages"][0]["event"]["memberIds"], json!([b, e]));
    send_text(&bob, id, "hello").await;
    assert_eq!((unread(&ada).await, unread(&eve).await, unread(&bob).await), (json!(1), json!(1), json!(0)));
    let list = eve.get(CHATS).await.expect(200);
    assert_eq!(
        (&list[0]["lastMessage"], &list[0]["lastAuthorId"], &list[0]["unreadCount"]),
        (&json!("hello"), &json!(b), &json!(1))
    );
    // A second group of the same members is a different one, and so is their conversation of two.
    assert_ne!(group(&ada, "The office", &[&bob, &eve]).await, id);
    assert_ne!(open(&ada, &bob).await, id);
}

#[tokio::test]
async fn every_member_renames_and_adds_and_only_the_owner_removes() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Admin).await;
    let dan = app.acme(Role::Member).await;
    let id = group(&ada, "Office", &[&bob]).await;
    send_text(&ada, &id, "before they came").await;
    let view = change(&bob, &id, json!({"name": "Attic", "add": [eve.id.to_string(), bob.id.to_string()]})).await;
    assert_eq!(members(&view).len(), 3);
    assert_eq!(events(&view)[1..], [(bob.id.to_string().as_str(), "renamed"), (&bob.id.to_string(), "added")]);
    let history = chat(&eve, &id).await;
    assert_eq!(history["messages"][1]["value"], "before they came", "a new member sees the history");
    assert_eq!((&history["unreadCount"], &history["lastMessage"]), (&json!(0), &json!("owner of acme added people")));

    let out = json!({"remove": [eve.id.to_string()]});
    bob.patch(&format!("{GROUPS}/{id}"), out.clone()).await.refused("forbidden");
    dan.patch(&format!("{GROUPS}/{id}"), out.clone()).await.refused("not_found");
    dan.delete(&format!("{GROUPS}/{id}/membership")).await.refused("not_found");
    send_text(&bob, &id, "still unread").await;
    change(&ada, &id, out).await;
    assert_eq!(unread(&eve).await, 0, "unread messages are gone with the membership");
    for answer in [
        eve.get(&format!("{CHAT}?id={id}")).await,
        eve.get(&format!("{MESSAGES}?chatId={id}")).await,
        eve.post(MESSAGES, json!({"chatId": id, "value": "let me in"})).await,
        eve.post(
            &format!("{MESSAGES}/{}/reactions", history["messages"][1]["id"].as_str().unwrap()),
            json!({"emoji": "👍", "on": true}),
        )
        .await,
        eve.patch(&format!("{GROUPS}/{id}"), json!({"add": [eve.id.to_string()]})).await,
    ] {
        answer.refused("not_found");
    }
    assert_eq!(eve.get(CHATS).await.expect(200), json!([]));
    let marks = chat(&ada, &id).await["read"].to_string();
    assert!(!marks.contains(&eve.id.to_string()), "{marks}");
    // After being added again: all messages are there, nothing is unread.
    change(&bob, &id, json!({"add": [eve.id.to_string()]})).await;
    assert_eq!(chat(&eve, &id).await["unreadCount"], 0);
}

#[tokio::test]
async fn group_continues_after_a_member_leaves() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Admin).await;
    let id = group(&ada, "Office", &[&bob, &eve]).await;
    ada.delete(&format!("{GROUPS}/{id}/membership")).await.expect(204);
    ada.get(&format!("{CHAT}?id={id}")).await.refused("not_found");
    let view = chat(&bob, &id).await;
    assert_eq!(events(&view).last(), Some(&(ada.id.to_string().as_str(), "left")));
    assert_eq!(view["group"]["ownerId"], bob.id.to_string(), "the longest-standing member");
    // The owner leaves the tenant.
    let gone = bob.id;
    app.acme(Role::Owner).await.delete(&format!("/api/team/{gone}")).await.expect(204);
    let view = chat(&eve, &id).await;
    assert_eq!(
        (members(&view), &view["group"]["ownerId"]),
        (vec![eve.id.to_string().as_str()], &json!(eve.id.to_string()))
    );
    send_text(&eve, &id, "alone").await;
    change(&eve, &id, json!({"add": [ada.id.to_string()]})).await;
    change(&eve, &id, json!({"remove": [ada.id.to_string()]})).await;
    eve.delete(&format!("{GROUPS}/{id}/membership")).await.expect(204);
    let report = app.app.store().check(crate::features::TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

#[tokio::test]
async fn rejects_invalid_groups_naming_the_field() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let foreign = app.other(Role::Owner).await;
    let bob_id = bob.id.to_string();
    let ada_id = ada.id.to_string();
    let many: Vec<String> = vec![bob_id.clone(); 101];
    for (body, field) in [
        (json!({"name": " ", "memberIds": [bob_id]}), "name"),
        (json!({"name": "x".repeat(101), "memberIds": [bob_id]}), "name"),
        (json!({"name": "x", "memberIds": [ada_id]}), "memberIds"),
        (json!({"name": "x", "memberIds": [bob_id, foreign.id.to_string()]}), "memberIds.1"),
        (json!({"name": "x", "memberIds": many}), "memberIds"),
    ] {
        let refused = ada.post(GROUPS, body).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    let id = group(&ada, "Office", &[&bob]).await;
    for (body, field) in [
        (json!({"name": ""}), "name"),
        (json!({"add": [foreign.id.to_string()]}), "add.0"),
        (json!({"remove": [foreign.id.to_string()]}), "remove.0"),
        (json!({"remove": [ada_id]}), "remove.0"),
    ] {
        let refused = ada.patch(&format!("{GROUPS}/{id}"), body).await;
        assert!(refused.body["error"]["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    let pair = open(&ada, &bob).await;
    ada.patch(&format!("{GROUPS}/{pair}"), json!({"name": "x"})).await.refused("not_found");
    ada.delete(&format!("{GROUPS}/{pair}/membership")).await.refused("not_found");
    // A hundred members at most.
    let add = |tx: &TenantWrite<'_>| {
        let page = tx.page::<MemberRecord>(&crate::store::Scan::all().limit(1), |_| true)?;
        let like = page.items[0].value.clone();
        let new = |at: usize| {
            tx.create(MemberRecord { email: format!("{at}@acme.example"), role: Role::Viewer, ..like.clone() })
        };
        (0..99).map(|at| Ok(new(at)?.id.to_string())).collect::<crate::kernel::Result<Vec<String>>>()
    };
    let (mut others, _) = app.app.store().write(app.acme.id, Actor::Operator, add).await.unwrap();
    change(&ada, &id, json!({"add": others[..98]})).await;
    let refused = ada.patch(&format!("{GROUPS}/{id}"), json!({"add": others[98..]})).await;
    assert!(refused.body["error"]["fields"]["add"].is_string(), "{}", refused.body);
    others.truncate(99);
    assert_eq!(members(&ada.post(GROUPS, json!({"name": "All", "memberIds": others})).await.expect(201)).len(), 100);
}

/// The kind of fault: a response grows with the members of groups, and beyond 16 MiB it is refused for ever. Neighbours: the
/// conversations that follow the bound, one of two members, one conversation by itself, and the list of contacts.
#[tokio::test]
async fn a_list_of_large_groups_leaves_out_the_members_of_the_last_ones() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let me = ada.id;
    let fill = move |tx: &TenantWrite<'_>| {
        let like = tx.get::<MemberRecord>(me)?.value;
        let mut all = vec![me];
        for n in 0..620 {
            let name = "😀".repeat(200);
            let about = Some("😀".repeat(2_000));
            let made = tx.create(MemberRecord { name, email: format!("{n}@acme.example"), about, ..like.clone() })?;
            if n < 99 {
                all.push(made.id);
            }
        }
        for n in 0..60 {
            let group = Some(GroupProperties { name: format!("Group {n}"), owner: me });
            let conversation = tx.create(Conversation { members: all.clone(), group })?;
            tx.person(me).create_at(conversation.id, Membership::new(None))?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Operator, fill).await.unwrap();
    open(&ada, &owner).await;
    let list = ada.get(CHATS).await;
    assert!(list.bytes.len() < 5 << 20, "{}", list.bytes.len());
    let list = list.expect(200);
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 61);
    let groups: Vec<&Value> = list.iter().filter(|chat| chat["kind"] == "group").collect();
    let counts: Vec<usize> = groups.iter().map(|chat| members(chat).len()).collect();
    let whole = counts.iter().take_while(|count| **count == 100).count();
    assert!((40..60).contains(&whole), "{counts:?}");
    assert_eq!(counts[whole..], vec![0; 60 - whole]);
    let last = groups[59];
    assert_eq!((&last["group"]["ownerId"], &last["contact"]["name"]), (&json!(me), &last["group"]["name"]));
    assert_eq!(members(&chat(&ada, last["id"].as_str().unwrap()).await).len(), 100);

    let contacts = ada.get("/api/apps/chat/contacts").await;
    assert!(contacts.bytes.len() < 5 << 20, "{}", contacts.bytes.len());
    let contacts = contacts.expect(200);
    let contacts = contacts.as_array().unwrap();
    let described = contacts.iter().filter(|contact| contact["about"].is_string()).count();
    assert!(contacts.len() == 623 && (400..600).contains(&described), "{described} of {}", contacts.len());
}
