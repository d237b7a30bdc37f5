//! The redirects to the provider and back.

use serde_json::json;

use super::{HERE, Manner, Stage, Way, choose, location, who};
use crate::{
    people::{
        audit,
        members::{Company, MemberRecord},
        permission::Role,
    },
    store::{Actor, Scan, TenantWrite},
};

#[tokio::test]
async fn signs_in_a_member_confirmed_by_the_provider() {
    let stage = Stage::new().await;
    let way = Way::out(&stage.app, "redirectURL=%2Ftasks%3Fopen%3D1").await;
    assert!(way.location.starts_with(&format!("{}/authorize?", stage.provider.issuer)), "{}", way.location);
    let asked = |name: &str| way.query[name].as_str();
    assert_eq!((asked("response_type"), asked("client_id")), ("code", "atrium-acme"));
    assert_eq!((asked("scope"), asked("code_challenge_method")), ("openid email profile", "S256"));
    assert_eq!(asked("redirect_uri"), format!("{HERE}/api/auth/oidc/callback"));
    assert!(asked("state").len() == 64 && asked("nonce").len() == 64 && asked("code_challenge").len() == 43);

    let manner = Manner { claims: stage.claims(&way, "Member@ACME.example"), ..Manner::default() };
    let back = stage.back_with(&way, manner).await;
    assert_eq!(location(&back), "/tasks?open=1");
    assert_eq!(who(&stage.app, &back).await.as_deref(), Some("member@acme.example"));
    let asked = stage.provider.asked.lock().unwrap().clone();
    assert!(asked[0].0.starts_with("Basic ") && !asked[0].1.contains("s3cret"), "{asked:?}");
    let cleared = back.headers.get_all("set-cookie").iter().any(|set| {
        let set = set.to_str().unwrap();
        set.starts_with("__Host-atrium-oidc=;") && set.contains("Max-Age=0")
    });
    assert!(cleared, "{:?}", back.headers);

    let snapshot = stage.app.app.store().snapshot().unwrap();
    let entries = snapshot.tenant(stage.app.acme.id, None).page::<audit::Entry>(&Scan::all(), |_| true).unwrap().items;
    let last = entries.iter().rev().find(|entry| entry.event() == "auth.signed_in").unwrap();
    assert_eq!(last.about().unwrap().name, "member of acme");
}

#[tokio::test]
async fn redirects_only_to_local_paths() {
    let stage = Stage::new().await;
    for (asked, gone) in [
        ("redirectURL=%2Ftasks", "/tasks"),
        ("", "/"),
        ("redirectURL=https%3A%2F%2Fevil.example", "/"),
        ("redirectURL=%2F%2Fevil.example", "/"),
        ("redirectURL=%2F%5Cevil.example", "/"),
        ("redirectURL=javascript%3Aalert(1)", "/"),
        ("redirectURL=%2Fa%0d%0aSet-Cookie%3A+a%3Db", "/"),
    ] {
        let way = Way::out(&stage.app, asked).await;
        let manner = Manner { claims: stage.claims(&way, "member@acme.example"), ..Manner::default() };
        assert_eq!(location(&stage.back_with(&way, manner).await), gone, "{asked}");
    }
}

#[tokio::test]
async fn callback_is_valid_once_in_time_and_in_the_same_browser() {
    let stage = Stage::new().await;
    let lost = "/sign-in?error=link_invalid";
    let manner = |way: &Way| Manner { claims: stage.claims(way, "member@acme.example"), ..Manner::default() };

    let way = Way::out(&stage.app, "").await;
    assert_eq!(location(&stage.back_with(&way, manner(&way)).await), "/");
    assert_eq!(location(&stage.back_with(&way, manner(&way)).await), lost, "again");

    let mine = Way::out(&stage.app, "").await;
    let theirs = Way::out(&stage.app, "").await;
    let swapped = Way { cookie: theirs.cookie.clone(), location: mine.location.clone(), query: mine.query.clone() };
    assert_eq!(location(&stage.back_with(&swapped, manner(&mine)).await), lost, "another browser's state");
    let bare = Way { cookie: String::new(), location: theirs.location.clone(), query: theirs.query.clone() };
    assert_eq!(location(&stage.back_with(&bare, manner(&theirs)).await), lost, "no cookie");

    let way = Way::out(&stage.app, "").await;
    for query in ["code=c0de", "code=c0de&state=", &format!("code=c0de&state={}", "0".repeat(64))] {
        assert_eq!(location(&way.back(&stage.app, query).await), lost, "{query}");
    }
    stage.app.clock.advance(5 * 60_000);
    assert_eq!(location(&stage.back_with(&way, manner(&way)).await), lost, "too late");
}

