//! Samples for cross-cutting tests: a valid request for every call of the document, and the records that it refers to.
//! The tests of isolation and of permissions use them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    feature::Audience,
    features::{
        customers::{ContactUpgrade, Renaming},
        deals::pipeline::PlannedPipeline,
        exchange::import::{CheckPart, ImportPart},
        messages::Messages,
        notices::{Broadcast, Excerpt, Group, Notice},
        notifications::Notifications,
        pages::{Following, Page, PlannedPage},
        personal_data::{PersonErasure, RetentionRun},
        records::{activities::Activity, duplicates::DuplicatePart},
    },
    people::{members::MemberRecord, permission::Role},
    store::{Actor, Binned, Scan, TenantWrite},
    testing::{As, Got, PASSWORD, TestApp, kinds_with_parts, new_record},
};

/// The provider that tenants may choose. No request is sent to it.
const ISSUER: &str = "https://id.example";

/// Ids by the name that samples use (`$customer`).
pub type Ids = BTreeMap<&'static str, String>;

/// A sample of a call.
pub struct Sample {
    /// The call's `operationId`.
    pub id: &'static str,
    /// Path and query; `$name` stands for an id.
    pub path: String,
    /// The body; `$name` stands for an id.
    pub body: Option<Value>,
}

fn sample(id: &'static str, path: &'static str, body: impl Into<Option<Value>>) -> Sample {
    Sample { id, path: path.to_owned(), body: body.into() }
}

