//! Rendering of e-mails.

use url::Url;

use super::{
    super::{Branding, Device, DigestItem, FactorChange, render::render},
    *,
};
use crate::{
    kernel::{Timestamp, i18n::Hours},
    testing::NOW,
};

fn item(link: Option<&str>) -> DigestItem {
    DigestItem { title: "Ada <b>".into(), text: "Call\r\nAna".into(), link: link.map(str::to_owned) }
}

fn kinds() -> Vec<Kind> {
    let from = || Device { name: "Firefox on Linux".into(), address: "203.0.113.9".into() };
    let mut kinds = vec![
        Kind::Confirm,
        Kind::Invitation { by: None, message: None },
        Kind::Invitation { by: Some("Ada".into()), message: Some("Come in!\nWe have cake.".into()) },
        Kind::Reset,
        Kind::AlreadyMember,
        Kind::PasswordChanged { from: None },
        Kind::PasswordChanged { from: Some(from()) },
        Kind::SessionEnded { address: "203.0.113.9".into() },
        Kind::NewDevice { from: from() },
        Kind::EmailChange,
        Kind::EmailChanged { email: "new@acme.example".into() },
        Kind::Operator { command: "tenant_suspend".into(), params: vec![("company".into(), "Acme".into())] },
        Kind::Notification {
            title: "Ada assigned you a task".into(),
            text: "Call Ana".into(),
            link: "/team/list?member=7".into(),
        },
        Kind::Digest { items: vec![item(Some("/tasks/7")), item(None)], more: 0 },
        Kind::Digest { items: vec![item(Some("/tasks/7"))], more: 3 },
        Kind::Test,
    ];
    kinds.extend(
        [
            FactorChange::TotpAdded,
            FactorChange::TotpRemoved,
            FactorChange::PasskeyAdded,
            FactorChange::PasskeyRemoved,
            FactorChange::RecoveryCodes,
            FactorChange::Reset,
        ]
        .map(|change| Kind::FactorChanged { change }),
    );
    kinds
}

fn branding() -> Branding {
    Branding {
        name: "Acme Ltd".into(),
        color_scheme: "teal".into(),
        logo_on_light: Some("/media/0123456789abcdef0123456789abcdef".into()),
        logo_on_dark: None,
        timezone: "Europe/Madrid".into(),
        hours: None,
    }
}

fn base() -> Url {
    "https://atrium.example".parse().unwrap()
}

#[test]
fn every_kind_renders_in_every_language_and_loads_only_the_logotype() {
    for kind in kinds() {
        for locale in [Locale::EN, Locale::ES] {
            let email = Email::new(kind.clone(), "ben@acme.example", "Ben", locale);
            let rendered = render(&email, Timestamp::from_millis(NOW), &branding(), &base(), Some("c0ffee"));
            for text in [&rendered.subject, &rendered.text, &rendered.html] {
                // A sentence may end in “email.”, and a key begins with “mail.”.
                let text = text.replace("email.", "");
                assert!(!text.contains("{{") && !text.contains("mail.") && !text.contains("server."), "{text}");
            }
            assert!(rendered.text.contains(&rendered.link) && rendered.html.contains(&rendered.link));
            for address in rendered.html.split("src=\"").skip(1) {
                assert!(address.starts_with("https://atrium.example/media/0123456789abcdef0123456789abcdef\""));
            }
            let with_token = matches!(kind.page(), super::super::Page::Token(_));
            assert_eq!(rendered.link.ends_with("#c0ffee"), with_token, "{}", rendered.link);
            assert!(rendered.link.starts_with("https://atrium.example/"));
        }
    }
}

#[test]
fn times_use_the_tenants_zone_and_the_recipients_language() {
    let kind = Kind::NewDevice { from: Device { name: "Firefox".into(), address: "203.0.113.9".into() } };
    for (locale, moment) in
        [(Locale::EN, "November 21, 2026, 10:30 AM (CET)"), (Locale::ES, "21 de noviembre de 2026, 10:30 (CET)")]
    {
        let email = Email::new(kind.clone(), "ben@acme.example", "Ben", locale);
        let text = render(&email, Timestamp::from_millis(NOW), &branding(), &base(), None).text;
        assert!(text.contains(moment), "{text}");
    }
    let email = Email::new(kind, "ben@acme.example", "Ben", Locale::EN);
    let branding = Branding { hours: Some(Hours::TwentyFour), ..branding() };
    let text = render(&email, Timestamp::from_millis(NOW), &branding, &base(), None).text;
    assert!(text.contains("November 21, 2026, 10:30 (CET)"), "{text}");
}

