//! The real binary, as an operator runs it: commands on a stopped store and beside a running server,
//! what it prints, and the codes it ends with.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

const PASSWORD: &str = "correct horse battery";

fn atrium(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atrium"));
    command.args(arguments).arg("--data-dir").arg(data);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ATRIUM_") {
            command.env_remove(name);
        }
    }
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = atrium(data, arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A command that refuses its flags may end before it reads.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

#[track_caller]
fn done(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn refused(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty());
    serde_json::from_slice(&output.stderr).unwrap()
}

fn create_tenant(data: &Path, slug: &str) -> Output {
    let email = format!("ada@{slug}.example");
    let arguments = ["tenant", "create", "--slug", slug, "--name", "Acme Ltd", "--owner-name", "Ada"];
    let rest = ["--owner-email", &email, "--owner-password-stdin", "--color-scheme", "teal", "--json"];
    run(data, &[&arguments[..], &rest[..]].concat(), PASSWORD)
}

/// A server on a free port; told to stop, and waited for, when it is dropped.
struct Running {
    child: Child,
    url: String,
    set_up: Option<String>,
}

impl Running {
    fn start(data: &Path) -> Self {
        let mut child = atrium(data, &["serve", "--listen", "127.0.0.1:0", "--json"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| started[name].as_str().map(str::to_owned);
        Self { child, url: text("url").unwrap(), set_up: text("setUp") }
    }

    fn terminate(&mut self) -> Option<i32> {
        Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        self.child.wait().unwrap().code()
    }

    fn sign_in(&self, email: &str, password: &str) -> u16 {
        self.post("/api/auth/sign-in", &serde_json::json!({ "email": email, "password": password }))
    }

    /// Asks as somebody of a company, by their token; the body, which may be no JSON.
    fn ask(&self, token: &str, method: &str, path: &str, form: Option<&Value>) -> Vec<u8> {
        let request = http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.header("content-type", "application/json");
        let body = form.map(Value::to_string).unwrap_or_default();
        let answer = ureq::run(request.body(body).unwrap());
        answer.unwrap().body_mut().read_to_vec().unwrap()
    }

    /// The token of whoever signs in to a company.
    fn token(&self, company: &str) -> String {
        let form = serde_json::json!({ "email": "ada@acme.example", "password": PASSWORD, "company": company });
        let signed_in: Value = serde_json::from_slice(&self.ask("", "POST", "/api/auth/sign-in", Some(&form))).unwrap();
        signed_in["accessToken"].as_str().unwrap().to_owned()
    }

    /// The path of a picture that was uploaded.
    fn upload(&self, token: &str) -> String {
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(30, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let head = "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"me.png\"\r\n";
        let head = format!("{head}Content-Type: image/png\r\n\r\n");
        let body = [head.as_bytes(), png.get_ref(), b"\r\n--xyz--\r\n"].concat();
        let request = ureq::post(format!("{}/api/files", self.url)).header("authorization", format!("Bearer {token}"));
        let mut answer = request.content_type("multipart/form-data; boundary=xyz").send(&body).unwrap();
        let file: Value = answer.body_mut().read_json().unwrap();
        file["url"].as_str().unwrap().to_owned()
    }

    fn post(&self, path: &str, form: &Value) -> u16 {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        agent.post(format!("{}{path}", self.url)).send_json(form).unwrap().status().as_u16()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.terminate();
        }
    }
}

#[test]
fn commands_work_on_a_stopped_store_and_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let made = done(&create_tenant(&data, "acme"));
    assert_eq!((made["slug"].as_str(), made["colorScheme"].as_str()), (Some("acme"), Some("teal")));
    assert!(made["id"].is_string() && made["ownerId"].is_string());
    assert_eq!(refused(&create_tenant(&data, "acme"))["error"]["code"], "conflict");
    assert_eq!(refused(&run(&data, &["health", "--json"], ""))["error"]["code"], "not_running");

    let mut server = Running::start(&data);
    assert_eq!(done(&run(&data, &["health", "--json"], ""))["status"], "ok");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    done(&create_tenant(&data, "globex"));
    assert_eq!(server.sign_in("ada@globex.example", PASSWORD), 200);

    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    let user = [&user[..], &["--role", "member", "--password-stdin", "--json"]].concat();
    let made = done(&run(&data, &user, "another long passphrase\n"));
    assert_eq!((made["role"].as_str(), made["tenant"].as_str()), (Some("member"), Some("acme")));
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    let set = ["user", "set-password", "--tenant", "acme", "--email", "ben@acme.example", "--password-stdin", "--json"];
    assert_eq!(done(&run(&data, &set, "a third passphrase\n"))["id"], made["id"]);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 400);
    assert_eq!(server.sign_in("ben@acme.example", "a third passphrase"), 200);
    let short = refused(&run(&data, &set, "short\n"));
    assert_eq!(short["error"]["code"], "invalid");
    assert!(short["error"]["fields"]["password"].is_string(), "{short}");

    // A second server says who is in the way, and does not disturb the first.
    let second = refused(&run(&data, &["serve", "--listen", "127.0.0.1:0", "--json"], ""));
    assert_eq!(second["error"]["code"], "busy");
    assert_eq!(done(&run(&data, &["health", "--json"], ""))["status"], "ok");

    assert_eq!(server.terminate(), Some(0));
    assert!(!data.join("control.sock").exists());
    let slugs = done(&run(&data, &["tenant", "list", "--json"], ""));
    let slugs: Vec<&str> = slugs["items"].as_array().unwrap().iter().filter_map(|item| item["slug"].as_str()).collect();
    assert_eq!(slugs, ["acme", "globex"]);
    let users = done(&run(&data, &["user", "list", "--tenant", "acme", "--json"], ""));
    assert_eq!(users["items"].as_array().unwrap().len(), 2);
    assert_eq!(done(&run(&data, &["check", "--json"], ""))["damages"].as_array().unwrap().len(), 0);
    assert_eq!(done(&run(&data, &["reindex", "--json"], ""))["documents"], 3);
}

#[test]
fn a_server_that_was_killed_leaves_nothing_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Running::start(folder.path());
    done(&create_tenant(folder.path(), "acme"));
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert_eq!(done(&run(folder.path(), &["tenant", "show", "acme", "--json"], ""))["slug"], "acme");
    let server = Running::start(folder.path());
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn the_configuration_is_shown_with_its_origins_and_stops_the_start_when_it_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("atrium.toml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "signup = \"closed\"\n").unwrap();
    let shown = done(&run(folder.path(), &["config", "show", "--config", path, "--json"], ""));
    assert_eq!(shown["signup"]["value"], "\"closed\"");
    assert_eq!(shown["signup"]["origin"], format!("{path}:1"));
    assert_eq!(shown["data_dir"]["origin"], "--data-dir");
    assert_eq!(shown["listen"]["origin"], "default");
    std::fs::write(&file, "signup = \"maybe\"\nlisten = 1\n").unwrap();
    for arguments in [
        ["config", "check", "--config", path],
        ["tenant", "list", "--config", path],
        ["serve", "--json", "--config", path],
    ] {
        let output = run(folder.path(), &arguments, "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            error.contains(&format!("{path}:1: signup: ")) && error.contains(&format!("{path}:2: listen: ")),
            "{error}"
        );
    }
}

