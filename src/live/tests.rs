//! The hub on its own: who receives what, and what is buffered.

use std::{collections::BTreeSet, time::Duration};

use super::{
    presence::PER_SESSION,
    topic::{PASSING, REMEMBERED},
    *,
};
use crate::{
    kernel::{Id, Timestamp},
    store::{Actor, Op},
};

/// Publishes the sequence number of each change: personal ones to their owner, quiet kinds to no one, others to all.
struct Plain;

impl FrameSource for Plain {
    fn say(&self, _: TenantId, changes: &[&Change]) -> Vec<OutgoingFrame> {
        let told = changes.iter().filter(|change| change.kind != "quiet").map(|change| OutgoingFrame {
            ledger_seq: change.seq,
            to: change.person.map_or(Audience::Holders(1), |person| Audience::People(vec![person])),
            text: change.seq.to_string().into(),
        });
        told.collect()
    }
    fn session_impact(&self, change: &Change) -> SessionImpact {
        if change.kind == "member" { SessionImpact::Member(Id::from_bytes(change.id)) } else { SessionImpact::Nobody }
    }
    fn rights(&self, _: TenantId, person: MemberId) -> u64 {
        u64::from(person.as_bytes()[0] < 200)
    }
    fn status(&self, _: TenantId, _: MemberId, there: Option<PresenceState>) -> Option<&'static str> {
        there.map(|there| if there == PresenceState::Active { "online" } else { "away" })
    }
    fn presence(&self, _: u64, person: MemberId, status: Option<&'static str>) -> Bytes {
        format!("{} {}", person.as_bytes()[0], status.unwrap_or("gone")).into()
    }
    fn everybody(&self, at: u64, seen: &[(MemberId, &'static str)]) -> Bytes {
        format!("all {} at {at}", seen.len()).into()
    }
    fn editors(&self, _: u64, kind: &str, _: [u8; 16], people: &[MemberId]) -> Bytes {
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
    }
}

fn hub(last: u64) -> Hub {
    Hub::new(last, Presence::new(20), Plain)
}

fn join(hub: &Hub, tenant: u8, person: u8) -> Result<TenantChannel, Full> {
    hub.join(TenantId::from_bytes([tenant; 16]).unwrap(), Id::from_bytes([person; 16]), [person; 16], false)
}

fn channel(hub: &Hub, tenant: u8, person: u8) -> TenantChannel {
    join(hub, tenant, person).unwrap()
}

fn texts(frames: Vec<Bytes>) -> Vec<String> {
    frames.into_iter().map(|text| String::from_utf8(text.to_vec()).unwrap()).collect()
}

const AT_ONCE: Duration = Duration::ZERO;

/// The frames for changes after a sequence number.
async fn told(channel: &TenantChannel, ledger_seq: u64) -> Vec<String> {
    let mut told = texts(channel.after(Some(ledger_seq), None, AT_ONCE).await.frames);
    told.retain(|text| !text.starts_with("all"));
    told
}

#[tokio::test]
async fn one_hears_of_ones_company_and_oneself_only() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let bob = channel(&hub, 1, 2);
    let eve = channel(&hub, 2, 3);
    let without_rights = channel(&hub, 1, 201);
    hub.tell(&[change(11, 1, "task", None), change(12, 1, "message", Some(2)), change(13, 1, "quiet", None)]);
    assert_eq!(told(&ada, 10).await, ["11"]);
    assert_eq!(told(&bob, 10).await, ["11", "12"]);
    assert_eq!(told(&bob, 11).await, ["12"]);
    assert_eq!(told(&eve, 10).await, [""; 0]);
    assert_eq!(told(&without_rights, 10).await, [""; 0]);
}

#[tokio::test]
async fn who_is_there_is_told_at_the_place_of_the_frames_it_goes_with() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let start = ada.start(Some(10));
    let mut listening = start.frame_seq;
    hub.tell(&[change(11, 1, "task", None)]);
    // With a sequence number that was not published yet, the client would resume behind it.
    assert_eq!(texts(vec![ada.everybody(start.at)]), ["all 1 at 10"]);
    let next = ada.next(&mut listening);
    hub.tell(&[change(12, 1, "task", None)]);
    assert_eq!((next.at, texts(vec![ada.everybody(next.at)])), (11, vec!["all 1 at 11".to_owned()]));
}

