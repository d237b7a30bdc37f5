//! Test harness: the whole application in a temporary directory, with a manual clock, two tenants with a member of
//! every role, and a client for each member.

#[path = "../tests/machine/mod.rs"]
pub mod machine;

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use poem::{Endpoint, EndpointExt, Request, Response, endpoint::BoxEndpoint};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::{
    access::links,
    app::{App, Environment},
    config::Config,
    feature::RecordKind,
    features,
    http::{Listener, Server},
    kernel::{Clock, Entropy, Id, MemberId, Result, TenantId, Timestamp},
    mail::Email,
    people::{
        audit,
        members::{Company, CompanyState, Credentials, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, Disk, Scan, Store, Stored, TenantWrite, harm, tests::sim::Sim},
    wire::etag,
};

/// The password of all members in tests.
pub const PASSWORD: &str = "correct horse battery";

/// 21 November 2026, 09:30 UTC: a Saturday.
pub const NOW: i64 = 1_795_253_400_000;

/// How long tests wait for a state. A busy machine may need most of it.
const PATIENCE: Duration = Duration::from_mins(5);

/// Looks again and again until a look returns something, and returns it. Panics after five minutes; `what` says what was
/// waited for.
pub async fn wait_for<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}"))
}

/// Returns a number that a long test reads from the environment, or its default.
pub(crate) fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var_os(name).and_then(|value| value.to_str()?.parse().ok()).unwrap_or(otherwise)
}

/// Returns the kinds whose records have the common parts.
pub fn kinds_with_parts() -> impl Iterator<Item = &'static RecordKind> {
    features::kinds().filter(|kind| kind.has_parts())
}

/// Returns the body that creates a record of a kind with a title.
pub fn new_record(kind: &RecordKind, title: &str) -> Value {
    let day = "2026-11-23";
    match kind.kind {
        "customer" | "organization" => json!({"name": title}),
        "deal" => json!({
            "title": title, "value": {"amount": 125_000, "currency": "EUR"}, "expectedDay": day, "outcome": "lost",
            "reasonId": "price", "reason": "Half as much elsewhere",
        }),
        "event" => json!({"title": title, "allDay": true, "startDate": day, "endDate": day}),
        _ => json!({"title": title}),
    }
}

/// Returns the path of the list of the records of a kind.
pub fn list_path(kind: &RecordKind) -> String {
    if kind.kind == "event" { "/api/events/records".to_owned() } else { format!("/api/{}", kind.name) }
}

/// A tenant in a test.
pub struct TestTenant {
    /// The id.
    pub id: TenantId,
    /// The slug.
    pub slug: &'static str,
}

/// The application under test.
pub struct TestApp {
    /// The application.
    pub app: App,
    /// Its clock, which tests set.
    pub clock: Clock,
    /// The tenant that most tests work in.
    pub acme: TestTenant,
    /// The tenant whose data must never be visible to `acme`.
    pub other: TestTenant,
    /// The endpoint that receives the requests.
    pub client: Arc<BoxEndpoint<'static, Response>>,
    environment: u64,
    dir: tempfile::TempDir,
}

/// The client of a signed-in member.
#[derive(Clone)]
pub struct As {
    client: Arc<BoxEndpoint<'static, Response>>,
    token: String,
    /// The member.
    pub id: MemberId,
    /// The application's clock.
    pub clock: Clock,
}

/// A response with its whole body.
#[derive(Debug)]
pub struct Got {
    /// The status.
    pub status: u16,
    /// The body as JSON; null when there is none.
    pub body: Value,
    /// The body.
    pub bytes: Vec<u8>,
    /// The headers.
    pub headers: http::HeaderMap,
}

impl Got {
    /// Returns status and body, with values that must differ replaced by fixed ones: `id` and the id of the request.
    pub fn comparable(&self, id: &str) -> (u16, String) {
        let mut body = self.body.clone();
        if let Some(error) = body.get_mut("error").and_then(Value::as_object_mut) {
            error.remove("requestId");
        }
        (self.status, body.to_string().replace(id, "ID"))
    }

