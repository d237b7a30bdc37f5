//! Valid tokens, and forged ones.

use super::*;

fn tokens(clock: &Clock) -> Tokens {
    let key = KeyFile { kid: "k".into(), secret: "s".repeat(64), pepper: "p".into(), before: Vec::new() };
    Tokens::with(Path::new(""), &key, clock.clone())
}

fn issue(tokens: &Tokens) -> String {
    let tenant = TenantId::from_bytes([7; 16]).unwrap();
    tokens.issue(tenant, Id::from_bytes([1; 16]), Id::from_bytes([2; 16]), 3).unwrap().0
}

#[test]
fn token_is_valid_for_exactly_five_minutes() {
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let tokens = tokens(&clock);
    let token = issue(&tokens);
    assert_eq!(tokens.check(&token).unwrap().generation, 3);
    clock.advance(299_999);
    assert!(tokens.check(&token).is_ok());
    clock.advance(1);
    assert!(tokens.check(&token).is_err());
    clock.advance(-300_001);
    assert!(tokens.check(&token).is_err(), "not before it was issued");
}

#[test]
fn start_replaces_a_partial_key_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.key");
    fs::write(folder.path().join("access.new"), "{\"kid\":").unwrap();
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let token = issue(&Tokens::open(&file, clock.clone(), &Entropy::seeded(1)).unwrap());
    assert!(Tokens::open(&file, clock, &Entropy::seeded(2)).unwrap().check(&token).is_ok());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn rotated_key_is_valid_until_its_tokens_expire_unless_revoked_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.key");
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let entropy = Entropy::seeded(1);
    let tokens = Tokens::open(&file, clock.clone(), &entropy).unwrap();
    let first = issue(&tokens);
    clock.advance(100_000);
    assert!(tokens.check(&first).is_ok());
    let name = tokens.rotate(&entropy, false).unwrap();
    let second = issue(&tokens);
    assert_eq!(decode_header(&second).unwrap().kid.as_ref(), Some(&name));
    clock.advance(100_000);
    tokens.rotate(&entropy, false).unwrap();
    let again = Tokens::open(&file, clock.clone(), &entropy).unwrap();
    for tokens in [&tokens, &again] {
        assert!(tokens.check(&first).is_ok() && tokens.check(&second).is_ok() && tokens.check(&issue(tokens)).is_ok());
    }
    clock.advance(100_000);
    assert!(tokens.check(&first).is_err() && tokens.check(&second).is_ok());
    tokens.rotate(&entropy, true).unwrap();
    assert!(tokens.check(&second).is_err() && again.check(&issue(&tokens)).is_err());
    let kept = read_key(&file).unwrap().unwrap();
    assert!(kept.before.is_empty());
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // An expired key is not valid, whatever its token claims.
    tokens.rotate(&entropy, false).unwrap();
    clock.advance(ACCESS_SECONDS * 1_000);
    let kept = read_key(&file).unwrap().unwrap();
    let old = KeyFile {
        kid: kept.before[0].kid.clone(),
        secret: kept.before[0].secret.clone(),
        pepper: kept.pepper.clone(),
        before: Vec::new(),
    };
    let forged = issue(&Tokens::with(Path::new(""), &old, clock));
    assert!(tokens.check(&forged).is_err());
}

