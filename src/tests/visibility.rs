//! Visibility of records: for each kind of the register whose records have a visibility, a record of its author alone
//! and one of chosen members are tried with every call by a member who may not see them, and are looked for in
//! everything that shows records.

use serde_json::{Value, json};

use super::{
    isolation::calls,
    world::{self, Ids},
};
use crate::{
    feature::RecordKind,
    features::{self, records::bin},
    people::permission::Role,
    testing::{As, TestApp},
};

/// A word that only the titles of hidden records have.
const SECRET: &str = "Quetzalcoatl";
const UNKNOWN: &str = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";

fn kinds() -> Vec<&'static RecordKind> {
    // Tasks have that of their deal: `what_hangs_on_a_hidden_record_leaves_no_trace`.
    let kinds: Vec<_> = features::kinds().filter(|kind| kind.has_visibility() && kind.kind != "task").collect();
    assert!(!kinds.is_empty());
    kinds
}

/// The members of a test: the author of the records, a chosen member, an outsider and an administrator.
struct People {
    author: As,
    chosen: As,
    outsider: As,
    admin: As,
}

impl People {
    async fn of(app: &TestApp) -> Self {
        Self {
            author: app.hire("author", Role::Member).await,
            chosen: app.hire("chosen", Role::Viewer).await,
            outsider: app.acme(Role::Member).await,
            admin: app.acme(Role::Admin).await,
        }
    }

    fn visibilities(&self) -> [Value; 2] {
        [json!({"to": "me"}), json!({"to": "people", "people": [self.chosen.id]})]
    }
}