    /// Reads a response.
    pub async fn of(mut response: Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response.take_body().into_vec().await.unwrap_or_default();
        Self { status, headers, body: serde_json::from_slice(&bytes).unwrap_or_default(), bytes }
    }

    /// Returns the body; panics when the status differs.
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "often only the status matters")]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    /// Returns the version in the `ETag`.
    #[must_use]
    pub fn tagged_version(&self) -> u64 {
        etag::expected(self.headers["etag"].to_str().ok()).unwrap()
    }

    /// Panics unless the response is an error with this code and its status.
    #[track_caller]
    pub fn refused(&self, code: &str) {
        assert_eq!(self.body["error"]["code"], code, "{} {}", self.status, self.body);
    }
}

impl TestApp {
    /// Opens a new application with two tenants, `acme` and `other`, each with `owner@`, `admin@`, `member@` and
    /// `viewer@<slug>.example`.
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// Like [`TestApp::new`], with changed settings.
    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        Self::empty(change).await.inhabited().await
    }

    /// Like [`TestApp::new`], with the store on a simulated disk.
    pub(crate) async fn on(disk: Arc<Sim>) -> Self {
        Self::on_with(disk, |_| {}).await
    }

    /// Like [`TestApp::on`], with changed settings.
    pub(crate) async fn on_with(disk: Arc<Sim>, change: impl FnOnce(&mut Config)) -> Self {
        Self::build(change, Some(disk)).await.inhabited().await
    }

    async fn inhabited(self) -> Self {
        let mut app = self;
        app.acme = tenant(&app.app, "acme", "Acme Ltd").await;
        app.other = tenant(&app.app, "other", "Other Ltd").await;
        app
    }

    /// Opens a new application without tenants: `acme` and `other` are only ids.
    pub async fn empty(change: impl FnOnce(&mut Config)) -> Self {
        Self::build(change, None).await
    }

    async fn build(change: impl FnOnce(&mut Config), disk: Option<Arc<dyn Disk>>) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let clock = Clock::stopped(Timestamp::from_millis(NOW));
        let mut config = Config { data_dir: dir.path().join("data"), ..Config::default() };
        change(&mut config);
        let environment =
            Environment { clock: clock.clone(), entropy: Entropy::seeded(7), password_cost: (64, 1), disk };
        let app = App::open(config, environment).expect("the house opens");
        let endpoint = app.endpoint().expect("the house answers");
        let client = Arc::new(endpoint.boxed());
        let nobody = |slug| TestTenant { id: app.store().new_tenant_id().expect("an id"), slug };
        let acme = nobody("acme");
        let other = nobody("other");
        Self { app, clock, acme, other, client, environment: 7, dir }
    }

    /// Creates a tenant in an application that has none.
    pub async fn found(&self, slug: &'static str) -> TestTenant {
        tenant(&self.app, slug, "Acme Ltd").await
    }

    /// Opens the application on an existing data directory, with the clock one minute later.
    pub fn reopened(data_dir: &Path) -> Result<Self> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let clock = Clock::stopped(Timestamp::from_millis(NOW + 60_000));
        let config = Config { data_dir: data_dir.to_owned(), ..Config::default() };
        let entropy = Entropy::seeded(99);
        let environment = Environment { clock: clock.clone(), entropy, password_cost: (64, 1), disk: None };
        let app = App::open(config, environment)?;
        let client = Arc::new(app.endpoint()?.boxed());
        let nobody = |slug| TestTenant { id: app.store().new_tenant_id().expect("an id"), slug };
        let acme = nobody("acme");
        let other = nobody("other");
        Ok(Self { app, clock, acme, other, client, environment: 99, dir })
    }

    /// Closes the application gracefully.
    pub async fn close(self) {
        drop(self.client);
        self.app.close().await;
    }

    /// Fails if the check of the store finds anything.
    pub fn assert_sound(&self) {
        let report = self.app.store().check(features::TABLES, &mut |_| std::ops::ControlFlow::Continue(()));
        let report = report.unwrap();
        assert!(report.is_sound(), "{:?}", report.damage);
    }

    /// Closes the application and returns all rows of its store.
    pub(crate) async fn into_rows(self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let Self { app, client, dir, .. } = self;
        let store = app.config().data_dir.join("store.redb");
        drop(client);
        app.close().await;
        let rows = harm::rows(&store);
        drop(dir);
        rows
    }

    /// Adds a member with this name and role to `acme`, and signs them in.
    pub async fn hire(&self, name: &str, role: Role) -> As {
        let email = format!("{name}@acme.example");
        let new = serde_json::json!({"name": name, "email": email, "role": role.as_str(), "password": PASSWORD});
        self.acme(Role::Admin).await.post("/api/team", new).await.expect(201);
        self.sign_in(&email).await
    }

    /// Signs in the member of `acme` with this role.
    pub async fn acme(&self, role: Role) -> As {
        self.sign_in(&format!("{}@acme.example", role.as_str())).await
    }

    /// Signs in the member of `other` with this role.
    pub async fn other(&self, role: Role) -> As {
        self.sign_in(&format!("{}@other.example", role.as_str())).await
    }

    /// Signs in the member with this address.
    pub async fn sign_in(&self, email: &str) -> As {
        self.try_sign_in(email).await.unwrap_or_else(|got| panic!("{email} is not let in: {got:?}"))
    }

    /// Tries to sign in the member with this address.
    /// Errors: The response to the sign-in.
    pub async fn try_sign_in(&self, email: &str) -> Result<As, Box<Got>> {
        let form = json!({"email": email, "password": PASSWORD});
        let got = self.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
        if got.status != 200 {
            return Err(got.into());
        }
        let body = got.body;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let id = text(&body["user"]["id"]).parse().expect("an id");
        Ok(As { client: self.client.clone(), token: text(&body["accessToken"]), id, clock: self.clock.clone() })
    }

    /// Stops the application and opens it again on the same data.
    pub async fn restart(self) -> Self {
        self.restart_after(async |_| ()).await
    }

    /// Stops the application, writes to the store of `acme` while no job runs, and opens the application again: as after
    /// a kill between a write and the work that follows it.
    pub(crate) async fn restart_behind(
        self,
        write: impl FnOnce(&TenantWrite<'_>) -> Result<()> + Send + 'static,
    ) -> Self {
        let (clock, entropy, tenant) = (self.clock.clone(), Entropy::seeded(self.environment + 1_000), self.acme.id);
        self.restart_after(async |store| {
            let store = Store::open(store, clock, entropy).expect("the store opens again");
            store.write(tenant, Actor::System, write).await.expect("the store takes the write");
        })
        .await
    }

    async fn restart_after(self, act: impl AsyncFnOnce(&Path)) -> Self {
        let Self { app, clock, acme, other, client, environment, dir } = self;
        let config = app.config().as_ref().clone();
        drop(client);
        app.close().await;
        act(&config.data_dir.join("store.redb")).await;
        let entropy = Entropy::seeded(environment + 1);
        let app = App::open(config, Environment { clock: clock.clone(), entropy, password_cost: (64, 1), disk: None });
        let app = app.expect("the house opens again");
        let client = Arc::new(app.endpoint().expect("the house answers").boxed());
        Self { app, clock, acme, other, client, environment: environment + 1, dir }
    }

    /// Cuts the power: opens another application on what its simulated disk and its directory have at this moment.
    pub(crate) async fn crash(self, disk: &Sim) -> (Self, Arc<Sim>) {
        let Self { app, clock, acme, other, client, environment, dir } = self;
        let copy = tempfile::tempdir().expect("a temporary directory");
        let mut config = app.config().as_ref().clone();
        let data_dir = copy.path().join("data");
        // The index may be behind the store, never ahead of it.
        copy_folder(&config.data_dir, &data_dir);
        config.data_dir = data_dir;
        let survived = Arc::new(Sim::with_bytes(disk.state().durable.clone()));
        drop(client);
        app.close().await;
        drop(dir);
        let environment = environment + 1;
        let entropy = Entropy::seeded(environment);
        let disk: Option<Arc<dyn Disk>> = Some(survived.clone());
        let app = App::open(config, Environment { clock: clock.clone(), entropy, password_cost: (64, 1), disk });
        let app = app.expect("the application opens again");
        let client = Arc::new(app.endpoint().expect("the application answers").boxed());
        (Self { app, clock, acme, other, client, environment, dir: copy }, survived)
    }

    /// Returns the events of a tenant's audit log, oldest first.
    pub async fn audit(&self, tenant: TenantId) -> Vec<String> {
        self.app.auth().deferred_done().await;
        let snapshot = self.app.store().snapshot().expect("a snapshot");
        let all = snapshot.tenant(tenant, None).page::<audit::Entry>(&Scan::all().limit(10_000), |_| true);
        all.expect("the record").items.into_iter().map(|entry| entry.event().to_owned()).collect()
    }

    /// Returns kind and recipient of a tenant's e-mails, oldest first, after all deferred tasks are done.
    pub async fn emails(&self, tenant: TenantId) -> Vec<(String, String)> {
        self.app.auth().deferred_done().await;
        self.letters_so_far(tenant)
    }

    /// Returns kind and recipient of a tenant's e-mails without waiting for deferred tasks.
    pub fn letters_so_far(&self, tenant: TenantId) -> Vec<(String, String)> {
        let snapshot = self.app.store().snapshot().expect("a snapshot");
        let all = snapshot.tenant(tenant, None).page::<Email>(&Scan::all().limit(10_000), |_| true);
        all.expect("letters").items.into_iter().map(|email| (email.kind.word().to_owned(), email.value.to)).collect()
    }

    /// Returns the token in the newest link of this kind that was e-mailed to an address.
    pub async fn mailed(&self, tenant: TenantId, kind: &str, to: &str) -> Option<String> {
        self.app.auth().deferred_done().await;
        let snapshot = self.app.store().snapshot().expect("a snapshot");
        let all = snapshot.tenant(tenant, None).page::<Email>(&Scan::all().reversed(true).limit(10_000), |_| true);
        let meant = |email: &Stored<Email>| email.kind.word() == kind && email.to == to;
        let link = all.expect("letters").items.into_iter().find(meant)?.link?;
        let entropy = self.app.store().entropy().clone();
        let work = move |tx: &TenantWrite<'_>| links::create_secret(tx, Id::from_bytes(link), &entropy);
        self.app.store().write(tenant, Actor::System, work).await.expect("a secret").0
    }

    /// Sends a request without a token.
    pub async fn anonymous(&self, method: &str, path: &str, body: Option<Value>) -> Got {
        self.anonymous_with(method, path, body, &[]).await
    }

    /// Sends a request without a token, with further headers.
    pub async fn anonymous_with(&self, method: &str, path: &str, body: Option<Value>, headers: &[(&str, &str)]) -> Got {
        send(&self.client, method, path, body, headers).await
    }
}

