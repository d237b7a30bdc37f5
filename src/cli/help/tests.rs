//! Tests of the help: what every command must have, and the page `docs/commands.md`, which has the same.

use clap::{FromArgMatches as _, error::ErrorKind};

use super::*;

/// The page with all commands.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md");

/// A command with its words, such as `tenant create`, and its help.
struct Entry {
    path: String,
    command: Command,
    help: String,
}

/// All commands in the order of the groups, without the help of groups of commands.
fn entries() -> Vec<Entry> {
    fn add(command: &Command, path: &str, all: &mut Vec<Entry>) {
        let help = command.clone().render_help().to_string();
        all.push(Entry { path: path.to_owned(), command: command.clone(), help });
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            add(inner, &format!("{path} {}", inner.get_name()), all);
        }
    }
    let mut command = command();
    command.build();
    let mut all = Vec::new();
    for (_, commands) in groups(&command) {
        for command in commands {
            add(command, command.get_name(), &mut all);
        }
    }
    all
}

/// The command lines below `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

/// The words of a command line, without where its output goes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_once(" > ").map_or(line, |(line, _)| line).split_whitespace()
}

fn error_of(line: &str) -> clap::Error {
    command().try_get_matches_from(line.split_whitespace()).expect_err(line)
}

#[test]
fn every_command_has_examples_that_parse() {
    for Entry { path, command: of, help } in entries() {
        let found = examples(&help);
        assert!((2..=4).contains(&found.len()), "atrium {path}: {found:?}");
        for line in found {
            let is_of = |prefix: &str| words(line).zip(prefix.split_whitespace()).all(|(word, other)| word == other);
            let is_own = is_of(&format!("atrium {path}"));
            assert!(is_own || of.has_subcommands() && line.starts_with("atrium help "), "{path}: {line}");
            let matches = command().try_get_matches_from(words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
            Arguments::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{line}: {error}"));
            // What `help` is asked for exists.
            if let Some(asked) = line.strip_prefix("atrium help ") {
                let help = Help { words: asked.split_whitespace().map(str::to_owned).collect() };
                assert!(help.run(true).is_ok(), "{line}");
            }
        }
    }
}

#[test]
fn required_options_come_first_and_global_ones_last() {
    for Entry { path, command, help } in entries() {
        let places: Vec<usize> = ["Required:", "Options:", "Global options:", "Examples:", SEE_ALSO]
            .iter()
            .filter_map(|heading| help.lines().position(|line| line == *heading))
            .collect();
        assert!(places.is_sorted(), "atrium {path}: {help}");
        assert!(places.len() >= 3 && help.trim_end().ends_with(SEE_ALSO), "atrium {path}: {help}");
        let is_required = |arg: &Arg| arg.is_required_set();
        assert_eq!(help.contains("\nRequired:"), command.get_arguments().any(is_required), "atrium {path}");
        for arg in command.get_arguments() {
            assert!(arg.get_help().is_some(), "atrium {path}: {arg}");
            let heading = if is_required(arg) { &[REQUIRED][..] } else { &[OPTIONAL, GLOBAL] };
            assert!(arg.get_help_heading().is_some_and(|found| heading.contains(&found)), "atrium {path}: {arg}");
        }
        assert!(!about(&command).is_empty(), "atrium {path}");
        let named = |line: &str| line.trim_start().split(' ').next().map(str::to_owned);
        let shown: Vec<_> =
            help.lines().filter(|line| line.starts_with("  <") || line.starts_with("  [")).map(named).collect();
        let usage = command.clone().render_usage().to_string();
        let places: Vec<_> = shown.iter().flatten().map(|name| usage.find(name.as_str())).collect();
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "atrium {path}: {help}");
    }
}

