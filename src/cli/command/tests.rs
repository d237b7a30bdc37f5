//! Tests of the commands on an open application.

use super::*;
use crate::{
    app::{App, Environment},
    cli::{
        commands::{health::HealthShown, reindex::Reindexed, tenant::region::RegionFlags},
        password::{NewPassword, Password},
    },
    config::Config,
    kernel::{Clock, Code, Entropy, Timestamp},
    testing::NOW,
};

fn open(folder: &std::path::Path) -> App {
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
    let HealthShown { writes, commits, condition, jobs } = *health;
    assert!(condition.writable && condition.disk_free.is_some(), "{condition:?}");
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    let maintenance = [
        "upload-garbage",
        "erasure",
        "bin",
        "bulk",
        "import",
        "person-erasure",
        "tags",
        "renaming",
        "customer-statuses",
        "contact-upgrade",
        "scrub",
        "change-feed-trim",
    ];
    assert_eq!(names[..5], ["index", "live", "mail", "deferred", "notifications"]);
    assert_eq!((&names[5..17], &names[17..]), (&maintenance[..], &["health"][..]));
    assert!(jobs.iter().all(|job| job.failures == 0 && job.last_error.is_none()), "{jobs:?}");
    assert!(writes > 0 && (1..=writes).contains(&commits), "{writes} {commits}");
    assert_eq!(run(Command::Reindex).await.unwrap(), Answer::Reindexed(Reindexed { documents: 2, damaged: 0 }));
    let Answer::Checked(report) = run(Command::Check).await.unwrap() else { panic!("nothing was verified") };
    assert!(report.damages.is_empty() && report.records >= 2, "{report:?}");
    drop(context);
    app.close().await;
}

#[test]
fn debug_output_of_a_command_hides_the_password() {
    assert!(!format!("{:?}", set_password("ada@acme.example")).contains("passphrase"));
}
