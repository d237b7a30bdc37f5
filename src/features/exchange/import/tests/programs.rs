//! Files as other programs write them, and the records that they become. The kind of fault: a column that people really
//! have goes nowhere, or to the wrong field.

use serde_json::{Value, json};

use super::{fields, path, upload};
use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Imports a file as it is guessed, and returns its plan.
async fn import(member: &As, kind: &str, csv: &str) -> Value {
    let plan = upload(member, kind, "export.csv", csv.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!((&done["state"], &done["counts"]["failed"]), (&json!("done"), &json!(0)), "{done}");
    plan
}

async fn spanish(app: &TestApp) -> As {
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "ES"}})).await.expect(200);
    member
}

/// Returns a record by its name.
async fn find(member: &As, kind: &str, name: &str) -> Value {
    let list = member.get(&format!("/api/{kind}?limit=200")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    let is_it = |one: &&Value| one.get("name").or(one.get("title")).is_some_and(|own| own == name);
    items.iter().find(is_it).unwrap_or_else(|| panic!("no {name} in {list}")).clone()
}

fn emails(record: &Value) -> Vec<(&str, &str)> {
    let all = record["details"]["emails"].as_array().unwrap().iter();
    all.map(|one| (one["email"].as_str().unwrap(), one["label"].as_str().unwrap())).collect()
}

fn phones(record: &Value) -> Vec<(&str, &str)> {
    let all = record["details"]["phoneNumbers"].as_array().unwrap().iter();
    all.map(|one| (one["phoneNumber"].as_str().unwrap(), one["label"].as_str().unwrap())).collect()
}

const OUTLOOK: &str = "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,\
    Business Street 2,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home City,\
    Home Postal Code,Business Phone,Home Phone,Mobile Phone,Birthday,Categories,E-mail Address,E-mail Type,\
    E-mail Display Name,E-mail 2 Address,E-mail 2 Type,Notes,Web Page\n\
    Dr.,Ana,María,López,Jr.,López SL,Sales,Head of Sales,Calle Mayor 1,3º B,Madrid,Madrid,28013,Spain,Calle Luna 2,Toledo,\
    45001,915 550 123,925 111 222,600 555 012,3/22/1980,VIP;Fair,ana@lopez.example,SMTP,Ana López,ana@home.example,SMTP,\
    \"Met at\nthe fair\",https://lopez.example\n\
    ,Bea,,Gil,,,,,,,,,,,,,,,,600 555 013,0/0/00,,bea@gil.example,SMTP,,,,,\n";

#[tokio::test]
async fn outlook_classic() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    import(&member, "customers", OUTLOOK).await;
    let ana = find(&member, "customers", "Dr. Ana María López Jr.").await;
    assert_eq!(ana["details"]["title"], "Head of Sales");
    assert_eq!(ana["details"]["company"], "López SL");
    assert_eq!(ana["details"]["birthday"], "1980-03-22");
    let expected = "Work:\nCalle Mayor 1\n3º B\nMadrid 28013\nMadrid\nSpain\n\nHome:\nCalle Luna 2\nToledo 45001";
    assert_eq!(ana["details"]["address"], expected);
    assert_eq!(emails(&ana), [("ana@lopez.example", ""), ("ana@home.example", "")], "a way of delivery is no label");
    assert_eq!(phones(&ana), [("915 550 123", "Work"), ("925 111 222", "Home"), ("600 555 012", "Mobile")]);
    assert_eq!(ana["tags"], json!(["vip", "fair"]));
    assert_eq!(ana["notes"], "<p>Met at</p><p>the fair</p>");
    assert!(find(&member, "customers", "Bea Gil").await["details"].get("birthday").is_none());
}

#[tokio::test]
async fn outlook_new_has_one_title() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "First Name,Last Name,Title,Job Title,E-mail Address\nOne,A,Dr.,Head of Sales,one@x.example\nTwo,B,,Buyer,two@x.example\n";
    let plan = import(&member, "customers", csv).await;
    assert_eq!(fields(&plan), ["firstName", "lastName", "namePrefix", "title", "email"]);
    assert_eq!(find(&member, "customers", "Dr. One A").await["details"]["title"], "Head of Sales");
    assert_eq!(find(&member, "customers", "Two B").await["details"]["title"], "Buyer");
    let alone = upload(&member, "customers", "a.csv", b"Name,Title\nOne,Head of Sales\n").await;
    assert_eq!(fields(&alone), ["name", "title"]);
}

#[tokio::test]
async fn google_old_and_new() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let new = "First Name,Middle Name,Last Name,Phonetic First Name,Name Prefix,Name Suffix,Nickname,File As,\
        Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,\
        E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,\
        Address 1 - City,Address 1 - Postal Code,Address 1 - Country,Address 2 - Label,Address 2 - Street,\
        Address 2 - City\n\
        Ana,,López García,,,,,\"López, Ana\",López SL,CEO,Board,1980-11-25,,,* myContacts ::: Kunden,* Work,\
        ana@lopez.example,Mobile,+34 600 555 012,Home,\"Calle Mayor 1\n28013 Madrid\nES\",Calle Mayor 1,Madrid,28013,ES,\
        Home,Calle Luna 2,Toledo\n";
    import(&member, "customers", new).await;
    let ana = find(&member, "customers", "Ana López García").await;
    assert_eq!(ana["tags"], json!(["kunden"]), "marks of groups are no tags");
    assert_eq!(ana["details"]["title"], "CEO");
    assert_eq!(emails(&ana), [("ana@lopez.example", "Work")]);
    assert_eq!(ana["details"]["address"], "Home:\nCalle Mayor 1\n28013 Madrid\nES\n\nHome:\nCalle Luna 2\nToledo");
    let old = "Name,Given Name,Additional Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,\
        Phone 1 - Type,Phone 1 - Value,Organization 1 - Name,Organization 1 - Title\n\
        Bea María Gil,Bea,María,Gil,* myContacts ::: * friends,* Home,bea@gil.example,Work,915 550 124,Gil SA,CFO\n";
    import(&member, "customers", old).await;
    let bea = find(&member, "customers", "Bea María Gil").await;
    assert_eq!(bea["tags"], json!([]));
    assert_eq!(emails(&bea), [("bea@gil.example", "Home")]);
    assert_eq!(phones(&bea), [("915 550 124", "Work")]);
}