#[test]
fn the_document_needs_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let document = done(&run(&data, &["openapi"], ""));
    assert!(document["openapi"].as_str().unwrap().starts_with('3'));
    assert!(!data.exists());
}

#[test]
fn wrong_usage_ends_with_2_and_a_wrong_password_never_stands_in_the_arguments() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["nonsense"][..], &["tenant"], &["user", "create", "--password", "secret"]] {
        assert_eq!(run(folder.path(), arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn an_empty_installation_is_set_up_by_the_link_that_its_start_prints() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path());
    let link = server.set_up.clone().unwrap();
    let token = link.strip_prefix(&format!("{}/sign-up#", server.url)).unwrap();
    let form = |token: &str| {
        serde_json::json!({
            "company": "Acme Ltd", "name": "Ada", "email": "ada@acme.example", "password": PASSWORD, "token": token
        })
    };
    assert_eq!(server.post("/api/auth/sign-up", &form(&"0".repeat(64))), 400);
    assert_eq!(server.post("/api/auth/sign-up", &form(token)), 202);
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    assert!(server.post("/api/auth/sign-up", &form(token)) >= 400, "once");
    drop(server);
    assert!(Running::start(folder.path()).set_up.is_none());
}

/// A user's or tenant's command with its flags, as JSON.
fn about(data: &Path, command: &[&str], email: &str, more: &[&str]) -> Output {
    run(data, &[command, &["--tenant", "acme", "--email", email, "--json"], more].concat(), "")
}

/// Runs the operator's commands for people and companies; the same whether a server runs or not.
fn operate(data: &Path) {
    let role = done(&about(data, &["user", "set-role"], "ben@acme.example", &["--role", "admin"]));
    assert_eq!(role["role"], "admin");
    assert_eq!(
        refused(&about(data, &["user", "set-role"], "ada@acme.example", &["--role", "admin"]))["error"]["code"],
        "conflict"
    );
    assert_eq!(refused(&about(data, &["user", "suspend"], "nobody@acme.example", &[]))["error"]["code"], "not_found");
    assert_eq!(done(&about(data, &["user", "suspend"], "ben@acme.example", &[]))["state"], "suspended");
    assert_eq!(done(&about(data, &["user", "resume"], "ben@acme.example", &[]))["state"], "active");
    assert_eq!(done(&about(data, &["user", "set-role"], "ben@acme.example", &["--role", "member"]))["role"], "member");
    assert!(done(&about(data, &["user", "sessions"], "ben@acme.example", &[]))["items"].is_array());
    assert!(done(&about(data, &["user", "end-sessions"], "ben@acme.example", &[]))["ended"].is_number());
    let changed = done(&run(data, &["tenant", "update", "acme", "--name", "Acme & Sons", "--json"], ""));
    assert_eq!((changed["name"].as_str(), changed["slug"].as_str()), (Some("Acme & Sons"), Some("acme")));
    assert_eq!(done(&run(data, &["tenant", "suspend", "acme", "--json"], ""))["state"], "suspended");
    assert_eq!(done(&run(data, &["tenant", "resume", "acme", "--json"], ""))["state"], "active");
    assert!(done(&run(data, &["keys", "rotate", "--json"], ""))["id"].is_string());
}

/// The link of the letter that went to somebody, once it is kept.
fn link_to(data: &Path, email: &str) -> String {
    for _ in 0..100 {
        let listed = done(&run(data, &["mail", "list", "--json"], ""));
        let letters = listed["items"].as_array().unwrap();
        let of = letters.iter().find(|letter| letter["to"] == email && letter["state"] == "kept");
        if let Some(link) = of.and_then(|letter| letter["link"].as_str()) {
            return link.to_owned();
        }
    }
    panic!("the letter to {email} was never kept");
}

#[test]
fn an_operator_runs_companies_their_people_and_their_letters() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    done(&run(&data, &[&user[..], &["--password-stdin", "--json"]].concat(), "another long passphrase\n"));

    operate(&data);
    done(&about(&data, &["user", "invite"], "cleo@acme.example", &["--name", "Cleo", "--role", "viewer"]));
    assert!(link_to(&data, "cleo@acme.example").starts_with("http://127.0.0.1:8080/activate-account#"));

    let server = Running::start(&data);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    operate(&data);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    let sessions = done(&about(&data, &["user", "sessions"], "ben@acme.example", &[]));
    assert_eq!(sessions["items"].as_array().unwrap().len(), 1);
    assert_eq!(done(&about(&data, &["user", "end-sessions"], "ben@acme.example", &[]))["ended"], 1);
    done(&about(&data, &["user", "invite"], "dora@acme.example", &[]));
    let link = link_to(&data, "dora@acme.example");
    assert!(link.starts_with(&format!("{}/activate-account#", server.url)), "{link}");
    assert_eq!(
        refused(&about(&data, &["user", "invite"], "ben@acme.example", &[]))["error"]["fields"]
            .as_object()
            .unwrap()
            .len(),
        1
    );

    let test = done(&run(&data, &["mail", "send-test", "ops@far.example", "--json"], ""));
    assert!(Path::new(test["file"].as_str().unwrap()).starts_with(data.join("outgoing")));
    assert_eq!(refused(&run(&data, &["mail", "send-test", "nobody", "--json"], ""))["error"]["code"], "invalid");

    assert_eq!(run(&data, &["tenant", "delete", "acme"], "").status.code(), Some(2), "not without --yes");
    assert_eq!(done(&run(&data, &["tenant", "delete", "--yes", "acme", "--json"], ""))["slug"], "acme");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 400);
    assert_eq!(refused(&run(&data, &["tenant", "show", "acme", "--json"], ""))["error"]["code"], "not_found");
    assert!(done(&run(&data, &["mail", "list", "--json"], ""))["items"].as_array().unwrap().is_empty());
    drop(server);
    done(&create_tenant(&data, "acme"));
    assert_eq!(done(&run(&data, &["check", "--json"], ""))["damages"].as_array().unwrap().len(), 0);
}

