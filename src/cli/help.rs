//! Help texts: the common parts, and examples for each command.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::args::Arguments;

/// The heading of required options.
const REQUIRED: &str = "Required options";
/// The heading of optional options.
const OPTIONAL: &str = "Options";
/// The heading of options that every command has.
pub const GLOBAL: &str = "Global options";

const ROOT: &str = "\
Environment:
  Every setting of config.example.toml is also a variable: limits.connections is ATRIUM_LIMITS_CONNECTIONS,
  data_dir (--data-dir) is ATRIUM_DATA_DIR, listen (--listen) is ATRIUM_LISTEN. ATRIUM_CONFIG names the
  configuration file. Options win over variables, variables over the file. `atrium config show` names the
  variable of each setting. LC_ALL, LC_MESSAGES and LANG choose the language of messages (en, es).

Exit codes:
  0  Done
  1  Failed; the reason is on standard error
  2  Wrong usage
  3  Data is damaged (check, repair, or a store that cannot be opened)

Examples:
  atrium serve --demo
  atrium serve --config /etc/atrium/config.toml
  atrium help tenant create";

/// Examples for each command. Tests parse every line.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "serve",
        "atrium serve --listen localhost:8080 --demo
atrium serve --config /etc/atrium/config.toml --data-dir /var/lib/atrium",
    ),
    (
        "tenant create",
        "atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example
atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-file FILE",
    ),
    ("tenant list", "atrium tenant list\natrium tenant list --json"),
    ("tenant show", "atrium tenant show acme"),
    (
        "tenant update",
        "atrium tenant update acme --locale es --timezone Europe/Madrid
atrium tenant update acme --domain work.acme.example --domain acme.example",
    ),
    ("tenant suspend", "atrium tenant suspend acme"),
    ("tenant resume", "atrium tenant resume acme"),
    ("tenant export", "atrium tenant export acme /srv/acme.tenant"),
    (
        "tenant import",
        "atrium tenant import /srv/acme.tenant\natrium tenant import /srv/acme.tenant --slug acme-copy",
    ),
    ("tenant delete", "atrium tenant delete acme --yes"),
    (
        "user create",
        "atrium user create --tenant acme --name Ben --email ben@acme.example --role admin
atrium user create --tenant acme --name Ben --email ben@acme.example --password-file FILE",
    ),
    ("user list", "atrium user list --tenant acme"),
    (
        "user set-password",
        "atrium user set-password --tenant acme --email ben@acme.example
atrium user set-password --tenant acme --email ben@acme.example --password-file FILE",
    ),
    ("user invite", "atrium user invite --tenant acme --email ben@acme.example --name Ben --role member"),
    ("user set-role", "atrium user set-role --tenant acme --email ben@acme.example --role admin"),
    ("user suspend", "atrium user suspend --tenant acme --email ben@acme.example"),
    ("user resume", "atrium user resume --tenant acme --email ben@acme.example"),
    ("user sessions", "atrium user sessions --tenant acme --email ben@acme.example"),
    ("user end-sessions", "atrium user end-sessions --tenant acme --email ben@acme.example"),
    ("keys rotate", "atrium keys rotate\natrium keys rotate --at-once"),
    ("mail list", "atrium mail list\natrium mail list --json"),
    ("mail send-test", "atrium mail send-test ops@acme.example"),
    ("backup", "atrium backup /srv/atrium.backup\natrium backup /srv/atrium.backup --passphrase-file FILE"),
    ("restore", "atrium restore /srv/atrium.backup\natrium restore /srv/atrium.backup --passphrase-file FILE"),
    ("openapi", "atrium openapi"),
    ("check", "atrium check\natrium check --json"),
    (
        "repair",
        "atrium repair
atrium repair --from-backup /srv/atrium.backup --drop
atrium repair --from-backup /srv/atrium.backup --drop --yes",
    ),
    ("reindex", "atrium reindex"),
    ("compact", "atrium compact"),
    ("config show", "atrium config show\natrium config show --config /etc/atrium/config.toml --json"),
    ("config check", "atrium config check --config /etc/atrium/config.toml"),
    ("health", "atrium health\natrium health --json"),
];

/// The command line with its help: required options first, then the others, those of all commands last.
#[must_use]
pub fn command() -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true).help("Print help");
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print the version");
    let flags = [help, version].map(|flag| flag.help_heading(GLOBAL));
    complete(Arguments::command().args(flags), "").after_help(ROOT)
}

fn complete(command: Command, path: &str) -> Command {
    let examples = EXAMPLES.iter().find(|(known, _)| *known == path).map(|(_, lines)| {
        let lines: Vec<String> = lines.lines().map(|line| format!("\n  {line}")).collect();
        format!("Examples:{}", lines.concat())
    });
    let command = command.mut_args(|arg| {
        let heading = if arg.is_required_set() { REQUIRED } else { OPTIONAL };
        let has_none = !arg.is_positional() && arg.get_help_heading().is_none();
        if has_none { arg.help_heading(heading) } else { arg }
    });
    let command = match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    };
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        complete(inner, path.trim_start())
    })
}

#[cfg(test)]
mod tests {
    use clap::{FromArgMatches as _, error::ErrorKind};

    use super::*;

    /// The paths of all commands, and whether each does something by itself.
    fn paths(command: &Command, path: &str, all: &mut Vec<(String, bool)>) {
        all.push((path.to_owned(), !command.has_subcommands()));
        for inner in command.get_subcommands() {
            paths(inner, format!("{path} {}", inner.get_name()).trim_start(), all);
        }
    }

    fn help(path: &str) -> String {
        let line = format!("atrium {path} --help");
        let error = command().try_get_matches_from(line.split_whitespace()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DisplayHelp, "{path}");
        error.to_string()
    }

    #[test]
    fn every_command_has_examples_that_are_understood() {
        let mut all = Vec::new();
        paths(&command(), "", &mut all);
        for (path, is_leaf) in &all {
            let help = help(path);
            assert_eq!(help.contains("Examples:"), *is_leaf || path.is_empty(), "{path}");
            for line in help.lines().map(str::trim).filter(|line| line.starts_with("atrium ")) {
                match command().try_get_matches_from(line.split_whitespace()) {
                    Ok(matches) => drop(Arguments::from_arg_matches(&matches).unwrap()),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::DisplayHelp, "{line}: {error}"),
                }
            }
        }
        for (path, _) in EXAMPLES {
            assert!(all.iter().any(|(known, _)| known == path), "there is no {path}");
        }
    }

    #[test]
    fn required_options_come_first_and_global_ones_last() {
        let text = help("tenant create");
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        let order = [
            REQUIRED,
            "  --slug <",
            "  --owner-email <",
            "\nOptions:",
            "--color-scheme",
            GLOBAL,
            "--data-dir",
            "--help",
        ];
        assert!(order.map(place).is_sorted(), "{text}");
        assert!(help("").contains("Exit codes:") && help("").contains("ATRIUM_LISTEN"));
    }

    #[test]
    fn help_is_a_command_too() {
        for line in ["atrium help", "atrium help tenant create", "atrium tenant help create", "atrium help serve"] {
            let error = command().try_get_matches_from(line.split_whitespace()).unwrap_err();
            assert_eq!((error.kind(), error.exit_code()), (ErrorKind::DisplayHelp, 0), "{line}");
        }
    }
}
