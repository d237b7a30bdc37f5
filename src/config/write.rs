//! Writing of a configuration file: the settings that differ from their defaults, with the explanations of
//! `config.example.toml`.

use super::{
    Config,
    keys::{Key, Raw, quoted},
};

/// Every setting with its explanation and its default.
const EXAMPLE: &str = include_str!("../../config.example.toml");

/// Checks the value of one setting by itself, written as in a variable or a flag.
/// Errors: What was expected.
pub fn check_value(name: &str, value: &str) -> Result<(), String> {
    read(&mut Config::default(), name, value)
}

/// Returns the text of a configuration file: `head`, then those settings that differ from their defaults, each below its
/// explanation. Values are written as in variables and flags.
/// Errors: A value that its setting does not accept.
pub fn file_text(head: &str, settings: &[(&str, String)]) -> Result<String, String> {
    let mut config = Config::default();
    for (name, value) in settings {
        read(&mut config, name, value).map_err(|reason| format!("{name}: {reason}"))?;
    }
    let default = Config::default();
    let written = |name: &str| {
        let (_, value) = settings.iter().find(|(set, _)| *set == name)?;
        let key = Key::of(name)?;
        let shown = if key.secret { quoted(value) } else { (key.show)(&config) };
        (shown != (key.show)(&default)).then_some(shown)
    };
    let mut text = head.to_owned();
    let mut explanation = String::new();
    let mut table = "";
    let mut open_table = "";
    for line in EXAMPLE.lines() {
        if line.starts_with('#') {
            explanation = format!("{explanation}{line}\n");
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            table = name;
        } else if let Some((name, _)) = line.split_once(" = ") {
            let key = if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
            if let Some(value) = written(&key) {
                text.push('\n');
                if table != open_table {
                    open_table = table;
                    text = format!("{text}[{table}]\n");
                }
                text = format!("{text}{explanation}{name} = {value}\n");
            }
        }
        explanation.clear();
    }
    Ok(text)
}

fn read(config: &mut Config, name: &str, value: &str) -> Result<(), String> {
    let key = Key::of(name).ok_or("there is no such key")?;
    (key.read)(config, &Raw::Text(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Loaded, Sources};

    #[test]
    fn writes_changed_settings_with_their_explanations() {
        let settings = [
            ("mail.password", "a \"b\"".to_owned()),
            ("listen", "127.0.0.1:8080".to_owned()),
            ("trusted_proxies", "127.0.0.1, 10.0.0.0/8".to_owned()),
            ("mail.user", "atrium".to_owned()),
            ("limits.connections", "7".to_owned()),
        ];
        let text = file_text("# Head.\n", &settings).unwrap();
        assert!(text.starts_with("# Head.\n\n# The proxies in front of the server"), "{text}");
        assert!(
            text.contains("\ntrusted_proxies = [\"127.0.0.1\", \"10.0.0.0/8\"]\n\n[limits]\n# Open conn"),
            "{text}"
        );
        assert!(text.contains("\n\n[mail]\n# The user name") && !text.contains("listen"), "{text}");
        let loaded = Loaded::from_text(text, Sources::default());
        let config = loaded.unwrap().config;
        assert_eq!((config.limits.connections, config.mail.password.unwrap().0.as_str()), (7, "a \"b\""));
    }

    #[test]
    fn rejects_unknown_settings_and_values() {
        assert_eq!(check_value("acme.domains", "atrium.example, b.example"), Ok(()));
        assert_eq!(check_value("no.such", "1"), Err("there is no such key".to_owned()));
        assert!(file_text("", &[("listen", "nowhere".to_owned())]).unwrap_err().starts_with("listen: expected"));
    }
}
