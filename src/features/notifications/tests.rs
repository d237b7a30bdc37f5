//! Notifications: recipients, channels, repetition and preferences.

use serde_json::{Value, json};

use super::{Notification, NotificationDraft, NotificationKind, notify};
use crate::{
    features::notices::rules,
    kernel::{
        MemberId,
        i18n::{Locale, say},
    },
    people::permission::{Permission, Role},
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

/// Returns the notifications in a member's panel.
pub async fn panel(who: &As) -> Vec<Value> {
    who.get("/api/common/notifications").await.expect(200).as_array().unwrap().clone()
}

async fn notify_as(app: &TestApp, by: Actor, people: &[MemberId], draft: NotificationDraft) {
    let people = people.to_vec();
    app.app.store().write(app.acme.id, by, move |tx| notify(tx, &people, &draft)).await.unwrap();
}

fn chat(text: &str) -> NotificationDraft {
    let draft = NotificationDraft::new(NotificationKind::Chat, "server.notifications.chat", "/chat/7".to_owned());
    draft
        .with_text("from", "Ada")
        .with_text("text", text)
        .with_group("chat:7".to_owned(), "server.notifications.chat.several")
}

async fn emails(app: &TestApp, word: &str) -> Vec<String> {
    let all = app.emails(app.acme.id).await;
    all.into_iter().filter(|(kind, _)| kind == word).map(|(_, to)| to).collect()
}

#[tokio::test]
async fn notifies_in_the_recipients_language_over_their_channels() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    for kind in NotificationKind::ALL {
        for (app_too, mail) in [(true, false), (true, true), (false, true), (false, false)] {
            // An address gets at most five e-mails of a kind in an hour.
            app.clock.advance(3_600_000);
            let owner = app.acme(Role::Owner).await;
            let before = (panel(&owner).await.len(), emails(&app, "notification").await.len());
            let is_security = *kind == NotificationKind::Security;
            let choice = json!({"kinds": {kind.as_str(): {"app": app_too || is_security, "mail": mail}}});
            owner.patch("/api/common/user/notification-preferences", choice).await.expect(200);
            let draft = NotificationDraft::new(*kind, "server.notifications.chat", "/chat/7".to_owned());
            notify_as(&app, Actor::System, &[owner.id], draft.with_text("from", "A<b").with_text("text", "Hi")).await;
            let after = (panel(&owner).await.len(), emails(&app, "notification").await.len());
            let expected = (before.0 + usize::from(app_too || is_security), before.1 + usize::from(mail));
            assert_eq!(after, expected, "{kind:?} {app_too} {mail}");
        }
    }
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let before = panel(&member).await.len();
    notify_as(&app, Actor::System, &[owner.id, member.id, owner.id, member.id], chat("Hi <b>")).await;
    let spanish = &panel(&member).await[0];
    assert_eq!((&spanish["title"], &spanish["description"]), (&json!("Ada te ha escrito"), &json!("Hi &lt;b&gt;")));
    assert_eq!(
        (&spanish["kind"], &spanish["link"], &spanish["useRouter"]),
        (&json!("chat"), &json!("/chat/7"), &json!(true))
    );
    assert!(panel(&owner).await.iter().all(|item| item["description"] != "Hi &lt;b&gt;"), "all channels are off");
    assert_eq!(panel(&member).await.len(), before + 1, "named twice, notified once");
}