#[tokio::test]
async fn thunderbird_has_a_birthday_in_three_columns() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Work Phone,Home Phone,Fax Number,\
        Pager Number,Mobile Number,Home Address,Home Address 2,Home City,Home ZipCode,Home Country,Work Address,Work City,\
        Job Title,Organization,Birth Year,Birth Month,Birth Day,Notes\n\
        One,A,One Alias,,one@x.example,,,,,,600 555 012,Calle 1,3º B,Toledo,45001,Spain,Calle 2,Madrid,CEO,X SL,1985,4,12,\n\
        Two,B,Two B,,two@x.example,,,,,,,,,,,,,,,,,5,1,\n\
        Three,C,Three C,,three@x.example,,,,,,,,,,,,,,,,12,April,,\n\
        Four,D,Four D,,four@x.example,,,,,,,,,,,,,,,,00,4,12,\n";
    let plan = import(&member, "customers", csv).await;
    let one = find(&member, "customers", "One A").await;
    assert_eq!(one["details"]["birthday"], "1985-04-12", "{plan}");
    assert_eq!(one["details"]["address"], "Home:\nCalle 1\n3º B\nToledo 45001\nSpain\n\nWork:\nCalle 2\nMadrid");
    let import = member.get(&path(&plan)).await.expect(200);
    assert_eq!(import["problems"].as_array().unwrap().len(), 1, "{import}");
    assert_eq!((&import["problems"][0]["row"], &import["problems"][0]["warning"]), (&json!(4), &json!(true)));
    for (name, born) in [("Two B", "--05-01"), ("Four D", "2000-04-12")] {
        assert_eq!(find(&member, "customers", name).await["details"]["birthday"], born);
    }
}

#[tokio::test]
async fn a_shop_and_spanish_names() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let shop =
        "Name,Billing Address,Billing City,Shipping Address,Shipping City\nOne A,1 Bill St,Austin,2 Ship St,Dallas\n";
    import(&member, "customers", shop).await;
    let one = find(&member, "customers", "One A").await;
    assert_eq!(one["details"]["address"], "Billing:\n1 Bill St\nAustin\n\nShipping:\n2 Ship St\nDallas");
    let names = "Nombre;Primer apellido;Segundo apellido;Correo electrónico\nAna;López;García;ana@x.example\n";
    import(&member, "customers", names).await;
    find(&member, "customers", "Ana López García").await;
    let labelled = "First Name,Last Name,Business Street,Business City,Business Postal Code,E-mail Address\nBea,B,1 Main St,Austin,78701,b@x.example\n";
    import(&member, "customers", labelled).await;
    assert_eq!(find(&member, "customers", "Bea B").await["details"]["address"], "1 Main St\nAustin 78701");
}

#[tokio::test]
async fn customers_of_a_shop() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let shop = "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,\
        Default Address Address2,Default Address City,Default Address Province Code,Default Address Country Code,\
        Default Address Zip,Default Address Phone,Phone,Total Spent,Note,Tags\n\
        '6001,Ana,López,ana@lopez.example,yes,López SL,Calle Mayor 1,3º B,Madrid,M,ES,28013,915 550 123,+34600555012,90.00,,vip\n";
    import(&member, "customers", shop).await;
    let ana = find(&member, "customers", "Ana López").await;
    assert_eq!(ana["details"]["company"], "López SL");
    assert_eq!(ana["details"]["address"], "Calle Mayor 1\n3º B\nMadrid 28013\nM\nES");
    let numbers: Vec<&str> = phones(&ana).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, ["915 550 123", "+34600555012"]);
}

#[tokio::test]
async fn an_address_of_another_record_is_no_owner() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let deals = "Deal - Title,Deal - Value,Person - Name,Person - Email\nRugs,5,Ana,ana@a.example\n";
    let plan = upload(&member, "deals", "deals.csv", deals.as_bytes()).await;
    assert_eq!(fields(&plan), ["title", "value", "customer", "-"]);
    let tasks = "Task,Contact email,Company phone\nCall,ana@a.example,915 550 123\n";
    let plan = upload(&member, "tasks", "tasks.csv", tasks.as_bytes()).await;
    assert_eq!(fields(&plan), ["title", "-", "-"]);
}

