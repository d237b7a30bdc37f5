//! `atrium config`: shows or checks the configuration.

use std::path::Path;

use serde_json::Map;

use crate::{
    cli::prelude::*,
    config::{Fault, Faults, Loaded, Origin, Setting, read_file},
    http::Certificate,
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
    let mut faults = loaded.warnings();
    faults.extend(certificate_fault(loaded));
    if !faults.is_empty() {
        return Err(Faults(faults).into());
    }
    print_text(&if json {
        json!({ "status": "ok" }).to_string()
    } else {
        "The configuration has no errors.".to_owned()
    })
}

/// Returns why the server could not use its certificate from files.
fn certificate_fault(loaded: &Loaded) -> Option<Fault> {
    let tls = &loaded.config.tls;
    let read = |key, file: &Path| read_file(file).map_err(|error| (key, format!("{}: {error}", file.display())));
    let check = |chain: &Path, key: &Path| {
        let chain = read("tls.certificate", chain)?;
        let private = read("tls.key", key)?;
        let detail = |error: Error| error.detail().unwrap_or_default().to_owned();
        Certificate::from_pem(&chain, &private).map_err(|error| ("tls.key", detail(error)))
    };
    let (key, reason) = check(tls.certificate.as_deref()?, tls.key.as_deref()?).err()?;
    Some(Fault { origin: loaded.origin(key).cloned().unwrap_or(Origin::Default), key: key.to_owned(), reason })
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

#[cfg(test)]
mod tests {
    use std::fs;

    use rcgen::{CertificateParams, KeyPair};

    use super::*;
    use crate::config::Sources;

    #[test]
    fn a_key_that_does_not_belong_to_the_certificate_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let [chain, key, other] = ["chain.pem", "key.pem", "other.pem"].map(|name| folder.path().join(name));
        let own = KeyPair::generate().unwrap();
        let made = CertificateParams::new(["atrium.example".to_owned()]).unwrap().self_signed(&own).unwrap();
        fs::write(&chain, made.pem()).unwrap();
        fs::write(&key, own.serialize_pem()).unwrap();
        fs::write(&other, KeyPair::generate().unwrap().serialize_pem()).unwrap();
        let checked = |chain: &Path, key: &Path| {
            let text =
                format!("public_url = \"https://atrium.example\"\n[tls]\ncertificate = {chain:?}\nkey = {key:?}\n");
            check(&Loaded::from_text(text, Sources::default()).unwrap(), true).map_err(|failure| failure.message)
        };
        assert_eq!(checked(&chain, &key), Ok(()));
        let mixed = checked(&chain, &other).unwrap_err();
        assert!(mixed.starts_with(":4: tls.key: certificate and key: "), "{mixed}");
        assert!(checked(&key, &key).unwrap_err().contains("there is no certificate"));
    }
}
