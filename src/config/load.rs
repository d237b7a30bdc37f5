//! Loading of the configuration: merges the layers and records the origin of each value.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Path, PathBuf},
};

use strsim::osa_distance;
use toml::de::{DeTable, DeValue};

use super::{
    Config, alerts, backups,
    file::read_text,
    keys::{KEYS, Key, Raw},
    languages::read_languages,
    mail, metrics, tls,
};

/// The origin of a setting's value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The default.
    Default,
    /// The file, with the line (from 1; 0 for the file as a whole).
    File(PathBuf, usize),
    /// The environment variable of this name.
    Environment(String),
    /// The flag of this name.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, 0) => write!(f, "{}", path.display()),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A fault of the configuration: where, which key, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Where the value was written.
    pub origin: Origin,
    /// The key; empty if the fault belongs to none.
    pub key: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.origin, self.reason)
        } else {
            write!(f, "{}: {}: {}", self.origin, self.key, self.reason)
        }
    }
}

/// All faults of the configuration, in the order of the layers and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// The sources of the configuration, beside the defaults.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The file, if one is named.
    pub file: Option<PathBuf>,
    /// The environment variables; those that do not begin with `ATRIUM_` are ignored.
    pub environment: Vec<(String, String)>,
    /// Flags: the key that they set, their name, their value.
    pub flags: Vec<(&'static str, &'static str, String)>,
}

/// A setting for display: name, value and origin.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Setting {
    /// The dotted name.
    pub key: &'static str,
    /// The value as in the file; a mask for a secret.
    pub value: String,
    /// The origin of the value.
    pub origin: String,
    /// The environment variable that sets it.
    pub variable: String,
}

/// A valid configuration, and the origin of each value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// `ATRIUM_` variables that set nothing. They are reported but do not prevent the start: platforms set such
    /// variables themselves (Kubernetes does, for a service of that name).
    pub unused_variables: Vec<String>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Loaded {
    /// Merges the layers.
    /// Errors: All faults of all layers at once.
    pub fn from_sources(sources: Sources) -> Result<Self, Faults> {
        let text = sources.file.as_deref().map(read_text);
        Self::layers(text, sources).finish()
    }

    /// Merges the layers with a text that the file does not have yet.
    /// Errors: All faults of all layers at once.
    pub fn from_text(text: String, sources: Sources) -> Result<Self, Faults> {
        Self::layers(Some(Ok(text)), sources).finish()
    }

    /// Merges the layers as far as they are valid: settings with a fault keep the value of the layer before. Returns all
    /// faults beside it.
    pub fn as_far_as_valid(sources: Sources) -> (Self, Vec<Fault>) {
        let text = sources.file.as_deref().map(read_text);
        let Layers { config, origins, faults, unused_variables } = Self::layers(text, sources);
        (Self { config, unused_variables, origins }, faults)
    }

    /// Returns where a setting was written, `None` for a default.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.origins.get(key)
    }

    fn layers(text: Option<io::Result<String>>, sources: Sources) -> Layers {
        let mut layers = Layers::default();
        let path = sources.file.unwrap_or_default();
        match text {
            Some(Ok(text)) => layers.file(&path, &text),
            Some(Err(error)) => layers.fault(Origin::File(path, 0), "", error.to_string()),
            None => {}
        }
        layers.environment(sources.environment);
        for (key, flag, value) in sources.flags {
            layers.set(key, Origin::Flag(flag), &Raw::Text(value));
        }
        layers.languages();
        layers.complete();
        layers
    }

    /// Returns every setting with its value and origin, in a fixed order; secrets are masked.
    pub fn settings(&self) -> Vec<Setting> {
        KEYS.iter()
            .map(|key| Setting {
                key: key.name,
                value: shown(key, &self.config),
                origin: self.origins.get(key.name).unwrap_or(&Origin::Default).to_string(),
                variable: key.variable(),
            })
            .collect()
    }

    /// Returns warnings, which do not prevent the start: a backup folder that cannot be created now, or a limit that
    /// another one makes ineffective.
    pub fn warnings(&self) -> Vec<Fault> {
        let set = |key: &str| self.origins.contains_key(key);
        let limits = &self.config.limits;
        let mut warnings: Vec<(&str, String)> = backups::warnings(&self.config).into_iter().collect();
        let quarter = limits.most_per_company();
        if set("limits.requests_per_company") && limits.requests_per_company > quarter {
            let reason = format!("expected at most {quarter}, a quarter of limits.requests: more is never used");
            warnings.push(("limits.requests_per_company", reason));
        }
        let origin = |key: &str| self.origins.get(key).unwrap_or(&Origin::Default).clone();
        warnings.into_iter().map(|(key, reason)| Fault { origin: origin(key), key: key.to_owned(), reason }).collect()
    }
}