#[test]
fn user_input_is_escaped() {
    let evil = "<img src=x onerror=alert(1)>\"'&";
    let kind = Kind::Invitation { by: Some(evil.into()), message: Some(format!("{evil}\n</td>")) };
    let email = Email::new(kind, "ben@acme.example", evil, Locale::EN);
    let head = Branding { name: evil.into(), ..branding() };
    let html = render(&email, Timestamp::from_millis(NOW), &head, &base(), Some("c0ffee")).html;
    assert!(!html.contains("<img src=x") && !html.contains("\"'&\""), "{html}");
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"));
}

#[tokio::test]
async fn names_cannot_add_headers_or_recipients() {
    let server = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    let evil = [
        "Ben\r\nBcc: all@far.example",
        "Ben\nX-Evil: 1\n\nbody",
        "Ben\u{2028}Bcc: a@b.example",
        "\"Ben\" <evil@far.example>, x",
        "=?utf-8?q?Ben=0D=0ABcc:_a@b.example?=",
        "Ben\0\u{85}\u{b}Bcc: a@b.example",
        "Ñandú, \"Ben\"; <x@y.example>",
        &"é".repeat(200),
    ]
    .map(str::to_owned);
    for (at, evil) in evil.iter().enumerate() {
        let name = evil.clone();
        let company = evil.clone();
        let work = move |tx: &TenantWrite<'_>| {
            tx.update::<crate::people::members::Company>(
                crate::people::members::Company::id(tx.tenant()),
                None,
                |kept| {
                    kept.name = company;
                    Ok(())
                },
            )?;
            let to = format!("ben{at}@acme.example");
            queue(tx, Email::new(Kind::AlreadyMember, &to, &name, Locale::EN))
        };
        app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
        app.app.mailer().round().await.unwrap();
        let received = server.received().pop().unwrap();
        assert_eq!(server.received().len(), at + 1, "one e-mail has one recipient");
        assert!(received.to.starts_with(&format!("RCPT TO:<ben{at}@acme.example>")), "{}", received.to);
        for header in ["bcc", "cc", "x-evil"] {
            assert_eq!(received.headers(header), Vec::<String>::new(), "{evil:?}");
        }
        for header in ["from", "to", "subject", "message-id", "date", "content-type"] {
            assert_eq!(received.headers(header).len(), 1, "{header} {evil:?}");
        }
        let head = received.data.split("\r\n\r\n").next().unwrap();
        assert!(head.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n', '\0'])), "{head}");
    }
}

#[test]
fn chosen_emails_link_to_their_settings() {
    for kind in kinds() {
        let chosen = matches!(kind, Kind::Notification { .. } | Kind::Digest { .. });
        let email = Email::new(kind, "ben@acme.example", "Ben", Locale::EN);
        let rendered = render(&email, Timestamp::from_millis(NOW), &branding(), &base(), Some("c0ffee"));
        for text in [&rendered.text, &rendered.html] {
            assert_eq!(text.contains("https://atrium.example/settings/notifications"), chosen, "{text}");
        }
    }
}

#[test]
fn digest_lists_items_with_their_links() {
    let kind = Kind::Digest { items: vec![item(Some("/events/7?day=1")), item(None)], more: 3 };
    let email = Email::new(kind, "ben@acme.example", "Ben", Locale::EN);
    let rendered = render(&email, Timestamp::from_millis(NOW), &branding(), &base(), None);
    assert!(
        rendered
            .text
            .contains("* Ada <b>\n  Call Ana\n  https://atrium.example/events/7?day=1\n\n* Ada <b>\n  Call Ana\n\n")
    );
    assert!(
        rendered.html.contains("href=\"https://atrium.example/events/7?day=1\"")
            && rendered.html.contains("Ada &lt;b&gt;")
    );
    assert!(rendered.text.contains("3 more") && rendered.html.contains("3 more"));
}
