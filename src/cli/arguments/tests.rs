//! Tests of the command line: flags and commands that scripts rely on.

use clap::FromArgMatches as _;

use super::*;
use crate::{
    cli::{command::Command, help},
    config::Config,
};

fn parse(line: &str) -> Result<Arguments, clap::Error> {
    Arguments::from_arg_matches(&help::command().try_get_matches_from(line.split_whitespace())?)
}

#[test]
fn command_definitions_are_consistent() {
    help::command().debug_assert();
}

#[test]
fn parses_the_commands_used_in_scripts() {
    for line in [
        "atrium serve",
        "atrium serve --listen 127.0.0.1:0 --demo --data-dir x --config y",
        "atrium --data-dir x --config y --json tenant list",
        "atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-stdin --color-scheme teal --domain a.example --domain b.example --json",
        "atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-file f",
        "atrium tenant show acme --json",
        "atrium user create --tenant acme --name Ada --email ada@acme.example --role member --password-stdin --json",
        "atrium user list --tenant acme",
        "atrium user set-password --tenant acme --email ada@acme.example --password-file f",
        "atrium user invite --tenant acme --email ada@acme.example --role viewer --json",
        "atrium user set-role --tenant acme --email ada@acme.example --role admin",
        "atrium user suspend --tenant acme --email ada@acme.example",
        "atrium user resume --tenant acme --email ada@acme.example",
        "atrium user sessions --tenant acme --email ada@acme.example --json",
        "atrium user end-sessions --tenant acme --email ada@acme.example",
        "atrium tenant update acme --slug acme-2 --name Acme --domain a.example --domain b.example",
        "atrium tenant update acme --no-domains",
        "atrium tenant suspend acme",
        "atrium tenant resume acme",
        "atrium tenant export acme acme.tenant --json",
        "atrium tenant import acme.tenant --json",
        "atrium tenant import acme.tenant --slug acme-2",
        "atrium tenant delete --yes acme",
        "atrium keys rotate",
        "atrium keys rotate --at-once --json",
        "atrium mail list",
        "atrium mail send-test ops@acme.example",
        "atrium openapi",
        "atrium check --json",
        "atrium reindex",
        "atrium config show",
        "atrium config check --config x",
        "atrium doctor --fix --json",
        "atrium doctor --offline --all --only backup --only tls.ending",
        "atrium health",
        "atrium status --json",
        "atrium status --watch",
    ] {
        parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    for line in [
        "atrium",
        "atrium nonsense",
        "atrium serve --port 80",
        "atrium tenant create --slug acme",
        "atrium tenant create --slug a --name A --owner-name B --owner-email c --owner-password secret",
        "atrium user create --tenant a --name b --email c --role king",
        "atrium user set-role --tenant a --email c --role king",
        "atrium tenant delete acme",
        "atrium tenant export acme",
        "atrium tenant import",
        "atrium tenant update acme --no-domains --domain a.example",
        "atrium mail send-test",
        "atrium keys",
        "atrium user create --tenant a --name b --email c --password-stdin --password-file f",
        "atrium tenant create --slug a --name A --owner-name B --owner-email c --color-scheme pumpkin",
    ] {
        assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
    }
    assert_eq!(parse("atrium --help").unwrap_err().exit_code(), 0);
}

#[test]
fn server_receives_the_password_but_not_its_source() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a long passphrase\n").unwrap();
    let sent = |line: &str| {
        let action = parse(&format!("{line} {}", file.path().display())).unwrap().action;
        let mut command = match action {
            Action::User(action) => action.command(),
            Action::Tenant(action) => action.command(),
            Action::Backup(form) => Command::Backup(form),
            _ => panic!("{line}"),
        };
        command.read_password(&Config::default()).unwrap();
        serde_json::to_string(&command).unwrap()
    };
    assert_eq!(
        sent("atrium user set-password --tenant a --email b --password-file"),
        r#"{"command":"set-password","arguments":{"tenant":"a","email":"b","password":"a long passphrase"}}"#
    );
    assert_eq!(
        sent("atrium backup /b --passphrase-file"),
        r#"{"command":"backup","arguments":{"file":"/b","passphrase":"a long passphrase"}}"#
    );
    let tenant = sent("atrium tenant create --slug a --name b --owner-name c --owner-email d --owner-password-file");
    assert_eq!(
        tenant,
        r#"{"command":"create-tenant","arguments":{"slug":"a","name":"b","ownerName":"c","ownerEmail":"d","ownerPassword":"a long passphrase","colorScheme":null,"locale":null,"timezone":null,"region":{},"domains":[]}}"#
    );
}

#[test]
fn flags_are_passed_as_the_top_configuration_layer() {
    let sources = parse("atrium serve --listen 127.0.0.1:0 --data-dir x --config y").unwrap().sources(Vec::new());
    assert_eq!(sources.file, Some(PathBuf::from("y")));
    assert_eq!(
        sources.flags,
        [("data_dir", "--data-dir", "x".to_owned()), ("listen", "--listen", "127.0.0.1:0".to_owned())]
    );
}

#[test]
fn an_empty_variable_names_no_configuration_file() {
    let config = |line: &str, variable: Option<&str>| {
        parse(line)
            .unwrap()
            .with_config_variable(variable.map(Into::into))
            .config
            .map(|file| file.display().to_string())
    };
    assert_eq!(config("atrium status", Some("")), None);
    assert_eq!(config("atrium status", None), None);
    assert_eq!(config("atrium status", Some("/a")).as_deref(), Some("/a"));
    assert_eq!(config("atrium status --config /b", Some("/a")).as_deref(), Some("/b"));
    assert!(parse("atrium status --config=").is_err());
}
