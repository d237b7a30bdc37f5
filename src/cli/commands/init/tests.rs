//! Tests of the questions and of the settings that follow from the answers.

use clap::FromArgMatches as _;

use super::*;
use crate::cli::{
    arguments::{Action, Arguments},
    help,
};

fn flags(line: &str) -> Init {
    let line = format!("atrium init {line}");
    let matches =
        help::command().try_get_matches_from(line.split_whitespace()).unwrap_or_else(|error| panic!("{error}"));
    match Arguments::from_arg_matches(&matches).unwrap().action {
        Action::Init(form) => *form,
        other => panic!("another command: {other:?}"),
    }
}

const DEFAULTS: [(&str, &str); 2] = [("data_dir", "/srv/atrium"), ("backup.folder", "/srv/backups")];

/// The settings after these flags and answers, one `key=value` a line, and what was printed.
fn settings(line: &str, input: Option<&str>) -> (String, String) {
    settings_beside(false, line, input)
}

/// The same, where the environment has the password at the mail server or not.
fn settings_beside(has_mail_password: bool, line: &str, input: Option<&str>) -> (String, String) {
    let defaults = DEFAULTS.map(|(key, value)| (key, value.to_owned()));
    let answers = Answers::of(flags(line), &defaults, has_mail_password);
    let mut printed = Vec::new();
    let answers = match input {
        None => answers.complete(None).unwrap(),
        Some(input) => answers.complete(Some(&mut Questions::new(input.as_bytes(), &mut printed))).unwrap(),
    };
    let lines: Vec<String> = answers.settings().iter().map(|(key, value)| format!("{key}={value}")).collect();
    (lines.join("\n"), String::from_utf8(printed).unwrap())
}

#[test]
fn without_questions_the_address_decides() {
    let kept = "data_dir=/srv/atrium";
    let silent = |line: &str| settings(line, None).0;
    assert_eq!(silent(""), format!("backup.folder=/srv/backups\n{kept}\nlisten=127.0.0.1:8080"));
    assert_eq!(
        silent("--public-url https://atrium.example --acme-contact a@acme.example"),
        format!(
            "acme.contact=a@acme.example\nacme.domains=atrium.example\nbackup.folder=/srv/backups\n{kept}\n\
             listen=0.0.0.0:443\npublic_url=https://atrium.example\ntls.redirect=0.0.0.0:80"
        )
    );
    assert_eq!(
        silent("--public-url https://atrium.example:8443 --tls files --certificate /c --key /k --backup-folder /b"),
        format!(
            "backup.folder=/b\n{kept}\nlisten=0.0.0.0:8443\npublic_url=https://atrium.example:8443\ntls.certificate=/c\ntls.key=/k"
        )
    );
    assert_eq!(
        silent("--public-url https://atrium.example --tls proxy --backup-folder /b"),
        format!(
            "backup.folder=/b\n{kept}\nlisten=127.0.0.1:8080\npublic_url=https://atrium.example\ntrusted_proxies=127.0.0.1"
        )
    );
    let socket = silent("--public-url https://atrium.example --tls proxy --listen unix:/run/atrium/atrium.sock");
    assert!(socket.contains("listen=unix:/run/atrium/atrium.sock") && !socket.contains("trusted_proxies"), "{socket}");
    let mail = silent("--public-url https://atrium.example --tls proxy --mail-host mail.example");
    assert!(mail.contains("mail.from=atrium@atrium.example\nmail.host=mail.example\nmail.security=starttls"), "{mail}");
}

#[test]
fn asks_for_what_no_flag_says_and_repeats_after_a_wrong_answer() {
    let answers = "atrium.example\nhttps://atrium.example\nmaybe\n\noffice@acme.example\nmail.example\n\n\n\nnone\n";
    let (settings, printed) = settings("", Some(answers));
    assert_eq!(
        settings,
        "acme.contact=office@acme.example\nacme.domains=atrium.example\ndata_dir=/srv/atrium\nlisten=0.0.0.0:443\n\
         mail.from=atrium@atrium.example\nmail.host=mail.example\nmail.security=starttls\n\
         public_url=https://atrium.example\ntls.redirect=0.0.0.0:80"
    );
    for part in [
        "  expected an address such as",
        "  expected one of acme, files, proxy, none",
        "  acme   By Atrium, with a certificate that it obtains",
        "The folder for daily backups, on another disk [/srv/backups]: ",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn does_not_ask_for_what_flags_say() {
    let (found, printed) = settings("--public-url http://localhost:8080 --listen 127.0.0.1:1", Some("none\nnone\n"));
    assert!(found.contains("listen=127.0.0.1:1") && !found.contains("backup"), "{found}");
    assert_eq!(printed.matches("]: ").count(), 2, "{printed}");
    let defaults = DEFAULTS.map(|(key, value)| (key, value.to_owned()));
    let ended = Answers::of(flags(""), &defaults, false).complete(Some(&mut Questions::new(&b""[..], Vec::new())));
    assert_eq!(ended.err().unwrap().kind(), std::io::ErrorKind::UnexpectedEof);
}

/// Tests have no terminal to ask for a password at.
#[test]
fn a_mail_password_of_the_environment_is_not_asked_for() {
    let line = "--public-url https://atrium.example --tls proxy --listen 127.0.0.1:1 --backup-folder /b \
                --mail-host mail.example --mail-security tls --mail-from a@acme.example --mail-user atrium";
    let (found, _) = settings_beside(true, line, Some("\n\n\n"));
    assert!(found.contains("mail.user=atrium") && !found.contains("mail.password"), "{found}");
}

#[test]
fn flags_are_checked_as_settings() {
    for line in ["--public-url ftp://x", "--listen nowhere", "--mail-security maybe", "--tls magic"] {
        let line = format!("atrium init {line}");
        assert_eq!(help::command().try_get_matches_from(line.split_whitespace()).unwrap_err().exit_code(), 2, "{line}");
    }
}

#[test]
fn a_file_with_settings_is_kept_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    assert!(former_file(&file, false).unwrap().is_none());
    fs::write(&file, "# As installed.\ndata_dir = \"/srv/a\"\n").unwrap();
    let former = former_file(&file, false).unwrap();
    assert_eq!(data_dir(&Sources::default(), former.as_ref(), &file).unwrap(), "/srv/a");
    for text in ["data_dir = \"/srv/a\"\nsignup = \"closed\"\n", "not toml"] {
        fs::write(&file, text).unwrap();
        assert_eq!(former_file(&file, false).unwrap_err().code, "conflict");
        assert!(former_file(&file, true).is_ok());
    }
    let flag = Sources { flags: vec![("data_dir", "--data-dir", "/srv/b".into())], ..Sources::default() };
    assert_eq!(data_dir(&flag, former.as_ref(), &file).unwrap(), "/srv/b");
    let beside = folder.path().join("atrium-data").display().to_string();
    assert_eq!(data_dir(&Sources::default(), None, &file).unwrap(), beside);
    assert_eq!(data_dir(&Sources::default(), None, Path::new(PACKAGED_CONFIG)).unwrap(), PACKAGED_DATA);
}

#[test]
fn a_backup_folder_outside_of_the_sandbox_is_named() {
    let mut config = Config::default();
    assert_eq!(folder_note(&config), None);
    config.backup.folder = Some(format!("{PACKAGED_BACKUPS}/daily").into());
    assert_eq!(folder_note(&config), None);
    config.backup.folder = Some("/mnt/backups".into());
    assert!(folder_note(&config).unwrap().contains("ReadWritePaths=/mnt/backups"));
}