/// The panel adds an excerpt at the end of a description, which is stored without it.
#[test]
fn descriptions_with_an_excerpt_end_with_it() {
    for locale in [Locale::EN, Locale::ES] {
        for key in ["comment", "comment_mention", "mention", "chat", "chat_group"] {
            for several in ["", ".several"] {
                // No other text is repeated.
                let several = if key == "comment_mention" { "" } else { several };
                let key = format!("server.notifications.{key}{several}.description");
                let text = say(locale, &key, &[("text", "…".to_owned())]);
                assert!(text.ends_with('…'), "{key}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn does_not_notify_actors_inactive_or_unauthorized_members() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let stranger = app.other(Role::Owner).await;
    let path = format!("/api/team/{}", viewer.id);
    owner.patch(&path, json!({"state": "suspended"})).await.expect(200);
    let people = [owner.id, member.id, viewer.id, stranger.id];
    notify_as(&app, Actor::Member(member.id), &people, chat("Hi")).await;
    let draft = NotificationDraft { right: Permission::AuditRead, ..chat("Hi again") };
    notify_as(&app, Actor::System, &people, NotificationDraft { group: None, ..draft }).await;
    assert_eq!((panel(&owner).await.len(), panel(&member).await.len()), (2, 0));
    assert_eq!(panel(&stranger).await.len(), 0);
    owner.patch(&path, json!({"state": "active"})).await.expect(200);
    let viewer = panel(&app.acme(Role::Viewer).await).await;
    assert!(viewer.iter().all(|item| item["kind"] == "security"), "{viewer:?}");
    // Security notifications also go to the actor, because the change may not have been made by them.
    let draft = NotificationDraft::new(
        NotificationKind::Security,
        "server.notifications.password_set",
        "/settings/security".to_owned(),
    );
    notify_as(&app, Actor::Member(member.id), &[member.id], draft).await;
    assert_eq!(panel(&member).await.len(), 1);
}

#[tokio::test]
async fn repetitions_are_counted_in_one_notification_until_read() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    owner
        .patch("/api/common/user/notification-preferences", json!({"kinds": {"chat": {"mail": true}}}))
        .await
        .expect(200);
    for text in ["one", "two", "three"] {
        app.clock.advance(1_000);
        notify_as(&app, Actor::System, &[owner.id], chat(text)).await;
        owner.post("/api/common/notifications/seen", json!({})).await.expect(200);
    }
    notify_as(&app, Actor::System, &[owner.id], chat("four")).await;
    let all = panel(&owner).await;
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["title"], &all[0]["description"]), (&json!("4 new messages from Ada"), &json!("four")));
    assert_eq!((&all[0]["count"], &all[0]["seen"]), (&json!(4), &json!(false)));
    assert_eq!(all[0]["time"], app.clock.now().to_string());
    assert_eq!(emails(&app, "notification").await.len(), 1, "one e-mail until it is read");
    assert_eq!(owner.get("/api/common/notifications/unread").await.expect(200)["unread"], 1);
    // After being read or removed, counting starts again.
    owner.post("/api/common/notifications/mark-all-as-read", json!({})).await.expect(200);
    notify_as(&app, Actor::System, &[owner.id], chat("five")).await;
    assert_eq!(panel(&owner).await.len(), 2);
    let id = panel(&owner).await[0]["id"].as_str().unwrap().to_owned();
    owner.delete(&format!("/api/common/notifications?id={id}")).await.expect(200);
    notify_as(&app, Actor::System, &[owner.id], chat("six")).await;
    assert_eq!(panel(&owner).await[0]["title"], "Ada wrote to you");
    // Seeing the subject itself marks its notification as read.
    let person = owner.id;
    app.app
        .store()
        .write(app.acme.id, Actor::System, move |tx| super::mark_group_read(tx, person, "chat:7"))
        .await
        .unwrap();
    assert_eq!(owner.get("/api/common/notifications/unread").await.expect(200)["unread"], 0);
    let snapshot = app.app.store().snapshot().unwrap();
    let own = snapshot.tenant(app.acme.id, Some(owner.id)).own_data().unwrap();
    assert_eq!(rules::list::<super::Notifications>(&own, &rules::NoticeFilter::default()).unwrap().len(), 2);
    assert!(own.find::<Notification>(id.parse().unwrap()).unwrap().is_some(), "the removed one can still come back");
}

#[tokio::test]
async fn preferences_are_per_member_and_security_stays_on() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let path = "/api/common/user/notification-preferences";
    let defaults = owner.get(path).await.expect(200);
    assert_eq!((&defaults["digest"], &defaults["digestHour"]), (&json!("off"), &json!(8)));
    assert_eq!(defaults["kinds"].as_object().unwrap().len(), NotificationKind::ALL.len());
    for kind in NotificationKind::ALL {
        assert_eq!(defaults["kinds"][kind.as_str()]["app"], true);
    }
    let got = owner.patch(path, json!({"kinds": {"security": {"app": false}}, "digestHour": 24})).await;
    got.refused("invalid");
    let fields = &got.body["error"]["fields"];
    assert!(fields["kinds.security.app"].is_string() && fields["digestHour"].is_string());
    let changed = json!({"kinds": {"chat": {"app": false}}, "digest": "weekly", "digestHour": 17});
    let kept = owner.patch(path, changed).await.expect(200);
    assert_eq!(kept["kinds"]["chat"], json!({"app": false, "mail": false}));
    assert_eq!((&kept["digest"], &kept["digestHour"]), (&json!("weekly"), &json!(17)));
    owner.patch(path, json!({"kinds": {"chat": {"mail": true}}})).await.expect(200);
    assert_eq!(owner.get(path).await.expect(200)["kinds"]["chat"], json!({"app": false, "mail": true}));
    assert_eq!(member.get(path).await.expect(200), defaults);
}