async fn send(
    client: &BoxEndpoint<'static, Response>,
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &[(&str, &str)],
) -> Got {
    let mut request = Request::builder().method(method.parse().expect("a method")).uri(path.parse().expect("a path"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = match body {
        Some(body) => request.content_type("application/json").body(body.to_string()),
        None => request.finish(),
    };
    let got = Got::of(client.get_response(request).await).await;
    crate::tests::document::expect_declared(method, path, &got);
    got
}

impl As {
    /// Waits until a bulk change is over, and returns it.
    pub async fn bulk_over(&self, change: &Value) -> Value {
        self.work_over("/api/bulk", change).await
    }

    /// Waits until an import, its check or its undoing is over, and returns it.
    pub async fn import_over(&self, import: &Value) -> Value {
        self.work_over("/api/imports", import).await
    }

    /// Waits until a merge, or its undoing, is over, and returns it.
    pub async fn merge_over(&self, merge: &Value) -> Value {
        self.work_over("/api/merges", merge).await
    }

    /// Waits until a change of tags, or its undoing, is over, and returns it.
    pub async fn tag_change_over(&self, change: &Value) -> Value {
        self.work_over("/api/tags/changes", change).await
    }

    async fn work_over(&self, list: &str, begun: &Value) -> Value {
        let path = format!("{list}/{}", begun["id"].as_str().unwrap());
        wait_for(&format!("the end of {path}"), async || {
            let work = self.get(&path).await.expect(200);
            let is_over = !["running", "checking", "undoing"].iter().any(|state| work["state"] == *state);
            is_over.then_some(work)
        })
        .await
    }

    /// Uploads a CSV file, and imports it as its columns are guessed.
    pub async fn import(&self, kind: &str, csv: &str) -> Value {
        let begun = self.begin_import(kind, csv).await;
        self.import_over(&begun).await
    }

    /// Uploads a CSV file, and begins to import it.
    pub async fn begin_import(&self, kind: &str, csv: &str) -> Value {
        let path = format!("/api/imports?kind={kind}");
        let made = self.upload_to(&path, "list.csv", "text/csv", csv.as_bytes()).await.expect(201);
        self.post(&format!("/api/imports/{}/start", made["id"].as_str().unwrap()), json!({})).await.expect(202)
    }

    /// Sends a request with further headers.
    pub async fn send_with(&self, method: &str, path: &str, body: Option<Value>, headers: &[(&str, &str)]) -> Got {
        let bearer = format!("Bearer {}", self.token);
        let headers = [&[("authorization", bearer.as_str())], headers].concat();
        send(&self.client, method, path, body, &headers).await
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Got {
        self.send_with("GET", path, None, &[]).await
    }

    /// Exports records. On a busy machine the index may be behind for longer than an export waits.
    pub async fn export(&self, query: &str) -> Got {
        loop {
            let got = self.get(&format!("/api/exports?{query}")).await;
            if got.status != 503 {
                return got;
            }
        }
    }

    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: Value) -> Got {
        self.send_with("POST", path, Some(body), &[]).await
    }

    /// Sends a PATCH request.
    pub async fn patch(&self, path: &str, body: Value) -> Got {
        self.send_with("PATCH", path, Some(body), &[]).await
    }

    /// Sends a PUT request.
    pub async fn put(&self, path: &str, body: Value) -> Got {
        self.send_with("PUT", path, Some(body), &[]).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Got {
        self.send_with("DELETE", path, None, &[]).await
    }

    /// Uploads a file in a multipart form.
    pub async fn upload(&self, name: &str, kind: &str, bytes: &[u8]) -> Got {
        self.upload_to("/api/files", name, kind, bytes).await
    }

    /// Uploads a file in a multipart form to a call.
    pub async fn upload_to(&self, path: &str, name: &str, kind: &str, bytes: &[u8]) -> Got {
        self.send_form(path, ["file", name, kind], bytes, &[]).await
    }

    /// Uploads a file in a form with another field's name, or with further headers.
    pub async fn upload_form(&self, form: [&str; 3], bytes: &[u8], headers: &[(&str, &str)]) -> Got {
        self.send_form("/api/files", form, bytes, headers).await
    }

    async fn send_form(
        &self,
        path: &str,
        [field, name, kind]: [&str; 3],
        bytes: &[u8],
        headers: &[(&str, &str)],
    ) -> Got {
        let disposition = format!("Content-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"");
        let mut body = format!("--xyz\r\n{disposition}\r\nContent-Type: {kind}\r\n\r\n").into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--xyz--\r\n");
        let request = Request::builder()
            .method(http::Method::POST)
            .uri_str(path)
            .header("authorization", format!("Bearer {}", self.token))
            .content_type("multipart/form-data; boundary=xyz");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Got::of(self.client.get_response(request.body(body)).await).await
    }

    /// Returns the access token, for tests that misuse it.
    pub fn token(&self) -> &str {
        &self.token
    }
}

/// A running server with a test application.
pub struct Line {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// Stops the server.
    pub stop: watch::Sender<bool>,
}

/// Runs `work` while the application is served over TCP; then stops the server and waits for it.
pub async fn served<F: Future<Output = ()>>(app: &TestApp, work: impl FnOnce(Line) -> F) {
    let config = app.app.config();
    let listener = Listener::bind(&"127.0.0.1:0".parse().unwrap()).await.unwrap();
    let server = Server::new(&listener, config.limits.clone(), Vec::new()).unwrap();
    let address = listener.address().unwrap().local().unwrap();
    drop(listener);
    let (stop, mut stopping) = watch::channel(false);
    let told = stop.clone();
    let serving = server.serve(app.app.endpoint().unwrap(), async move {
        drop(stopping.wait_for(|stop| *stop).await);
    });
    let working = async {
        work(Line { address, stop }).await;
        told.send_replace(true);
    };
    tokio::join!(serving, working);
}

/// Creates a tenant with one member of each role.
async fn tenant(app: &App, slug: &'static str, name: &str) -> TestTenant {
    let id = app.store().new_tenant_id().expect("an id");
    let email = move |role: Role| format!("{}@{slug}.example", role.as_str());
    let mut hashes = Vec::new();
    for role in Role::ALL {
        hashes.push(app.auth().passwords().hash(PASSWORD.to_owned(), &email(role)).await.expect("a hash"));
    }
    let company = Company {
        slug: slug.to_owned(),
        name: name.to_owned(),
        logotipo_dark: None,
        logotipo_light: None,
        color_scheme: "teal".to_owned(),
        layout: "modern".to_owned(),
        locale: "en".to_owned(),
        timezone: "UTC".to_owned(),
        region: crate::people::region::RegionChoice::default(),
        domains: vec![format!("{slug}.example")],
        support_link: None,
        idle_minutes: 30,
        second_factor: crate::people::company_rules::SecondFactorRule::default(),
        joining: crate::people::company_rules::Joining::default(),
        state: CompanyState::Active,
        closed_at: None,
    };
    let make = move |tx: &TenantWrite<'_>| {
        tx.create_at(Company::id(id), company)?;
        for (role, hash) in Role::ALL.into_iter().zip(&hashes) {
            let member = tx.create(MemberRecord {
                name: format!("{} of {slug}", role.as_str()),
                email: email(role),
                avatar: None,
                role,
                state: MemberState::Active,
                status: crate::people::members::Status::Online,
                title: None,
                phone: None,
                about: None,
                locale: None,
                timezone: None,
                region: crate::people::region::RegionChoice::default(),
                layout: None,
                scheme: None,
                sign_on: None,
            })?;
            tx.create_at(member.id, Credentials { password: hash.clone(), changed_at: tx.now() })?;
        }
        Ok(())
    };
    app.store().write(id, Actor::Operator, make).await.expect("a tenant");
    TestTenant { id, slug }
}

/// Copies a folder that may be in use.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            // The index may still remove a file that a merge has replaced.
            match std::fs::copy(entry.path(), place) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.unwrap()),
            }
        }
    }
}

