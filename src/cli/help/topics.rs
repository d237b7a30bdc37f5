//! The topics of `atrium help`: what concerns all commands.

use crate::{
    cli::output::pairs,
    config::{Loaded, Setting, Sources},
};

/// A topic.
pub struct Topic {
    pub name: &'static str,
    /// What it is about, for lists.
    pub about: &'static str,
    body: fn() -> String,
}

/// All topics.
pub const TOPICS: [Topic; 4] = [
    Topic { name: "exit-codes", about: "What the exit code of a command says", body: exit_codes },
    Topic { name: "configuration", about: "Where settings come from, and all settings", body: configuration },
    Topic { name: "environment", about: "The variables that Atrium reads", body: environment },
    Topic { name: "output", about: "Standard output, standard error, and --json", body: output },
];

impl Topic {
    /// Returns the topic with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOPICS.iter().find(|topic| topic.name == name)
    }

    /// Returns the name as words.
    pub fn title(&self) -> String {
        self.name.replace('-', " ")
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.about, self.body())
    }

    /// Returns the text without its heading.
    pub fn body(&self) -> String {
        (self.body)().trim_end().to_owned()
    }
}

fn exit_codes() -> String {
    "\
A command exits with:
  0  Done
  1  Failed; the reason is on standard error
  2  Wrong usage: there is no such command, option or value, or one is missing. Nothing was done
  3  Data is damaged: `atrium check` found damage, `atrium repair` left some, or the store cannot be opened

These also fail with 1, after they print their result:
  atrium health        the server accepts no changes
  atrium doctor        a check is failing
  atrium alerts test   a channel does not work
  atrium config check  a setting cannot work
  atrium import        the file was not read to its end"
        .to_owned()
}

fn configuration() -> String {
    let settings = settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|setting| (setting.key, setting.value.as_str())).collect();
    format!(
        "\
A setting has the value of the first of these that names it:
  1. an option of the command: --data-dir, and --listen of `atrium serve`
  2. a variable: `atrium help environment`
  3. the configuration file: --config FILE, ATRIUM_CONFIG, or /etc/atrium/config.toml if there is one
  4. its default

`atrium init` writes the file, `atrium config check` finds what is wrong with it, `atrium config show` prints
the settings in force and where each comes from, and config.example.toml explains each. The server takes over
a changed file when it starts; `systemctl reload atrium` (SIGHUP) is enough for the log, mail and languages.

The settings and their defaults:
{}",
        indented(&pairs(&settings))
    )
}

fn environment() -> String {
    let mut variables =
        vec![("ATRIUM_CONFIG".to_owned(), "the configuration file (--config); an empty one is none".to_owned())];
    variables.extend(settings().into_iter().map(|setting| {
        let option = match setting.key {
            "data_dir" => " (--data-dir)",
            "listen" => " (--listen of `atrium serve`)",
            _ => "",
        };
        (setting.variable, format!("{}{option}", setting.key))
    }));
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, about)| (name.as_str(), about.as_str())).collect();
    format!(
        "\
Every setting is also a variable. It wins over the configuration file; an empty one counts as well. Lists are
separated by commas. Variables that begin with ATRIUM_ and match no setting are reported.

{}

NO_COLOR (any value) prints help without colors, and TERM=dumb shows no progress.",
        indented(&pairs(&variables))
    )
}

fn output() -> String {
    "\
Results are printed to standard output; errors, questions, progress and the log to standard error. All texts
are in English.

With --json, each line is one JSON object:
  - a command prints one object; for a record, it has the record's id
  - a list prints an object for each item, and nothing when it is empty
  - `atrium status --watch` prints an object every two seconds
  - an error is an object on standard error: {\"error\": {\"code\", \"message\", \"fields\"}}; `fields` has the
    messages for invalid values by their names, and is left out when there are none
  - a warning is an object on standard error: {\"warning\": {\"message\"}}

Exceptions: `atrium openapi` prints a document that is JSON in any case, and `atrium completions` a script.

Long commands show their progress while standard error is a terminal; the line is gone at the end."
        .to_owned()
}

/// Returns all settings with their defaults.
pub(super) fn settings() -> Vec<Setting> {
    Loaded::from_sources(Sources::default()).map(|loaded| loaded.settings()).unwrap_or_default()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
