//! Comparison with a simple model: unread counts match for random sequences of messages, edits, removals and reads.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::{CHAT, MESSAGES, chat, groups, send_text, unread};
use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

#[derive(Clone, Debug)]
enum Step {
    Send(usize),
    Edit(usize, usize),
    Remove(usize, usize),
    Read(usize, usize),
    ReadAll(usize),
    Mute(usize, bool),
    Out(usize),
    In(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..4_usize;
    let what = 0..64_usize;
    prop_oneof![
        6 => who.clone().prop_map(Step::Send),
        1 => (who.clone(), what.clone()).prop_map(|(who, what)| Step::Edit(who, what)),
        2 => (who.clone(), what.clone()).prop_map(|(who, what)| Step::Remove(who, what)),
        3 => (who.clone(), what).prop_map(|(who, what)| Step::Read(who, what)),
        1 => who.clone().prop_map(Step::ReadAll),
        1 => (who.clone(), any::<bool>()).prop_map(|(who, muted)| Step::Mute(who, muted)),
        1 => (1..4_usize).prop_map(Step::Out),
        1 => (1..4_usize).prop_map(Step::In),
    ]
}

#[derive(Default)]
struct Model {
    /// Author, text, and whether it is removed.
    messages: Vec<(String, usize, String, bool)>,
    /// How many of them each member has read, while they are in the conversation.
    read: BTreeMap<usize, usize>,
    muted: BTreeMap<usize, bool>,
}

impl Model {
    fn unread(&self, who: usize) -> usize {
        let behind = self.messages.iter().skip(self.read[&who]);
        behind.filter(|(_, author, _, removed)| *author != who && !removed).count()
    }

    fn pick(&self, what: usize) -> Option<&(String, usize, String, bool)> {
        self.messages.get(what.checked_rem(self.messages.len())?)
    }
}

async fn play(steps: Vec<Step>) {
    let app = TestApp::new().await;
    let mut people: Vec<As> = Vec::new();
    for role in [Role::Owner, Role::Admin, Role::Member, Role::Viewer] {
        people.push(app.acme(role).await);
    }
    let id = groups::group(&people[0], "All", &[&people[1], &people[2], &people[3]]).await;
    let mut model = Model { read: (0..4).map(|who| (who, 0)).collect(), ..Model::default() };
    for step in steps {
        app.clock.advance(1);
        take(&step, &people, &id, &mut model).await;
        for (who, person) in people.iter().enumerate() {
            if !model.read.contains_key(&who) {
                person.get(&format!("{CHAT}?id={id}")).await.refused("not_found");
                assert_eq!(unread(person).await, 0, "{who} is out after {step:?}");
                continue;
            }
            let view = chat(person, &id).await;
            let count = model.unread(who);
            assert_eq!(view["unreadCount"], count, "{who} after {step:?}");
            let badge = if model.muted.get(&who) == Some(&true) { 0 } else { count };
            assert_eq!(unread(person).await, badge, "{who} after {step:?}");
            let texts = view["messages"].as_array().unwrap().iter().filter(|message| message["kind"] == "text");
            let texts: Vec<_> = texts.map(|message| message["value"].as_str().unwrap().to_owned()).collect();
            let sent: Vec<_> = model.messages.iter().map(|(_, _, text, _)| text.clone()).collect();
            assert!(sent.ends_with(&texts) && (texts.len() == sent.len() || texts.len() > 10), "{texts:?} of {sent:?}");
        }
    }
    let report = app.app.store().check(crate::features::TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

async fn take(step: &Step, people: &[As], id: &str, model: &mut Model) {
    let is_in = |model: &Model, who: &usize| model.read.contains_key(who);
    match step {
        Step::Send(who) if is_in(model, who) => {
            let text = format!("line {}", model.messages.len());
            let sent = send_text(&people[*who], id, &text).await;
            model.messages.push((sent["id"].as_str().unwrap().to_owned(), *who, text, false));
            model.read.insert(*who, model.messages.len());
        }
        Step::Edit(who, what) | Step::Remove(who, what) if is_in(model, who) => {
            let Some((message, author, ..)) = model.pick(*what).cloned() else { return };
            let path = format!("{MESSAGES}/{message}");
            let at = *what % model.messages.len();
            let removes = matches!(step, Step::Remove(..));
            let got = if removes {
                people[*who].delete(&path).await
            } else {
                people[*who].patch(&path, json!({"value": "changed"})).await
            };
            let (_, _, text, removed) = &mut model.messages[at];
            if author != *who {
                got.refused("forbidden");
            } else if removes {
                got.expect(200);
                (*text, *removed) = (String::new(), true);
            } else if *removed {
                got.refused("conflict");
            } else {
                got.expect(200);
                "changed".clone_into(text);
            }
        }
        Step::Read(who, what) if is_in(model, who) => {
            let Some((message, ..)) = model.pick(*what).cloned() else { return };
            let body = json!({"chatId": id, "messageId": message});
            people[*who].post("/api/apps/chat/read", body).await.expect(200);
            let at = *what % model.messages.len() + 1;
            let read = model.read.get_mut(who).unwrap();
            *read = at.max(*read);
        }
        Step::ReadAll(who) if is_in(model, who) => {
            people[*who].post("/api/apps/chat/read", json!({"chatId": id})).await.expect(200);
            model.read.insert(*who, model.messages.len());
        }
        Step::Mute(who, muted) if is_in(model, who) => {
            people[*who].patch(CHAT, json!({"id": id, "chat": {"muted": muted}})).await.expect(200);
            model.muted.insert(*who, *muted);
        }
        Step::Out(who) if is_in(model, who) => {
            groups::change(&people[0], id, json!({"remove": [people[*who].id.to_string()]})).await;
            model.read.remove(who);
            model.muted.remove(who);
        }
        Step::In(who) if !is_in(model, who) => {
            groups::change(&people[0], id, json!({"add": [people[*who].id.to_string()]})).await;
            model.read.insert(*who, model.messages.len());
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 60, ..ProptestConfig::default() })]
    #[test]
    fn unread_counts_match_the_model(steps in prop::collection::vec(step(), 1..60)) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(play(steps));
    }
}