#[tokio::test]
async fn tasks_of_other_lists() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let todoist = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n\
        task,Call Ana,About the offer,4,1,,,2026-12-01,en,Europe/Madrid\n";
    import(&member, "tasks", todoist).await;
    let task = find(&member, "tasks", "Call Ana").await;
    assert_eq!((&task["notes"], &task["dueDate"]), (&json!("About the offer"), &json!("2026-12-01")));
    let trello = "Card ID,Card Name,Due Date,List Name,Due Complete\nc1,Write,2026-12-01T10:00:00Z,Doing,true\n\
        c2,Print,2026-12-01T10:00:00Z,Doing,false\n";
    import(&member, "tasks", trello).await;
    assert_eq!(find(&member, "tasks", "Write").await["completed"], true);
    assert_eq!(find(&member, "tasks", "Print").await["completed"], false);
}

// The kind of fault: what ended long ago counts as ended at the moment of the import.
#[tokio::test]
async fn tasks_were_completed_when_the_file_says() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let todoist = "TYPE,CONTENT,PRIORITY,DATE,DATE_COMPLETED\ntask,Todo A,4,,2024-02-02T10:00:00Z\ntask,Todo B,4,,\n";
    let plan = import(&member, "tasks", todoist).await;
    assert_eq!(fields(&plan)[4], "completedAt", "{plan}");
    let asana = "Task ID,Created At,Completed At,Name,Due Date\n77,2024-01-01,2024-02-02,Asana A,2024-02-03\n78,2024-01-01,,Asana B,\n";
    import(&member, "tasks", asana).await;
    let jira = "Summary,Issue key,Status,Resolved\nJira A,X-1,Done,02/Feb/24 9:21 PM\nJira B,X-2,To Do,\n";
    import(&member, "tasks", jira).await;
    let spanish = "Tarea;Completada;Fecha de finalización\nLista A;Sí;02/02/2024 10:00\nLista B;No;\n";
    import(&member, "tasks", spanish).await;
    // A date in place of a yes.
    import(&member, "tasks", "Title,Completed\nDated A,2024-02-02\nDated B,\n").await;
    for name in ["Todo", "Asana", "Jira", "Lista", "Dated"] {
        let done = find(&member, "tasks", &format!("{name} A")).await;
        assert_eq!(done["completed"], true, "{done}");
        assert!(done["completedAt"].as_str().unwrap().starts_with("2024-02-02T"), "{done}");
        let open = find(&member, "tasks", &format!("{name} B")).await;
        assert_eq!((&open["completed"], open.get("completedAt")), (&json!(false), None), "{open}");
    }
    let of_week = member.get("/api/tasks?filter=completedAt:gte:today-7").await.expect(200);
    assert_eq!(of_week["total"], 0, "{of_week}");
}

#[tokio::test]
async fn a_time_of_completion_that_cannot_be_kept_is_said() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "Title,Completed,Completed at\nOpen,no,2024-02-02\nFuture,yes,2124-02-02\nOdd,yes,soon\nNo time,yes,\n";
    let plan = upload(&member, "tasks", "a.csv", csv.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(4), &json!(0)), "{done}");
    let said: Vec<(&Value, &Value)> =
        done["problems"].as_array().unwrap().iter().map(|one| (&one["row"], &one["value"])).collect();
    let expected = [(json!(2), json!("2024-02-02")), (json!(3), json!("2124-02-02")), (json!(4), json!("soon"))];
    assert_eq!(said, expected.iter().map(|(row, value)| (row, value)).collect::<Vec<_>>(), "{done}");
    assert_eq!(find(&member, "tasks", "Open").await["completed"], false);
    for name in ["Future", "Odd", "No time"] {
        let task = find(&member, "tasks", name).await;
        assert_eq!((&task["completed"], &task["completedAt"]), (&json!(true), &task["createdAt"]), "{task}");
    }
}