#[tokio::test]
async fn who_waits_is_told_at_once() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let (heard, ()) = tokio::join!(ada.after(Some(10), None, Duration::from_mins(1)), async {
        hub.tell(&[change(11, 1, "message", Some(2))]);
        hub.tell(&[change(12, 1, "task", None)]);
    });
    assert_eq!((heard.at, texts(heard.frames)), (12, vec!["12".to_owned(), "all 1 at 12".to_owned()]));
}

#[tokio::test]
async fn who_missed_more_than_is_remembered_reads_again() {
    let hub = hub(0);
    let ada = channel(&hub, 1, 1);
    let mut listening = ada.start(None).frame_seq;
    for seq in 1..=REMEMBERED as u64 + 5 {
        hub.tell(&[change(seq, 1, "task", None)]);
    }
    assert!(ada.after(Some(2), None, AT_ONCE).await.resync);
    assert_eq!(told(&ada, 5).await.len(), REMEMBERED);
    assert!(!ada.start(Some(2)).resumed && ada.start(Some(2)).frames.is_empty());
    assert_eq!((ada.start(Some(5)).resumed, ada.start(Some(5)).frames.len()), (true, REMEMBERED));
    assert!(!ada.start(Some(99_999)).resumed, "a place that was never reached");
    let next = ada.next(&mut listening);
    assert!(next.resync && next.frames.is_empty());
    let next = ada.next(&mut listening);
    assert!(!next.resync && next.frames.is_empty());
}

#[tokio::test]
async fn what_the_hub_itself_missed_everybody_reads_again() {
    let hub = hub(10);
    let (commits, heard) = broadcast::channel(2);
    let (stop, stopped) = watch::channel(false);
    let waiting = channel(&hub, 1, 1);
    let mut listening = waiting.start(None).frame_seq;
    for seq in 11..=20 {
        drop(commits.send(vec![change(seq, 1, "task", None)].into()));
    }
    drop(commits);
    hub.clone().run(heard, stopped).await;
    drop(stop);
    // 11 to 18 were lost; a subscriber that was not waiting at that moment must learn it too.
    for ledger_seq in [10, 15, 17] {
        let told = waiting.after(Some(ledger_seq), None, AT_ONCE).await;
        assert!(told.resync, "{ledger_seq}");
        assert_eq!(told.at, 20, "who has read everything goes on from here");
    }
    assert!(waiting.next(&mut listening).resync);
    let late = channel(&hub, 1, 2);
    assert!(!late.after(Some(20), None, AT_ONCE).await.resync);
    assert_eq!(told(&late, 18).await, ["19", "20"]);
}

#[test]
fn no_change_falls_between_opening_a_room_and_listening() {
    for _ in 0..200 {
        let hub = hub(10);
        let teller = hub.clone();
        let start = Arc::new(std::sync::Barrier::new(2));
        let begun = start.clone();
        let telling = std::thread::spawn(move || {
            begun.wait();
            teller.tell(&[change(11, 1, "task", None)]);
        });
        start.wait();
        let ada = channel(&hub, 1, 1);
        telling.join().unwrap();
        let now = ada.start(Some(10));
        assert!(!now.resumed || now.frames.len() == 1, "{now:?}");
    }
}

#[tokio::test]
async fn somebody_is_there_while_a_device_listens_and_a_little_longer() {
    let lingering = Hub::new(10, Presence::new(20), Plain);
    let ada = channel(&lingering, 1, 1);
    let mut frame_seq = ada.start(None).frame_seq;
    let one = channel(&lingering, 1, 2);
    one.set_idle(true);
    let other = channel(&lingering, 1, 2);
    drop(one);
    other.set_idle(true);
    other.set_idle(true);
    drop(other);
    drop(channel(&lingering, 1, 2));
    let told = texts(ada.next(&mut frame_seq).frames);
    assert_eq!(told, ["2 online", "2 away", "2 online", "2 away", "2 online"], "back at once: nobody blinked");

    let hub = Hub::new(10, Presence::lingering(20, Duration::ZERO), Plain);
    let (_commits, heard) = broadcast::channel::<Arc<[Change]>>(2);
    let (stop, stopped) = watch::channel(false);
    let ada = channel(&hub, 1, 1);
    let mut frame_seq = ada.start(None).frame_seq;
    let watching = async {
        drop(channel(&hub, 1, 2));
        let mut told = Vec::new();
        while told.len() < 2 {
            ada.wait(frame_seq).await;
            told.extend(texts(ada.next(&mut frame_seq).frames));
        }
        assert_eq!(told, ["2 online", "2 gone"]);
        stop.send_replace(true);
    };
    tokio::join!(watching, hub.clone().run(heard, stopped));
}