/// Creates one record of every kind as `maker`, and returns their ids.
pub async fn populate(maker: &As, colleague: &As) -> Ids {
    let id = |value: &Value| value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).to_owned();
    let mut ids = Ids::new();
    ids.insert("member", colleague.id.to_string());
    // Refused unless the maker is an administrator.
    maker.put("/api/setup/sample-data", json!({})).await;
    maker.patch("/api/setup", json!({"hidden": true})).await;
    for kind in kinds_with_parts() {
        let record = maker.post(&format!("/api/{}", kind.name), new_record(kind, "Ana López")).await.expect(201);
        ids.insert(kind.kind, id(&record));
    }
    let comment = maker.post(&format!("/api/customers/{}/comments", ids["customer"]), json!({"value": "Nice"})).await;
    ids.insert("comment", id(&comment.expect(201)));
    let call = json!({"type": "call", "links": [{"kind": "customer", "recordId": ids["customer"]}],
        "text": "Wants samples", "outcome": "Reached", "nextStep": {"title": "Send them"}});
    ids.insert("activity", id(&maker.post("/api/activities", call).await.expect(201)));
    let named = json!({"name": "Noor", "details": {"company": "Noor & Co"}});
    ids.insert("named", id(&maker.post("/api/customers", named).await.expect(201)));
    let made = maker.post("/api/customers/companies/organizations", json!({})).await.expect(202);
    assert_eq!(made["changed"], 1);
    let unchanged = json!({"kind": "customers", "ids": [ids["customer"]], "removeTags": ["none"]});
    ids.insert("bulk", id(&maker.post("/api/bulk", unchanged).await.expect(202)));
    let twin = maker.post("/api/customers", json!({"name": "Ana Lopez"})).await.expect(201);
    let other = maker.post("/api/customers", json!({"name": "López, Ana"})).await.expect(201);
    maker.post(&format!("/api/customers/{}/comments", id(&other)), json!({"value": "Tall"})).await.expect(201);
    let into = format!("/api/customers/{}/merge", id(&twin));
    ids.insert("merge", id(&maker.post(&into, json!({"duplicateId": id(&other)})).await.expect(200)));
    let none = json!({"kind": "customers", "ids": [ids["customer"], id(&twin)]});
    maker.post("/api/duplicates/dismiss", none).await.expect(204);
    maker.post("/api/duplicates/scan", json!({"kind": "customers"})).await.expect(200);
    // Another than the one into which a record was merged: as long as that one is there, its merge can be undone.
    let double = maker.post("/api/customers", json!({"name": "Dora Prat"})).await.expect(201);
    ids.insert("double", id(&double));
    ids.insert("spare", id(&maker.post("/api/customers", json!({"name": "Ola"})).await.expect(201)));
    ids.insert("erasable", id(&maker.post("/api/customers", json!({"name": "Ona"})).await.expect(201)));
    ids.insert("import", id(&upload_import(maker).await));
    ids.insert("finished", id(&maker.import("customers", CSV).await));
    let upload = maker.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let attach = json!({"path": upload["url"]});
    let attached = maker.post(&format!("/api/tasks/{}/files", ids["task"]), attach).await.expect(200);
    ids.insert("attached", id(&attached));
    let other = json!({"kind": "task", "recordId": ids["task"]});
    let linked = maker.post(&format!("/api/customers/{}/links", ids["customer"]), other).await.expect(200);
    ids.insert("linked", id(&linked));
    let pipeline = json!({"reasons": [{"id": "price", "name": "Price", "outcome": "lost"}]});
    maker.patch("/api/deals/pipeline", pipeline).await;
    ids.insert("path", upload["url"].as_str().unwrap_or_default().to_owned());
    let binned = id(&maker.post("/api/tasks", json!({"title": "Old"})).await.expect(201));
    maker.delete(&format!("/api/tasks/{binned}")).await.expect(204);
    ids.insert("binned", binned);
    ids.insert("parent", id(&maker.post("/api/pages", json!({"title": "Shelf"})).await.expect(201)));
    let message = json!({"message": {"title": "Hello", "useRouter": false}});
    ids.insert("message", id(&maker.post("/api/common/messages", message).await.expect(200)));
    let notification = json!({"notification": {"title": "Hello", "useRouter": false}});
    ids.insert("notification", id(&maker.post("/api/common/notifications", notification).await.expect(200)));
    let sent = json!({"to": [colleague.id.to_string()], "title": "Lunch", "text": "At one?"});
    ids.insert("sent", id(&maker.post("/api/messages/send", sent).await.expect(201)));
    ids.extend(removed(maker).await);
    let shortcut = json!({"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true}});
    ids.insert("shortcut", id(&maker.post("/api/common/shortcuts", shortcut).await.expect(200)));
    let chat = maker.post("/api/apps/chat/chat", json!({"contactId": colleague.id.to_string()})).await.expect(200);
    ids.insert("chat", id(&chat));
    let line = json!({"chatId": ids["chat"], "value": "Hello"});
    ids.insert("line", id(&maker.post("/api/apps/chat/messages", line).await.expect(201)));
    ids.insert("group", id(&group(maker, colleague).await));
    ids.insert("view", id(&view(maker).await));
    let sessions = maker.get("/api/auth/sessions").await.expect(200);
    ids.insert("session", id(&sessions["items"][0]));
    let provider = json!({"issuer": ISSUER, "clientId": "a", "clientSecret": "s", "name": "ID"});
    let region = json!({"region": {"dateFormat": "dmy", "timeFormat": "24h", "firstDay": "saturday", "phoneCountry": "AE", "currency": "AED"}});
    maker.patch("/api/common/user", region.clone()).await.expect(200);
    // Refused unless the maker is an administrator, or even an owner.
    maker.patch("/api/settings/company", region).await;
    maker.send_with("PUT", "/api/settings/single-sign-on", Some(provider), &[]).await;
    ids
}

/// Creates a group of the maker and a colleague.
async fn group(maker: &As, colleague: &As) -> Value {
    let group = json!({"name": "Sales", "memberIds": [colleague.id.to_string()]});
    maker.post("/api/apps/chat/groups", group).await.expect(201)
}

/// Saves a view of the maker.
async fn view(maker: &As) -> Value {
    maker.post("/api/views", json!({"kind": "customers", "name": "Leads"})).await.expect(201)
}

/// Sets up an authenticator app and a passkey of a member without second factors, and adds the passkey's id and an unused
/// recovery code to the ids. From then on the member must prove both factors to change their credentials.
pub async fn set_up_factors(member: &As, ids: &mut Ids) {
    let (_, codes) = member.set_up_app().await;
    let proof = json!({"password": PASSWORD, "code": codes[0]});
    let (passkey, _) = member.add_passkey_with("http://localhost", proof).await;
    ids.insert("passkey", passkey);
    ids.insert("code", codes[1].clone());
}

/// Invites a member, and returns the id.
async fn invited(admin: &As) -> String {
    let asked = json!({"emails": ["invited@new.example"], "role": "member"});
    let answer = admin.post("/api/team/invitations", asked).await.expect(200);
    answer["items"][0]["id"].as_str().unwrap_or_default().to_owned()
}

/// Creates records that `owner` has removed and may restore.
async fn removed(owner: &As) -> Ids {
    let mut ids = Ids::new();
    for (name, kind) in [("removedMessage", "message"), ("removedNotification", "notification")] {
        let path = format!("/api/common/{kind}s");
        let made = owner.post(&path, json!({kind: {"title": "Hello", "useRouter": false}})).await.expect(200);
        let id = made["id"].as_str().unwrap_or_default().to_owned();
        owner.delete(&format!("{path}?id={id}")).await.expect(200);
        ids.insert(name, id);
    }
    ids
}

/// Sends the request of a sample with ids filled in.
pub async fn send(caller: &As, method: &str, sample: &Sample, ids: &Ids) -> Got {
    let (path, body) = fill(sample, ids);
    caller.send_with(method, &path, body, &[]).await
}

/// Returns path and body of a sample with ids filled in.
pub fn fill(sample: &Sample, ids: &Ids) -> (String, Option<Value>) {
    let put = |text: &str| {
        // Longer names come first, because a name may be the beginning of another.
        let mut names: Vec<_> = ids.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        names.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("${name}"), id))
    };
    let body = sample.body.as_ref().map(|body| serde_json::from_str(&put(&body.to_string())).unwrap());
    (put(&sample.path), body)
}