#[tokio::test]
async fn deals_were_closed_when_the_file_says() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let pipedrive = "Deal - ID,Deal - Title,Deal - Status,Deal - Expected close date,Deal - Won time,Deal - Lost time,\
        Deal - Deal closed on\n1,Pipe A,Won,2024-03-01,2024-02-02 10:12:00,,2024-02-02 10:12:00\n\
        2,Pipe B,Lost,,,2024-02-02 10:12:00,2024-02-02 10:12:00\n3,Pipe C,Open,2030-03-01,,,\n";
    let plan = import(&member, "deals", pipedrive).await;
    assert_eq!(fields(&plan)[3..], ["expectedDay", "closedAt", "closedAt", "closedAt"], "{plan}");
    let hubspot = "Record ID,Deal Name,Close Date,Outcome\n7,Hub A,2024-02-02 09:00,Won\n8,Hub C,2030-12-15 09:00,\n";
    let plan = import(&member, "deals", hubspot).await;
    assert_eq!(fields(&plan)[2], "closeDate", "{plan}");
    for name in ["Pipe A", "Pipe B", "Hub A"] {
        let deal = find(&member, "deals", name).await;
        assert!(deal["closedAt"].as_str().unwrap().starts_with("2024-02-02T"), "{deal}");
    }
    assert_eq!(find(&member, "deals", "Hub A").await["expectedDay"], "2024-02-02");
    for (name, expected) in [("Pipe C", "2030-03-01"), ("Hub C", "2030-12-15")] {
        let deal = find(&member, "deals", name).await;
        assert_eq!((&deal["expectedDay"], deal.get("closedAt")), (&json!(expected), None), "{deal}");
    }
    // The stage says it where no column has the outcome.
    let stages = "Deal Name,Deal Stage,Close Date\nStage A,Closed Won,2024-02-02 09:00\nStage B,Cierre perdido,2024-02-02\n\
        Stage C,Proposal,2030-02-02\n";
    import(&member, "deals", stages).await;
    for (name, outcome) in [("Stage A", "won"), ("Stage B", "lost"), ("Stage C", "open")] {
        let deal = find(&member, "deals", name).await;
        let day = deal.get("closedAt").map(|at| at.as_str().unwrap()[..10].to_owned());
        assert_eq!((&deal["outcome"], day.is_some()), (&json!(outcome), outcome != "open"), "{deal}");
        assert!(day.is_none_or(|day| day == "2024-02-02"), "{deal}");
    }
    let of_week = member.get("/api/deals?filter=closedAt:gte:today-7").await.expect(200);
    assert_eq!(of_week["total"], 0, "{of_week}");
    // A row that changes a deal, and taking that back.
    let chairs = member.post("/api/deals", json!({"title": "Chairs", "externalId": "9"})).await.expect(201);
    let csv = b"Record ID,Deal Name,Outcome,Close Date\n9,Chairs,Won,2024-02-02\n";
    let plan = upload(&member, "deals", "a.csv", csv).await;
    member.patch(&path(&plan), json!({"duplicates": "update"})).await.expect(200);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    assert_eq!(member.import_over(&plan).await["counts"]["updated"], 1);
    let closed = find(&member, "deals", "Chairs").await;
    assert!(closed["closedAt"].as_str().unwrap().starts_with("2024-02-02T"), "{closed}");
    member.post(&format!("{}/undo", path(&plan)), json!({})).await.expect(202);
    assert_eq!(member.import_over(&plan).await["undone"], 1);
    let open = find(&member, "deals", "Chairs").await;
    assert_eq!((&open["outcome"], open.get("closedAt"), &open["id"]), (&json!("open"), None, &chairs["id"]), "{open}");
}

// The kind of fault: what a record holds in parts is lost on the way to another company.
#[tokio::test]
async fn subtasks_come_along_once() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let long = "x".repeat(301);
    let csv = format!(
        "Task ID,Title,Checklist\n1,Paint,\"[x] Buy paint\n[ ] Paint\"\n2,Move,Boxes;Van\n3,Long,\"[ ] ok\n[ ] {long}\"\n"
    );
    let steps = |task: &Value| -> Vec<(String, bool)> {
        let all = task["subtasks"].as_array().unwrap().iter();
        all.map(|one| (one["title"].as_str().unwrap().to_owned(), one["completed"].as_bool().unwrap())).collect()
    };
    // The second time, over what there is.
    for _ in 0..2 {
        let plan = upload(&member, "tasks", "tasks.csv", csv.as_bytes()).await;
        member.patch(&path(&plan), json!({"duplicates": "update"})).await.expect(200);
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        let done = member.import_over(&plan).await;
        let problems = done["problems"].as_array().unwrap();
        assert_eq!((problems.len(), &problems[0]["row"]), (1, &json!(4)), "{done}");
        assert_eq!(problems[0]["value"], json!(long[..200]), "{done}");
        let paint = find(&member, "tasks", "Paint").await;
        assert_eq!(steps(&paint), [("Buy paint".to_owned(), true), ("Paint".to_owned(), false)]);
        assert_eq!(steps(&find(&member, "tasks", "Move").await).len(), 2);
        assert_eq!(steps(&find(&member, "tasks", "Long").await), [("ok".to_owned(), false)]);
    }
}

#[tokio::test]
async fn boards_of_tasks() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let user = member.get("/api/common/user").await.expect(200);
    let email = user["user"]["email"].as_str().or(user["email"].as_str()).unwrap_or_default().to_owned();
    let trello = format!(
        "Card ID,Card Name,Card URL,Card Description,Labels,Members,Due Date,List Name\n\
        c1,Call Ana,https://board.example/1,About the offer,Sales,\"Somebody, {email}\",2026-12-01T10:00:00Z,To do\n"
    );
    import(&member, "tasks", &trello).await;
    let task = find(&member, "tasks", "Call Ana").await;
    assert_eq!(
        (&task["notes"], &task["dueDate"], &task["tags"]),
        (&json!("About the offer"), &json!("2026-12-01"), &json!(["sales"]))
    );
    assert_eq!(task["externalId"], "c1");
    assert_eq!(task["assigneeId"], member.id.to_string());
    let jira =
        "Summary,Issue key,Assignee,Priority,Status,Due date,Description\nWrite offer,X-1,,High,Done,2026-12-02,Soon\n";
    import(&member, "tasks", jira).await;
    let task = find(&member, "tasks", "Write offer").await;
    assert_eq!((&task["externalId"], &task["completed"], &task["priority"]), (&json!("X-1"), &json!(true), &json!(2)));
    let asana = "Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Assignee,Due Date,Tags,Notes\n\
        77,2026-01-01,2026-02-02,2026-02-02,Send files,Done,,2026-02-03,,Two files\n78,2026-01-01,,2026-01-02,Print,,,,,\n";
    import(&member, "tasks", asana).await;
    assert_eq!(find(&member, "tasks", "Send files").await["completed"], true);
    assert_eq!(find(&member, "tasks", "Print").await["completed"], false);
}

