//! Tests of monitoring: `status`, `/health/details` and the address of the metrics.

use std::io::{BufRead as _, BufReader};

use serde_json::Value;

use crate::{
    machine::{agent::agent_settings, free_address::FreeAddress},
    running::{Running, atrium, create_tenant, done, refused, run},
};

fn get(url: &str) -> (u16, String) {
    let agent = agent_settings().build().new_agent();
    let mut answer = agent.get(url).call().unwrap();
    (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
}

#[test]
fn status_details_and_metrics_show_the_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    assert_eq!(refused(&run(&data, &["status", "--json"], ""))["error"]["code"], "not_running");
    let address = FreeAddress::reserve();
    let mut serve = atrium(&data, &["serve", "--json", "--listen", "127.0.0.1:0"]);
    let server = Running::of(serve.env("ATRIUM_METRICS_LISTEN", address.to_string()));

    let status = done(&run(&data, &["status", "--json"], ""));
    assert_eq!(
        (&status["companies"], &status["people"], &status["version"]),
        (&1.into(), &1.into(), &env!("CARGO_PKG_VERSION").into())
    );
    let text = String::from_utf8(run(&data, &["status"], "").stdout).unwrap();
    assert!(text.contains("Companies  1\n") && text.contains("The store takes changes."), "{text}");

    let (code, details) = get(&format!("{}/health/details", server.url));
    let details: Value = serde_json::from_str(&details).unwrap();
    // Figures, such as the free space, may differ.
    let statuses = |shown: &Value| -> Vec<(Value, Value)> {
        let checks = shown["checks"].as_array().unwrap().iter();
        checks.map(|check| (check["name"].clone(), check["status"].clone())).collect()
    };
    assert_eq!((code, &details["status"]), (200, &status["status"]));
    assert!(!statuses(&details).is_empty() && statuses(&details) == statuses(&status), "{details} {status}");

    let (code, metrics) = get(&format!("http://{address}/metrics"));
    assert_eq!(code, 200);
    let line = "atrium_http_requests_total{method=\"any\",route=\"/health\",status=\"2xx\"} 1";
    assert!(metrics.lines().any(|found| found == line) && metrics.contains("\natrium_companies 1\n"), "{metrics}");
    assert_eq!(get(&format!("http://{address}/health/live")).0, 404);
    let agent = agent_settings().build().new_agent();
    let rebound = agent.get(format!("http://{address}/metrics")).header("host", "rebound.example").call().unwrap();
    assert_eq!(rebound.status().as_u16(), 400);
    let page = get(&format!("{}/metrics", server.url)).1;
    assert!(!page.contains("atrium_companies"), "the main address has none");
}

#[test]
fn watched_status_is_one_json_object_per_line() {
    let folder = tempfile::tempdir().unwrap();
    done(&create_tenant(folder.path(), "acme"));
    let _server = Running::start(folder.path());
    let mut watch = atrium(folder.path(), &["status", "--watch", "--json"]).spawn().unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines().take(2);
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["companies"]), (2, &1.into()));
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn alerts_are_tried_by_each_channel_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    assert_eq!(refused(&run(&data, &["alerts", "list", "--json"], ""))["error"]["code"], "not_running");
    let unset = run(&data, &["alerts", "test"], "");
    let said = String::from_utf8_lossy(&unset.stderr);
    assert!(unset.status.code() == Some(1) && said.contains("are not set"), "{said}");
    let error = refused(&run(&data, &["alerts", "test", "--json"], ""));
    assert_eq!(error["error"]["code"], "alerts_failed", "{error}");

    let file = folder.path().join("told");
    let silent = FreeAddress::reserve();
    let hook = format!("http://{silent}/hook?secret=1");
    let with = |arguments: &[&str]| {
        let mut command = atrium(&data, arguments);
        command.env("ATRIUM_ALERTS_COMMAND", format!("/usr/bin/env,tee,{}", file.display()));
        command.env("ATRIUM_ALERTS_WEBHOOK", &hook);
        command
    };
    let _server = Running::of(&mut with(&["serve", "--json", "--listen", "127.0.0.1:0"]));
    let tested = run(&data, &["alerts", "test"], "");
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.code() == Some(1) && said.contains("command: sent\nwebhook: failed: "), "{said}");
    assert!(!said.contains("secret"), "{said}");
    let sent: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&sent["event"], &sent["check"]), (&"test".into(), &"test".into()));
    let list = done(&run(&data, &["alerts", "list", "--json"], ""));
    assert_eq!((&list["alerts"], &list["channels"][0]["channel"]), (&serde_json::json!({}), &"command".into()));
    let shown = with(&["config", "show"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&shown.stdout).contains("secret=1"));
}