#[tokio::test]
async fn a_call_hears_what_passes_by_its_moment() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let first = ada.after(None, None, AT_ONCE).await;
    assert_eq!(texts(first.frames), ["all 1 at 10"]);
    let bob = channel(&hub, 1, 2);
    bob.pass(vec![Id::from_bytes([1; 16]), Id::from_bytes([2; 16])], |ledger_seq| {
        format!("typing {ledger_seq}").into()
    });
    hub.tell(&[change(11, 1, "task", None)]);
    let heard = ada.after(Some(10), Some(first.frame_seq), AT_ONCE).await;
    assert_eq!(texts(heard.frames), ["2 online", "typing 10", "11"]);
    let his = bob.after(Some(10), Some(first.frame_seq), AT_ONCE).await;
    assert_eq!(texts(his.frames), ["2 online", "11"], "who types hears nothing of it");
    let again = ada.after(Some(heard.at), Some(heard.frame_seq), AT_ONCE).await;
    assert_eq!(again.frames.len(), 0);
    // More transient frames than are buffered: the client gets all present members.
    for _ in 0..=PASSING {
        bob.pass(vec![Id::from_bytes([1; 16])], |_| "typing".into());
    }
    let mut listening = heard.frame_seq;
    assert!(ada.next(&mut listening).blinked);
    let after = ada.after(Some(heard.at), Some(heard.frame_seq), AT_ONCE).await;
    assert_eq!(texts(after.frames), ["all 2 at 11"]);
}

#[test]
fn who_edits_the_same_hears_of_each_other() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 1);
    let bob = channel(&hub, 1, 2);
    let eve = channel(&hub, 1, 3);
    let mut moments = [&ada, &bob, &eve].map(|one| one.start(None).frame_seq);
    let record = BTreeSet::from([("task".to_owned(), [5; 16])]);
    ada.edit(&record);
    bob.edit(&record);
    bob.edit(&record);
    drop(bob);
    let mut heard = |one: &TenantChannel, n: usize| {
        let mut texts = texts(one.next(&mut moments[n]).frames);
        texts.retain(|text| text.starts_with("task"));
        texts
    };
    assert_eq!(heard(&ada, 0), ["task 1", "task 2", "task 1"]);
    assert_eq!(heard(&eve, 2), [""; 0]);
}

#[test]
fn a_session_listens_at_five_places_and_a_company_at_its_number() {
    let hub = hub(10);
    let mut open: Vec<_> = (0..PER_SESSION).map(|_| channel(&hub, 1, 1)).collect();
    assert_eq!(join(&hub, 1, 1).err(), Some(Full::Session));
    open.pop();
    open.push(channel(&hub, 1, 1));
    open.extend((2..=16).map(|person| channel(&hub, 1, person)));
    assert_eq!(join(&hub, 1, 17).err(), Some(Full::Company));
    drop(channel(&hub, 2, 17));
    open.clear();
    assert!(join(&hub, 1, 17).is_ok());
}

#[test]
fn a_change_of_a_member_makes_their_session_suspect_before_it_is_told() {
    let hub = hub(10);
    let ada = channel(&hub, 1, 9);
    let other = channel(&hub, 1, 1);
    assert!(ada.is_suspect() && other.is_suspect(), "from the start");
    assert!(!ada.is_suspect() && !other.is_suspect());
    hub.tell(&[change(11, 1, "member", None)]);
    assert!(ada.is_suspect() && !other.is_suspect());
}
