//! Help texts: the parts that commands have in common.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::arguments::Arguments;

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

/// The command line with its help: required options first, then the others, those of all commands last.
pub fn command() -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true).help("Print help");
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print the version");
    let flags = [help, version].map(|flag| flag.help_heading(GLOBAL));
    with_headings(Arguments::command().args(flags)).after_help(ROOT)
}

fn with_headings(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let heading = if arg.is_required_set() { REQUIRED } else { OPTIONAL };
        let has_none = !arg.is_positional() && arg.get_help_heading().is_none();
        if has_none { arg.help_heading(heading) } else { arg }
    });
    command.mut_subcommands(with_headings)
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
    fn every_command_has_examples_that_parse() {
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
    fn help_works_as_a_subcommand() {
        for line in ["atrium help", "atrium help tenant create", "atrium tenant help create", "atrium help serve"] {
            let error = command().try_get_matches_from(line.split_whitespace()).unwrap_err();
            assert_eq!((error.kind(), error.exit_code()), (ErrorKind::DisplayHelp, 0), "{line}");
        }
    }
}
