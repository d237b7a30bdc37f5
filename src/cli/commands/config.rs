//! `atrium config`: shows or checks the configuration.

use serde_json::Map;

use crate::{
    cli::prelude::*,
    config::{Faults, Loaded, Setting},
};

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigAction {
    /// Print every setting and where its value comes from
    #[command(after_help = "Examples:
  atrium config show
  atrium config show --config /etc/atrium/config.toml --json")]
    Show,
    /// Check the configuration, and list everything that is wrong with it
    #[command(after_help = "Examples:
  atrium config check
  atrium config check --config /etc/atrium/config.toml")]
    Check,
}

impl ConfigAction {
    /// Prints the settings, or that they are correct.
    pub fn run(self, loaded: &Loaded, json: bool) -> Result<(), Failure> {
        match self {
            Self::Show if json => print_text(&as_json(loaded.settings())),
            Self::Show => print_text(&as_file(&loaded.settings())),
            Self::Check => check(loaded, json),
        }
    }
}

fn check(loaded: &Loaded, json: bool) -> Result<(), Failure> {
    let warnings = loaded.warnings();
    if !warnings.is_empty() {
        return Err(Faults(warnings).into());
    }
    print_text(&if json {
        json!({ "status": "ok" }).to_string()
    } else {
        "The configuration has no errors.".to_owned()
    })
}

/// Returns a JSON object by the settings' names.
fn as_json(settings: Vec<Setting>) -> String {
    let entry = |setting: Setting| {
        // A value in the file is also valid JSON: a number, or a text or list with JSON's quotes.
        let value: Value = serde_json::from_str(&setting.value).unwrap_or(Value::String(setting.value));
        (setting.key.to_owned(), json!({ "value": value, "origin": setting.origin, "variable": setting.variable }))
    };
    Value::Object(settings.into_iter().map(entry).collect::<Map<_, _>>()).to_string()
}

/// Returns a usable configuration file, with the origins as comments.
fn as_file(settings: &[Setting]) -> String {
    let left: Vec<String> = settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value)).collect();
    let width = left.iter().map(|text| text.chars().count()).max().unwrap_or_default();
    let lines = left.iter().zip(settings).map(|(text, setting)| format!("{text:width$}  # {}", setting.origin));
    lines.collect::<Vec<_>>().join("\n")
}
