//! The hub on its own: who receives what, and what is buffered.

use std::{collections::BTreeSet, time::Duration};

use super::{
    presence::MAX_DEVICES_PER_SESSION,
    topic::{MAX_LEDGER_FRAMES, MAX_TRANSIENT_FRAMES},
    *,
};
use crate::{
    kernel::{Id, Timestamp},
    store::{Actor, Op},
};

/// Publishes the sequence number of each change: personal ones to their owner, quiet kinds to no one, others to all.
struct TestSource;

impl FrameSource for TestSource {
    fn build_frames(&self, _: TenantId, changes: &[&Change]) -> Vec<OutgoingFrame> {
        let frames = changes.iter().filter(|change| change.kind != "quiet").map(|change| OutgoingFrame {
            ledger_seq: change.seq,
            to: change.person.map_or(Audience::Holders(1), |person| Audience::People(vec![person])),
            text: change.seq.to_string().into(),
        });
        frames.collect()
    }
    fn session_impact(&self, change: &Change) -> SessionImpact {
        if change.kind == "member" { SessionImpact::Member(Id::from_bytes(change.id)) } else { SessionImpact::None }
    }
    fn rights(&self, _: TenantId, person: MemberId) -> u64 {
        u64::from(person.as_bytes()[0] < 200)
    }
    fn status(&self, _: TenantId, _: MemberId, state: Option<PresenceState>) -> Option<&'static str> {
        state.map(|state| if state == PresenceState::Active { "online" } else { "away" })
    }
    fn presence_frame(&self, _: u64, person: MemberId, status: Option<&'static str>) -> Bytes {
        format!("{} {}", person.as_bytes()[0], status.unwrap_or("gone")).into()
    }
    fn presence_all_frame(&self, at: u64, visible: &[(MemberId, &'static str)]) -> Bytes {
        format!("all {} at {at}", visible.len()).into()
    }
    fn sees_record(&self, tenant: TenantId, person: MemberId, _: &str, _: [u8; 16]) -> bool {
        self.rights(tenant, person) != 0
    }
    fn editors_frame(&self, _: u64, kind: &str, _: [u8; 16], people: &[MemberId]) -> Bytes {
        format!("{kind} {}", people.len()).into()
    }
}

fn change(seq: u64, tenant: u8, kind: &str, person: Option<u8>) -> Change {
    Change {
        seq,
        tenant: TenantId::from_bytes([tenant; 16]).unwrap(),
        at: Timestamp::default(),
        actor: Actor::System,
        person: person.map(|person| Id::from_bytes([person; 16])),
        kind: kind.to_owned(),
        id: [9; 16],
        version: 1,
        op: Op::Created,
        fields: Vec::new(),
        title: None,
        part_of: None,
        also_of: Vec::new(),
        amounts: None,
        act: None,
        is_uncounted: false,
    }
}

fn hub(last: u64) -> Hub {
    Hub::new(last, Presence::new(20), TestSource)
}

fn join(hub: &Hub, tenant: u8, person: u8) -> Result<TenantChannel, DeviceLimit> {
    hub.join(TenantId::from_bytes([tenant; 16]).unwrap(), Id::from_bytes([person; 16]), [person; 16], false)
}

fn channel(hub: &Hub, tenant: u8, person: u8) -> TenantChannel {
    join(hub, tenant, person).unwrap()
}

fn texts(frames: Vec<Bytes>) -> Vec<String> {
    frames.into_iter().map(|text| String::from_utf8(text.to_vec()).unwrap()).collect()
}

const NO_WAIT: Duration = Duration::ZERO;

/// The frames for changes after a sequence number.
async fn frames_after(channel: &TenantChannel, ledger_seq: u64) -> Vec<String> {
    let mut frames = texts(channel.poll(Some(ledger_seq), None, NO_WAIT).await.frames);
    frames.retain(|text| !text.starts_with("all"));
    frames
}

#[tokio::test]
async fn frames_reach_their_tenant_and_owner_only() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let bob = channel(&hub, 1, 2);
    let eve = channel(&hub, 2, 3);
    let without_rights = channel(&hub, 1, 201);
    hub.publish(&[change(11, 1, "task", None), change(12, 1, "message", Some(2)), change(13, 1, "quiet", None)]);
    assert_eq!(frames_after(&ada, 10).await, ["11"]);
    assert_eq!(frames_after(&bob, 10).await, ["11", "12"]);
    assert_eq!(frames_after(&bob, 11).await, ["12"]);
    assert_eq!(frames_after(&eve, 10).await, [""; 0]);
    assert_eq!(frames_after(&without_rights, 10).await, [""; 0]);
}