#[tokio::test]
async fn notifies_administrators_and_the_inviter_of_a_new_member() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let invitation = json!({"emails": ["ida@new.example"], "role": "member"});
    admin.post("/api/team/invitations", invitation).await.expect(200);
    // The member who invited her is no longer an administrator when she joins.
    owner.patch(&format!("/api/team/{}", admin.id), json!({"role": "viewer"})).await.expect(200);
    let token = app.mailed(app.acme.id, "invitation", "ida@new.example").await.unwrap();
    let form = json!({"token": token, "name": "Ida", "password": "another horse battery"});
    app.anonymous("POST", "/api/auth/activate-account", Some(form)).await.expect(200);
    for who in [&owner, &admin] {
        let newest = panel(who).await.remove(0);
        assert_eq!((&newest["kind"], &newest["title"]), (&json!("member_joined"), &json!("Ida has joined")));
    }
    assert_eq!(panel(&member).await.len(), 0);
}

/// The kind of fault: what one colleague causes displaces all other notifications of a member. Reported: tasks assigned.
/// Neighbours: mentions and invitations, the system, other senders, security.
#[tokio::test]
async fn what_a_sender_causes_beyond_the_rate_is_one_notification() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let (to, before) = (owner.id, panel(&owner).await.len());
    let kinds = [
        (NotificationKind::TaskAssigned, "server.notifications.task_assigned"),
        (NotificationKind::Mention, "server.notifications.comment_mention"),
        (NotificationKind::EventChanged, "server.notifications.event_cancelled"),
    ];
    for by in [Actor::Member(member.id), Actor::System] {
        let cause = move |tx: &TenantWrite<'_>| {
            for (kind, key) in kinds.into_iter().cycle().take(rules::MAX_PER_HOUR as usize + 5) {
                notify(tx, &[to], &NotificationDraft::new(kind, key, "/tasks/7".to_owned()))?;
            }
            Ok(())
        };
        app.app.store().write(app.acme.id, by, cause).await.unwrap();
    }
    let kept = {
        let snapshot = app.app.store().snapshot().unwrap();
        let tx = snapshot.tenant(app.acme.id, None);
        usize::try_from(tx.person(to).counter("notifications/all").unwrap()).unwrap()
    };
    assert_eq!(kept, before + 2 * (rules::MAX_PER_HOUR as usize + 1));
    let all = panel(&owner).await;
    assert!(all[0]["title"].as_str().unwrap().ends_with(": 5"), "{}", all[0]);
    assert_eq!((&all[0]["count"], &all[0]["link"]), (&json!(5), &json!("/tasks/7")));
    let path = "/settings/security".to_owned();
    let draft = NotificationDraft::new(NotificationKind::Security, "server.notifications.password_set", path);
    notify_as(&app, Actor::System, &[to], draft).await;
    assert_eq!(panel(&owner).await[0]["kind"], "security");
    // The notifications of others still come one by one.
    let draft = NotificationDraft::new(kinds[0].0, kinds[0].1, "/tasks/8".to_owned());
    let viewer = app.acme(Role::Viewer).await;
    notify_as(&app, Actor::Member(viewer.id), &[to], draft).await;
    assert_eq!(panel(&owner).await[0]["link"], "/tasks/8");
}