/// Creates a record with a visibility; returns its id.
async fn create(author: &As, kind: &RecordKind, visibility: &Value) -> String {
    let body = match kind.kind {
        "page" => json!({"title": SECRET, "status": "published", "body": SECRET, "visibility": visibility}),
        "deal" => json!({"title": SECRET, "about": SECRET, "visibility": visibility}),
        other => panic!("visibility.rs makes no {other}"),
    };
    let made = author.post(&format!("/api/{}", kind.name), body).await.expect(201);
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn calls_with_hidden_ids_answer_as_for_unknown_ones() {
    let (app, outsider, ids, _) = world::worlds(Role::Member).await;
    let author = app.hire("author", Role::Member).await;
    let chosen = app.hire("chosen", Role::Viewer).await;
    for kind in kinds() {
        for visibility in [json!({"to": "me"}), json!({"to": "people", "people": [chosen.id]})] {
            let hidden = create(&author, kind, &visibility).await;
            let with = |id: &str| {
                let mut ids: Ids = ids.clone();
                ids.insert(kind.kind, id.to_owned());
                ids
            };
            let mut tried = 0;
            for (id, method, sample) in calls() {
                let Some(sample) = sample.filter(|sample| world::names(sample).contains(&kind.kind)) else { continue };
                let answer = world::send(&outsider, &method, &sample, &with(&hidden)).await;
                let unknown = world::send(&outsider, &method, &sample, &with(UNKNOWN)).await;
                assert_eq!(answer.comparable(&hidden), unknown.comparable(UNKNOWN), "{id}: {visibility}");
                tried += 1;
            }
            assert!(tried >= 3, "only {tried} calls with a {}", kind.kind);
        }
    }
}

/// The samples of calls for parts name one kind each; this tries them with every kind.
#[tokio::test]
async fn parts_of_hidden_records_are_not_found() {
    let (app, outsider, ids, _) = world::worlds(Role::Member).await;
    let author = app.hire("author", Role::Member).await;
    let chosen = app.hire("chosen", Role::Viewer).await;
    for kind in kinds() {
        for visibility in [json!({"to": "me"}), json!({"to": "people", "people": [chosen.id]})] {
            let hidden = create(&author, kind, &visibility).await;
            let path = format!("/api/{}/{hidden}", kind.name);
            let comment = author.post(&format!("{path}/comments"), json!({"value": SECRET})).await.expect(201);
            let upload = author.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
            let file = author.post(&format!("{path}/files"), json!({"path": upload["url"]})).await.expect(200);
            let mut tried = 0;
            for (id, method, mut sample) in calls() {
                let Some(sample) = &mut sample else { continue };
                let Some(part) = ["timeline", "comments", "files"].into_iter().find_map(|part| {
                    let place = sample.path.find(&format!("/{part}"))?;
                    sample.path[..place].contains("/$").then(|| sample.path[place..].to_owned())
                }) else {
                    continue;
                };
                sample.path = format!("{path}{part}");
                let mut ids = ids.clone();
                ids.insert("comment", comment["id"].as_str().unwrap().to_owned());
                ids.insert("attached", file["id"].as_str().unwrap().to_owned());
                let answer = world::send(&outsider, &method, sample, &ids).await;
                assert_eq!((answer.status, answer.body.to_string().contains(SECRET)), (404, false), "{id}");
                tried += 1;
            }
            assert!(tried >= 8, "only {tried} calls for parts");
        }
    }
}

/// Returns everything that shows a member records of all kinds.
async fn shown_to(member: &As, kind: &RecordKind) -> [Value; 4] {
    [
        member.get(&format!("/api/{}?limit=200", kind.name)).await.expect(200),
        member.post("/api/common/search", json!({"query": SECRET})).await.expect(200),
        member.get("/api/dashboards/project").await.expect(200)["activity"].clone(),
        member.get("/api/bin?limit=200").await.expect(200),
    ]
}

fn tells(shown: &[Value; 4], id: &str) -> [bool; 4] {
    shown.each_ref().map(|shown| shown.to_string().contains(id) || shown.to_string().contains(SECRET))
}

#[tokio::test]
async fn hidden_records_are_in_no_list_search_activity_or_bin_of_others() {
    let app = TestApp::new().await;
    let people = People::of(&app).await;
    for kind in kinds() {
        let seen = format!("/api/{}?limit=200", kind.name);
        let before = people.outsider.get(&seen).await.expect(200)["total"].clone();
        for (visibility, of_chosen) in people.visibilities().iter().zip([false, true]) {
            let id = create(&people.author, kind, visibility).await;
            assert_eq!(tells(&shown_to(&people.author, kind).await, &id), [true, true, false, false]);
            assert_eq!(tells(&shown_to(&people.chosen, kind).await, &id), [of_chosen, of_chosen, false, false]);
            assert_eq!(tells(&shown_to(&people.admin, kind).await, &id), [true, false, false, false]);
            let others = shown_to(&people.outsider, kind).await;
            assert_eq!(tells(&others, &id), [false; 4], "{visibility}");
            assert_eq!(others[0]["total"], before, "{visibility}");

            let chat = json!({"contactId": people.outsider.id});
            let chat = people.author.post("/api/apps/chat/chat", chat).await.expect(200);
            let reference = json!({"kind": kind.kind, "recordId": id, "text": "#it"});
            let line = json!({"chatId": chat["id"], "value": "See #it", "references": [reference]});
            people.author.post("/api/apps/chat/messages", line).await.expect(201);
            let mine = people.author.get("/api/apps/chat/chats").await.expect(200);
            let read = async |member: &As| {
                let path = format!("/api/apps/chat/messages?chatId={}", chat["id"].as_str().unwrap());
                member.get(&path).await.expect(200).to_string().contains(SECRET)
            };
            assert!(read(&people.author).await && !read(&people.outsider).await, "{mine}");
            let comments = format!("/api/{}/{id}/comments", kind.name);
            let mention = json!({"value": "@you", "mentions": [{"memberId": people.outsider.id, "text": "@you"}]});
            people.author.post(&comments, mention).await.refused("invalid");

            people.author.delete(&format!("/api/{}/{id}", kind.name)).await.expect(204);
            assert_eq!(tells(&shown_to(&people.outsider, kind).await, &id), [false; 4], "{visibility}: removed");
            assert_eq!(tells(&shown_to(&people.author, kind).await, &id), [false, false, false, true]);
            people.outsider.post(&format!("/api/bin/{id}/restore"), json!({})).await.refused("not_found");
            people.author.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
            assert_eq!(tells(&shown_to(&people.outsider, kind).await, &id), [false; 4], "{visibility}: restored");
            people.author.delete(&format!("/api/{}/{id}", kind.name)).await.expect(204);
            people.admin.delete(&format!("/api/bin/{id}")).await.expect(204);
        }
    }
}

#[tokio::test]
async fn earlier_activity_of_a_record_is_hidden_with_it() {
    for kind in kinds() {
        // The end of the record of another kind, which all may see, would be in the activity.
        let app = TestApp::new().await;
        let people = People::of(&app).await;
        let id = create(&people.author, kind, &json!({"to": "company"})).await;
        let path = format!("/api/{}/{id}", kind.name);
        // A search waits for the searcher's own writes only.
        shown_to(&people.author, kind).await;
        assert_eq!(tells(&shown_to(&people.outsider, kind).await, &id), [true, true, true, false]);
        for visibility in people.visibilities() {
            people.author.patch(&path, json!({"visibility": visibility})).await.expect(200);
            shown_to(&people.author, kind).await;
            assert_eq!(tells(&shown_to(&people.outsider, kind).await, &id), [false; 4], "{visibility}");
        }
        people.author.patch(&path, json!({"visibility": {"to": "company"}})).await.expect(200);
        shown_to(&people.author, kind).await;
        assert_eq!(tells(&shown_to(&people.outsider, kind).await, &id), [true, true, true, false]);
        people.author.delete(&path).await.expect(204);
    }
}

/// Returns which members get a frame that names the record, and waits until all frames are published.
async fn hear(app: &TestApp, people: &People, from: &mut u64, id: &str) -> [bool; 4] {
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    let mut at = *from;
    while at < last {
        let path = format!("/api/live?after={at}&wait=25");
        at = people.author.get(&path).await.expect(200)["at"].as_u64().unwrap();
    }
    let mut heard = [false; 4];
    for (member, heard) in [&people.author, &people.chosen, &people.outsider, &people.admin].iter().zip(&mut heard) {
        let frames = member.get(&format!("/api/live?after={from}&wait=0")).await.expect(200)["frames"].to_string();
        assert!(!frames.contains(SECRET));
        *heard = frames.contains(id);
    }
    *from = at;
    heard
}

#[tokio::test]
async fn live_updates_go_to_those_who_see_the_record_and_once_to_those_who_no_longer_do() {
    let app = TestApp::new().await;
    let people = People::of(&app).await;
    for kind in kinds() {
        for (visibility, of_chosen) in people.visibilities().iter().zip([false, true]) {
            let mut from = people.author.get("/api/live").await.expect(200)["at"].as_u64().unwrap();
            let id = create(&people.author, kind, visibility).await;
            let path = format!("/api/{}/{id}", kind.name);
            let own = [true, of_chosen, false, true];
            assert_eq!(hear(&app, &people, &mut from, &id).await, own, "created");
            people.author.patch(&path, json!({"title": format!("{SECRET}!")})).await.expect(200);
            assert_eq!(hear(&app, &people, &mut from, &id).await, own, "changed");
            let comment = people.author.post(&format!("{path}/comments"), json!({"value": "Hi"})).await.expect(201);
            let comment = comment["id"].as_str().unwrap();
            assert_eq!(hear(&app, &people, &mut from, comment).await, own, "commented");
            people.author.delete(&format!("{path}/comments/{comment}")).await.expect(204);
            assert_eq!(hear(&app, &people, &mut from, comment).await, own, "comment removed");
            people.author.patch(&path, json!({"visibility": {"to": "company"}})).await.expect(200);
            assert_eq!(hear(&app, &people, &mut from, &id).await, [true; 4], "opened");
            people.author.patch(&path, json!({"visibility": visibility})).await.expect(200);
            assert_eq!(hear(&app, &people, &mut from, &id).await, [true; 4], "closed");
            people.author.patch(&path, json!({"title": SECRET})).await.expect(200);
            assert_eq!(hear(&app, &people, &mut from, &id).await, own, "changed since");
            people.author.delete(&path).await.expect(204);
            assert_eq!(hear(&app, &people, &mut from, &id).await, own, "removed");
        }
    }
}

/// Returns changes of a record after which others would see it, or no longer see it: by each field that decides it.
fn sharing_patches(kind: &RecordKind, chosen: &As, others: [&As; 2]) -> Vec<Value> {
    let people = |people: &[&As]| people.iter().map(|member| member.id).collect::<Vec<_>>();
    let mut patches = vec![
        json!({"visibility": {"to": "company"}}),
        json!({"visibility": {"to": "people", "people": people(&[chosen, others[0]])}}),
        json!({"visibility": {"to": "me"}}),
    ];
    match kind.kind {
        "page" => patches.extend([json!({"status": "draft"}), json!({"parentId": null})]),
        "deal" => {
            patches.extend(others.map(|other| json!({"ownerId": other.id})));
            patches.extend([json!({"ownerId": chosen.id}), json!({"ownerId": null})]);
        }
        other => panic!("visibility.rs shares no {other}"),
    }
    patches
}

/// A kind of fault: a rule about who sees a record looks at one field, and another field decides it as well.
#[tokio::test]
async fn no_way_of_changing_a_hidden_record_passes_it_on() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let author = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let owner = app.hire("keeper", Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let outsider = app.hire("outsider", Role::Member).await;
    let everyone = [&admin, &author, &viewer, &owner, &chosen, &outsider];
    for kind in kinds() {
        let people = json!({"to": "people", "people": [chosen.id, owner.id]});
        let hidden = create(&author, kind, &people).await;
        let path = format!("/api/{}/{hidden}", kind.name);
        if kind.kind == "deal" {
            author.patch(&path, json!({"ownerId": owner.id})).await.expect(200);
        } else {
            let parent = create(&author, kind, &people).await;
            author.patch(&path, json!({"parentId": parent, "visibility": {"to": "company"}})).await.expect(200);
        }
        let seen_by = async || {
            let mut seen = [false; 6];
            for (member, seen) in everyone.iter().zip(&mut seen) {
                *seen = member.get(&path).await.status == 200;
            }
            seen
        };
        let before = seen_by().await;
        assert_eq!(before, [true, true, false, true, true, false]);
        for patch in sharing_patches(kind, &chosen, [&outsider, &viewer]) {
            let answer = chosen.patch(&path, patch.clone()).await;
            if answer.status != 200 {
                answer.refused("forbidden");
            }
            assert_eq!(seen_by().await, before, "{patch}");
            chosen.post("/api/bulk", json!({"kind": kind.name, "ids": [hidden], "change": patch})).await;
            assert_eq!(seen_by().await, before, "in bulk: {patch}");
        }
        chosen.patch(&path, json!({"title": format!("{SECRET} 2")})).await.expect(200);
        if kind.exchange.is_some() {
            for owner in ["outsider", "chosen", "viewer"] {
                let csv = format!("id,title,owner\r\n{hidden},{SECRET},{owner}@acme.example\r\n");
                let begun = format!("/api/imports?kind={}", kind.name);
                let plan = chosen.upload_to(&begun, "list.csv", "text/csv", csv.as_bytes()).await.expect(201);
                let import = format!("/api/imports/{}", plan["id"].as_str().unwrap());
                chosen.patch(&import, json!({"duplicates": "update"})).await.expect(200);
                chosen.post(&format!("{import}/start"), json!({})).await.expect(202);
                let import = chosen.import_over(&plan).await;
                assert_eq!((&import["state"], seen_by().await), (&json!("done"), before), "{import}");
            }
        }
        // The author may, and no other member takes it back.
        if kind.bulk.is_some_and(|ops| ops.fields.contains(&"ownerId")) {
            let bulk = json!({"kind": kind.name, "ids": [hidden], "change": {"ownerId": outsider.id}});
            let bulk = author.post("/api/bulk", bulk).await.expect(202);
            assert_eq!(author.bulk_over(&bulk).await["changed"], 1);
            assert_eq!(seen_by().await, [true, true, false, true, true, true]);
            let undo = format!("/api/bulk/{}/undo", bulk["id"].as_str().unwrap());
            chosen.post(&undo, json!({})).await.refused("not_found");
            author.post(&undo, json!({})).await.expect(202);
            assert_eq!(author.bulk_over(&bulk).await["undone"], 1);
            assert_eq!(seen_by().await, before);
        }
    }
}

/// A kind of fault: a refusal tells that a hidden record exists. A hidden record reserves no id of another system; one that
/// becomes visible to everyone may not have the id of another.
#[tokio::test]
async fn hidden_records_reserve_no_external_id() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let outsider = app.acme(Role::Member).await;
    let deal = json!({"title": SECRET, "externalId": "7", "visibility": {"to": "me"}});
    let deal = author.post("/api/deals", deal).await.expect(201)["id"].clone();
    let task = json!({"title": SECRET, "externalId": "7", "dealId": deal});
    let task = author.post("/api/tasks", task).await.expect(201)["id"].clone();
    for (path, hidden) in [("/api/deals", &deal), ("/api/tasks", &task)] {
        let hidden = hidden.as_str().unwrap();
        let found = async |reader: &As| {
            let found = reader.get(&format!("{path}/lookup?externalId=7")).await.expect(200);
            let ids = found["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(found(&outsider).await, [""; 0]);
        let begun = format!("/api/imports?kind={}", &path[5..]);
        let plan = outsider.upload_to(&begun, "list.csv", "text/csv", b"Title,External ID\nOpen,7\n").await.expect(201);
        outsider.post(&format!("/api/imports/{}/start", plan["id"].as_str().unwrap()), json!({})).await.expect(202);
        assert_eq!(outsider.import_over(&plan).await["counts"]["created"], 1, "{path}");
        let [open] = found(&outsider).await.try_into().unwrap();
        assert_eq!(found(&author).await.len(), 2);
        let change = json!({"externalId": "8"});
        author.patch(&format!("{path}/{hidden}"), change.clone()).await.expect(200);
        assert_eq!(found(&author).await, [open.as_str()]);
        outsider.patch(&format!("{path}/{open}"), change).await.expect(200);
        outsider.post(path, json!({"title": "Third", "externalId": "8"})).await.refused("conflict");
    }
    let opened = json!({"visibility": {"to": "company"}});
    let refused = author.patch(&format!("/api/deals/{}", deal.as_str().unwrap()), opened.clone()).await;
    refused.refused("conflict");
    assert!(refused.body["error"]["fields"]["externalId"].is_string(), "{}", refused.body);
    let change = json!({"externalId": "9"});
    author.patch(&format!("/api/deals/{}", deal.as_str().unwrap()), change.clone()).await.expect(200);
    let refused = author.patch(&format!("/api/deals/{}", deal.as_str().unwrap()), opened.clone()).await;
    refused.refused("conflict");
    assert!(refused.body["error"]["fields"]["visibility"].as_str().unwrap().contains(SECRET), "{}", refused.body);
    author.patch(&format!("/api/tasks/{}", task.as_str().unwrap()), change).await.expect(200);
    author.patch(&format!("/api/deals/{}", deal.as_str().unwrap()), opened).await.expect(200);
    let third = json!({"title": "Third", "externalId": "9"});
    outsider.post("/api/deals", third.clone()).await.refused("conflict");
    outsider.post("/api/tasks", third).await.refused("conflict");
}

/// A kind of fault: something that is made of a hidden record, such as a task or the date of a call, is seen by members who
/// may not see the record. A member finds no difference in any answer with and without it.
#[tokio::test]
async fn what_hangs_on_a_hidden_record_leaves_no_trace() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let chosen = app.hire("chosen", Role::Viewer).await;
    let outsider = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let customer = author.post("/api/customers", json!({"name": "Ana"})).await.expect(201)["id"].clone();
    let other = author.post("/api/customers", json!({"name": "Bea"})).await.expect(201)["id"].clone();
    let organization = author.post("/api/organizations", json!({"name": "Sol"})).await.expect(201)["id"].clone();
    let due = app.clock.now().day_in("UTC");
    for title in ["One", "Two", "Three"] {
        author.post("/api/tasks", json!({"title": title, "dueDate": due.to_string()})).await.expect(201);
    }
    author.post("/api/pages", json!({"title": "Page", "status": "published"})).await.expect(201);
    let paths =
        paths_without_traces([&customer, &other].map(|id| id.as_str().unwrap()), organization.as_str().unwrap());
    let read_all = async |reader: &As| {
        let mut answers = Vec::new();
        for path in &paths {
            answers.push((path.clone(), reader.get(path).await.expect(200)));
        }
        let found = reader.post("/api/common/search", json!({"query": SECRET})).await.expect(200);
        answers.push(("search".to_owned(), found));
        answers
    };
    read_all(&author).await;
    let before = read_all(&outsider).await;
    let from = author.get("/api/live").await.expect(200)["at"].as_u64().unwrap();

    let deal = json!({"title": SECRET, "customerId": customer, "organizationId": organization,
        "value": {"amount": 100, "currency": "EUR"}, "visibility": {"to": "people", "people": [chosen.id]}});
    let deal = author.post("/api/deals", deal).await.expect(201)["id"].clone();
    let path = format!("/api/deals/{}", deal.as_str().unwrap());
    let call = json!({"type": "call", "links": [{"kind": "deal", "recordId": deal}], "outcome": SECRET,
        "nextStep": {"title": SECRET, "dueDate": due.plus_days(-1).to_string(), "assigneeId": author.id}});
    let call = author.post("/api/activities", call).await.expect(201);
    let task = format!("/api/tasks/{}", call["nextTaskId"].as_str().unwrap());
    let more = json!({"title": SECRET, "dealId": deal, "customerId": customer, "dueDate": due.to_string()});
    let more = author.post("/api/tasks", more).await.expect(201)["id"].clone();
    author.patch(&format!("/api/tasks/{}", more.as_str().unwrap()), json!({"completed": true})).await.expect(200);
    author.post(&format!("{path}/comments"), json!({"value": SECRET})).await.expect(201);
    let link = json!({"kind": "customer", "recordId": other});
    author.post(&format!("{path}/links"), link).await.expect(200);
    author.post("/api/pages", json!({"title": SECRET, "visibility": {"to": "me"}})).await.expect(201);

    let seen = read_all(&author).await;
    assert!(seen.iter().any(|(path, answer)| path.contains("/api/tasks") && answer.to_string().contains(SECRET)));
    assert_eq!(author.get(&path).await.expect(200)["nextStep"]["taskId"], call["nextTaskId"]);
    chosen.get(&task).await.expect(200);
    admin.get(&task).await.expect(200);
    for ((path, before), (_, after)) in before.iter().zip(read_all(&outsider).await) {
        assert_eq!(*before, after, "{path}");
    }
    outsider.get(&task).await.refused("not_found");
    outsider.patch(&task, json!({"title": "Mine"})).await.refused("not_found");
    outsider.delete(&task).await.refused("not_found");
    let bulk = json!({"kind": "tasks", "ids": [call["nextTaskId"]], "remove": true});
    outsider.post("/api/bulk", bulk).await.refused("not_found");
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    let mut at = from;
    while at < last {
        at = author.get(&format!("/api/live?after={at}&wait=25")).await.expect(200)["at"].as_u64().unwrap();
    }
    let frames = outsider.get(&format!("/api/live?after={from}&wait=0")).await.expect(200)["frames"].to_string();
    for hidden in [&deal, &call["nextTaskId"], &more, &call["id"]] {
        assert!(!frames.contains(hidden.as_str().unwrap()), "{frames}");
    }
    assert!(!frames.contains("record_link"), "{frames}");

    // A task passes no deal on, and follows when the deal is opened and closed.
    let given = json!({"assigneeId": outsider.id});
    let editor = app.hire("editor", Role::Member).await;
    let people = json!({"visibility": {"to": "people", "people": [chosen.id, editor.id]}});
    author.patch(&path, people).await.expect(200);
    editor.patch(&task, given).await.refused("forbidden");
    editor.patch(&task, json!({"dealId": null})).await.refused("forbidden");
    editor.patch(&task, json!({"title": "Call"})).await.expect(200);
    author.patch(&path, json!({"visibility": {"to": "company"}})).await.expect(200);
    outsider.get(&task).await.expect(200);
    let ana = format!("/api/customers/{}", customer.as_str().unwrap());
    let opened = outsider.get(&ana).await.expect(200);
    assert_eq!((&opened["nextStep"]["taskId"], opened["lastContactAt"].is_string()), (&call["nextTaskId"], true));
    author.patch(&path, json!({"visibility": {"to": "me"}})).await.expect(200);
    outsider.get(&task).await.refused("not_found");
    chosen.get(&task).await.refused("not_found");
    let closed = outsider.get(&ana).await.expect(200);
    assert_eq!((closed.get("nextStep"), closed.get("lastContactAt")), (None, None));
}

/// A hidden deal with what hangs on it; returns the paths that only those who see the deal may read.
async fn hidden_deal(author: &As, customer: &Value, other_deal: &Value) -> (String, Vec<String>) {
    let deal = json!({"title": SECRET, "customerId": customer, "visibility": {"to": "me"}});
    let deal = author.post("/api/deals", deal).await.expect(201)["id"].clone();
    let path = |kind: &str, record: &Value| format!("/api/{kind}/{}", record["id"].as_str().unwrap());
    let mut paths = Vec::new();
    let on_deal = json!({"kind": "deal", "recordId": deal});
    for links in [json!([on_deal]), json!([{"kind": "deal", "recordId": other_deal}, on_deal])] {
        let call = json!({"type": "call", "links": links, "text": SECRET});
        paths.push(path("activities", &author.post("/api/activities", call).await.expect(201)));
    }
    let task = json!({"title": SECRET, "dealId": deal, "customerId": customer});
    let task = path("tasks", &author.post("/api/tasks", task).await.expect(201));
    author.post(&format!("{task}/comments"), json!({"value": SECRET})).await.expect(201);
    paths.extend([format!("{task}/comments"), task]);
    let id = deal.as_str().unwrap().to_owned();
    author.post(&format!("/api/deals/{id}/comments"), json!({"value": SECRET})).await.expect(201);
    author.post(&format!("/api/deals/{id}/links"), json!({"kind": "customer", "recordId": customer})).await.expect(200);
    (id, paths)
}

/// The kind of fault: what hangs on a hidden record becomes public when the record goes for good, because its audience
/// goes with it: activities, tasks and their comments, dates of contact.
#[tokio::test]
async fn what_hangs_on_a_hidden_record_stays_hidden_when_it_is_gone_for_good() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let customer = author.post("/api/customers", json!({"name": "Ana"})).await.expect(201)["id"].clone();
    let open = author.post("/api/deals", json!({"title": "Open"})).await.expect(201)["id"].clone();
    let read = [customer.as_str().unwrap(), open.as_str().unwrap()];
    let read = [
        format!("/api/customers/{}", read[0]),
        format!("/api/customers/{}/timeline", read[0]),
        format!("/api/deals/{}", read[1]),
        format!("/api/deals/{}/timeline", read[1]),
    ];
    let read_all = async |reader: &As| {
        let mut answers = Vec::new();
        for path in &read {
            answers.push(reader.get(path).await.expect(200));
        }
        answers
    };
    for way in ["alone", "all", "by time"] {
        let mut author = app.sign_in("author@acme.example").await;
        let mut outsider = app.acme(Role::Member).await;
        let mut admin = app.acme(Role::Admin).await;
        let before = read_all(&outsider).await;
        let (deal, paths) = hidden_deal(&author, &customer, &open).await;
        let seen_by = async |reader: &As| {
            let mut seen = Vec::new();
            for path in &paths {
                seen.push(reader.get(path).await.status);
            }
            seen
        };
        assert_eq!(seen_by(&outsider).await, [404; 4], "{way}");
        assert_eq!(seen_by(&author).await, [200; 4], "{way}");
        author.delete(&format!("/api/deals/{deal}")).await.expect(204);
        // The date of the last contact is set again while the deal is in the bin.
        let links = json!([{"kind": "customer", "recordId": customer}]);
        let call = json!({"type": "call", "at": "2026-11-01T08:00:00Z", "links": links});
        let call = author.post("/api/activities", call).await.expect(201);
        author.delete(&format!("/api/activities/{}", call["id"].as_str().unwrap())).await.expect(204);
        assert_eq!(seen_by(&outsider).await, [404; 4], "{way}: in the bin");
        assert_eq!(read_all(&outsider).await, before, "{way}: in the bin");
        match way {
            "alone" => drop(admin.delete(&format!("/api/bin/{deal}")).await.expect(204)),
            "all" => drop(admin.delete("/api/bin").await.expect(204)),
            _ => {
                app.clock.advance(30 * 24 * 3_600_000 + 1);
                assert!(bin::PURGE.run(app.app.store(), || std::future::ready(())).await.unwrap() > 0);
                author = app.sign_in("author@acme.example").await;
                outsider = app.acme(Role::Member).await;
                admin = app.acme(Role::Admin).await;
            }
        }
        admin.post(&format!("/api/bin/{deal}/restore"), json!({})).await.refused("not_found");
        for reader in [&author, &admin] {
            assert_eq!(seen_by(reader).await, [200; 4], "{way}: those who saw the deal see what hung on it");
        }
        assert_eq!(seen_by(&outsider).await, [404; 4], "{way}: gone for good");
        assert_eq!(read_all(&outsider).await, before, "{way}: gone for good");
        for path in &paths[..2] {
            outsider.patch(path, json!({"outcome": "Mine"})).await.refused("not_found");
            outsider.delete(path).await.refused("not_found");
        }
    }
}