#[tokio::test]
async fn hubspot_people_companies_and_deals() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let companies = "Record ID,Company name,Company owner,Create Date,Phone Number,Last Activity Date,City,Country/Region,\
        Industry,Company Domain Name,Street Address,Postal Code\n\
        9001,López SL,Nobody Known,2026-01-05 10:12,+34 915 550 123,,Madrid,Spain,Retail,lopez.example,Calle Mayor 1,28013\n";
    import(&member, "organizations", companies).await;
    let firm = find(&member, "organizations", "López SL").await;
    assert_eq!((&firm["externalId"], &firm["website"]), (&json!("9001"), &json!("https://lopez.example")));
    assert_eq!(firm["address"], "Calle Mayor 1\nMadrid 28013\nSpain");
    let people = "Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,\
        Primary Associated Company ID,Associated Company,Last Activity Date,Lead Status,Marketing contact status,Create Date,\
        Job Title,City\n\
        501,Ana,López García,ana@lopez.example,915 550 124,600 555 012,Nobody Known,9001,López SL,,New,Marketing contact,\
        2026-01-05 10:12,Head of Sales,Madrid\n\
        502,Bea,,bea@gil.example,,,,,,,,,2026-01-06 10:12,,\n";
    import(&member, "customers", people).await;
    let ana = find(&member, "customers", "Ana López García").await;
    assert_eq!((&ana["externalId"], &ana["details"]["title"]), (&json!("501"), &json!("Head of Sales")));
    assert_eq!(phones(&ana).iter().map(|(number, _)| *number).collect::<Vec<_>>(), ["915 550 124", "600 555 012"]);
    find(&member, "customers", "Bea").await;
    let deals = "Record ID,Deal Name,Deal Stage,Close Date,Deal owner,Amount,Associated Contact,Primary Associated Company\n\
        7001,Rugs,Proposal,2026-12-15 09:00,,12500.75,,López SL\n";
    import(&member, "deals", deals).await;
    let deal = find(&member, "deals", "Rugs").await;
    assert_eq!((&deal["externalId"], &deal["value"]["amount"]), (&json!("7001"), &json!(1_250_075)));
    assert_eq!((&deal["expectedDay"], &deal["stageId"]), (&json!("2026-12-15"), &json!("proposal")));
}

#[tokio::test]
async fn pipedrive_people_and_deals() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let people = "Person - ID,Person - Name,Person - Label,Person - Organization,Person - Email - Work,Person - Email - Home,\
        Person - Phone - Work,Person - Phone - Mobile,Person - Owner,Person - Marketing status,Person - Notes\n\
        11,Ana López,\"Hot lead, VIP\",López SL,ana@lopez.example,ana@home.example,915 550 124,600 555 012,,No consent,Tall\n";
    import(&member, "customers", people).await;
    let ana = find(&member, "customers", "Ana López").await;
    assert_eq!((&ana["externalId"], &ana["tags"]), (&json!("11"), &json!(["hot lead", "vip"])));
    assert_eq!(emails(&ana), [("ana@lopez.example", "Work"), ("ana@home.example", "Home")]);
    assert_eq!(phones(&ana), [("915 550 124", "Work"), ("600 555 012", "Mobile")]);
    let deals = "Deal - ID,Deal - Title,Deal - Value,Deal - Currency of Value,Deal - Stage,Deal - Status,\
        Deal - Expected close date,Deal - Lost reason,Deal - Contact person\n\
        21,Rugs,1200.5,EUR,Negotiation,Open,2026-12-15,,Ana López\n22,Chairs,90,EUR,New,Lost,,Price,\n";
    import(&member, "deals", deals).await;
    let rugs = find(&member, "deals", "Rugs").await;
    assert_eq!((&rugs["value"]["amount"], &rugs["customerId"]), (&json!(120_050), &ana["id"]));
    assert_eq!(find(&member, "deals", "Chairs").await["outcome"], "lost");
}

const APPLE: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:-//Apple Inc.//macOS 14.5//EN\r\nN:López García;Ana;María;Dr.;\r\n\
    FN:Dr. Ana María López García\r\nORG:López SL;Sales\r\nTITLE:Head of Sales\r\n\
    EMAIL;type=INTERNET;type=WORK;type=pref:ana@lopez.example\r\nitem1.EMAIL;type=INTERNET:ana@club.example\r\n\
    item1.X-ABLabel:Club\r\nTEL;type=CELL;type=VOICE;type=pref:+34 600 555 012\r\nitem2.TEL:915 550 124\r\n\
    item2.X-ABLabel:_$!<AppleWatch>!$_\r\nitem3.ADR;type=HOME;type=pref:;;Calle Luna 2;Toledo;;45001;Spain\r\n\
    item3.X-ABADR:es\r\nNOTE:First line\\nsecond\\, with a comma\r\nitem4.URL;type=pref:https://lopez.example\r\n\
    item4.X-ABLabel:_$!<HomePage>!$_\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-03-22\r\nCATEGORIES:VIP\r\nEND:VCARD\r\n\
    BEGIN:VCARD\r\nVERSION:3.0\r\nN:;;;;\r\nFN:Acme\r\nORG:Acme;\r\nX-ABShowAs:COMPANY\r\nTEL;type=MAIN:911 000 000\r\nEND:VCARD\r\n";