#[tokio::test]
async fn presence_all_has_the_sequence_number_of_its_batch() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let start = ada.start(Some(10));
    let mut last_frame = start.frame_seq;
    hub.publish(&[change(11, 1, "task", None)]);
    // With a sequence number that was not published yet, the client would resume behind it.
    assert_eq!(texts(vec![ada.presence_all_frame(start.at)]), ["all 1 at 10"]);
    let next = ada.next_frames(&mut last_frame);
    hub.publish(&[change(12, 1, "task", None)]);
    assert_eq!((next.at, texts(vec![ada.presence_all_frame(next.at)])), (11, vec!["all 1 at 11".to_owned()]));
}

#[tokio::test]
async fn waiting_poll_returns_at_once() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let (result, ()) = tokio::join!(ada.poll(Some(10), None, Duration::from_mins(1)), async {
        hub.publish(&[change(11, 1, "message", Some(2))]);
        hub.publish(&[change(12, 1, "task", None)]);
    });
    assert_eq!((result.at, texts(result.frames)), (12, vec!["12".to_owned(), "all 1 at 12".to_owned()]));
}

#[tokio::test]
async fn subscriber_beyond_the_buffer_gets_resync() {
    let hub = hub(0);
    let ada = channel(&hub, 1, 1);
    let mut last_frame = ada.start(None).frame_seq;
    for seq in 1..=MAX_LEDGER_FRAMES as u64 + 5 {
        hub.publish(&[change(seq, 1, "task", None)]);
    }
    assert!(ada.poll(Some(2), None, NO_WAIT).await.resync);
    assert_eq!(frames_after(&ada, 5).await.len(), MAX_LEDGER_FRAMES);
    assert!(!ada.start(Some(2)).resumed && ada.start(Some(2)).frames.is_empty());
    assert_eq!((ada.start(Some(5)).resumed, ada.start(Some(5)).frames.len()), (true, MAX_LEDGER_FRAMES));
    assert!(!ada.start(Some(99_999)).resumed, "a sequence number that was never reached");
    let next = ada.next_frames(&mut last_frame);
    assert!(next.resync && next.frames.is_empty());
    let next = ada.next_frames(&mut last_frame);
    assert!(!next.resync && next.frames.is_empty());
}

#[tokio::test]
async fn changes_missed_by_the_hub_resync_all_subscribers() {
    let hub = hub(10);
    let (commits, changes) = broadcast::channel(2);
    let (stop, stopped) = watch::channel(false);
    let waiting = channel(&hub, 1, 1);
    let mut last_frame = waiting.start(None).frame_seq;
    for seq in 11..=20 {
        drop(commits.send(vec![change(seq, 1, "task", None)].into()));
    }
    drop(commits);
    hub.clone().run(changes, stopped).await;
    drop(stop);
    // 11 to 18 were lost; a subscriber that was not waiting at that moment must learn it too.
    for ledger_seq in [10, 15, 17] {
        let result = waiting.poll(Some(ledger_seq), None, NO_WAIT).await;
        assert!(result.resync, "{ledger_seq}");
        assert_eq!(result.at, 20, "the client reads everything and resumes here");
    }
    assert!(waiting.next_frames(&mut last_frame).resync);
    let late = channel(&hub, 1, 2);
    assert!(!late.poll(Some(20), None, NO_WAIT).await.resync);
    assert_eq!(frames_after(&late, 18).await, ["19", "20"]);
}

#[test]
fn no_change_is_lost_while_a_topic_is_created() {
    for _ in 0..200 {
        let hub = hub(10);
        let publisher = hub.clone();
        let start = Arc::new(std::sync::Barrier::new(2));
        let started = start.clone();
        let publishing = std::thread::spawn(move || {
            started.wait();
            publisher.publish(&[change(11, 1, "task", None)]);
        });
        start.wait();
        let ada = channel(&hub, 1, 1);
        publishing.join().unwrap();
        let now = ada.start(Some(10));
        assert!(!now.resumed || now.frames.len() == 1, "{now:?}");
    }
}