#[test]
fn main_help_has_every_command_in_a_group() {
    let text = command().render_help().to_string();
    for command in command().get_subcommands() {
        let name = command.get_name();
        let lines = text.lines().filter(|line| line.split_whitespace().next() == Some(name) && line.starts_with("  "));
        assert_eq!(lines.count(), 1, "{name}: {text}");
    }
    let headings = text.lines().filter(|line| line.ends_with(':')).collect::<Vec<_>>();
    let titles = GROUPS.iter().map(|(title, _)| format!("{title}:"));
    let expected: Vec<String> = titles.chain(["Global options:".into(), "Examples:".into()]).collect();
    assert_eq!(headings, expected);
    for name in GROUPS.iter().flat_map(|(_, names)| *names) {
        assert!(command().find_subcommand(name).is_some(), "{name}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn help_names_the_variables() {
    for (path, variable) in
        [("serve", "[env: ATRIUM_LISTEN]"), ("serve", "[env: ATRIUM_DATA_DIR]"), ("check", "[env: ATRIUM_CONFIG]")]
    {
        let entry = entries().into_iter().find(|entry| entry.path == path).unwrap();
        assert!(entry.help.contains(variable), "{variable}: {}", entry.help);
    }
    let environment = Topic::find("environment").unwrap().text();
    let configuration = Topic::find("configuration").unwrap().text();
    for setting in topics::settings() {
        assert!(environment.lines().any(|line| line.trim_start().starts_with(&setting.variable)), "{setting:?}");
        assert!(configuration.lines().any(|line| line.trim_start().starts_with(setting.key)), "{setting:?}");
    }
    assert!(configuration.contains("limits.connections") && environment.contains("ATRIUM_CONFIG"));
}

#[test]
fn a_mistyped_word_gets_a_suggestion() {
    for (line, tip) in [
        ("atrium bakcup /b", "'backup'"),
        ("atrium tenant craete", "'create'"),
        ("atrium serve --lisen localhost:1", "'--listen'"),
        ("atrium user set-role --tenant a --email b --role amdin", "'admin'"),
    ] {
        let error = error_of(line);
        assert_eq!(error.exit_code(), 2, "{line}");
        assert!(error.to_string().contains("similar") && error.to_string().contains(tip), "{line}: {error}");
    }
    let asked = |line: &str| {
        let words = line.split_whitespace().map(str::to_owned).collect();
        Help { words }.run(true).expect_err(line)
    };
    for (line, tip) in [("exit-code", "exit-codes"), ("tennant", "tenant"), ("tenant creat", "create")] {
        let failure = asked(line);
        assert_eq!(failure.code, USAGE);
        assert!(failure.message.ends_with(&format!("Did you mean {tip}?")), "{failure}");
    }
    assert!(asked("xyzzy").message.contains("lists all commands and topics"));
}

#[test]
fn help_works_as_an_option_and_as_a_command() {
    for line in ["atrium --help", "atrium tenant --help", "atrium tenant create --help", "atrium serve -h"] {
        let error = error_of(line);
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::DisplayHelp, 0), "{line}");
        assert!(error.to_string().contains("Examples:"), "{line}: {error}");
    }
    for topic in &TOPICS {
        let text = topic.text();
        assert!(text.lines().count() > 4 && text.lines().all(|line| line.chars().count() <= 120), "{text}");
        assert!(SEE_ALSO.contains(topic.name), "{}", topic.name);
    }
}

/// The page of all commands, from their help.
fn page() -> String {
    let mut page = "\
# Commands

Every command of `atrium` with its options and examples, as `atrium help COMMAND` prints them. \
[operations.md](operations.md#command-line) says what all have in common. \
This page is generated.

## Options of every command

"
    .to_owned();
    let mut command = command();
    command.build();
    let is_global = |arg: &&Arg| arg.get_help_heading() == Some(GLOBAL);
    page += &options(command.get_arguments().filter(is_global));
    let all = entries();
    for (title, commands) in groups(&command) {
        let _ = write!(page, "\n## {title}\n");
        for command in commands {
            let name = command.get_name();
            let own = |path: &str| path.split_whitespace().next() == Some(name);
            for Entry { path, command, help } in all.iter().filter(|entry| own(&entry.path)) {
                let _ = write!(page, "\n### atrium {path}\n\n{}.\n", about(command));
                if !command.has_subcommands() {
                    let usage = command.clone().render_usage().to_string();
                    let _ = write!(page, "\n```\n{}\n```\n", usage.trim_start_matches("Usage: ").trim());
                }
                let options = options(command.get_arguments().filter(|arg| !is_global(arg)));
                if !options.is_empty() {
                    let _ = write!(page, "\n{options}");
                }
                let _ = write!(page, "\n```sh\n{}\n```\n", examples(help).join("\n"));
            }
        }
    }
    page
}

/// The table of options; nothing without options.
fn options<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    let mut args: Vec<&Arg> = args.filter(|arg| !arg.is_hide_set()).collect();
    args.sort_by_key(|arg| (!arg.is_required_set(), !arg.is_positional()));
    if args.is_empty() {
        return String::new();
    }
    let mut table = "| option | meaning |\n| --- | --- |\n".to_owned();
    for arg in args {
        let mut meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let values = arg.get_possible_values().into_iter().filter(|_| !arg.is_hide_possible_values_set());
        let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() && arg.get_action().takes_values() {
            meaning = format!("{meaning}: `{}`", values.join("`, `"));
        }
        let defaults: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into()).collect();
        if !defaults.is_empty() && arg.get_action().takes_values() {
            meaning = format!("{meaning} [default: {}]", defaults.join(", "));
        }
        if let Some(variable) = arg.get_env() {
            meaning = format!("{meaning} [env: {}]", variable.to_string_lossy());
        }
        let required = if arg.is_required_set() { "**required.** " } else { "" };
        let name = arg.to_string().replace('|', "\\|");
        let _ = writeln!(table, "| `{name}` | {required}{} |", meaning.replace('|', "\\|").replace('<', "\\<"));
    }
    table
}

#[test]
fn page_of_commands_is_up_to_date() {
    let page = page();
    if std::env::var_os("ATRIUM_UPDATE").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(found == page, "docs/commands.md is not what the commands are: run the test with ATRIUM_UPDATE=1");
}

/// The section of `docs/operations.md` links to the page, and has the topics' exit codes and the rule of the output.
#[test]
fn operations_page_explains_the_command_line() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md")).unwrap();
    let (_, section) = page.split_once("\n## Command line\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    assert!(section.contains("(commands.md)"));
    for topic in &TOPICS {
        assert!(section.contains(&format!("`atrium help {}`", topic.name)), "{}", topic.name);
    }
    for code in ["| 0 |", "| 1 |", "| 2 |", "| 3 |", "`--json`"] {
        assert!(section.contains(code), "{code}");
    }
}
