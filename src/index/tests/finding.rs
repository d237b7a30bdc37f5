//! Which records are found, and in which order.

use super::*;

fn people() -> TestIndex {
    TestIndex::with([
        contact(1, "José Ñúñez", &["jose.nunez@acme.example", "+34 600 555 012"]),
        contact(2, "Zoë Strauß", &["zoe77@umbrella.example", "0043-1-5331234"]),
        contact(3, "Sinéad O’Brien", &["key account"]),
    ])
}

#[test]
fn finds_people_by_name_email_and_phone_in_any_spelling() {
    let people = people();
    for typed in [
        "nunez",
        "NÚÑEZ",
        "jos",
        "José nu",
        "nu jose ñ",
        "jose nunez",
        "nuñes",
        "nunze",
        "nuez",
        "nunnez",
        "unez",
        "jose.nunez",
        "nunez@acme",
        "@acme",
        "jose.nunez@acme.example",
        "acme.ex",
        "unez@ac",
        "cme",
        "600555",
        "555 01",
        "55501",
        "600 555 012",
        "+34 600",
        "+34600555012",
        "34600",
        "(600) 555-012",
        "5012",
        "jose 555",
        "600 555 jos",
        "nunez @acme",
    ] {
        // In "nu jose ñ", `nu` is unfinished but not the last word: it must match a whole word, so nothing is found.
        let expected = if typed == "nu jose ñ" { vec![] } else { vec!["José Ñúñez".to_owned()] };
        assert_eq!(people.titles(typed), expected, "{typed}");
    }
    for typed in ["strauss", "STRAUẞ", "zoe str", "zoe77", "oe77@umb", "1533", "5331234", "0043 1 533"] {
        assert_eq!(people.titles(typed), ["Zoë Strauß"], "{typed}");
    }
    for typed in ["o'brien", "O’Bri", "obrien", "brien", "sinead o", "sinead o brien", "account", "key acc", "ccoun"]
    {
        assert_eq!(people.titles(typed), ["Sinéad O’Brien"], "{typed}");
    }
    for typed in ["", " ", "a", "ñ", " z ", "jose strauss", "nuxxz", "jxse", "600 777", "@nobody", "xyz", "012 600 9"]
    {
        assert_eq!(people.titles(typed), Vec::<String>::new(), "{typed}");
    }
}

#[test]
fn words_match_in_any_field() {
    let contact = Document {
        subtitle: some_text("Head of Purchasing, Umbrella"),
        body: some_text("Prefers to be called in the morning."),
        ..contact(1, "Ada Lovelace", &["vip", "ada@umbrella.example"])
    };
    let test_index = TestIndex::with([contact]);
    for typed in ["ada purch", "umbrella morning", "vip lovelace", "called vip ada umb", "Head, of: purchasing!"] {
        assert_eq!(test_index.titles(typed), ["Ada Lovelace"], "{typed}");
    }
}

#[test]
fn only_the_last_word_matches_as_a_prefix() {
    let test_index = TestIndex::with([document(Heading::Pages, 1, "Working from home")]);
    assert_eq!(test_index.titles("working fr").len(), 1);
    assert_eq!(test_index.titles("home work").len(), 1);
    assert_eq!(test_index.titles("work home").len(), 0);
}

#[test]
fn tolerates_one_typo_in_words_of_five_or_more_letters() {
    let test_index = TestIndex::with([document(Heading::Tasks, 1, "Quarterly report Bilbao")]);
    for typed in
        ["quartely rep", "uqarterly", "quarterlyy report", "reporx", "bilboa", "bilbxo", "quarterly erport bil"]
    {
        assert_eq!(test_index.titles(typed), ["Quarterly report Bilbao"], "{typed}");
    }
    for typed in ["qxartexly", "bxlb", "bilxo", "bilbxx", "quarterly xexort"] {
        assert_eq!(test_index.titles(typed), Vec::<String>::new(), "{typed}");
    }
    let numbers = TestIndex::with([document(Heading::Tasks, 1, "Invoice 20261")]);
    assert_eq!(numbers.titles("20262"), Vec::<String>::new(), "numbers are exact");
}

#[test]
fn exact_hits_rank_before_typo_hits() {
    let test_index = TestIndex::with([
        document(Heading::Contacts, 9, "Garcia Gracia"),
        document(Heading::Contacts, 8, "Gracia"),
        contact(1, "Somebody", &["old.garcia@acme.example"]),
    ]);
    assert_eq!(test_index.titles("garcia"), ["Garcia Gracia", "Somebody", "Gracia"]);
    let many = (1..=5).map(|number| document(Heading::Contacts, number, "Garcia"));
    let test_index = TestIndex::with(many.chain([document(Heading::Contacts, 9, "Gracia")]));
    assert_eq!(test_index.titles("garcia"), ["Garcia"; 5], "with enough exact hits nothing is forgiven");
}