#[tokio::test]
async fn apple_contacts() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let plan = upload(&member, "customers", "contacts.vcf", APPLE.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    // The report names the card of a company.
    assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(1), &json!(1)), "{done}");
    assert_eq!(done["problems"].as_array().unwrap().len(), 1, "{done}");
    assert_eq!(done["problems"][0]["row"], 2, "{done}");
    let ana = find(&member, "customers", "Dr. Ana María López García").await;
    assert_eq!((&ana["details"]["title"], &ana["details"]["company"]), (&json!("Head of Sales"), &json!("López SL")));
    assert_eq!(ana["details"]["birthday"], "--03-22");
    assert_eq!(emails(&ana), [("ana@lopez.example", "Work"), ("ana@club.example", "Club")]);
    assert_eq!(phones(&ana)[0], ("+34 600 555 012", "Mobile"));
    assert_eq!(phones(&ana)[1].0, "915 550 124");
    assert!(ana["details"]["address"].as_str().unwrap().contains("Calle Luna 2"), "{ana}");
    assert_eq!(ana["notes"], "<p>First line</p><p>second, with a comma</p>");
    assert_eq!(ana["tags"], json!(["vip"]));
    assert_eq!(ana["attachments"]["links"][0]["url"], "https://lopez.example");
}

// The kind of fault: a second value for a field that has one vanishes without a word.
#[tokio::test]
async fn further_values_of_a_card_are_said() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ana\r\nORG:López SL\r\nORG:Gil SA\r\nTITLE:CEO\r\nTITLE:CEO\r\n\
        TITLE:Founder\r\nBDAY:19800322\r\nBDAY:19800323\r\nTEL;VALUE=uri:tel:+34-915-550-123;ext=12\r\n\
        TEL;TYPE=cell:600 555 012\r\nTEL:+34600555012\r\nURL:foo bar\r\nURL:lopez.example\r\nEND:VCARD\r\n";
    let plan = upload(&member, "customers", "contacts.vcf", card.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    let said: Vec<&str> =
        done["problems"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(said, ["Gil SA", "Founder", "19800323", "foo"], "{done}");
    let ana = find(&member, "customers", "Ana").await;
    assert_eq!((&ana["details"]["title"], &ana["details"]["company"]), (&json!("CEO"), &json!("López SL")));
    assert_eq!(ana["details"]["birthday"], "1980-03-22");
    let numbers: Vec<&str> = phones(&ana).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, ["+34-915-550-123 ext. 12", "600 555 012"]);
    assert_eq!(ana["attachments"]["links"].as_array().unwrap().len(), 1, "{ana}");
}

// The kind of fault: what a member chose not to import is listed as a loss.
#[tokio::test]
async fn further_values_of_a_column_that_is_not_imported_are_not_said() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ana\r\nORG:López SL\r\nORG:Gil SA\r\nTITLE:CEO\r\nTITLE:Founder\r\n\
        BDAY:19800322\r\nBDAY:19800323\r\nNICKNAME:Ani\r\nNICKNAME:Anita\r\nEND:VCARD\r\n";
    let plan = upload(&member, "customers", "contacts.vcf", card.as_bytes()).await;
    let is_left = |field: &Value| field == "title" || field == "birthday";
    let mapped = |column: &Value| match &column["field"] {
        Value::String(field) if !is_left(&column["field"]) => json!({"field": field}),
        _ => json!({}),
    };
    let columns: Vec<Value> = plan["columns"].as_array().unwrap().iter().map(mapped).collect();
    member.patch(&path(&plan), json!({"columns": columns})).await.expect(200);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    let said: Vec<&str> =
        done["problems"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(said, ["Gil SA"], "{done}");
    assert!(find(&member, "customers", "Ana").await["details"].get("title").is_none());
}

// The kind of fault: a property of a card that has content vanishes without a word.
#[tokio::test]
async fn properties_of_cards_that_are_not_imported_are_columns() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:x\r\nUID:abc\r\nFN:Ana\r\nROLE:CEO\r\nNICKNAME:Ani\r\n\
        X-ANNIVERSARY:2010-05-01\r\nIMPP:skype:ana\r\nX-CUSTOMERNO:K-12\r\nLABEL:Calle 1\\nMadrid\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Mom\r\nN:Miller;Susan;Jane\r\nTITLE:CFO\r\nROLE:Founder\r\n\
        PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\r\nPHOTO:\r\nX-CUSTOMERNO:K-13\r\nCATEGORIES:x\\;y,VIP\\, gold,5* hotel\r\n\
        END:VCARD\r\n";
    let plan = upload(&member, "customers", "contacts.vcf", cards.as_bytes()).await;
    let columns = plan["columns"].as_array().unwrap();
    let found: Vec<(&str, &str)> = columns
        .iter()
        .map(|column| (column["header"].as_str().unwrap(), column["field"].as_str().unwrap_or("-")))
        .collect();
    let expected = [
        ("FN", "name"),
        ("TITLE", "title"),
        ("ADR", "address"),
        ("CATEGORIES", "tags"),
        ("NICKNAME", "-"),
        ("N", "-"),
        ("X-ANNIVERSARY", "-"),
        ("IMPP", "-"),
        ("X-CUSTOMERNO", "-"),
        ("ROLE", "-"),
        ("PHOTO", "-"),
    ];
    assert_eq!(found, expected, "{plan}");
    assert_eq!(columns[8]["samples"], json!(["K-12", "K-13"]));
    assert_eq!(columns[10]["samples"], json!(["JPEG"]));
    // They can go to fields.
    let mut targets: Vec<Value> =
        found.iter().map(|(_, field)| if *field == "-" { json!({}) } else { json!({"field": field}) }).collect();
    targets[8] = json!({"field": "externalId"});
    member.patch(&path(&plan), json!({"columns": targets})).await.expect(200);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!(done["counts"]["created"], 2, "{done}");
    let said: Vec<(&Value, &Value, &Value)> =
        done["problems"].as_array().unwrap().iter().map(|one| (&one["row"], &one["column"], &one["value"])).collect();
    assert_eq!(said, [(&json!(2), &json!(5), &json!("Susan Jane Miller"))], "{done}");
    let ana = find(&member, "customers", "Ana").await;
    assert_eq!((&ana["details"]["title"], &ana["externalId"]), (&json!("CEO"), &json!("K-12")));
    assert_eq!(ana["details"]["address"], "Calle 1\nMadrid");
    let mom = find(&member, "customers", "Mom").await;
    assert_eq!((&mom["details"]["title"], &mom["externalId"]), (&json!("CFO"), &json!("K-13")));
    assert_eq!(mom["tags"], json!(["x;y", "vip, gold", "5* hotel"]));
}