#[test]
fn the_mail_server_s_password_is_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("atrium.toml");
    let settings =
        "public_url = \"https://atrium.example\"\n[mail]\nhost = \"mail.example\"\nfrom = \"a@acme.example\"\n";
    std::fs::write(&file, format!("{settings}user = \"atrium\"\npassword = \"canary\"\n")).unwrap();
    for flag in ["--json", "--config"] {
        let arguments = ["config", "show", "--config", file.to_str().unwrap()];
        let arguments = if flag == "--json" { [&arguments[..], &["--json"]].concat() } else { arguments.to_vec() };
        let output = run(folder.path(), &arguments, "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("********") && !text.contains("canary"), "{text}");
    }
    std::fs::write(&file, "[mail]\nhost = \"mail.example\"\n").unwrap();
    let output = run(folder.path(), &["config", "check", "--config", file.to_str().unwrap()], "");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("public_url") && error.contains("mail.from"), "{error}");
}

/// What somebody of a company finds in it: the address of their picture, the picture, and a task.
fn look_around(server: &Running, token: &str) -> (String, Vec<u8>) {
    let me: Value = serde_json::from_slice(&server.ask(token, "GET", "/api/common/user", None)).unwrap();
    let picture = me["avatar"].as_str().unwrap().to_owned();
    let query = serde_json::json!({ "query": "quixotic" });
    let found = server.ask(token, "POST", "/api/common/search", Some(&query));
    assert!(String::from_utf8_lossy(&found).contains("Quixotic errand"), "{}", String::from_utf8_lossy(&found));
    let bytes = server.ask("", "GET", &picture, None);
    assert!(bytes.starts_with(b"\x89PNG"));
    (picture, bytes)
}