#[test]
fn title_hits_rank_before_subtitle_hits_then_body_hits() {
    let test_index = TestIndex::with([
        Document { body: some_text("about budget"), ..document(Heading::Pages, 9, "Minutes") },
        Document { subtitle: some_text("budget"), ..document(Heading::Pages, 8, "Figures") },
        document(Heading::Pages, 2, "Budgeting"),
        document(Heading::Pages, 1, "Budget"),
    ]);
    assert_eq!(test_index.titles("budget"), ["Budget", "Budgeting", "Figures", "Minutes"]);
    assert_eq!(test_index.titles("budge"), ["Budgeting", "Budget", "Figures", "Minutes"]);
}

#[test]
fn titles_with_every_word_rank_before_hits_that_need_another_field() {
    let test_index = TestIndex::with([
        contact(9, "Nobody", &["ada@acme.example"]),
        contact(1, "Owner of ada@acme.example", &[]),
        Document { subtitle: some_text("yearly"), ..document(Heading::Pages, 9, "Budget") },
        document(Heading::Pages, 1, "Yearly budgets"),
    ]);
    assert_eq!(test_index.titles("ada@acme.ex"), ["Owner of ada@acme.example", "Nobody"]);
    assert_eq!(test_index.titles("yearly budg"), ["Yearly budgets", "Budget"]);
    for (typed, group, title) in [
        ("ada@acme.ex", Heading::Contacts, "Owner of ada@acme.example"),
        ("yearly budg", Heading::Pages, "Yearly budgets"),
    ] {
        let first = test_index.engine.tenant(tenant(1)).find(typed, &[group], 1);
        assert_eq!(first[0].1[0].title, title, "{typed}");
    }
}

#[test]
fn equal_hits_are_ordered_by_latest_change() {
    let test_index = TestIndex::new();
    // In several segments, and not in chronological order.
    for number in [3, 1, 4, 2] {
        test_index.put(tenant(1), [document(Heading::Tasks, number, &format!("Call {number}"))]);
    }
    assert_eq!(test_index.titles("call"), ["Call 4", "Call 3", "Call 2", "Call 1"]);
    let touched = Document { at: i64::MAX, ..document(Heading::Tasks, 1, "Call 1") };
    test_index.put(tenant(1), [touched, Document { at: -5, ..document(Heading::Tasks, 4, "Call 4") }]);
    assert_eq!(test_index.titles("call"), ["Call 1", "Call 3", "Call 2", "Call 4"]);
    let best = test_index.engine.tenant(tenant(1)).find("call", &[Heading::Tasks], 2);
    assert_eq!(best[0].1.iter().map(|hit| hit.id).collect::<Vec<_>>(), [id(1), id(3)]);
}

#[test]
fn groups_keep_their_order_and_are_omitted_without_hits() {
    let test_index = TestIndex::with([
        document(Heading::Tasks, 1, "Review plan"),
        document(Heading::Pages, 2, "Plan"),
        document(Heading::Contacts, 3, "Nobody"),
    ]);
    let index = test_index.engine.tenant(tenant(1));
    let groups = |typed: &str, of: &[Heading]| -> Vec<Heading> {
        index.find(typed, of, 5).into_iter().map(|(group, _)| group).collect()
    };
    assert_eq!(groups("plan", &Heading::ALL), [Heading::Pages, Heading::Tasks]);
    assert_eq!(groups("plan", &[Heading::Tasks, Heading::Pages]), [Heading::Pages, Heading::Tasks]);
    assert_eq!(groups("plan", &[Heading::Tasks, Heading::Tasks]), [Heading::Tasks]);
    assert_eq!(groups("plan", &[Heading::Contacts]), []);
    assert_eq!(groups("plan", &[]), []);
    assert!(index.find("plan", &Heading::ALL, 0).is_empty());
}

#[test]
fn hit_contains_all_fields_of_the_response() {
    let whole = Document {
        subtitle: some_text("Umbrella"),
        avatar: Some("/media/1".into()),
        completed: Some(true),
        ..document(Heading::Tasks, 7, "Écrire")
    };
    let test_index = TestIndex::with([whole]);
    let hits = test_index.hits("ecrire");
    let expected = Hit {
        kind: "task".into(),
        id: id(7),
        title: "Écrire".into(),
        subtitle: Some("Umbrella".into()),
        avatar: Some("/media/1".into()),
        completed: Some(true),
        at: 1_700_000_000_007,
        score: hits[0].score,
    };
    assert_eq!(hits, [expected]);
}