#[tokio::test]
async fn outlook_new_as_a_whole() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "First Name,Middle Name,Last Name,Title,Suffix,Nickname,Given Yomi,Surname Yomi,E-mail Address,E-mail 2 Address,\
        E-mail 3 Address,Home Phone,Home Phone 2,Business Phone,Business Phone 2,Mobile Phone,Car Phone,Other Phone,\
        Primary Phone,Pager,Business Fax,Home Fax,Other Fax,Company Main Phone,Callback,Radio Phone,Telex,TTY/TDD Phone,IMAddress,\
        Job Title,Department,Company,Office Location,Manager's Name,Assistant's Name,Assistant's Phone,Company Yomi,\
        Business Street,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home City,\
        Home State,Home Postal Code,Home Country/Region,Other Street,Other City,Other State,Other Postal Code,\
        Other Country/Region,Personal Web Page,Spouse,Schools,Hobby,Location,Web Page,Birthday,Anniversary,Notes,Categories\n\
        Ana,María,López,,,,,,ana@lopez.example,,,,,915 550 123,,600 555 012,,,,,,,,,,,,,,Head of Sales,Sales,López SL,,,,,,\
        Calle Mayor 1,Madrid,,28013,Spain,,,,,,,,,,,,,,,,,1980-03-22,,Met at the fair,VIP\n";
    import(&member, "customers", csv).await;
    let ana = find(&member, "customers", "Ana María López").await;
    assert_eq!(
        (&ana["details"]["title"], &ana["details"]["birthday"]),
        (&json!("Head of Sales"), &json!("1980-03-22"))
    );
    assert_eq!(phones(&ana), [("915 550 123", "Work"), ("600 555 012", "Mobile")]);
    assert_eq!(ana["details"]["address"], "Calle Mayor 1\nMadrid 28013\nSpain");
    assert_eq!((&ana["notes"], &ana["tags"]), (&json!("<p>Met at the fair</p>"), &json!(["vip"])));
}

// The kind of fault: several values in a cell are kept as one.
#[tokio::test]
async fn google_writes_several_values_in_a_cell() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "First Name,Last Name,Organization Name,Organization Title,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,\
        Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,\
        Website 1 - Label,Website 1 - Value\n\
        Ana,López,López SL ::: Gil SA,CEO ::: Buyer,Met here ::: Likes tea,* myContacts ::: VIP,* Work,\
        ana@lopez.example ::: ana@gil.example,Mobile,600 555 012 ::: 600 555 013,Home,\
        \"Calle Mayor 1\nMadrid ::: Calle Luna 2\nToledo\",Calle Mayor 1 ::: Calle Luna 2,Madrid ::: Toledo,,\
        lopez.example ::: https://gil.example\n\
        Bea,Gil,Gil SA ::: Gil SA,CFO,One line,,,bea@gil.example,,,,,,,,\n";
    let plan = import(&member, "customers", csv).await;
    assert_eq!(fields(&plan).last(), Some(&"links"));
    let ana = find(&member, "customers", "Ana López").await;
    assert_eq!((&ana["details"]["company"], &ana["details"]["title"]), (&json!("López SL"), &json!("CEO")));
    assert_eq!(ana["notes"], "<p>Met here</p><p>Likes tea</p>");
    assert_eq!(ana["details"]["address"], "Home:\nCalle Mayor 1\nMadrid\n\nHome:\nCalle Luna 2\nToledo");
    assert_eq!(emails(&ana).len(), 2);
    assert_eq!(phones(&ana), [("600 555 012", "Mobile"), ("600 555 013", "Mobile")]);
    let links = ana["attachments"]["links"].as_array().unwrap();
    let links: Vec<&Value> = links.iter().map(|link| &link["url"]).collect();
    assert_eq!(links, [&json!("https://lopez.example"), &json!("https://gil.example")]);
    let done = member.get(&path(&plan)).await.expect(200);
    let said = done["problems"].as_array().unwrap().iter();
    let said: Vec<(&Value, &Value)> = said.map(|one| (&one["row"], &one["value"])).collect();
    assert_eq!(said, [(&json!(2), &json!("Gil SA")), (&json!(2), &json!("Buyer"))], "{done}");
    // Other kinds, and parts of addresses without whole ones.
    let organizations =
        "Name,Website,Street,City\nAcme,acme.example ::: acme.test,Calle 1 ::: Calle 2,Madrid ::: Toledo\n";
    import(&member, "organizations", organizations).await;
    let acme = find(&member, "organizations", "Acme").await;
    assert_eq!(acme["website"], "https://acme.example");
    assert_eq!(acme["address"], "Calle 1\nMadrid\n\nCalle 2\nToledo");
    import(&member, "deals", "Title,Organization\nRugs,Acme ::: Other\n").await;
    assert_eq!(find(&member, "deals", "Rugs").await["organizationId"], acme["id"]);
}

