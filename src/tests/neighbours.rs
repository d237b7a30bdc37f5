//! Fairness tests between tenants (T-38): a tenant's requests beyond its permits wait in its own queue, those beyond
//! its queue are refused, and other tenants are served.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::mpsc,
    task::Poll,
};

use poem::{
    Endpoint, EndpointExt, Request, RequestBody, Response,
    endpoint::{BoxEndpoint, make},
};
use poem_openapi::{ApiExtractor, ExtractParamOptions};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{
    access::Member,
    config::Config,
    http::{Bearer, Contract, Pipeline, Rules},
    kernel::{Code, Entropy, Error, Result},
    people::permission::{Read, Role},
    store::{Actor, TenantRead, TenantWrite},
    testing::{As, Got, PASSWORD, TestApp},
    wire::Problem,
};

type PendingResponse<'a> = Pin<Box<dyn Future<Output = Got> + 'a>>;

async fn poll_once<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Option<F::Output> {
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Starts a request and checks that it is not answered yet.
async fn begun<'a>(answer: impl Future<Output = Got> + 'a) -> PendingResponse<'a> {
    let mut answer: PendingResponse<'a> = Box::pin(answer);
    let early = poll_once(&mut answer).await;
    assert!(early.is_none(), "answered: {early:?}");
    answer
}

fn limited(per_company: usize) -> impl FnOnce(&mut Config) {
    move |config| config.limits.requests_per_company = per_company
}

/// Blocks all writes of the store until the sender is dropped.
async fn writes_held(app: &TestApp) -> (impl Future<Output = Result<((), u64)>> + use<>, mpsc::Sender<()>) {
    let (go_on, wait) = mpsc::channel::<()>();
    let (inside, begun) = oneshot::channel();
    let store = app.app.store().clone();
    let tenant = app.other.id;
    let mut held = Box::pin(async move {
        let hold = move |_: &TenantWrite<'_>| {
            let _ = inside.send(());
            let _ = wait.recv();
            Ok(())
        };
        store.write(tenant, Actor::System, hold).await
    });
    assert!(poll_once(&mut held).await.is_none());
    begun.await.unwrap();
    (held, go_on)
}

/// The kind of fault: work that all companies wait for, without a share for each.
#[tokio::test]
async fn company_that_hashes_many_passwords_leaves_room_for_the_sign_ins_of_others() {
    let app = TestApp::with(limited(100)).await;
    let owner = app.acme(Role::Owner).await;
    let mut waiting = Vec::new();
    // More than all hashings that may run or wait.
    for n in 0..100 {
        let new = json!({"name": "A", "email": format!("a{n}@acme.example"), "role": "member", "password": PASSWORD});
        waiting.push(begun(owner.post("/api/team", new)).await);
    }
    let body = json!({"email": "member@other.example", "password": PASSWORD});
    app.anonymous_with("POST", "/api/auth/sign-in", Some(body), &[("host", "other.example")]).await.expect(200);
}

#[tokio::test]
async fn tenant_at_its_limit_does_not_block_another() {
    let app = TestApp::with(limited(2)).await;
    let noisy = app.acme(Role::Admin).await;
    let quiet = app.other(Role::Member).await;
    let ask = |title: &'static str| noisy.post("/api/tasks", json!({"title": title}));
    let (held, go_on) = writes_held(&app).await;
    let mut under_way = Vec::new();
    for title in ["a", "b"] {
        under_way.push(begun(ask(title)).await);
    }
    let mut waiting = Vec::new();
    for title in ["c", "d"] {
        waiting.push(begun(ask(title)).await);
    }
    for call in [ask("e").await, noisy.get("/api/common/user").await] {
        call.refused("slow_down");
        assert_eq!((call.status, &call.headers["retry-after"]), (429, &"1".parse().unwrap()));
        assert!(call.body["error"]["message"].as_str().unwrap().contains("company"), "{}", call.body);
    }
    // Not affected: another tenant, calls that only wait for changes, and calls without a session.
    for path in ["/api/tasks", "/api/customers?q=a", "/api/common/user"] {
        quiet.get(path).await.expect(200);
    }
    noisy.get("/api/live?wait=0").await.expect(200);
    app.anonymous("GET", "/api/global/version", None).await.expect(200);
    // Cancelled requests release their permit or their position in the queue.
    drop((under_way.pop(), waiting.pop()));
    waiting.push(begun(ask("f")).await);
    waiting.push(begun(ask("g")).await);
    ask("h").await.refused("slow_down");
    drop(go_on);
    held.await.unwrap();
    for answer in under_way.into_iter().chain(waiting) {
        answer.await.expect(201);
    }
    noisy.get("/api/tasks").await.expect(200);
}

/// Returns the request pipeline with a handler of the test.
fn behind_the_edge<F, A>(app: &TestApp, handler: F) -> BoxEndpoint<'static, Response>
where
    F: Fn(Member<Read>, String) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Result<()>> + Send + 'static,
{
    let gate = app.app.auth().clone();
    let bearer: Bearer = Box::new(move |headers| gate.sender(headers));
    let rules = Rules::new(app.app.config(), Contract::listing(&[]), bearer, app.clock.clone(), Entropy::seeded(9));
    let inner = make(move |request: Request| {
        let handler = handler.clone();
        async move {
            let mut body = RequestBody::default();
            // Some handlers authenticate twice.
            Member::<Read>::from_request(&request, &mut body, ExtractParamOptions::default()).await?;
            let member = Member::<Read>::from_request(&request, &mut body, ExtractParamOptions::default()).await?;
            let path = request.uri().path().to_owned();
            handler(member, path).await.map_err(Problem)?;
            Ok::<_, poem::Error>(Response::default())
        }
    });
    Pipeline::new(inner.data(app.app.auth().clone()), rules).boxed()
}