fn clean(data: &Path) {
    assert_eq!(done(&run(data, &["check", "--json"], ""))["damages"], serde_json::json!([]));
}

#[test]
fn a_company_is_a_file_that_comes_in_elsewhere_or_beside_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (live, still) = (path("live.tenant"), path("still.tenant"));
    let made = done(&create_tenant(&here, "acme"));
    done(&run(&here, &["tenant", "update", "acme", "--domain", "acme.example", "--json"], ""));

    // Out while the server runs, and then from the store.
    let server = Running::start(&here);
    let token = server.token("acme");
    let picture = server.upload(&token);
    let form = serde_json::json!({ "avatar": picture });
    server.ask(&token, "PATCH", "/api/common/user", Some(&form));
    server.ask(&token, "POST", "/api/tasks", Some(&serde_json::json!({ "title": "Quixotic errand" })));
    let (_, bytes) = look_around(&server, &token);
    let exported = done(&run(&here, &["tenant", "export", "acme", &live, "--json"], ""));
    assert_eq!((&exported["id"], &exported["files"], &exported["damaged"]), (&made["id"], &1.into(), &0.into()));
    assert_eq!(exported["file"], live);
    let taken = refused(&run(&here, &["tenant", "export", "acme", &live, "--json"], ""));
    assert_eq!(taken["error"]["code"], "conflict");
    assert!(taken["error"]["fields"]["file"].is_string(), "{taken}");
    drop(server);
    // A path from where the command is given.
    let mut command = atrium(&here, &["tenant", "export", "acme", "still.tenant", "--json"]);
    done(&command.current_dir(folder.path()).output().unwrap());
    let absent = refused(&run(&here, &["tenant", "export", "nobody", &path("no.tenant"), "--json"], ""));
    assert_eq!(absent["error"]["code"], "not_found");
    assert!(!Path::new(&path("no.tenant")).exists());

    // Into another installation that stands still, and beside itself there while the server runs.
    let imported = done(&run(&there, &["tenant", "import", &still, "--json"], ""));
    assert_eq!((imported["slug"].as_str(), &imported["files"]), (Some("acme"), &1.into()));
    assert_ne!(imported["id"], made["id"]);
    assert_eq!(imported["domains"], serde_json::json!(["acme.example"]));
    clean(&there);
    let server = Running::start(&there);
    assert_eq!(look_around(&server, &server.token("acme")), (picture.clone(), bytes.clone()));
    let again = refused(&run(&there, &["tenant", "import", &live, "--json"], ""));
    assert_eq!(again["error"]["code"], "conflict");
    assert!(again["error"]["fields"]["slug"].is_string(), "{again}");
    let copy = done(&run(&there, &["tenant", "import", &live, "--slug", "copy", "--json"], ""));
    assert_eq!(copy["slug"], "copy");
    assert_eq!(copy["domainsLeftOut"], serde_json::json!(["acme.example"]));
    let (other, same) = look_around(&server, &server.token("copy"));
    assert!(other != picture && same == bytes);
    assert_eq!(look_around(&server, &server.token("acme")), (picture, bytes));
    clean(&there);

    // What is not whole, or nothing of the kind, changes nothing, whether the server runs or not.
    let whole = std::fs::read(&live).unwrap();
    let harmed = path("harmed.tenant");
    let cut = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[cut] ^= 1;
    let refuse = || {
        for bytes in [&whole[..cut], &flipped[..], b"something else", b""] {
            std::fs::write(&harmed, bytes).unwrap();
            let error = refused(&run(&there, &["tenant", "import", &harmed, "--slug", "third", "--json"], ""));
            assert_eq!(error["error"]["code"], "invalid", "{error}");
            assert!(error["error"]["fields"]["file"].is_string(), "{error}");
        }
    };
    refuse();
    drop(server);
    refuse();
    let slugs = done(&run(&there, &["tenant", "list", "--json"], ""));
    let slugs: Vec<&str> = slugs["items"].as_array().unwrap().iter().filter_map(|item| item["slug"].as_str()).collect();
    assert_eq!(slugs, ["acme", "copy"]);
    clean(&there);
    assert_eq!(run(&there, &["tenant", "export", "acme"], "").status.code(), Some(2));
}