#[test]
fn find_ids_returns_only_the_requested_kind() {
    let member = Document { kind: "member", ..document(Heading::Contacts, 2, "Ada Member") };
    let test_index =
        TestIndex::with([document(Heading::Contacts, 1, "Ada Customer"), member, document(Heading::Pages, 3, "Ada")]);
    let index = test_index.engine.tenant(tenant(1));
    assert_eq!(index.find_ids("ada", Heading::Contacts, "member", 10), [id(2)]);
    assert_eq!(index.find_ids("ada", Heading::Contacts, "customer", 10), [id(1)]);
    assert_eq!(index.find_ids("ada", Heading::Pages, "page", 10), [id(3)]);
    assert_eq!(index.find_ids("ada", Heading::Pages, "customer", 10), Vec::<[u8; 16]>::new());
}

#[test]
fn same_id_in_two_kinds_counts_as_two_records() {
    let member = Document { kind: "member", ..document(Heading::Contacts, 1, "Ada") };
    let test_index = TestIndex::with([document(Heading::Contacts, 1, "Ada"), member.clone()]);
    assert_eq!(test_index.titles("ada").len(), 2);
    test_index.engine.apply([removed(tenant(1), &member)], 9).unwrap();
    test_index.engine.commit().unwrap();
    assert_eq!(test_index.hits("ada")[0].kind, "customer");
    assert_eq!(test_index.hits("ada").len(), 1);
}

#[test]
fn hostile_queries_are_treated_as_plain_text() {
    let test_index = people();
    let all = ["José Ñúñez", "Sinéad O’Brien", "Zoë Strauß"];
    let hostile = [
        "title:jose",
        "names:jose",
        "*",
        "**",
        "jo*",
        "?ose",
        "jose~2",
        "jose^9",
        "\"jose nunez\"",
        "'jose'",
        "\"",
        "\\",
        "\\\\",
        "(((",
        ")",
        "a AND",
        "jose OR zoe",
        "NOT zoe",
        "-jose",
        "+jose +zoe",
        "[a TO z]",
        "{a TO z}",
        "IN [a b]",
        "/.*/",
        "/(a+)+$/",
        "jose\0nunez",
        "\0\0\0",
        "\u{1}\u{7f}",
        "\u{202e}esoj",
        "\u{feff}jose",
        "j\u{ad}o\u{200d}se",
        "שלום",
        "مرحبا بالعالم",
        "日本語の名前",
        "한국어",
        "👩‍👩‍👧‍👦🎉",
        "🎉🎉",
        "e\u{301}\u{301}\u{301}",
        "%00",
        "%",
        "_",
        "'; DROP TABLE customers; --",
        "<script>alert(1)</script>",
        "{{7*7}}",
        "${7*7}",
        "../../etc",
        "@",
        "@@",
        "@@@@@@",
        "a@",
        "@a",
        "....",
        "----",
        "''''",
        "’’",
        "o'",
        "'brien",
        "\u{fdfa}",
        "ﷺﷺﷺﷺ",
        "ǅ",
        "\u{10ffff}\u{10fffe}",
        "１２３",
        "٣٤٥",
        "1e999",
        "-1",
        "0x10",
        "NaN",
        "\r\n\t\u{b}\u{c}\u{85}\u{2028}",
    ];
    for typed in hostile {
        for hit in test_index.titles(typed) {
            assert!(all.contains(&hit.as_str()), "{typed}");
        }
    }
    // The readable parts are found; operator characters are ignored.
    for typed in
        ["\"jose nunez\"", "+jose", "-jose", "jo*", "jose^", "jose\0nunez", "\u{feff}jose", "j\u{ad}o\u{200d}se"]
    {
        assert_eq!(test_index.titles(typed), ["José Ñúñez"], "{typed:?}");
    }
    for typed in ["title:jose", "jose OR zoe", "NOT zoe", "jose~2"] {
        assert_eq!(test_index.titles(typed), Vec::<String>::new(), "{typed:?}");
    }
}