/// Returns every setting as the file has it, by name; secrets are masked.
pub fn shown_settings(config: &Config) -> BTreeMap<String, String> {
    KEYS.iter().map(|key| (key.name.to_owned(), shown(key, config))).collect()
}

/// Returns the names of the settings that differ.
pub fn differences(before: &Config, after: &Config) -> Vec<&'static str> {
    let differs = |key: &&Key| {
        (key.show)(before) != (key.show)(after)
            || (key.name == "mail.password" && before.mail.password != after.mail.password)
    };
    KEYS.iter().filter(differs).map(|key| key.name).collect()
}

/// Returns the value for display; a secret is masked if it is set.
fn shown(key: &Key, config: &Config) -> String {
    let value = (key.show)(config);
    if key.secret && value != "\"\"" { "\"********\"".to_owned() } else { value }
}

#[derive(Default)]
struct Layers {
    config: Config,
    origins: BTreeMap<&'static str, Origin>,
    faults: Vec<Fault>,
    unused_variables: Vec<String>,
}

impl Layers {
    fn fault(&mut self, origin: Origin, key: &str, reason: String) {
        self.faults.push(Fault { origin, key: key.to_owned(), reason });
    }

    fn set(&mut self, name: &str, origin: Origin, raw: &Raw) {
        let Some(key) = Key::of(name) else {
            return self.fault(origin, name, unknown(name));
        };
        match (key.read)(&mut self.config, raw) {
            Ok(()) => {
                self.origins.insert(key.name, origin);
            }
            Err(reason) => self.fault(origin, name, reason),
        }
    }