/// Returns the names of the ids that a sample uses.
pub fn names(sample: &Sample) -> Vec<&'static str> {
    let text = format!("{} {}", sample.path, sample.body.clone().unwrap_or_default());
    let all = [
        "member",
        "parent",
        "message",
        "notification",
        "removedMessage",
        "sent",
        "removedNotification",
        "shortcut",
        "invited",
        "chat",
        "group",
        "line",
        "session",
        "passkey",
        "binned",
        "comment",
        "attached",
        "linked",
        "field",
        "view",
        "bulk",
        "import",
        "finished",
        "tagChange",
        "path",
        "named",
    ];
    let all = all.into_iter().chain(kinds_with_parts().map(|kind| kind.kind));
    all.filter(|name| text.contains(&format!("${name}"))).collect()
}

/// Creates an application with both tenants populated; returns the caller of `role` in `acme`, acme's ids and the
/// other's ids.
pub async fn worlds(role: Role) -> (TestApp, As, Ids, Ids) {
    let app = TestApp::with(|config| config.sign_in.issuers = vec![ISSUER.to_owned()]).await;
    let caller = app.acme(role).await;
    let other = app.other(Role::Owner).await;
    let colleague = app.acme(if role == Role::Member { Role::Viewer } else { Role::Member }).await;
    let stranger = app.other(Role::Member).await;
    // Personal records belong to the caller. Viewers cannot create the others, so an administrator does.
    let admin = app.acme(Role::Admin).await;
    let maker = if role == Role::Viewer { &admin } else { &caller };
    let mut ids = populate(maker, &colleague).await;
    if role == Role::Viewer {
        let own = |value: Value| value["id"].as_str().unwrap_or_default().to_owned();
        let message = json!({"message": {"title": "Hello", "useRouter": false}});
        ids.insert("message", own(caller.post("/api/common/messages", message).await.expect(200)));
        let notification = json!({"notification": {"title": "Hello", "useRouter": false}});
        ids.insert("notification", own(caller.post("/api/common/notifications", notification).await.expect(200)));
        ids.extend(removed(&caller).await);
        let shortcut = json!({"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true}});
        ids.insert("shortcut", own(caller.post("/api/common/shortcuts", shortcut).await.expect(200)));
        let chat = caller.post("/api/apps/chat/chat", json!({"contactId": colleague.id.to_string()})).await.expect(200);
        ids.insert("chat", own(chat));
        let line = json!({"chatId": ids["chat"], "value": "Hello"});
        ids.insert("line", own(caller.post("/api/apps/chat/messages", line).await.expect(201)));
        ids.insert("group", own(group(&caller, &colleague).await));
        ids.insert("view", own(view(&caller).await));
        let sessions = caller.get("/api/auth/sessions").await.expect(200);
        ids.insert("session", sessions["items"][0]["id"].as_str().unwrap_or_default().to_owned());
    }
    ids.insert("invited", invited(&admin).await);
    ids.insert("field", field(&admin).await);
    ids.insert("tagChange", tag_change(&admin).await);
    let mut others = populate(&other, &stranger).await;
    others.insert("invited", invited(&other).await);
    others.insert("field", field(&other).await);
    others.insert("tagChange", tag_change(&other).await);
    set_up_factors(&other, &mut others).await;
    (app, caller, ids, others)
}

/// Leaves signs of unfinished work: of 500 renamed organizations and 50 erased people, because the jobs that remove them
/// are quick, and of a retention. Some pages and activities become as they are after a page above or a deal is gone.
pub async fn begin_work(app: &TestApp) {
    let begin = |tx: &TenantWrite<'_>| {
        tx.create_at(tx.single_id(), ContactUpgrade { level: 2, in_organizations: false, cursor: Some(vec![7; 16]) })?;
        tx.create(ImportPart::of_row(tx.new_id()))?;
        tx.create(CheckPart::of_row(tx.new_id()))?;
        tx.create(DuplicatePart::of_pair(tx.new_id(), tx.new_id()))?;
        tx.create_at(RetentionRun::id(tx), RetentionRun::in_progress())?;
        // At another id than that of the pipeline, where no job finds it.
        tx.create_at(tx.new_id(), PlannedPipeline::of_nothing())?;
        for member in tx.page::<MemberRecord>(&Scan::all().limit(1), |_| true)?.items {
            let mut notice = Notice::<Notifications>::new(tx.now());
            notice.group = Some(Group::new("invitations".to_owned(), Some(Uuid::nil())));
            notice.excerpt = Some(Excerpt { kind: "comment".to_owned(), id: Uuid::nil() });
            tx.person(member.id).create(notice)?;
        }
        for page in tx.page::<Page>(&Scan::all().limit(1), |_| true)?.items {
            let mut moved = page.value.clone();
            moved.limit = Audience::People([].into());
            moved.leave_removed(page.id, None, Audience::Company);
            tx.create(moved)?;
            tx.create_at(page.id, PlannedPage::new(page.version, page.value))?;
        }
        for activity in tx.page::<Activity>(&Scan::all(), |_| true)?.items {
            let limit = Audience::People(activity.created_by.into_iter().collect());
            tx.create(Activity { place: Some(activity.id.uuid()), limit, ..activity.value })?;
        }
        for binned in tx.page::<Binned>(&Scan::all(), |_| true)?.items {
            tx.mark_retention(binned.id, 24)?;
        }
        (0..50).try_for_each(|_| tx.create_at(tx.new_id(), PersonErasure::in_progress()).map(drop))?;
        for _ in 0..500 {
            tx.create(Broadcast::<Messages>::new(Notice::new(tx.now())).sent_as(Uuid::nil()))?;
            tx.create(Broadcast::<Notifications>::new(Notice::new(tx.now())))?;
        }
        (0..500).try_for_each(|_| tx.create_at(tx.new_id(), Following::narrowing(tx.new_id())).map(drop))?;
        (0..500).try_for_each(|_| tx.create_at(tx.new_id(), Renaming { cursor: vec![7; 16] }).map(drop))
    };
    app.app.store().write(app.acme.id, Actor::System, begin).await.unwrap();
}

/// Changes the statuses of customers and the color of a tag, and renames a tag; returns the id of that change.
async fn tag_change(admin: &As) -> String {
    let first = [("lead", "Open"), ("active", "Active"), ("inactive", "Inactive")];
    let mut statuses = first.map(|(id, name)| json!({"id": id, "name": name, "color": "blue"})).to_vec();
    statuses[2]["retentionMonths"] = json!(24);
    for added in [Some(json!({"name": "Fair", "color": "pink"})), None] {
        statuses.truncate(first.len());
        statuses.extend(added);
        admin.patch("/api/customers/statuses", json!({"statuses": statuses})).await.expect(200);
    }
    admin.patch("/api/tags", json!({"tag": "large", "color": "red"})).await.expect(200);
    admin.post("/api/tasks", json!({"title": "Measure", "tags": ["big"]})).await.expect(201);
    let change = admin.post("/api/tags/rename", json!({"from": "big", "to": "huge"})).await.expect(202);
    change["id"].as_str().unwrap_or_default().to_owned()
}

/// Defines a custom field; returns its id.
async fn field(admin: &As) -> String {
    let field = json!({"kind": "customers", "name": "Size", "type": "number"});
    admin.post("/api/fields", field).await.expect(201)["id"].as_str().unwrap_or_default().to_owned()
}

/// Calls that end the caller's session or access, or begin what only one of a company does at a time: each needs its own
/// application.
pub const LAST: [&str; 8] = [
    "endSession",
    "lockSession",
    "changePassword",
    "handCompanyOver",
    "closeCompany",
    "checkImport",
    "startImport",
    "undoImport",
];

/// Calls for members with second factors (`set_up_factors`): each needs its own application.
pub const OF_FACTORS: [&str; 4] = ["removeTotp", "renewRecoveryCodes", "renamePasskey", "removePasskey"];

/// A file to import.
const CSV: &str = "Name,Email\nNora,nora@a.example\n";

/// Uploads a file to import; returns the import.
async fn upload_import(maker: &As) -> Value {
    maker.upload_to("/api/imports?kind=customers", "people.csv", "text/csv", CSV.as_bytes()).await.expect(201)
}

/// Returns a sample of every call except the upload of files, which is not JSON (tested in `features/files`). The tests
/// fail for a call without a sample.
pub fn samples() -> Vec<Sample> {
    let mut samples = vec![
        sample("getUser", "/api/common/user", None),
        sample("changeUser", "/api/common/user", json!({"status": "away"})),
        sample("listSessions", "/api/auth/sessions", None),
        sample("endSession", "/api/auth/sessions/end", json!({"id": "$session", "password": PASSWORD})),
        sample("awaitNews", "/api/live?wait=0", None),
        sample("issueSocketTicket", "/api/auth/socket-ticket", json!({})),
        sample("getNavigation", "/api/global/navigation", None),
        sample("search", "/api/common/search", json!({"query": "ana"})),
        sample("getCompanySettings", "/api/settings/company", None),
        sample("getCompanyHealth", "/api/settings/company/health", None),
        sample("getMailSettings", "/api/settings/company/mail", None),
        sample("sendTestEmail", "/api/settings/company/mail/test", None),
        sample(
            "changeCompanySettings",
            "/api/settings/company",
            json!({"color_scheme": "rose", "supportLink": "/docs"}),
        ),
        sample("getSetup", "/api/setup", None),
        sample("changeSetup", "/api/setup", json!({"hidden": false})),
        sample("addSampleData", "/api/setup/sample-data", json!({})),
        sample("removeSampleData", "/api/setup/sample-data", None),
        sample("listAuditEntries", "/api/audit?actor=$member&member=$member&event=member&limit=10", None),
        sample(
            "handCompanyOver",
            "/api/settings/company/hand-over",
            json!({"memberId": "$member", "password": "correct horse battery"}),
        ),
        sample(
            "closeCompany",
            "/api/settings/company/close",
            json!({"slug": "acme", "password": "correct horse battery"}),
        ),
        sample("listShortcuts", "/api/common/shortcuts", None),
        sample(
            "createShortcut",
            "/api/common/shortcuts",
            json!({"shortcut": {"label": "A", "icon": "a", "link": "/a", "useRouter": true}}),
        ),
        sample("changeShortcut", "/api/common/shortcuts", json!({"id": "$shortcut", "shortcut": {"label": "B"}})),
        sample("removeShortcut", "/api/common/shortcuts?id=$shortcut", None),
        sample("orderShortcuts", "/api/common/shortcuts/order", json!({"ids": ["$shortcut"]})),
        sample("listTasks", "/api/tasks?assigneeId=$member&customerId=$customer", None),
        sample(
            "createTask",
            "/api/tasks",
            json!({"title": "Call", "assigneeId": "$member", "customerId": "$customer", "organizationId": "$organization",
                "dealId": "$deal"}),
        ),
        sample("lookUpTasks", "/api/tasks/lookup?externalId=7", None),
        sample("getTask", "/api/tasks/$task", None),
        sample(
            "changeTask",
            "/api/tasks/$task",
            json!({"assigneeId": "$member", "customerId": "$customer", "organizationId": "$organization", "dealId": "$deal"}),
        ),
        sample("removeTask", "/api/tasks/$task", None),
        sample("listEvents", "/api/events?from=2026-11-01&to=2026-11-30", None),
        sample("listEventRecords", "/api/events/records?filter=start:gte:today", None),
        sample(
            "createEvent",
            "/api/events",
            json!({"title": "Review", "allDay": true, "startDate": "2026-11-23",
            "endDate": "2026-11-23", "attendees": [{"memberId": "$member"}, {"customerId": "$customer"}]}),
        ),
        sample("getEvent", "/api/events/$event", None),
        sample(
            "changeEvent",
            "/api/events/$event",
            json!({"attendees": [{"memberId": "$member"}, {"customerId": "$customer"}]}),
        ),
        sample("removeEvent", "/api/events/$event", None),
        sample("listPages", "/api/pages?parentId=$page", None),
        sample(
            "createPage",
            "/api/pages",
            json!({"title": "Below", "parentId": "$page", "visibility": {"to": "people", "people": ["$member"]}}),
        ),
        sample("getPage", "/api/pages/$page", None),
        sample(
            "changePage",
            "/api/pages/$page",
            json!({"parentId": "$parent", "visibility": {"to": "people", "people": ["$member"]}}),
        ),
        sample("removePage", "/api/pages/$page", None),
        sample("getProjectDashboard", "/api/dashboards/project", None),
        sample("getAnalyticsDashboard", "/api/dashboards/analytics", None),
    ];
    samples.extend(parts());
    samples.extend(chat());
    samples.extend(contacts());
    samples.extend(deals());
    samples.extend(team());
    samples.extend(proofs());
    samples.extend(tidings());
    samples.extend(inbox("message", &MESSAGES));
    samples.extend(inbox("notification", &NOTIFICATIONS));
    samples
}

/// The calls for customers and organizations.
fn contacts() -> Vec<Sample> {
    vec![
        sample("listCustomers", "/api/customers?ownerId=$member", None),
        sample(
            "createCustomer",
            "/api/customers",
            json!({"name": "Li Wei", "ownerId": "$member", "organizationId": "$organization"}),
        ),
        sample("lookUpCustomers", "/api/customers/lookup?externalId=7&phone=112", None),
        sample("listCompanies", "/api/customers/companies", None),
        sample("makeOrganizations", "/api/customers/companies/organizations", json!({"except": []})),
        sample("getCustomer", "/api/customers/$customer", None),
        sample(
            "changeCustomer",
            "/api/customers/$customer",
            json!({"ownerId": "$member", "organizationId": "$organization"}),
        ),
        sample("removeCustomer", "/api/customers/$customer", None),
        sample("exportPersonalData", "/api/customers/$customer/personal-data", None),
        sample("previewRetention", "/api/customers/retention?status=lead&months=24", None),
        sample("erasePerson", "/api/customers/$erasable/erasure", json!({"name": "Ona"})),
        sample("getCustomerStatuses", "/api/customers/statuses", None),
        sample(
            "changeCustomerStatuses",
            "/api/customers/statuses",
            json!({"statuses": [{"id": "lead", "name": "Lead", "color": "teal", "retentionMonths": 240}],
                "moves": [{"from": "active", "to": "lead"}, {"from": "inactive", "to": "lead"}]}),
        ),
        sample("listOrganizations", "/api/organizations?filter=ownerId:is:$member", None),
        sample("createOrganization", "/api/organizations", json!({"name": "Acme", "ownerId": "$member"})),
        sample("lookUpOrganizations", "/api/organizations/lookup?email=ada@acme.example", None),
        sample("getOrganization", "/api/organizations/$organization", None),
        sample("changeOrganization", "/api/organizations/$organization", json!({"ownerId": "$member"})),
        sample("removeOrganization", "/api/organizations/$organization", None),
    ]
}

/// The calls for deals.
fn deals() -> Vec<Sample> {
    let deal = json!({"title": "Rugs", "customerId": "$customer", "organizationId": "$organization",
        "ownerId": "$member", "visibility": {"to": "people", "people": ["$member"]}});
    vec![
        sample("listDeals", "/api/deals?filter=customerId:is:$customer", None),
        sample("createDeal", "/api/deals", deal.clone()),
        sample("lookUpDeals", "/api/deals/lookup?externalId=7", None),
        sample("getDeal", "/api/deals/$deal", None),
        sample("changeDeal", "/api/deals/$deal", deal),
        sample("removeDeal", "/api/deals/$deal", None),
        sample("getForecast", "/api/deals/forecast?from=2026-11&months=3&filter=ownerId:is:$member", None),
        sample("getPipeline", "/api/deals/pipeline", None),
        sample(
            "changePipeline",
            "/api/deals/pipeline",
            json!({"stages": [{"id": "new", "name": "First", "probability": 5}],
                "reasons": [{"name": "Price", "outcome": "won"}],
                "moves": [{"from": "qualified", "to": "new"}, {"from": "proposal", "to": "new"},
                    {"from": "negotiation", "to": "new"}]}),
        ),
    ]
}

/// The calls for what all kinds of records have.
fn parts() -> Vec<Sample> {
    vec![
        sample(
            "createActivity",
            "/api/activities",
            json!({"type": "note", "text": "Called back", "links": [{"kind": "customer", "recordId": "$customer"}],
                "nextStep": {"title": "Write", "assigneeId": "$member"}}),
        ),
        sample("getActivity", "/api/activities/$activity", None),
        sample(
            "changeActivity",
            "/api/activities/$activity",
            json!({"links": [{"kind": "customer", "recordId": "$customer"}]}),
        ),
        sample("removeActivity", "/api/activities/$activity", None),
        sample("listBin", "/api/bin?limit=50&q=a&kind=task&removedBy=$member", None),
        sample("restoreRecord", "/api/bin/$binned/restore", json!({})),
        sample("purgeRecord", "/api/bin/$binned", None),
        sample("emptyBin", "/api/bin", None),
        sample("listCustomFields", "/api/fields?kind=customers", None),
        sample("createCustomField", "/api/fields", json!({"kind": "tasks", "name": "Size", "type": "text"})),
        sample("changeCustomField", "/api/fields/$field", json!({"name": "Size", "place": 0})),
        sample("removeCustomField", "/api/fields/$field", None),
        sample("restoreCustomField", "/api/fields/$field/restore", json!({})),
        sample("exportRecords", "/api/exports?kind=customers&filter=ownerId:is:$member", None),
        sample("listImports", "/api/imports", None),
        sample("listImportFields", "/api/imports/fields?kind=deals", None),
        sample("getImport", "/api/imports/$import", None),
        sample("changeImport", "/api/imports/$import", json!({"duplicates": "update", "hasHeader": true})),
        sample("previewImport", "/api/imports/$import/preview", None),
        sample("checkImport", "/api/imports/$import/check", json!({})),
        sample("startImport", "/api/imports/$import/start", json!({})),
        sample("stopImport", "/api/imports/$import/stop", json!({})),
        sample("undoImport", "/api/imports/$finished/undo", json!({})),
        sample("getImportReport", "/api/imports/$import/report", None),
        sample("removeImport", "/api/imports/$import", None),
        sample("createBulkChange", "/api/bulk", json!({"kind": "tasks", "ids": ["$task"], "addTags": ["x"]})),
        sample("listBulkChanges", "/api/bulk?kind=tasks&limit=50", None),
        sample("getBulkChange", "/api/bulk/$bulk", None),
        sample("stopBulkChange", "/api/bulk/$bulk/stop", json!({})),
        sample("undoBulkChange", "/api/bulk/$bulk/undo", json!({})),
        sample("getSums", "/api/sums?kind=customers&column=fields.size", None),
        sample("listSavedViews", "/api/views?kind=customers", None),
        sample(
            "createSavedView",
            "/api/views",
            json!({"kind": "tasks", "name": "Mine", "filters": ["completed:is:false"]}),
        ),
        sample("changeSavedView", "/api/views/$view", json!({"name": "All leads", "columns": ["name", "status"]})),
        sample("removeSavedView", "/api/views/$view", None),
        sample("setDefaultView", "/api/views/default", json!({"kind": "customers", "viewId": "$view"})),
        sample("getSchema", "/api/schema", None),
        sample("listTags", "/api/tags", None),
        sample("changeTag", "/api/tags", json!({"tag": "vip", "color": "teal"})),
        sample("renameTag", "/api/tags/rename", json!({"from": "small", "to": "tiny"})),
        sample("removeTag", "/api/tags/remove", json!({"tag": "small"})),
        sample("getTagChange", "/api/tags/changes/$tagChange", None),
        sample("findDuplicates", "/api/duplicates/find", json!({"kind": "customers", "name": "Ana López"})),
        sample("listRecordDuplicates", "/api/customers/$customer/duplicates", None),
        sample("listDuplicates", "/api/duplicates?kind=customers", None),
        sample("getDuplicateScan", "/api/duplicates/scan?kind=customers", None),
        sample("scanDuplicates", "/api/duplicates/scan", json!({"kind": "organizations"})),
        sample(
            "dismissDuplicate",
            "/api/duplicates/dismiss",
            json!({"kind": "customers", "ids": ["$named", "$spare"]}),
        ),
        sample("mergeRecords", "/api/customers/$named/merge", json!({"duplicateId": "$double"})),
        sample("listMerges", "/api/merges?kind=customers", None),
        sample("getMerge", "/api/merges/$merge", None),
        sample("undoMerge", "/api/merges/$merge/undo", json!({})),
        sample("undoTagChange", "/api/tags/changes/$tagChange/undo", json!({})),
        sample("listRecordFiles", "/api/tasks/$task/files", None),
        sample("attachRecordFile", "/api/tasks/$task/files", json!({"path": "$path"})),
        sample("removeRecordFile", "/api/tasks/$task/files/$attached", None),
        sample("listRecordLinks", "/api/customers/$customer/links", None),
        sample("linkRecord", "/api/customers/$customer/links", json!({"kind": "task", "recordId": "$task"})),
        sample("unlinkRecord", "/api/customers/$customer/links/$linked", None),
        sample("getTimeline", "/api/customers/$customer/timeline?limit=50", None),
        sample("listComments", "/api/customers/$customer/comments?limit=50", None),
        sample(
            "createComment",
            "/api/customers/$customer/comments",
            json!({"value": "@Bob #it", "mentions": [{"memberId": "$member", "text": "@Bob"}],
            "references": [{"kind": "task", "recordId": "$task", "text": "#it"}]}),
        ),
        sample(
            "changeComment",
            "/api/customers/$customer/comments/$comment",
            json!({"value": "@Bob #it", "mentions": [{"memberId": "$member", "text": "@Bob"}],
            "references": [{"kind": "task", "recordId": "$task", "text": "#it"}]}),
        ),
        sample("removeComment", "/api/customers/$customer/comments/$comment", None),
        sample(
            "reactToComment",
            "/api/customers/$customer/comments/$comment/reactions",
            json!({"emoji": "👍", "on": true}),
        ),
    ]
}

/// The calls for notification preferences and sent messages.
fn tidings() -> Vec<Sample> {
    let preferences = json!({"kinds": {"task_due": {"mail": true}}, "digest": "daily", "digestHour": 7});
    vec![
        sample("getNotificationPreferences", "/api/common/user/notification-preferences", None),
        sample("changeNotificationPreferences", "/api/common/user/notification-preferences", preferences),
        sample("sendMessage", "/api/messages/send", json!({"to": ["$member"], "title": "Lunch", "text": "At one?"})),
        sample("listSentMessages", "/api/messages/sent?limit=50", None),
        sample("getSentMessage", "/api/messages/sent/$sent", None),
    ]
}

/// The calls for chat.
fn chat() -> Vec<Sample> {
    let mentions = json!([{"memberId": "$member", "text": "@Bob"}]);
    let refer = |kind| json!({"kind": kind, "recordId": format!("${kind}"), "text": "#it"});
    let references: Vec<Value> = kinds_with_parts().map(|kind| refer(kind.kind)).collect();
    vec![
        sample("listChats", "/api/apps/chat/chats", None),
        sample("getChat", "/api/apps/chat/chat?id=$chat", None),
        sample("openChat", "/api/apps/chat/chat", json!({"contactId": "$member"})),
        sample("changeChat", "/api/apps/chat/chat", json!({"id": "$chat", "chat": {"muted": true}})),
        sample("createChatGroup", "/api/apps/chat/groups", json!({"name": "Sales", "memberIds": ["$member"]})),
        sample(
            "changeChatGroup",
            "/api/apps/chat/groups/$group",
            json!({"name": "Office", "add": ["$member"], "remove": ["$member"]}),
        ),
        sample("leaveChatGroup", "/api/apps/chat/groups/$group/membership", None),
        sample("listChatContacts", "/api/apps/chat/contacts", None),
        sample("getChatContact", "/api/apps/chat/contact?id=$member", None),
        sample("getChatProfile", "/api/apps/chat/profile", None),
        sample("listChatMessages", "/api/apps/chat/messages?chatId=$chat&before=$line&after=$line&around=$line", None),
        sample(
            "sendChatMessage",
            "/api/apps/chat/messages",
            json!({"chatId": "$chat", "value": "@Bob #it", "mentions": mentions, "references": references}),
        ),
        sample(
            "editChatMessage",
            "/api/apps/chat/messages/$line",
            json!({"value": "@Bob, #it", "mentions": mentions, "references": references}),
        ),
        sample("removeChatMessage", "/api/apps/chat/messages/$line", None),
        sample("reactToChatMessage", "/api/apps/chat/messages/$line/reactions", json!({"emoji": "👍", "on": true})),
        sample("searchChat", "/api/apps/chat/search?q=hello&chatId=$chat&limit=5", None),
        sample("readChat", "/api/apps/chat/read", json!({"chatId": "$chat", "messageId": "$line"})),
        sample("countUnreadChatMessages", "/api/apps/chat/unread", None),
    ]
}

/// The calls for second factors and single sign-on.
fn proofs() -> Vec<Sample> {
    vec![
        sample("getFactors", "/api/auth/factors", None),
        sample("beginTotp", "/api/auth/factors/totp", json!({"password": PASSWORD})),
        sample("removeTotp", "/api/auth/factors/totp/remove", json!({"password": PASSWORD, "code": "$code"})),
        sample(
            "renewRecoveryCodes",
            "/api/auth/factors/recovery-codes",
            json!({"password": PASSWORD, "code": "$code"}),
        ),
        sample("beginPasskey", "http://localhost/api/auth/factors/passkeys/options", json!({"password": PASSWORD})),
        sample("renamePasskey", "/api/auth/factors/passkeys/$passkey", json!({"name": "Phone"})),
        sample(
            "removePasskey",
            "/api/auth/factors/passkeys/$passkey/remove",
            json!({"password": PASSWORD, "code": "$code"}),
        ),
        sample("createPasswordLink", "/api/team/$member/password-link", None),
        sample("resetFactors", "/api/team/$member/factors", None),
        sample(
            "changePassword",
            "/api/common/user/password",
            json!({"currentPassword": PASSWORD, "newPassword": "another horse battery"}),
        ),
        sample("changeEmail", "/api/common/user/email", json!({"email": "new@acme.example", "password": PASSWORD})),
        sample("lockSession", "/api/auth/lock-session", json!({})),
        sample("endOtherSessions", "/api/auth/sessions/end-others", json!({"password": PASSWORD})),
        sample("listMemberSessions", "/api/team/$member/sessions", None),
        sample("endMemberSessions", "/api/team/$member/sessions", None),
        sample("getSingleSignOn", "/api/settings/single-sign-on", None),
        sample(
            "setSingleSignOn",
            "/api/settings/single-sign-on",
            json!({"issuer": ISSUER, "clientId": "a", "clientSecret": "s", "name": "ID"}),
        ),
        sample("removeSingleSignOn", "/api/settings/single-sign-on", None),
    ]
}

/// The calls for members.
fn team() -> Vec<Sample> {
    vec![
        sample("listMembers", "/api/team", None),
        sample(
            "createMember",
            "/api/team",
            json!({"name": "Eve", "email": "eve@new.example", "role": "member", "password": "correct horse battery"}),
        ),
        sample("listFormerMembers", "/api/team/former", None),
        sample("getMember", "/api/team/$member", None),
        sample(
            "inviteMembers",
            "/api/team/invitations",
            json!({"emails": ["ida@new.example"], "role": "member", "message": "Welcome"}),
        ),
        sample("resendInvitation", "/api/team/$invited/resend-invitation", None),
        sample("createInvitationLink", "/api/team/$invited/invitation-link", None),
        sample("changeMember", "/api/team/$member", json!({"title": "Buyer"})),
        sample("removeMember", "/api/team/$member", None),
    ]
}

/// The calls of a panel, in the order of `inbox`.
const MESSAGES: [&str; 11] = [
    "listMessages",
    "createMessage",
    "changeMessage",
    "removeMessage",
    "markAllMessagesAsReadByGet",
    "markAllMessagesAsRead",
    "toggleMessageReadStatus",
    "countUnreadMessages",
    "seeMessages",
    "batchMessages",
    "restoreMessages",
];
const NOTIFICATIONS: [&str; 11] = [
    "listNotifications",
    "createNotification",
    "changeNotification",
    "removeNotification",
    "markAllNotificationsAsReadByGet",
    "markAllNotificationsAsRead",
    "toggleNotificationReadStatus",
    "countUnreadNotifications",
    "seeNotifications",
    "batchNotifications",
    "restoreNotifications",
];

fn inbox(name: &'static str, ids: &[&'static str; 11]) -> [Sample; 11] {
    let path = |rest: &str| format!("/api/common/{name}s{rest}");
    let id = format!("${name}");
    let removed = if name == "message" { "$removedMessage" } else { "$removedNotification" };
    let parts = [
        (path(&format!("?before={id}&limit=50&unread=true&q=hello")), None),
        (path(""), Some(json!({name: {"title": "Hello", "useRouter": false, "to": ["$member"]}}))),
        (path(""), Some(json!({"id": id, name: {"title": "Changed"}}))),
        (path(&format!("?id={id}")), None),
        (path("/mark-all-as-read"), None),
        (path("/mark-all-as-read"), None),
        (path("/toggle-read-status"), Some(json!({name: {"id": id, "read": true}}))),
        (path("/unread"), None),
        (path("/seen"), None),
        (path("/batch"), Some(json!({"ids": [id], "action": "read"}))),
        (path("/restore"), Some(json!({"ids": [removed]}))),
    ];
    let mut ids = ids.iter();
    parts.map(|(path, body)| Sample { id: ids.next().copied().unwrap_or_default(), path, body })
}
