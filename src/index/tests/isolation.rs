//! Tenant isolation: no tenant finds another's records or can infer them from a rank.

use std::collections::HashMap;

use super::*;
use crate::kernel::SearchScope;

#[test]
fn search_never_finds_records_of_another_tenant() {
    let test_index = TestIndex::new();
    let mut dice = Dice(41);
    let ours = tenant(1);
    let theirs = tenant(2);
    for batch in 0..6 {
        for (number, whose, canary) in [(0, ours, "Kanariou"), (1_000, theirs, "Kanarioth")] {
            let documents = (0..25).map(|at| {
                let mut document = random_document(&mut dice, number + batch * 25 + at);
                document.title = format!("{} {canary}", document.title);
                document.keywords.extend(some_text(format!("{canary}@canary.example")));
                document
            });
            test_index.put(whose, documents.collect::<Vec<_>>());
        }
    }
    let index = test_index.engine.tenant(ours);
    let mut found = 0;
    for _ in 0..4_000 {
        let mut typed = random_query(&mut dice);
        if dice.roll(4) == 0 {
            typed = format!("{typed} {}", dice.pick(&["kanarioth", "kanario", "kanariot", "oth@can", "@canary"]));
        }
        for (_, hits) in index.find(&typed, &Heading::ALL, 20) {
            for hit in hits {
                found += 1;
                assert!(hit.title.ends_with("Kanariou"), "{typed} found {}", hit.title);
                assert!(hit.id < id(1_000), "{typed}");
            }
        }
    }
    assert!(found > 10_000, "only {found} hits: the trial tries nothing");
    assert!(
        index.find("kanarioth", &Heading::ALL, 20).iter().all(|(_, hits)| hits.iter().all(|hit| hit.score < 1_000))
    );
}

#[test]
fn search_of_a_new_tenant_finds_nothing() {
    let test_index = TestIndex::new();
    test_index.put(tenant(1), (0..100).map(|number| random_document(&mut Dice(number + 1), number)));
    for name in NAMES {
        assert!(test_index.engine.tenant(tenant(3)).find(name, &Heading::ALL, 20).is_empty());
    }
}

#[test]
fn writes_of_other_tenants_do_not_change_hits_or_scores() {
    let test_index = TestIndex::new();
    let mut dice = Dice(42);
    test_index.put(tenant(1), (0..200).map(|number| random_document(&mut dice, number)).collect::<Vec<_>>());
    let index = test_index.engine.tenant(tenant(1));
    let queries: Vec<String> = (0..300).map(|_| random_query(&mut dice)).collect();
    let ask = || -> HashMap<&str, Vec<(Heading, Vec<Hit>)>> {
        queries.iter().map(|typed| (typed.as_str(), index.find(typed, &Heading::ALL, 10))).collect()
    };
    let before = ask();
    for batch in 0..10 {
        let documents = (0..200).map(|number| random_document(&mut dice, batch * 200 + number));
        test_index.put(tenant(2), documents.collect::<Vec<_>>());
    }
    assert_eq!(ask(), before);
}

fn said(circle: u128, number: u64, body: String) -> Document {
    let circle = SearchScope::of::<()>(crate::kernel::Id::from_bytes(circle.to_be_bytes()));
    Document { scopes: Some(vec![circle]), body: some_text(body), ..document(Heading::Chat, number, "") }
}

/// Terms of a scope begin with the scope's sixteen bytes after the tenant's: no query without that scope finds its
/// records, and neither does a tenant-wide search.
#[test]
fn scoped_records_are_found_only_in_their_scope() {
    let test_index = TestIndex::new();
    let mut dice = Dice(43);
    // Scopes that differ in the last byte, in the first byte, and one that looks like a class of terms.
    let circles = [1, 2, 1 << 120, u128::from(b'T') << 120];
    let circle = |at: usize| said(circles[at], 0, String::new()).scopes.unwrap()[0];
    for (at, bytes) in circles.into_iter().enumerate() {
        let documents = (0..40).map(|number| {
            let words = (0..6).map(|_| dice.pick(&NAMES)).collect::<Vec<_>>().join(" ");
            said(bytes, at as u64 * 1_000 + number, format!("{words} kanariou"))
        });
        test_index.put(tenant(1), documents.collect::<Vec<_>>());
    }
    test_index.put(tenant(2), [said(1, 9_000, "José kanariou".to_owned())]);
    test_index.put(tenant(1), (0..40).map(|number| random_document(&mut dice, 20_000 + number)).collect::<Vec<_>>());
    let index = test_index.engine.tenant(tenant(1));
    let mut found = 0;
    for round in 0..2_000 {
        let typed = if dice.roll(4) == 0 { "kanariu".to_owned() } else { random_query(&mut dice) };
        let chosen: Vec<usize> = (0..4).filter(|at| round >> at & 1 == 1).collect();
        let named: Vec<SearchScope> = chosen.iter().map(|at| circle(*at)).collect();
        let hits = index.find_within(&named, &typed, Heading::Chat, 50);
        found += hits.len();
        for hit in hits {
            let at =
                chosen.iter().find(|at| (id(**at as u64 * 1_000)..id(**at as u64 * 1_000 + 1_000)).contains(&hit.id));
            assert!(at.is_some(), "{typed} in {chosen:?} found {:?}", hit.id);
        }
        for (_, hits) in index.find(&typed, &Heading::ALL, 50) {
            assert!(hits.iter().all(|hit| hit.kind != "chat_message"), "{typed}");
        }
    }
    assert!(found > 10_000, "only {found} hits: the trial tries nothing");
    assert!(index.find("kanariou", &[Heading::Chat], 50).is_empty(), "it is no group of the company's");
    assert!(index.find_within(&[], "kanariou", Heading::Chat, 50).is_empty());
}