// The kind of fault: how a program marks a list is taken as a part of its elements.
#[tokio::test]
async fn clickup_writes_lists_in_brackets() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let csv = "Task ID,Task Name,Status,Tags,Comments,Task Content\n\
        8a1,Call Ana,Open,\"[red, blue]\",\"[]\",Ask for the contract\n8a2,Write Bea,Open,[],[],\n8a3,Meet,Open,[vip],,\n";
    let plan = import(&member, "tasks", csv).await;
    assert_eq!(fields(&plan), ["externalId", "title", "completed", "tags", "-", "notes"]);
    for (title, tags, notes) in
        [("Call Ana", json!(["red", "blue"]), true), ("Write Bea", json!([]), false), ("Meet", json!(["vip"]), false)]
    {
        let task = find(&member, "tasks", title).await;
        assert_eq!(task["tags"], tags, "{title}");
        assert_eq!(task["notes"].as_str().is_some_and(|text| text.contains("contract")), notes, "{title}: {task}");
    }
    // Without a better column, comments are notes, and none are no notes.
    import(&member, "tasks", "Task Name,Comments\nSend,[]\nPay,Soon\n").await;
    let notes =
        async |title: &str| find(&member, "tasks", title).await["notes"].as_str().unwrap_or_default().to_owned();
    assert_eq!(notes("Send").await, "");
    assert!(notes("Pay").await.contains("Soon"));
    // Other kinds, and our own export of a tag in brackets.
    import(&member, "customers", "Name,Tags\nAna,\"[a, b]\"\nBea,\"[c], [d]\"\n").await;
    assert_eq!(find(&member, "customers", "Ana").await["tags"], json!(["a", "b"]));
    assert_eq!(find(&member, "customers", "Bea").await["tags"], json!(["[c]", "[d]"]));
    member.post("/api/customers", json!({"name": "Cy", "tags": ["[e]"]})).await.expect(201);
    let export = String::from_utf8(member.export("kind=customers").await.bytes).unwrap();
    let other = app.other(Role::Member).await;
    import(&other, "customers", &export).await;
    assert_eq!(find(&other, "customers", "Cy").await["tags"], json!(["[e]"]));
}

// The kind of fault: a number means something else in another program, and becomes a wrong value without a word.
#[tokio::test]
async fn priorities_in_numbers_are_read_by_the_program() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    let todoist = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT\ntask,T1,,1,1\ntask,T2,,2,1\ntask,T3,,3,1\ntask,T4,,4,1\n\
        note,Bring the keys,,,\n";
    let plan = upload(&member, "tasks", "t.csv", todoist.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    // A comment is no task, which is said.
    assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(4), &json!(1)), "{done}");
    assert_eq!((&done["problems"][0]["row"], &done["problems"][0]["value"]), (&json!(6), &json!("note")), "{done}");
    let clickup = "Task ID,Task Name,Task Content,Priority\na,C1,,1\nb,C2,,2\nc,C3,,3\nd,C4,,4\n";
    import(&member, "tasks", clickup).await;
    let words = "Summary,Issue key,Priority\nJ,X-1,High\n";
    import(&member, "tasks", words).await;
    for (title, priority) in
        [("T1", 2), ("T2", 2), ("T3", 1), ("T4", 1), ("C1", 2), ("C2", 2), ("C3", 1), ("C4", 0), ("J", 2)]
    {
        assert_eq!(find(&member, "tasks", title).await["priority"], priority, "{title}");
    }
    // Nothing says what those of an unknown program mean.
    let plan = upload(&member, "tasks", "u.csv", b"Title,Priority\nU1,1\nU2,2\n").await;
    assert_eq!(fields(&plan), ["title", "-"], "{plan}");
}

// The kind of fault: an organization becomes a person, and what it is becomes a status.
#[tokio::test]
async fn organizations_among_people_are_refused_with_a_reason() {
    let app = TestApp::new().await;
    let member = spanish(&app).await;
    for (header, person, organization) in
        [("Type", "Person", "Organisation"), ("Contact type", "Contact", "Company"), ("Tipo", "Persona", "Empresa")]
    {
        let csv = format!("Name,Email,{header}\nAna,ana@x.example,{person}\nAcme,acme@x.example,{organization}\n");
        let plan = upload(&member, "customers", "a.csv", csv.as_bytes()).await;
        assert_eq!(fields(&plan), ["name", "email", "-"], "{header}: {plan}");
        member.patch(&path(&plan), json!({"duplicates": "add"})).await.expect(200);
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        let done = member.import_over(&plan).await;
        assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(1), &json!(1)), "{done}");
        assert_eq!(done["problems"][0]["row"], 3, "{done}");
    }
    // Other types are those of customers.
    let plan = upload(&member, "customers", "a.csv", b"Name,Type\nAna,Lead\nBea,Active\n").await;
    assert_eq!(fields(&plan), ["name", "status"], "{plan}");
}