/// The kind of fault: text is found by its beginning alone, because words have no spaces between them.
#[test]
fn chinese_japanese_and_korean_text_is_found_by_any_part() {
    let titles = ["上海浦东发展银行", "株式会社東京カメラ", "삼성전자서비스", "Zeiss 東京 Office"];
    let index = TestIndex::with((1..).zip(titles).map(|(number, title)| contact(number, title, &[])));
    for (typed, expected) in [
        ("上海", &["上海浦东发展银行"][..]),
        ("浦东发展", &["上海浦东发展银行"]),
        ("银行", &["上海浦东发展银行"]),
        ("カメラ", &["株式会社東京カメラ"]),
        ("ｶﾒﾗ", &["株式会社東京カメラ"]),
        ("전자", &["삼성전자서비스"]),
        ("서비스", &["삼성전자서비스"]),
        ("zeiss 東京", &["Zeiss 東京 Office"]),
        ("東京 会社", &["株式会社東京カメラ"]),
        ("京東", &[]),
        ("海上", &[]),
        ("银行 東京", &[]),
    ] {
        assert_eq!(index.titles(typed), expected, "{typed}");
    }
    assert_eq!(index.titles("東京").len(), 2);
}

#[test]
fn long_queries_are_truncated() {
    let test_index = people();
    for sign in ["(", "a", "a ", "@", "1", "7 ", "ñ", "'", "\u{fdfa}", "e\u{301}", "🎉", " ", "\0", "\"a\" AND "] {
        let found = test_index.titles(&sign.repeat((1 << 20) / sign.len()));
        assert_eq!(found, Vec::<String>::new(), "{sign:?}");
    }
    let after_many_signs = format!("{}jose", "(".repeat(1 << 20));
    assert_eq!(test_index.titles(&after_many_signs), Vec::<String>::new());
    let before_many_signs = format!("  jose {}", "(".repeat(1 << 20));
    assert_eq!(test_index.titles(&before_many_signs), ["José Ñúñez"]);
    let many_words = format!("{} nobody", ["jose"; 16].join(" "));
    assert_eq!(test_index.titles(&many_words), ["José Ñúñez"], "the seventeenth word does not count");
}

#[test]
fn long_documents_are_found() {
    let long = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch".repeat(2);
    let body = (0..20_000).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
    let test_index = TestIndex::with([
        document(Heading::Pages, 1, &long),
        Document { body: some_text(body), ..document(Heading::Pages, 2, "Long") },
        contact(3, "Many", &["x".repeat(5_000).as_str(), "y@z.example"]),
        Document {
            body: some_text("z".repeat(1 << 21)),
            title: "w ".repeat(1 << 16),
            ..document(Heading::Pages, 4, "")
        },
    ]);
    assert_eq!(test_index.titles(&long).first(), Some(&long));
    assert_eq!(test_index.titles("llanfairpwll"), [long]);
    assert_eq!(test_index.titles("word12345"), ["Long"]);
    assert_eq!(test_index.titles("y@z"), ["Many"]);
}

#[test]
fn a_part_of_an_address_is_found_in_addresses_only() {
    let people = TestIndex::with([
        contact(1, "Person 12", &["p12@acme.example"]),
        contact(2, "p12", &["p120@acme.example"]),
        contact(3, "Ada Acme", &["info@umbrella.example"]),
        contact(4, "Grace", &["ada.hopper@navy.example"]),
        contact(5, "Hopper", &["ada@navy.example"]),
        Document {
            subtitle: some_text("Acme Example"),
            body: some_text("Call ada at acme, example"),
            ..contact(6, "Alan", &["alan@a.example"])
        },
        document(Heading::Organizations, 7, "Acme"),
    ]);
    for (typed, expected) in [
        ("p12@", &["Person 12"][..]),
        ("12@", &["Person 12"]),
        ("p12@acme", &["Person 12"]),
        ("p120@", &["p12"]),
        ("@acme.example", &["p12", "Person 12"]),
        ("@acme", &["p12", "Person 12"]),
        ("ada@", &["Hopper"]),
        ("ada@navy.ex", &["Hopper"]),
        ("hopper@ navy", &["Grace"]),
        ("@umbrella ada", &["Ada Acme"]),
        ("nobody@", &[]),
    ] {
        assert_eq!(people.titles(typed), expected, "{typed}");
    }
    // Texts of other records have addresses, too.
    let page = Document { body: some_text("Write to ada@acme.example."), ..document(Heading::Pages, 8, "Contact") };
    people.put(tenant(1), [page]);
    for typed in ["ada@acme", "@acme.example", "ada@"] {
        assert!(people.titles(typed).contains(&"Contact".to_owned()), "{typed}");
    }
}