#[tokio::test]
async fn authorization_code_is_valid_once_and_for_its_requester() {
    let stage = Stage::new().await;
    let way = Way::out(&stage.app, "").await;
    let manner = Manner { claims: stage.claims(&way, "member@acme.example"), ..Manner::default() };
    assert_eq!(location(&stage.back_with(&way, manner).await), "/");
    let again = Way::out(&stage.app, "").await;
    stage.provider.manner.lock().unwrap().claims = stage.claims(&again, "member@acme.example");
    let replayed = again.back(&stage.app, &format!("code=c0de&state={}", again.query["state"])).await;
    assert_eq!(location(&replayed), "/sign-in?error=invalid_credentials");
    // Another browser's code injected into this browser's callback: the PKCE verifier does not match.
    let mine = Way::out(&stage.app, "").await;
    let theirs = Way::out(&stage.app, "").await;
    *stage.provider.manner.lock().unwrap() = Manner {
        claims: stage.claims(&theirs, "owner@acme.example"),
        challenge: theirs.query["code_challenge"].clone(),
        code: "c0de".to_owned(),
        ..Manner::default()
    };
    let injected = mine.back(&stage.app, &format!("code=c0de&state={}", mine.query["state"])).await;
    assert_eq!(location(&injected), "/sign-in?error=invalid_credentials");
}

#[tokio::test]
async fn signs_in_only_active_members_and_permitted_new_ones() {
    let stage = Stage::new().await;
    let forbidden = "/sign-in?error=forbidden";
    assert_eq!(location(&stage.vouched("nova@acme.example").await), forbidden, "nobody is made unless asked");
    assert_eq!(location(&stage.vouched("member@other.example").await), forbidden, "another company's member");
    let admin = stage.app.acme(Role::Admin).await;
    let viewer = stage.app.acme(Role::Viewer).await;
    admin.patch(&format!("/api/team/{}", viewer.id), json!({"state": "suspended"})).await.expect(200);
    assert_eq!(location(&stage.vouched("viewer@acme.example").await), forbidden);

    let issuer = stage.provider.issuer.clone();
    let made = json!({"createMembers": true, "role": "viewer", "domains": ["acme.example"]});
    choose(&stage.app, &issuer, made).await;
    assert_eq!(location(&stage.vouched("viewer@acme.example").await), forbidden, "suspended is suspended");
    for stranger in ["nova@evil.example", "nova@sub.acme.example", "nova@evil-acme.example"] {
        assert_eq!(location(&stage.vouched(stranger).await), forbidden, "{stranger}");
    }
    let back = stage.vouched("nova@acme.example").await;
    assert_eq!((location(&back).as_str(), who(&stage.app, &back).await.as_deref()), ("/", Some("nova@acme.example")));
    let people = admin.get("/api/team?role=viewer").await.expect(200);
    let nova = people["items"].as_array().unwrap().iter().find(|one| one["email"] == "nova@acme.example").unwrap();
    assert_eq!((&nova["name"], &nova["state"]), (&json!("Nova Newcomer"), &json!("active")));
    let back = stage.vouched("nova@acme.example").await;
    assert_eq!(who(&stage.app, &back).await.as_deref(), Some("nova@acme.example"), "and once");
    assert_eq!(admin.get("/api/team").await.expect(200)["total"], 5);
}

#[tokio::test]
async fn first_sign_in_links_the_account_and_another_is_rejected() {
    let stage = Stage::new().await;
    let signed = async |subject: &str, email: &str| {
        let way = Way::out(&stage.app, "").await;
        let mut claims = stage.claims(&way, email);
        claims["sub"] = json!(subject);
        let back = stage.back_with(&way, Manner { claims, ..Manner::default() }).await;
        let whose = if location(&back) == "/" { who(&stage.app, &back).await } else { None };
        (location(&back), whose)
    };
    let home = |email: &str| ("/".to_owned(), Some(email.to_owned()));
    let forbidden = || ("/sign-in?error=forbidden".to_owned(), None);
    assert_eq!(signed("a-1", "member@acme.example").await, home("member@acme.example"));
    assert_eq!(signed("a-1", "member@acme.example").await, home("member@acme.example"));
    assert_eq!(signed("a-2", "member@acme.example").await, forbidden(), "the address was given to somebody else");
    // The account stays the same when its address changes, even to the address of another member.
    assert_eq!(signed("a-1", "renamed@acme.example").await, home("member@acme.example"));
    assert_eq!(signed("a-1", "admin@acme.example").await, home("member@acme.example"));
    assert_eq!(signed("a-2", "admin@acme.example").await, home("admin@acme.example"));
    // Another provider has its own subject ids: its link replaces the earlier one.
    let moved = |tx: &TenantWrite<'_>| {
        let member =
            tx.find_by::<MemberRecord>(crate::people::members::MEMBERS_BY_EMAIL, "member@acme.example")?.unwrap();
        tx.update(member.id, None, |member: &mut MemberRecord| {
            member.sign_on.as_mut().unwrap().issuer = "https://before.example".to_owned();
            Ok(())
        })
    };
    stage.app.app.store().write(stage.app.acme.id, Actor::Operator, moved).await.unwrap();
    assert_eq!(signed("a-9", "member@acme.example").await, home("member@acme.example"));
    assert_eq!(signed("a-8", "member@acme.example").await, forbidden());
}