/// The same for the pages below a hidden page.
#[tokio::test]
async fn pages_below_a_hidden_page_stay_hidden_when_it_is_gone_for_good() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let outsider = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let page = json!({"title": SECRET, "status": "published", "visibility": {"to": "me"}});
    let above = author.post("/api/pages", page).await.expect(201)["id"].clone();
    let below = json!({"title": SECRET, "status": "published", "parentId": above});
    let below = author.post("/api/pages", below).await.expect(201)["id"].clone();
    let below = format!("/api/pages/{}", below.as_str().unwrap());
    let above = above.as_str().unwrap();
    outsider.get(&below).await.refused("not_found");
    author.delete(&format!("/api/pages/{above}")).await.expect(204);
    outsider.get(&below).await.refused("not_found");
    admin.delete(&format!("/api/bin/{above}")).await.expect(204);
    author.get(&below).await.expect(200);
    outsider.get(&below).await.refused("not_found");
}

/// Returns lists, figures and records that may show what hangs on a deal of these customers and this organization.
fn paths_without_traces(customers: [&str; 2], organization: &str) -> Vec<String> {
    let fixed = [
        "/api/customers?limit=200",
        "/api/organizations?limit=200",
        "/api/deals?limit=1",
        "/api/deals/forecast",
        "/api/sums?kind=deals&column=value",
        "/api/tasks",
        "/api/tasks?limit=3",
        "/api/tasks?completed=false&limit=3",
        "/api/tasks?completed=true",
        "/api/tasks?due=today&limit=3",
        "/api/tasks?due=overdue",
        "/api/tasks?sort=title",
        "/api/tasks?q=one",
        "/api/pages?limit=1",
        "/api/bin",
        "/api/bulk",
        "/api/dashboards/project",
        "/api/dashboards/analytics?days=14",
        "/api/global/navigation",
    ];
    let of_customers =
        customers.iter().flat_map(|id| [format!("/api/customers/{id}"), format!("/api/customers/{id}/timeline")]);
    let links = format!("/api/customers/{}/links", customers[0]);
    let timeline = format!("/api/organizations/{organization}/timeline");
    fixed.map(str::to_owned).into_iter().chain(of_customers).chain([links, timeline]).collect()
}
