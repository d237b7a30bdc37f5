//! Tests of the commands on an open application.

use clap::Parser as _;

use super::*;
use crate::{
    app::{App, Environment},
    cli::{
        arguments::{Action, Arguments},
        commands::{health::HealthShown, import::RecordsImported, reindex::Reindexed, tenant::region::RegionFlags},
        password::{NewPassword, Password},
    },
    config::Config,
    kernel::{Clock, Code, Entropy, Timestamp},
    testing::NOW,
};

fn open(folder: &Path) -> App {
    let config = Config { data_dir: folder.join("data"), ..Config::default() };
    let clock = Clock::stopped(Timestamp::from_millis(NOW));
    App::open(config, Environment { clock, entropy: Entropy::seeded(7), password_cost: (64, 1), disk: None }).unwrap()
}

fn acme() -> Command {
    Command::CreateTenant(CreateTenant {
        slug: "acme".into(),
        name: "Acme Ltd".into(),
        owner_name: "Ada".into(),
        owner_email: "ada@acme.example".into(),
        owner_password_stdin: false,
        owner_password_file: None,
        owner_password: Password("correct horse battery".into()),
        color_scheme: Some("teal".into()),
        locale: None,
        timezone: None,
        region: RegionFlags::default(),
        domains: vec!["acme.example".into()],
    })
}

fn ben(role: &str, password: &str) -> Command {
    Command::CreateUser(CreateUser {
        tenant: "acme".into(),
        name: "Ben".into(),
        email: "ben@acme.example".into(),
        role: role.into(),
        password: NewPassword::of(password),
    })
}

fn set_password(email: &str) -> Command {
    Command::SetPassword(SetPassword {
        who: Person { tenant: "acme".into(), email: email.into() },
        password: NewPassword::of("a third passphrase"),
    })
}

#[tokio::test]
async fn commands_manage_tenants_and_users_and_report_health() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let context = Context::of(&app);
    let run = |command: Command| command.execute(&context);
    assert_eq!(run(Command::ListTenants).await.unwrap(), Answer::Tenants(Vec::new()));
    assert_eq!(run(Command::ShowTenant(TenantSlug { slug: "acme".into() })).await.unwrap_err().code(), Code::NotFound);

    let Answer::TenantCreated(made) = run(acme()).await.unwrap() else { panic!("no tenant was made") };
    assert_eq!((made.tenant.slug.as_str(), made.tenant.members), ("acme", 1));
    assert_eq!(run(acme()).await.unwrap_err().code(), Code::Conflict);
    let Answer::Tenant(shown) = run(Command::ShowTenant(TenantSlug { slug: "acme".into() })).await.unwrap() else {
        panic!("no tenant is shown")
    };
    assert_eq!(shown, made.tenant);

    let Answer::UserCreated(user) = run(ben("viewer", "another long passphrase")).await.unwrap() else {
        panic!("nobody was added")
    };
    assert_eq!((user.role.as_str(), user.state.as_str()), ("viewer", "active"));
    for (command, field) in [(ben("king", "another long passphrase"), "role"), (ben("member", "short"), "password")] {
        assert_eq!(run(command).await.unwrap_err().fields()[0].0, field);
    }
    let Answer::Users(users) = run(Command::ListUsers(ListUsers { tenant: "acme".into() })).await.unwrap() else {
        panic!("nobody is listed")
    };
    assert_eq!(users.iter().map(|user| user.name.as_str()).collect::<Vec<_>>(), ["Ada", "Ben"]);

    let set = run(set_password("ben@acme.example")).await.unwrap();
    assert_eq!(set, Answer::PasswordSet(user));
    let nobody = run(set_password("nobody@acme.example")).await;
    assert_eq!(nobody.unwrap_err().code(), Code::NotFound);

    let Answer::Healthy(health) = run(Command::Health).await.unwrap() else { panic!("it is not well") };
    let HealthShown { writes, commits, condition, jobs, checks, .. } = *health;
    assert!(checks.iter().any(|check| check.name == "store"), "{checks:?}");
    assert!(condition.writable && condition.disk_free.is_some(), "{condition:?}");
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    let maintenance = [
        "upload-garbage",
        "erasure",
        "bin",
        "retention",
        "bulk",
        "import",
        "person-erasure",
        "tags",
        "merge",
        "duplicates",
        "pages",
        "pipeline",
        "message-broadcast",
        "notification-broadcast",
        "renaming",
        "customer-statuses",
        "contact-upgrade",
        "scrub",
        "index-comparison",
        "field-index",
        "change-feed-trim",
    ];
    assert_eq!(names[..5], ["index", "live", "mail", "deferred", "notifications"]);
    assert_eq!((&names[5..26], &names[26..]), (&maintenance[..], &["health", "alerts"][..]));
    assert!(jobs.iter().all(|job| job.failures == 0 && job.last_error.is_none()), "{jobs:?}");
    assert!(writes > 0 && (1..=writes).contains(&commits), "{writes} {commits}");
    assert_eq!(run(Command::Reindex).await.unwrap(), Answer::Reindexed(Reindexed { documents: 2, damaged: 0 }));
    let Answer::Checked(report) = run(Command::Check).await.unwrap() else { panic!("nothing was verified") };
    assert!(report.damages.is_empty() && report.records >= 2, "{report:?}");
    drop(context);
    app.close().await;
}

