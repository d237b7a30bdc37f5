//! Searches while the index is being rebuilt.

use serde_json::json;

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Lists that a search text filters.
const LISTS: [&str; 5] =
    ["/api/customers?q=", "/api/tasks?q=", "/api/pages?q=", "/api/team?q=", "/api/apps/chat/search?q="];

/// Returns each result set's id, number of results, and whether it is partial.
async fn sets(who: &As, query: &str) -> Vec<(String, usize, bool)> {
    let answer = who.post("/api/common/search", json!({"query": query})).await.expect(200);
    let set = |set: &serde_json::Value| {
        let results = set["results"].as_array().unwrap().len();
        (set["id"].as_str().unwrap().to_owned(), results, set["partial"] == true)
    };
    answer.as_array().unwrap().iter().map(set).collect()
}

#[tokio::test]
async fn results_are_marked_partial_while_the_index_is_rebuilt() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.post("/api/customers", json!({"name": "Kanarium"})).await.expect(201);
    let contacts = |is_partial| ("contacts".to_owned(), 1, is_partial);
    assert_eq!(sets(&member, "kanarium").await, [contacts(false)]);
    for path in LISTS {
        let list = member.get(&format!("{path}kanarium")).await.expect(200);
        assert!(list.get("partial").is_none(), "{path}: {list}");
    }

    let half_way = app.app.engine().rebuild().unwrap();
    let none = |id: &str| (id.to_owned(), 0, true);
    let all = [contacts(true), none("pages"), none("tasks"), none("events"), none("chat")];
    assert_eq!(sets(&member, "kanarium").await, all, "kinds without a result may have some");
    for path in LISTS {
        let list = member.get(&format!("{path}kanarium")).await.expect(200);
        assert_eq!(list["partial"], true, "{path}");
    }
    for path in ["/api/customers", "/api/tasks?q=", "/api/pages", "/api/team"] {
        let list = member.get(path).await.expect(200);
        assert!(list.get("partial").is_none(), "nothing is searched for: {path}");
    }

    drop(half_way);
    assert_eq!(sets(&member, "kanarium").await, [contacts(false)]);
    assert!(member.get("/api/customers?q=kanarium").await.expect(200).get("partial").is_none());
}