async fn send(endpoint: &BoxEndpoint<'static, Response>, path: &str, who: &As) -> Got {
    let request = Request::builder().uri(path.parse().unwrap());
    let request = request.header("authorization", format!("Bearer {}", who.token())).finish();
    Got::of(endpoint.get_response(request).await).await
}

#[tokio::test]
async fn permits_are_released_after_any_end_of_a_request() {
    let app = TestApp::with(limited(1)).await;
    let who = app.acme(Role::Member).await;
    let endpoint = behind_the_edge(&app, |_, path| async move {
        match path.as_str() {
            "/api/error" => Err(Error::new(Code::Conflict)),
            "/api/panic" => panic!("on purpose"),
            "/api/held" => std::future::pending().await,
            _ => Ok(()),
        }
    });
    let fine = || async { send(&endpoint, "/api/fine", &who).await.expect(200) };
    for (path, status) in [("/api/fine", 200), ("/api/error", 409), ("/api/panic", 500)] {
        send(&endpoint, path, &who).await.expect(status);
        fine().await;
    }
    let held = begun(send(&endpoint, "/api/held", &who)).await;
    let waiting = begun(send(&endpoint, "/api/fine", &who)).await;
    send(&endpoint, "/api/fine", &who).await.refused("slow_down");
    drop(held);
    waiting.await.expect(200);
    fine().await;
}

#[tokio::test]
async fn uploads_have_separate_permits_and_long_polls_need_none() {
    let app = TestApp::with(limited(1)).await;
    let who = app.acme(Role::Member).await;
    let endpoint = behind_the_edge(&app, |_, path| async move {
        if path == "/api/fine" { Ok(()) } else { std::future::pending().await }
    });
    let _news = [begun(send(&endpoint, "/api/live", &who)).await, begun(send(&endpoint, "/api/live", &who)).await];
    let upload = begun(send(&endpoint, "/api/files", &who)).await;
    send(&endpoint, "/api/files", &who).await.refused("slow_down");
    send(&endpoint, "/api/fine", &who).await.expect(200);
    drop(upload);
    let _next = begun(send(&endpoint, "/api/files", &who)).await;
}

#[tokio::test]
async fn blocking_reads_of_a_tenant_use_a_limited_number_of_threads() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let app = TestApp::with(limited(64)).await;
    let noisy = app.acme(Role::Member).await;
    let quiet = app.other(Role::Member).await;
    let (busy, mut began) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let endpoint = behind_the_edge(&app, move |member, path| {
        let busy = busy.clone();
        let wait = wait.clone();
        async move {
            let hold = path == "/api/held";
            let look = move |_: &TenantRead<'_>| {
                if hold {
                    let _ = busy.send(());
                    let _ = wait.lock().unwrap().recv();
                }
                Ok(())
            };
            member.read_blocking(look).await
        }
    });
    let mut held = Vec::new();
    for _ in 0..cores {
        held.push(begun(send(&endpoint, "/api/held", &noisy)).await);
        began.recv().await.unwrap();
    }
    // The request is cancelled, but its thread is still busy.
    drop(held.pop());
    let next = begun(send(&endpoint, "/api/next", &noisy)).await;
    send(&endpoint, "/api/next", &quiet).await.expect(200);
    let mut next = next;
    assert!(poll_once(&mut next).await.is_none(), "no thread is left for the company");
    drop(go_on);
    for answer in held {
        answer.await.expect(200);
    }
    next.await.expect(200);
}

#[tokio::test]
async fn tenant_with_most_requests_waits_for_another() {
    let app = TestApp::new().await;
    let noisy = app.acme(Role::Member).await;
    let quiet = app.other(Role::Member).await;
    let endpoint = behind_the_edge(&app, |_, _| async { Ok(()) });
    send(&endpoint, "/api/fine", &quiet).await.expect(200);
    for _ in 0..3 {
        send(&endpoint, "/api/fine", &noisy).await.expect(200);
    }
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(begun(send(&endpoint, "/api/fine", &noisy)).await);
    }
    let mut first: PendingResponse<'_> = Box::pin(send(&endpoint, "/api/fine", &quiet));
    poll_once(&mut first).await.expect("answered as soon as it was looked at").expect(200);
    for answer in waiting {
        answer.await.expect(200);
    }
}

#[tokio::test]
async fn accepts_every_request_without_a_limit() {
    let app = TestApp::with(limited(0)).await;
    let who = app.acme(Role::Member).await;
    let endpoint = behind_the_edge(&app, |_, _| std::future::pending());
    let mut held = Vec::new();
    for _ in 0..200 {
        held.push(begun(send(&endpoint, "/api/held", &who)).await);
    }
    let next: Value = app.acme(Role::Viewer).await.get("/api/common/user").await.expect(200);
    assert_eq!(next["role"], "viewer");
}
