//! Single sign-on with a real provider: `oidc-provider`, a dependency of the interface's tests, in its own process.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::{HERE, Way, app, choose, location, who};
use crate::{
    kernel::Clock,
    people::permission::Role,
    testing::{
        NOW, TestApp,
        machine::{agent::agent_settings, program::program},
    },
};

/// The provider's process, which ends with the test. Its output is read so that it does not block.
struct Process {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let mut rest = String::new();
        let _ = self.out.read_to_string(&mut rest);
        let _ = self.child.wait();
    }
}

fn start(person: &Value) -> (Process, String) {
    let ui = concat!(env!("CARGO_MANIFEST_DIR"), "/ui");
    let mut child = program("node")
        .arg("e2e/provider.mjs")
        .current_dir(ui)
        .env("CLIENT_ID", "atrium-acme")
        .env("CLIENT_SECRET", "s3cret")
        .env("REDIRECT_URI", format!("{HERE}/api/auth/oidc/callback"))
        .env("PERSON", person.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("node");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("http://127.0.0.1:"), "the provider did not start: is `npm ci` done in ui/?");
    (Process { child, out }, line.trim().to_owned())
}

/// Acts as a browser at the provider: keeps cookies, and follows redirects until the one to the callback. Returns its
/// query.
fn browse(from: &str, issuer: &str) -> String {
    let agent: ureq::Agent = agent_settings().max_redirects(0).build().into();
    let mut next = from.to_owned();
    let mut jar = BTreeMap::<String, String>::new();
    for _ in 0..10 {
        let cookies: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let got = agent.get(&next).header("cookie", cookies.join("; ")).call().unwrap();
        for set in got.headers().get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            jar.insert(name.to_owned(), value.to_owned());
        }
        let to = got.headers().get("location").unwrap_or_else(|| panic!("{} at {next}", got.status()));
        let to = to.to_str().unwrap();
        if let Some(query) = to.strip_prefix(&format!("{HERE}/api/auth/oidc/callback?")) {
            return query.to_owned();
        }
        next = if to.starts_with('/') { format!("{issuer}{to}") } else { to.to_owned() };
    }
    panic!("the provider sends on and on");
}

/// Returns an installation whose clock agrees with the provider's process.
async fn at_this_time(issuer: &str) -> TestApp {
    let app = app(issuer).await;
    app.clock.advance(Clock::system().now().millis() - NOW);
    choose(&app, issuer, json!({"createMembers": true, "domains": ["acme.example"]})).await;
    app
}

#[tokio::test]
async fn real_provider_signs_a_member_in_and_its_code_is_valid_once() {
    let (_process, issuer) =
        start(&json!({"email": "member@acme.example", "email_verified": true, "name": "Somebody"}));
    let app = at_this_time(&issuer).await;
    let way = Way::out(&app, "redirectURL=%2Ftasks").await;
    let query = browse(&way.location, &issuer);
    let back = way.back(&app, &query).await;
    assert_eq!(location(&back), "/tasks");
    assert_eq!(who(&app, &back).await.as_deref(), Some("member@acme.example"));
    let again = Way::out(&app, "").await;
    let code = query.split('&').find(|part| part.starts_with("code=")).unwrap();
    let replayed = again.back(&app, &format!("{code}&state={}", again.query["state"])).await;
    assert_eq!(location(&replayed), "/sign-in?error=invalid_credentials");
}

#[tokio::test]
async fn real_provider_adds_a_member_only_with_a_verified_email() {
    for (verified, end) in [(true, "/"), (false, "/sign-in?error=forbidden")] {
        let person = json!({"email": "nova@acme.example", "email_verified": verified, "name": "Nova"});
        let (_process, issuer) = start(&person);
        let app = at_this_time(&issuer).await;
        let way = Way::out(&app, "").await;
        let back = way.back(&app, &browse(&way.location, &issuer)).await;
        assert_eq!(location(&back), end);
        let total = app.acme(Role::Admin).await.get("/api/team").await.expect(200)["total"].clone();
        assert_eq!(total, if verified { 5 } else { 4 });
    }
}