    fn file(&mut self, path: &Path, text: &str) {
        let origin = |offset: usize| {
            let before = text.get(..offset).unwrap_or(text);
            Origin::File(path.to_owned(), before.matches('\n').count() + 1)
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut unreadable = BTreeSet::new();
        for error in errors {
            let place = error.span().map_or(Origin::File(path.to_owned(), 0), |span| origin(span.start));
            // The parser's recovered values of such a line, and its further errors there, are not reported.
            if unreadable.insert(place.clone()) {
                self.fault(place, "", error.message().to_owned());
            }
        }
        let mut tables = vec![(String::new(), table.into_inner())];
        while let Some((prefix, table)) = tables.pop() {
            for (name, value) in table {
                let key = format!("{prefix}{}", name.get_ref());
                let place = origin(name.span().start);
                if unreadable.contains(&place) {
                    continue;
                }
                match value.into_inner() {
                    DeValue::Table(table) if !is_key(&key) => {
                        let inside = format!("{key}.");
                        if KEYS.iter().any(|key| key.name.starts_with(&inside)) {
                            tables.push((inside, table));
                        } else {
                            self.fault(place, &key, unknown(&key));
                        }
                    }
                    value => match raw(&value) {
                        _ if !is_key(&key) => self.fault(place, &key, unknown(&key)),
                        Some(raw) => self.set(&key, place, &raw),
                        None => self.fault(place, &key, "this kind of value does not fit here".to_owned()),
                    },
                }
            }
        }
        self.faults.sort();
    }

    fn environment(&mut self, mut variables: Vec<(String, String)>) {
        variables.sort();
        for (variable, value) in variables {
            if !variable.starts_with("ATRIUM_") || variable == "ATRIUM_CONFIG" {
                continue;
            }
            match KEYS.iter().find(|key| key.variable() == variable) {
                Some(key) => self.set(key.name, Origin::Environment(variable), &Raw::Text(value)),
                None => self.unused_variables.push(variable),
            }
        }
    }

    /// Validates the folder of additional languages, so that its faults are reported with all others.
    fn languages(&mut self) {
        let Some(folder) = &self.config.languages else { return };
        let origin = self.origins.get("languages").unwrap_or(&Origin::Default).clone();
        for reason in read_languages(folder).err().unwrap_or_default() {
            self.fault(origin.clone(), "languages", reason);
        }
    }

    /// Reads the mail server's password, and checks the settings of mail, backups and single sign-on that depend on
    /// others.
    fn complete(&mut self) {
        let faults = mail::complete(&mut self.config);
        let issuers = (!self.config.sign_in.issuers.is_empty() && self.config.public_url.is_none()).then(|| {
            ("sign_in.issuers", "public_url must be set with it: providers send people back there".to_owned())
        });
        for (key, reason) in faults
            .into_iter()
            .chain(backups::faults(&self.config))
            .chain(tls::faults(&self.config))
            .chain(metrics::faults(&self.config))
            .chain(alerts::faults(&self.config))
            .chain(issuers)
        {
            let origin = self.origins.get(key).unwrap_or(&Origin::Default).clone();
            self.fault(origin, key, reason);
        }
    }

    fn finish(self) -> Result<Loaded, Faults> {
        if self.faults.is_empty() {
            Ok(Loaded { config: self.config, unused_variables: self.unused_variables, origins: self.origins })
        } else {
            Err(Faults(self.faults))
        }
    }
}

fn is_key(name: &str) -> bool {
    Key::of(name).is_some()
}

/// Converts a value of the file for the keys; `None` for a type that no key has.
fn raw(value: &DeValue<'_>) -> Option<Raw> {
    match value {
        DeValue::String(text) => Some(Raw::Text(text.to_string())),
        DeValue::Integer(number) => Some(Raw::Number(number.as_str().to_owned())),
        DeValue::Array(items) => items
            .iter()
            .map(|item| item.get_ref().as_str().map(ToOwned::to_owned))
            .collect::<Option<_>>()
            .map(Raw::List),
        DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

/// The most characters in which an unknown key and its suggestion differ.
const MAX_DISTANCE: usize = 2;

/// Returns the sentence for an unknown key, with the most similar known key.
fn unknown(name: &str) -> String {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |key: &str| osa_distance(name, key).min(osa_distance(&last(name), &last(key)));
    let near = KEYS.iter().map(|key| (distance(key.name), key.name)).min();
    // Of a short word, two characters are most.
    let most = MAX_DISTANCE.min(last(name).chars().count() / 3);
    match near {
        Some((distance, near)) if distance <= most => format!("there is no such key; did you mean {near}?"),
        _ => "there is no such key".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = include_str!("../../config.example.toml");

    fn from_text(text: &str) -> Result<Loaded, Faults> {
        let mut layers = Layers::default();
        layers.file(Path::new("atrium.toml"), text);
        layers.finish()
    }

    fn faults(text: &str) -> Vec<String> {
        match from_text(text) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.0.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn example_lists_every_key_with_its_default() {
        let loaded = from_text(EXAMPLE).unwrap();
        assert_eq!(loaded.config, Config::default());
        for key in KEYS {
            assert!(loaded.origins.contains_key(key.name), "{} is missing in config.example.toml", key.name);
        }
    }

    #[test]
    fn example_has_a_comment_above_every_key() {
        let mut explained = false;
        for line in EXAMPLE.lines() {
            if line.starts_with('#') {
                explained = true;
            } else if line.contains(" = ") {
                assert!(explained, "no comment above {line:?}");
                explained = false;
            }
        }
    }

    #[test]
    fn shown_settings_can_be_loaded_again() {
        let written = r#"
            listen = "[::]:0"
            base_domain = "Atrium.Example"
            public_url = "https://atrium.example"
            trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
            signup = "closed"
            languages = "languages"
            installation = { name = "Über \"uns\"", color_scheme = "teal" }
            limits.connections = 1_000
            [log]
            level = "debug"
        "#;
        let loaded = from_text(written).unwrap();
        assert_eq!(loaded.config.base_domain.as_deref(), Some("atrium.example"));
        assert!(loaded.config.is_https());
        assert!(loaded.config.proxies()[1].contains("10.1.2.3".parse().unwrap()));
        let shown: Vec<String> = loaded
            .settings()
            .iter()
            .map(|setting| format!("{} = {} # {}", setting.key, setting.value, setting.origin))
            .collect();
        assert!(shown.contains(&"limits.connections = 1000 # atrium.toml:9".to_owned()), "{shown:?}");
        assert_eq!(from_text(&shown.join("\n")).unwrap().config, loaded.config);
    }

    #[test]
    fn reports_all_faults_with_line_key_and_reason() {
        let found = faults(
            "listne = \"x\"\nlisten = \"nowhere\"\nsignup = \"maybe\"\n\n[limits]\nconnections = 0\nbody = \"1 TB\"\n\n[nonsense]\na = 1\n",
        );
        assert_eq!(
            found,
            [
                "atrium.toml:1: listne: there is no such key; did you mean listen?",
                "atrium.toml:2: listen: expected an address and a port such as \"127.0.0.1:8080\", \"[::]:8080\" or \"localhost:8080\"",
                "atrium.toml:3: signup: expected one of open, first, closed",
                "atrium.toml:6: limits.connections: expected a whole number from 1 to 1000000",
                "atrium.toml:7: limits.body: expected a size such as 65536, \"64KiB\" or \"6MiB\"",
                "atrium.toml:9: nonsense: there is no such key",
            ]
        );
    }

    #[test]
    fn suggests_only_keys_that_are_mostly_the_same() {
        for (name, suggested) in [
            ("listne", Some("listen")),
            ("limits.conections", Some("limits.connections")),
            ("lmits.connections", Some("limits.connections")),
            ("frm", Some("mail.from")),
            ("foo", None),
            ("a", None),
            ("mail.prt", Some("mail.port")),
        ] {
            let said = unknown(name);
            assert_eq!(said.split_once("did you mean ").map(|(_, key)| key.trim_end_matches('?')), suggested, "{name}");
        }
    }

    #[test]
    fn each_invalid_value_is_reported_once() {
        let table = [
            ("listen = 8080", "expected text in quotes"),
            ("listen = true", "this kind of value does not fit here"),
            ("limits = 3", "there is no such key"),
            ("mail.prot = 25", "did you mean mail.port?"),
            ("listen.port = 3", "this kind of value does not fit here"),
            ("trusted_proxies = [1]", "this kind of value does not fit here"),
            ("trusted_proxies = [\"nobody\"]", "\"nobody\" is not an address"),
            ("public_url = \"ftp://a.example\"", "expected an address such as"),
            ("public_url = \"https://a.example/path\"", "expected an address such as"),
            ("public_url = \"https://user@a.example\"", "expected an address such as"),
            ("base_domain = \"-a.example\"", "expected a host name"),
            ("base_domain = \"a..example\"", "expected a host name"),
            ("installation.name = \"\"", "expected a name of 1 to 100 characters"),
            ("installation.color_scheme = \"pumpkin\"", "expected one of default, purple"),
            ("limits.keep_alive = \"0s\"", "expected more than nothing"),
            ("limits.header_timeout = \"soon\"", "expected a length of time"),
            ("sign_in.account_failures = 0", "expected a whole number from 1 to 1000"),
            ("limits.upload = \"2GiB\"", "expected a size from 1KiB to 1GiB"),
            ("data_dir = \"\"", "expected a folder"),
            ("data_dir = \"a\\u0000b\"", "expected text without NUL"),
            ("alerts.command = [\"/bin/a\\u0000b\"]", "expected text without NUL"),
            ("sign_in.longest_delay = \"1500ms\"", "expected whole seconds"),
            ("listen = \"localhost\"", "expected an address and a port"),
            ("listen = \"unix:atrium.sock\"", "expected an absolute path"),
            ("tls.redirect = \"everywhere\"", "expected an address and a port"),
            ("acme.domains = [\"*.atrium.example\"]", "expected a host name"),
            ("acme.directory = \"http://acme.example\"", "expected an https address"),
            ("listen = \"localhost:http\"", "expected an address and a port"),
            ("listen = ", ""),
            ("listen = \"127.0.0.1:1\"\nlisten = \"127.0.0.1:2\"", "duplicate key"),
        ];
        for (text, reason) in table {
            let found = faults(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].contains(reason) && found[0].starts_with("atrium.toml:"), "{text}: {found:?}");
        }
    }

    #[test]
    fn flags_override_environment_then_file_then_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("atrium.toml");
        std::fs::write(&file, "listen = \"127.0.0.1:1\"\nsignup = \"open\"\ndata_dir = \"from-file\"\n").unwrap();
        let loaded = Loaded::from_sources(Sources {
            file: Some(file.clone()),
            environment: vec![
                ("ATRIUM_LISTEN".into(), "127.0.0.1:2".into()),
                ("ATRIUM_SIGNUP".into(), "closed".into()),
                ("ATRIUM_TRUSTED_PROXIES".into(), "127.0.0.1, 10.0.0.0/8".into()),
                ("ATRIUM_CONFIG".into(), "x".into()),
                ("ATRIUM_PORT".into(), "tcp://10.0.0.1:80".into()),
                ("HOME".into(), "/".into()),
            ],
            flags: vec![("listen", "--listen", "127.0.0.1:3".into())],
        })
        .unwrap();
        assert_eq!(loaded.config.listen.to_string(), "127.0.0.1:3");
        assert_eq!(loaded.config.signup, super::super::Signup::Closed);
        assert_eq!(loaded.config.data_dir, Path::new("from-file"));
        assert_eq!(loaded.config.trusted_proxies.len(), 2);
        assert_eq!(loaded.unused_variables, ["ATRIUM_PORT"]);
        let origin = |key| loaded.settings().into_iter().find(|setting| setting.key == key).unwrap().origin;
        assert_eq!(origin("listen"), "--listen");
        assert_eq!(origin("signup"), "ATRIUM_SIGNUP");
        assert_eq!(origin("data_dir"), format!("{}:3", file.display()));
        assert_eq!(origin("log.level"), "default");
    }

    #[test]
    fn reports_faults_of_all_layers_together() {
        let found = Loaded::from_sources(Sources {
            file: Some("missing.toml".into()),
            environment: vec![("ATRIUM_LIMITS_CONNECTIONS".into(), "many".into())],
            flags: vec![("listen", "--listen", "x".into())],
        })
        .unwrap_err()
        .to_string();
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines.len(), 3, "{found}");
        assert!(lines[0].starts_with("missing.toml: "));
        assert!(lines[1].starts_with("ATRIUM_LIMITS_CONNECTIONS: limits.connections: "));
        assert!(lines[2].starts_with("--listen: listen: "));
    }

    #[test]
    fn invalid_language_file_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fr.json"), "{}").unwrap();
        let load = || {
            let variable = ("ATRIUM_LANGUAGES".to_owned(), folder.path().display().to_string());
            Loaded::from_sources(Sources { environment: vec![variable], ..Sources::default() })
        };
        assert_eq!(load().unwrap().config.languages.as_deref(), Some(folder.path()));
        std::fs::write(folder.path().join("it.json"), "[").unwrap();
        let faults = load().unwrap_err().to_string();
        assert!(faults.starts_with("ATRIUM_LANGUAGES: languages: ") && faults.contains("/it.json: "), "{faults}");
    }

    #[test]
    fn ineffective_setting_causes_a_fault_or_a_warning() {
        let load = |variable: (&str, &str)| {
            let environment = vec![(variable.0.to_owned(), variable.1.to_owned())];
            Loaded::from_sources(Sources { environment, ..Sources::default() })
        };
        let faults = load(("ATRIUM_SIGN_IN_ISSUERS", "https://id.example")).unwrap_err().to_string();
        assert!(faults.starts_with("ATRIUM_SIGN_IN_ISSUERS: sign_in.issuers: public_url must be set"), "{faults}");
        let cut = load(("ATRIUM_LIMITS_REQUESTS_PER_COMPANY", "100")).unwrap().warnings();
        assert_eq!(cut.len(), 1, "{cut:?}");
        assert!(cut[0].to_string().contains("at most 64"), "{cut:?}");
        // Setting only the other limit causes no warning about this one.
        assert_eq!(load(("ATRIUM_LIMITS_REQUESTS", "8")).unwrap().warnings(), []);
        let password = load(("ATRIUM_MAIL_PASSWORD", " with blanks ")).unwrap().config.mail.password;
        assert_eq!(password.unwrap().0, " with blanks ");
    }

    #[test]
    fn names_the_settings_that_differ() {
        let before = Config::default();
        let mut after = Config::default();
        assert!(differences(&before, &after).is_empty());
        after.mail.password = Some(super::super::Secret("a".into()));
        after.log.level = super::super::LogLevel::Debug;
        assert_eq!(differences(&before, &after), ["mail.password", "log.level"]);
        let mut other = after.clone();
        other.mail.password = Some(super::super::Secret("b".into()));
        assert_eq!(differences(&other, &after), ["mail.password"]);
    }

    #[test]
    fn secrets_are_masked() {
        let secret = Key { name: "x", secret: true, read: |_, _| Ok(()), show: |_| "\"tell nobody\"".to_owned() };
        assert_eq!(shown(&secret, &Config::default()), "\"********\"");
        let mut config = Config::default();
        config.mail.password = Some(super::super::Secret("canary".into()));
        let key = KEYS.iter().find(|key| key.name == "mail.password").unwrap();
        assert_eq!((shown(key, &config).as_str(), shown(key, &Config::default()).as_str()), ("\"********\"", "\"\""));
    }
}