#[test]
fn rejects_forged_tokens() {
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let tokens = tokens(&clock);
    let good = issue(&tokens);
    let parts: Vec<&str> = good.split('.').collect();
    let [_, claims, signature] = parts.as_slice() else { panic!("three parts") };
    let key = EncodingKey::from_secret("s".repeat(64).as_bytes());
    let now = 1_700_000_000_i64;
    let body = |patch: serde_json::Value| {
        let mut body = serde_json::json!({
            "iss": "atrium", "aud": "api", "sub": uuid::Uuid::from_bytes([1; 16]), "tid": uuid::Uuid::from_bytes([7; 16]),
            "sid": uuid::Uuid::from_bytes([2; 16]), "generation": 3, "iat": now, "nbf": now, "exp": now + 300
        });
        for (name, value) in patch.as_object().unwrap() {
            if value.is_null() {
                body.as_object_mut().unwrap().remove(name);
            } else {
                body[name] = value.clone();
            }
        }
        body
    };
    let sign = |header: Header, patch: serde_json::Value| encode(&header, &body(patch), &key).unwrap();
    let header = || Header { typ: Some("at+jwt".into()), kid: Some("k".into()), ..Header::new(Algorithm::HS256) };
    assert!(tokens.check(&sign(header(), serde_json::json!({}))).is_ok(), "the table's own ground");
    // {"alg":"none","typ":"at+jwt","kid":"k"} in base64url.
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0Iiwia2lkIjoiayJ9";
    let mut bad = vec![
        String::new(),
        ".".into(),
        "..".into(),
        "a.b.c".into(),
        good.replace('.', ""),
        format!("{good}x"),
        format!("{good}."),
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!(".{claims}.{signature}"),
        sign(Header { alg: Algorithm::HS512, ..header() }, serde_json::json!({})),
        sign(Header { alg: Algorithm::HS384, ..header() }, serde_json::json!({})),
        sign(Header { typ: Some("JWT".into()), ..header() }, serde_json::json!({})),
        sign(Header { typ: None, ..header() }, serde_json::json!({})),
        sign(Header { kid: None, ..header() }, serde_json::json!({})),
        sign(Header { kid: Some("../../etc/passwd".into()), ..header() }, serde_json::json!({})),
        encode(&header(), &body(serde_json::json!({})), &EncodingKey::from_secret(b"guess")).unwrap(),
    ];
    let guessed = EncodingKey::from_secret(b"guess");
    let with_header = |header: Header| encode(&header, &body(serde_json::json!({})), &guessed).unwrap();
    bad.push(with_header(Header { jku: Some("https://evil.example/keys".into()), ..header() }));
    bad.push(with_header(Header { x5u: Some("https://evil.example/cert".into()), ..header() }));
    bad.push(with_header(Header { kid: Some("' OR 1=1".into()), ..header() }));
    bad.push(sign(Header { typ: Some("AT+JWT".into()), ..header() }, serde_json::json!({})));
    // {"alg":"RS256","typ":"at+jwt","kid":"k"}, signed as HS256: algorithms are not confused.
    let rs256 = "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImsifQ";
    bad.push(format!("{rs256}.{claims}.{signature}"));
    // A signature for another purpose makes no token.
    bad.push(format!("{}.{claims}.{}", parts[0], tokens.sign("device", claims.as_bytes()).unwrap()));
    for patch in [
        serde_json::json!({"iss": "evil"}),
        serde_json::json!({"iss": null}),
        serde_json::json!({"aud": "web"}),
        serde_json::json!({"aud": null}),
        serde_json::json!({"sub": null}),
        serde_json::json!({"sub": "admin"}),
        serde_json::json!({"tid": uuid::Uuid::nil()}),
        serde_json::json!({"tid": null}),
        serde_json::json!({"sid": null}),
        serde_json::json!({"sid": 7}),
        serde_json::json!({"exp": null}),
        serde_json::json!({"exp": "never"}),
        serde_json::json!({"exp": -1}),
        serde_json::json!({"nbf": now + 1}),
        serde_json::json!({"nbf": null}),
        serde_json::json!({"generation": "3"}),
        serde_json::json!({"generation": -3}),
        serde_json::json!({"iat": null}),
        serde_json::json!({"aud": ["api"]}),
        serde_json::json!({"iss": ["atrium"]}),
        serde_json::json!({"exp": 1e300}),
        serde_json::json!({"exp": [now + 300]}),
        serde_json::json!({"nbf": "0"}),
        serde_json::json!({"tid": "00000000-0000-0000-0000-000000000001' OR '1'='1"}),
        serde_json::json!({"sid": {"$ne": null}}),
        serde_json::json!({"generation": null}),
    ] {
        bad.push(sign(header(), patch));
    }
    assert!(bad.len() >= 40, "{}", bad.len());
    for token in bad {
        assert_eq!(tokens.check(&token).map_err(|error| error.code()).err(), Some(Code::NotSignedIn), "{token}");
    }
    for exp in [now, now - 1] {
        let token = sign(header(), serde_json::json!({"exp": exp}));
        assert_eq!(tokens.check(&token).map_err(|error| error.code()).err(), Some(Code::TokenExpired), "{exp}");
        let forged = encode(&header(), &body(serde_json::json!({"exp": exp})), &guessed).unwrap();
        assert_eq!(tokens.check(&forged).map_err(|error| error.code()).err(), Some(Code::NotSignedIn), "{exp}");
    }
}

#[test]
fn damaged_key_file_is_moved_aside_and_replaced() {
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    for damaged in ["", "{", "{}", "{\"kid\":7}", "\u{0}"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("access.key");
        fs::write(&file, damaged).unwrap();
        let tokens = Tokens::open(&file, clock.clone(), &Entropy::seeded(1)).unwrap();
        let token = issue(&tokens);
        assert!(Tokens::open(&file, clock.clone(), &Entropy::seeded(2)).unwrap().check(&token).is_ok(), "{damaged}");
        assert_eq!(fs::read_to_string(folder.path().join("access.key.damaged")).unwrap(), damaged);
    }
}