#[tokio::test]
async fn sign_in_for_one_tenant_does_not_open_another() {
    let stage = Stage::new().await;
    let got = stage.app.anonymous("GET", &format!("{HERE}/api/auth/oidc/start?company=other"), None).await;
    assert_eq!(location(&got), "/sign-in?error=not_found", "the other company chose no provider");
    // Both tenants use the same provider: the token for one is invalid for the other.
    let owner = stage.app.other(Role::Owner).await;
    let body = json!({"issuer": stage.provider.issuer, "clientId": "atrium-other", "clientSecret": "x", "name": "ID"});
    owner.send_with("PUT", "/api/settings/single-sign-on", Some(body), &[]).await.expect(200);
    let way = Way::out(&stage.app, "company=other").await;
    assert_eq!(way.query["client_id"], "atrium-other");
    let mixed = Manner { claims: stage.claims(&way, "member@other.example"), ..Manner::default() };
    assert_eq!(location(&stage.back_with(&way, mixed).await), "/sign-in?error=invalid_credentials");
    let way = Way::out(&stage.app, "company=other").await;
    let mut claims = stage.claims(&way, "member@acme.example");
    claims["aud"] = json!("atrium-other");
    let back = stage.back_with(&way, Manner { claims, ..Manner::default() }).await;
    assert_eq!(location(&back), "/sign-in?error=forbidden", "acme's member at other's door");
    // The response names another issuer (RFC 9207).
    let way = Way::out(&stage.app, "").await;
    let query = format!("code=c0de&state={}&iss=https%3A%2F%2Fevil.example", way.query["state"]);
    // Everything else is valid.
    let challenge = way.query["code_challenge"].clone();
    let claims = stage.claims(&way, "member@acme.example");
    *stage.provider.manner.lock().unwrap() = Manner { challenge, code: "c0de".to_owned(), claims, ..Manner::default() };
    assert_eq!(location(&way.back(&stage.app, &query).await), "/sign-in?error=invalid_credentials");
}

#[tokio::test]
async fn rejects_a_sign_in_denied_by_the_provider() {
    let stage = Stage::new().await;
    let way = Way::out(&stage.app, "").await;
    let query = format!("error=access_denied&error_description=%3Cb%3E&state={}", way.query["state"]);
    let back = way.back(&stage.app, &query).await;
    assert_eq!(location(&back), "/sign-in?error=invalid_credentials");
}

#[tokio::test]
async fn second_factor_is_required_if_the_tenant_requires_one() {
    let stage = Stage::new().await;
    let since = stage.app.clock.now().plus_seconds(-30 * 86_400);
    let require = move |tx: &TenantWrite<'_>| {
        let id = Company::id(tx.tenant());
        tx.update::<Company>(id, None, |company| {
            company.second_factor.required = true;
            company.second_factor.since = Some(since);
            Ok(())
        })
    };
    let member = stage.app.acme(Role::Member).await;
    member.set_up_app().await;
    stage.app.app.store().write(stage.app.acme.id, Actor::Operator, require).await.unwrap();
    let needed = "/sign-in?error=second_factor_needed";
    assert_eq!(location(&stage.vouched("member@acme.example").await), needed);
    let way = Way::out(&stage.app, "").await;
    let mut claims = stage.claims(&way, "member@acme.example");
    claims["amr"] = json!(["pwd", "otp"]);
    let back = stage.back_with(&way, Manner { claims, ..Manner::default() }).await;
    assert_eq!(location(&back), "/", "the provider asked for one");
    let issuer = stage.provider.issuer.clone();
    let owner = stage.app.sign_in("owner@acme.example").await;
    owner.set_up_app().await;
    let body = json!({"issuer": issuer, "clientId": "atrium-acme", "name": "ID", "trustsSecondFactor": true});
    owner.send_with("PUT", "/api/settings/single-sign-on", Some(body), &[]).await.expect(200);
    assert_eq!(location(&stage.vouched("member@acme.example").await), "/", "the company trusts it");
    let snapshot = stage.app.app.store().snapshot().unwrap();
    let record = snapshot.tenant(stage.app.acme.id, None).get::<MemberRecord>(member.id).unwrap();
    assert_eq!(record.email, "member@acme.example");
}
