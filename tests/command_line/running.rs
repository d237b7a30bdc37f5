//! Helpers that run the real binary as commands and as a server.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    ops::Deref,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

use crate::machine::{agent::agent_settings, program::program};

pub const PASSWORD: &str = "correct horse battery";

pub fn atrium(data: &Path, arguments: &[&str]) -> Command {
    let mut command = program(env!("CARGO_BIN_EXE_atrium"));
    command.args(arguments).arg("--data-dir").arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn run(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = atrium(data, arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A command that refuses its flags may end before it reads.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

#[track_caller]
pub fn done(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the objects of a list, one a line.
#[track_caller]
pub fn listed(output: &Output) -> Vec<Value> {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
pub fn refused(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty());
    // Lines of the log may come before it.
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

pub fn create_tenant(data: &Path, slug: &str) -> Output {
    let email = format!("ada@{slug}.example");
    let arguments = ["tenant", "create", "--slug", slug, "--name", "Acme Ltd", "--owner-name", "Ada"];
    let rest = ["--owner-email", &email, "--owner-password-stdin", "--color-scheme", "teal", "--json"];
    run(data, &[&arguments[..], &rest[..]].concat(), PASSWORD)
}

/// A running server, called at its address.
pub struct Server {
    pub url: String,
}

/// A server on a free port. Dropping it stops the server and waits for it.
pub struct Running {
    pub child: Child,
    pub server: Server,
    pub set_up: Option<String>,
}

impl Deref for Running {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Running {
    pub fn start(data: &Path) -> Self {
        Self::with(data, &[])
    }

    /// Starts a server with further flags, which may include the listen address.
    pub fn with(data: &Path, flags: &[&str]) -> Self {
        let listen: &[&str] = if flags.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        Self::of(&mut atrium(data, &[&["serve", "--json"], listen, flags].concat()))
    }

    /// Starts a server with a custom command.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| started[name].as_str().map(str::to_owned);
        Self { child, server: Server { url: text("url").unwrap() }, set_up: text("setUp") }
    }

    pub fn terminate(&mut self) -> Option<i32> {
        program("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Server {
    pub fn sign_in(&self, email: &str, password: &str) -> u16 {
        self.post("/api/auth/sign-in", &serde_json::json!({ "email": email, "password": password }))
    }

    /// Sends a request with a token and returns the body, which may not be JSON. Panics on an error status.
    pub fn ask(&self, token: &str, method: &str, path: &str, form: Option<&Value>) -> Vec<u8> {
        let request = http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.header("content-type", "application/json");
        let body = form.map(Value::to_string).unwrap_or_default();
        let agent = agent_settings().build().new_agent();
        let mut answer = agent.run(request.body(body).unwrap()).unwrap();
        let read = answer.body_mut().read_to_vec().unwrap();
        assert!(
            answer.status().is_success(),
            "{method} {path}: {} {}",
            answer.status(),
            String::from_utf8_lossy(&read)
        );
        read
    }

    /// Sends a request with a token, or without one when it is empty; returns the body, whatever the status.
    pub fn ask_any(&self, token: &str, method: &str, path: &str) -> Vec<u8> {
        let agent = agent_settings().build().new_agent();
        let request = http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = match token {
            "" => request,
            token => request.header("authorization", format!("Bearer {token}")),
        };
        agent.run(request.body(()).unwrap()).unwrap().body_mut().read_to_vec().unwrap()
    }

    /// Signs in to a tenant and returns the access token.
    pub fn token(&self, company: &str) -> String {
        let form = serde_json::json!({ "email": "ada@acme.example", "password": PASSWORD, "company": company });
        let signed_in: Value = serde_json::from_slice(&self.ask("", "POST", "/api/auth/sign-in", Some(&form))).unwrap();
        signed_in["accessToken"].as_str().unwrap().to_owned()
    }

    /// Uploads a picture and returns its path.
    pub fn upload(&self, token: &str) -> String {
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(30, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let head = "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"me.png\"\r\n";
        let head = format!("{head}Content-Type: image/png\r\n\r\n");
        let body = [head.as_bytes(), png.get_ref(), b"\r\n--xyz--\r\n"].concat();
        let agent = agent_settings().build().new_agent();
        let request = agent.post(format!("{}/api/files", self.url)).header("authorization", format!("Bearer {token}"));
        let mut answer = request.content_type("multipart/form-data; boundary=xyz").send(&body).unwrap();
        let file: Value = answer.body_mut().read_json().unwrap();
        file["url"].as_str().unwrap().to_owned()
    }

    pub fn post(&self, path: &str, form: &Value) -> u16 {
        let agent = agent_settings().build().new_agent();
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