/// Parses a command line of the commands for records.
fn parse(line: &[&str]) -> Command {
    let line = ["atrium"].iter().chain(line);
    match Arguments::parse_from(line).action {
        Action::Import(form) => Command::ImportRecords(form),
        Action::Export(form) => Command::ExportRecords(form),
        other => panic!("another command: {other:?}"),
    }
}

#[tokio::test]
async fn records_are_checked_imported_and_exported_in_the_name_of_a_member() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let context = Context::of(&app);
    let run = |command: Command| command.execute(&context);
    run(acme()).await.unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("people.csv"), "Name,Email,Room\nAna,ana@x.example,7\nBen,not an address,8\n").unwrap();
    let who = ["--tenant", "acme", "--as", "ada@acme.example"];
    let import = |more: &[&str]| parse(&[&["import", "customers", &at("people.csv")], &who[..], more].concat());

    let Answer::RecordsImported(checked) = run(import(&["--check"])).await.unwrap() else {
        panic!("nothing was checked")
    };
    assert!(checked.only_checked && checked.is_complete);
    let counts = |import: &RecordsImported| (import.rows, import.created, import.skipped, import.refused);
    // The row is imported without the wrong address (F-D4).
    assert_eq!(counts(&checked), (2, 2, 0, 0), "{checked:?}");
    assert!(checked.text().contains("Row 3 (Email): "), "{}", checked.text());
    let Answer::RecordsImported(without) = run(import(&["--check", "--column", "Email="])).await.unwrap() else {
        panic!("nothing was checked")
    };
    assert_eq!(counts(&without), (2, 2, 0, 0), "{without:?}");

    let found = at("found.csv");
    run(import(&["--check", "--report", &found])).await.unwrap();
    let found = std::fs::read_to_string(&found).unwrap();
    assert!(found.contains(r#"3,"Email","Email","not an address","#), "{found}");

    let report = at("report.csv");
    let Answer::RecordsImported(done) = run(import(&["--report", &report])).await.unwrap() else {
        panic!("nothing was imported")
    };
    assert_eq!(counts(&done), (2, 2, 0, 0), "{done:?}");
    assert!(std::fs::read_to_string(&report).unwrap().contains("Email"));
    let Answer::RecordsImported(again) = run(import(&[])).await.unwrap() else { panic!("nothing was imported") };
    assert_eq!(counts(&again), (2, 0, 2, 0), "{again:?}");

    let out = at("out.csv");
    let export = |file: &str| parse(&[&["export", "customers", file], &who[..]].concat());
    let Answer::RecordsExported(exported) = run(export(&out)).await.unwrap() else { panic!("nothing was exported") };
    assert_eq!(exported.records, 2);
    assert!(std::fs::read_to_string(&out).unwrap().contains("ana@x.example"));
    assert_eq!(run(export(&out)).await.unwrap_err().code(), Code::Conflict);

    std::fs::write(at("more.csv"), "Name,Email\nZoe,zoe@x.example\n").unwrap();
    run(parse(&[&["import", "customers", &at("more.csv")], &who[..]].concat())).await.unwrap();
    let sorted = at("sorted.csv");
    let shown = ["--sort=-name", "--columns", "name,email"];
    run(parse(&[&["export", "customers", &sorted], &who[..], &shown].concat())).await.unwrap();
    let text = std::fs::read_to_string(&sorted).unwrap();
    let rows = [r#""Zoe","zoe@x.example""#, r#""Ben","""#, r#""Ana","ana@x.example""#];
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), rows);

    for (line, field) in [
        ([&["export", "customers", "/x.csv"], &who[..], &["--columns", "name,nme"]].concat(), "columns.1"),
        ([&["export", "customers", "/x.csv"], &who[..], &["--sort", "nme"]].concat(), "sort"),
        (vec!["import", "pages", "/x.csv", "--tenant", "acme", "--as", "ada@acme.example"], "kind"),
        (vec!["import", "customers", "/no/such.csv", "--tenant", "acme", "--as", "ada@acme.example"], "file"),
        (vec!["export", "customers", "/x.csv", "--tenant", "acme", "--as", "nobody@acme.example"], "as"),
        (
            vec!["export", "deals", "/x.vcf", "--tenant", "acme", "--as", "ada@acme.example", "--format", "vcard"],
            "format",
        ),
    ] {
        assert_eq!(run(parse(&line)).await.unwrap_err().fields()[0].0, field, "{line:?}");
    }
    std::fs::write(at("kunden.csv"), "Name,Status\nMia,Kunde\nNoa,keine\n").unwrap();
    let import_values = |values: &[&str]| {
        let values: Vec<&str> = values.iter().flat_map(|value| ["--value", value]).collect();
        parse(&[&["import", "customers", &at("kunden.csv"), "--check"], &who[..], &values].concat())
    };
    // Values that are no choices are left out, and said (F-D4).
    for (values, said) in [(&[][..], 2), (&["Status:Kunde=Active"], 1), (&["Status:kunde=active", "Status:keine="], 0)]
    {
        let Answer::RecordsImported(tried) = run(import_values(values)).await.unwrap() else {
            panic!("nothing was checked")
        };
        assert_eq!(counts(&tried), (2, 2, 0, 0), "{values:?}: {tried:?}");
        assert_eq!(tried.problems.len(), said, "{values:?}: {tried:?}");
    }
    for wrong in ["Status:Kunde=none", "Floor:Kunde=active", "Name:Mia=active", "Status=active"] {
        assert_eq!(run(import_values(&[wrong])).await.unwrap_err().fields()[0].0, "value", "{wrong}");
    }
    let unknown = run(import(&["--column", "Floor=name"])).await.unwrap_err();
    assert_eq!(unknown.fields()[0].0, "column");
    run(ben("viewer", "another long passphrase")).await.unwrap();
    let viewer = ["import", "customers", &at("people.csv"), "--tenant", "acme", "--as", "ben@acme.example"];
    assert_eq!(run(parse(&viewer)).await.unwrap_err().code(), Code::Forbidden);
    drop(context);
    app.close().await;
}

#[test]
fn debug_output_of_a_command_hides_the_password() {
    assert!(!format!("{:?}", set_password("ada@acme.example")).contains("passphrase"));
}