/// A log writer that keeps its output.
#[derive(Clone, Debug, Default)]
pub struct LogLines(Arc<parking_lot::Mutex<Vec<u8>>>);

impl LogLines {
    /// Captures what this thread logs until the guard is dropped.
    pub fn of_this_thread(level: tracing::Level) -> (Self, tracing::dispatcher::DefaultGuard) {
        let (log, dispatch) = Self::dispatch(level);
        let guard = tracing::dispatcher::set_default(&dispatch);
        (log, guard)
    }

    /// Captures what all threads of the process log, such as the store's writer. When two tests of one process use
    /// this, the later one captures only its own thread.
    pub fn of_all_threads(level: tracing::Level) -> (Self, tracing::dispatcher::DefaultGuard) {
        let (log, dispatch) = Self::dispatch(level);
        drop(tracing::dispatcher::set_global_default(dispatch.clone()));
        let guard = tracing::dispatcher::set_default(&dispatch);
        (log, guard)
    }

    fn dispatch(level: tracing::Level) -> (Self, tracing::Dispatch) {
        let log = Self::default();
        let writer = log.clone();
        let lines = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
        let dispatch = tracing::Dispatch::new(lines.with_writer(move || writer.clone()).finish());
        (log, dispatch)
    }

    /// Returns what was written so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl std::io::Write for LogLines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