#[test]
fn search_merges_scoped_and_tenant_wide_hits_in_one_order() {
    let test_index = TestIndex::new();
    let circles = [1, 2].map(|circle| said(circle, 0, String::new()).scopes.map(|scopes| scopes[0]));
    let page = |number: u64, circle: Option<SearchScope>| Document {
        scopes: circle.map(|circle| vec![circle]),
        ..document(Heading::Pages, number, "A budget")
    };
    test_index.put(tenant(1), [page(1, circles[0]), page(2, None), page(3, circles[1]), page(4, circles[0])]);
    test_index.put(tenant(2), [page(5, circles[0])]);
    let found = |circle: Option<SearchScope>| -> Vec<[u8; 16]> {
        let index = test_index.engine.tenant(tenant(1));
        let index = circle.map_or(index.clone(), |circle| index.with_scope(circle));
        let ids = index.find_ids("budget", Heading::Pages, "page", 50);
        let hits = index.find("budget", &Heading::ALL, 50).pop().map(|(_, hits)| hits).unwrap_or_default();
        assert_eq!(hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>(), ids);
        ids
    };
    assert_eq!(found(None), [id(2)]);
    assert_eq!(found(circles[0]), [id(4), id(2), id(1)], "the latest first");
    assert_eq!(found(circles[1]), [id(3), id(2)]);
    // A record becomes tenant-wide, and another one is restricted.
    test_index.put(tenant(1), [page(4, None), page(2, circles[1])]);
    assert_eq!(found(None), [id(4)]);
    assert_eq!(found(circles[0]), [id(4), id(1)]);
    assert_eq!(found(circles[1]), [id(4), id(3), id(2)]);
}

#[test]
fn hits_of_several_scopes_share_one_order_and_can_be_removed() {
    let test_index = TestIndex::new();
    let one = said(1, 1, "the budget".to_owned());
    let other = said(2, 2, "budgets, and the budget".to_owned());
    let circles = [&one, &other].map(|document| document.scopes.as_ref().unwrap()[0]);
    test_index.put(tenant(1), [one.clone(), other.clone(), said(1, 3, "budgest".to_owned())]);
    let ids = || -> Vec<[u8; 16]> {
        let hits = test_index.engine.tenant(tenant(1)).find_within(&circles, "budget", Heading::Chat, 50);
        hits.into_iter().map(|hit| hit.id).collect()
    };
    assert_eq!(ids(), [id(2), id(1), id(3)], "the latest first, and typing errors behind all of them");
    test_index.engine.apply([removed(tenant(1), &other)], 9).unwrap();
    test_index.engine.commit().unwrap();
    assert_eq!(ids(), [id(1), id(3)]);
    test_index.engine.erase(tenant(1), ["chat_message"]).unwrap();
    test_index.engine.commit().unwrap();
    assert_eq!(ids(), [[0; 16]; 0]);
}

/// A record of several scopes is found once in each of them, and removed from all.
#[test]
fn record_of_several_scopes_is_found_once_in_each() {
    let test_index = TestIndex::new();
    let scopes = [1, 2, 3].map(|circle| said(circle, 0, String::new()).scopes.unwrap()[0]);
    let page = |number: u64, scopes: &[SearchScope]| Document {
        scopes: Some(scopes.to_vec()),
        ..document(Heading::Pages, number, "A budget")
    };
    test_index.put(tenant(1), [page(1, &scopes[..2]), page(2, &scopes[1..]), page(3, &[])]);
    let found = || {
        scopes.map(|scope| {
            let index = test_index.engine.tenant(tenant(1)).with_scope(scope);
            index.find_ids("budget", Heading::Pages, "page", 50)
        })
    };
    assert_eq!(found(), [vec![id(1)], vec![id(2), id(1)], vec![id(2)]]);
    assert!(test_index.engine.tenant(tenant(1)).find_ids("budget", Heading::Pages, "page", 50).is_empty());
    test_index.put(tenant(1), [page(1, &scopes[2..])]);
    assert_eq!(found(), [vec![], vec![id(2)], vec![id(2), id(1)]]);
    test_index.engine.apply([removed(tenant(1), &page(2, &scopes[1..]))], 9).unwrap();
    test_index.engine.commit().unwrap();
    assert_eq!(found(), [vec![], vec![], vec![id(1)]]);
}