#[tokio::test]
async fn member_is_present_while_connected_and_a_grace_longer() {
    let hub = Hub::new(10, Presence::new(20), TestSource);
    let ada = channel(&hub, 1, 1);
    let mut frame_seq = ada.start(None).frame_seq;
    let one = channel(&hub, 1, 2);
    one.set_idle(true);
    let other = channel(&hub, 1, 2);
    drop(one);
    other.set_idle(true);
    other.set_idle(true);
    drop(other);
    drop(channel(&hub, 1, 2));
    let frames = texts(ada.next_frames(&mut frame_seq).frames);
    assert_eq!(frames, ["2 online", "2 away", "2 online", "2 away", "2 online"], "back at once: never shown as gone");

    let hub = Hub::new(10, Presence::with_grace(20, Duration::ZERO), TestSource);
    let (_commits, changes) = broadcast::channel::<Arc<[Change]>>(2);
    let (stop, stopped) = watch::channel(false);
    let ada = channel(&hub, 1, 1);
    let mut frame_seq = ada.start(None).frame_seq;
    let watching = async {
        drop(channel(&hub, 1, 2));
        let mut frames = Vec::new();
        while frames.len() < 2 {
            ada.wait_for_frame(frame_seq).await;
            frames.extend(texts(ada.next_frames(&mut frame_seq).frames));
        }
        assert_eq!(frames, ["2 online", "2 gone"]);
        stop.send_replace(true);
    };
    tokio::join!(watching, hub.clone().run(changes, stopped));
}

#[tokio::test]
async fn poll_returns_transient_frames_after_its_frame_number() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let first = ada.poll(None, None, NO_WAIT).await;
    assert_eq!(texts(first.frames), ["all 1 at 10"]);
    let bob = channel(&hub, 1, 2);
    bob.publish_transient(vec![Id::from_bytes([1; 16]), Id::from_bytes([2; 16])], |ledger_seq| {
        format!("typing {ledger_seq}").into()
    });
    hub.publish(&[change(11, 1, "task", None)]);
    let result = ada.poll(Some(10), Some(first.frame_seq), NO_WAIT).await;
    assert_eq!(texts(result.frames), ["2 online", "typing 10", "11"]);
    let his = bob.poll(Some(10), Some(first.frame_seq), NO_WAIT).await;
    assert_eq!(texts(his.frames), ["2 online", "11"], "not sent to the member who types");
    let again = ada.poll(Some(result.at), Some(result.frame_seq), NO_WAIT).await;
    assert_eq!(again.frames.len(), 0);
    // More transient frames than are buffered: the client gets all present members.
    for _ in 0..=MAX_TRANSIENT_FRAMES {
        bob.publish_transient(vec![Id::from_bytes([1; 16])], |_| "typing".into());
    }
    let mut last_frame = result.frame_seq;
    assert!(ada.next_frames(&mut last_frame).missed_transient);
    let result = ada.poll(Some(result.at), Some(result.frame_seq), NO_WAIT).await;
    assert_eq!(texts(result.frames), ["all 2 at 11"]);
}

#[test]
fn editors_of_a_record_see_each_other() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let bob = channel(&hub, 1, 2);
    let eve = channel(&hub, 1, 3);
    let mut frame_seqs = [&ada, &bob, &eve].map(|one| one.start(None).frame_seq);
    let record = BTreeSet::from([("task".to_owned(), [5; 16])]);
    ada.set_edited(&record);
    bob.set_edited(&record);
    bob.set_edited(&record);
    drop(bob);
    let mut editors = |one: &TenantChannel, n: usize| {
        let mut texts = texts(one.next_frames(&mut frame_seqs[n]).frames);
        texts.retain(|text| text.starts_with("task"));
        texts
    };
    assert_eq!(editors(&ada, 0), ["task 1", "task 2", "task 1"]);
    assert_eq!(editors(&eve, 2), [""; 0]);
}

#[test]
fn devices_per_session_and_tenant_are_limited() {
    let hub = hub(10);
    let mut open: Vec<_> = (0..MAX_DEVICES_PER_SESSION).map(|_| channel(&hub, 1, 1)).collect();
    assert_eq!(join(&hub, 1, 1).err(), Some(DeviceLimit::Session));
    open.pop();
    open.push(channel(&hub, 1, 1));
    open.extend((2..=16).map(|person| channel(&hub, 1, person)));
    assert_eq!(join(&hub, 1, 17).err(), Some(DeviceLimit::Tenant));
    drop(channel(&hub, 2, 17));
    open.clear();
    assert!(join(&hub, 1, 17).is_ok());
}

#[test]
fn member_change_marks_their_sessions_for_a_check() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 9);
    let other = channel(&hub, 1, 1);
    assert!(ada.take_needs_check() && other.take_needs_check(), "from the start");
    assert!(!ada.take_needs_check() && !other.take_needs_check());
    hub.publish(&[change(11, 1, "member", None)]);
    assert!(ada.take_needs_check() && !other.take_needs_check());
}
