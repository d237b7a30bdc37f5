//! Parsing of rules, expansion as defined by RFC 5545, and bounded cost.

use std::collections::BTreeSet;

use jiff::civil::date;
use proptest::{collection::btree_set, option, prelude::*};

use super::{days::WEEKDAYS, *};

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn days(rule: &str, start: DateTime, from: DateTime, most: usize) -> Vec<String> {
    let rule = Rule::parse(rule).unwrap();
    let times = rule.times(start, Window::all(from), &TimeZone::UTC).unwrap();
    times.take(most).map(|at| at.date().to_string()).collect()
}

#[test]
fn parses_only_rules_within_bounds() {
    for (good, text) in [
        ("FREQ=DAILY", "FREQ=DAILY"),
        ("rrule:freq=weekly;byday=mo,we;interval=2", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE"),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=12", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12"),
        ("FREQ=YEARLY;UNTIL=20301231", "FREQ=YEARLY;UNTIL=20301231"),
        ("FREQ=DAILY;UNTIL=20301231T220000Z;", "FREQ=DAILY;UNTIL=20301231T220000Z"),
    ] {
        assert_eq!(Rule::parse(good).map(|rule| rule.text()).as_deref(), Some(text), "{good}");
    }
    for bad in [
        "",
        "DAILY",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYHOUR=9,10",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=1001",
        "FREQ=DAILY;INTERVAL=367",
        "FREQ=DAILY;COUNT=2;UNTIL=20301231",
        "FREQ=DAILY;UNTIL=20301331",
        "FREQ=DAILY;UNTIL=2030123é",
        "FREQ=DAILY;FREQ=WEEKLY",
        "FREQ=DAILY\nDTSTART:20200101T000000Z",
        &format!("FREQ=YEARLY;BYYEARDAY={}", vec!["1"; 300].join(",")),
    ] {
        assert_eq!(Rule::parse(bad), None, "{bad}");
    }
}

#[test]
fn rules_repeat_according_to_the_standard() {
    let start = date(2026, 11, 2).at(9, 0, 0, 0);
    for (rule, expected) in [
        ("FREQ=DAILY;INTERVAL=10;COUNT=3", vec!["2026-11-02", "2026-11-12", "2026-11-22"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", vec!["2026-11-02", "2026-11-04", "2026-11-09"]),
        ("FREQ=MONTHLY;BYDAY=1MO;COUNT=3", vec!["2026-11-02", "2026-12-07", "2027-01-04"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2", vec!["2026-11-02", "2026-11-30", "2026-12-31"]),
        ("FREQ=YEARLY;UNTIL=20281102", vec!["2026-11-02", "2027-11-02", "2028-11-02"]),
    ] {
        assert_eq!(days(rule, start, start, 9), expected, "{rule}");
    }
    let last = date(2024, 1, 31).at(0, 0, 0, 0);
    assert_eq!(days("FREQ=MONTHLY", last, last, 3), ["2024-01-31", "2024-03-31", "2024-05-31"]);
}

#[test]
fn later_window_gives_the_same_occurrences() {
    let start = date(2020, 1, 1).at(9, 30, 0, 0);
    for rule in [
        "FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=3",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU",
        "FREQ=MONTHLY;BYDAY=2TU",
        "FREQ=DAILY;UNTIL=20260315",
        "FREQ=WEEKLY;COUNT=400",
    ] {
        let from = date(2026, 3, 1).at(0, 0, 0, 0);
        let all = Rule::parse(rule).unwrap();
        let slow = all.times(start, Window::all(start), &TimeZone::UTC).unwrap().filter(|at| *at >= from);
        let slow: Vec<String> = slow.take(20).map(|at| at.date().to_string()).collect();
        assert_eq!(days(rule, start, from, 20), slow, "{rule}");
    }
}

#[test]
fn until_is_compared_in_the_local_time_of_the_zone() {
    // 22:30 UTC is 23:30 in Madrid: the occurrence at 23:00 is before it.
    let rule = Rule::parse("FREQ=DAILY;UNTIL=20261103T223000Z").unwrap();
    let start = date(2026, 11, 2).at(23, 0, 0, 0);
    let window = Window::all(start);
    assert_eq!(rule.times(start, window, &zone("Europe/Madrid")).unwrap().count(), 2);
    assert_eq!(rule.times(start, window, &TimeZone::UTC).unwrap().count(), 1);
    assert_eq!(rule.last_day(start, &zone("Europe/Madrid")), LastDay::On(date(2026, 11, 3)));
    let over = Rule::parse("FREQ=DAILY;UNTIL=20261101").unwrap();
    assert!(over.times(start, window, &TimeZone::UTC).is_none());
}

#[test]
fn computes_the_last_day_of_a_rule() {
    let start = date(2026, 11, 2).at(9, 0, 0, 0);
    let last = |rule: &str| Rule::parse(rule).unwrap().last_day(start, &TimeZone::UTC);
    assert_eq!(last("FREQ=WEEKLY;COUNT=3"), LastDay::On(date(2026, 11, 16)));
    assert_eq!(last("FREQ=WEEKLY"), LastDay::Never);
    assert_eq!(last("FREQ=YEARLY;BYYEARDAY=100;COUNT=1000"), LastDay::On(date(3026, 4, 10)));
    assert_eq!(last("FREQ=YEARLY;BYYEARDAY=366;BYDAY=SU;COUNT=1000"), LastDay::TooRare);
}

/// The most expensive rules: without occurrences, one occurrence in decades, whole years for a position, and the
/// longest lists.
fn dear_rules() -> Vec<String> {
    let all = |most: i32| (1..=most).map(|n| format!("{n}")).collect::<Vec<_>>().join(",");
    let mut rules: Vec<String> = [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
        "FREQ=DAILY;INTERVAL=366;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
        "FREQ=DAILY;BYSETPOS=2;BYDAY=MO",
        "FREQ=WEEKLY;BYMONTH=2;BYDAY=MO;BYSETPOS=2",
        "FREQ=WEEKLY;INTERVAL=366;BYMONTH=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=53",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=5SU;BYMONTH=2,4,6,9,11",
        "FREQ=MONTHLY;INTERVAL=365;BYMONTHDAY=29;BYMONTH=2;BYDAY=-1SU",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=31,-31",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
        "FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
        "FREQ=YEARLY;BYYEARDAY=366;BYDAY=SU;BYWEEKNO=1",
        "FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=1;BYDAY=SU",
        "FREQ=YEARLY;BYDAY=53MO,-53TU;BYMONTHDAY=31",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366,-366",
        "FREQ=YEARLY;BYDAY=MO;COUNT=1000",
        "FREQ=YEARLY;BYYEARDAY=366;COUNT=1000",
    ]
    .map(str::to_owned)
    .into();
    rules.push(format!("FREQ=YEARLY;BYMONTHDAY={};BYWEEKNO={};BYSETPOS=-1", all(31), all(53)));
    rules.push(format!("FREQ=YEARLY;BYYEARDAY={};BYMONTH=2;BYMONTHDAY=30", all(120)));
    rules
}

#[test]
fn reading_a_window_takes_bounded_steps() {
    for rule in dear_rules() {
        for year in [1900, 2026, 2200] {
            let start = date(year, 1, 1).at(9, 0, 0, 0);
            for days in [1, 42, 366, 732] {
                let from = date(2300, 2, 20).at(0, 0, 0, 0);
                let end = from.date().checked_add(Span::new().days(days)).unwrap();
                let window = Window { from, end, last: Some(date(9000, 1, 1)) };
                let parsed = Rule::parse(&rule).unwrap();
                let mut times = parsed.times(start, window, &TimeZone::UTC).unwrap();
                assert!(times.by_ref().all(|at| at >= from && at.date() < end), "{rule}");
                let most = u32::try_from(days).unwrap() + 2 * 366;
                assert!(times.steps() <= most, "{rule} from {year} for {days} days: {} steps", times.steps());
            }
        }
    }
}

#[test]
fn search_without_an_end_stops_at_the_step_limit() {
    let start = date(2026, 1, 1).at(9, 0, 0, 0);
    for rule in dear_rules() {
        let rule = Rule::parse(&rule).unwrap();
        let endless = Rule { count: None, ..rule.clone() };
        let mut times = endless.times(start, Window::all(start), &TimeZone::UTC).unwrap();
        times.by_ref().for_each(drop);
        assert!(times.steps() <= SEARCH + 366, "{}: {} steps", rule.text(), times.steps());
    }
}

#[test]
fn search_recognizes_the_rarest_repeating_rules() {
    // 29 February is a Friday every 28 years, at most 40; for every 7th year only once in 2,800 years.
    let start = date(2026, 1, 1).at(9, 0, 0, 0);
    for (rule, repeats) in [
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR", true),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR", true),
        ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR", true),
        ("FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR", true),
        ("FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", false),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", false),
        ("FREQ=DAILY;BYDAY=MO;BYSETPOS=2", false),
    ] {
        assert_eq!(Rule::parse(rule).unwrap().repeats(start), repeats, "{rule}");
    }
}

#[test]
fn week_numbers_follow_the_standard() {
    let start = date(2026, 1, 1).at(0, 0, 0, 0);
    let week = |rule: &str, most| days(rule, start, date(2026, 12, 1).at(0, 0, 0, 0), most);
    // Week 53 of 2026 extends into 2027; week 1 of 2025 began in 2024.
    assert_eq!(
        week("FREQ=YEARLY;BYWEEKNO=53", 7),
        ["2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31", "2027-01-01", "2027-01-02", "2027-01-03"]
    );
    assert_eq!(week("FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU", 2), ["2027-01-03", "2033-01-02"]);
    assert_eq!(week("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", 3), ["2027-01-04", "2028-01-03", "2029-01-01"]);
    assert_eq!(week("FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO", 2), ["2026-12-28", "2027-12-27"]);
    let sunday = week("FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU", 2);
    assert_eq!(sunday, ["2027-01-03", "2028-01-02"], "weeks from Sunday");
}

#[test]
fn numbered_and_plain_weekdays_combine() {
    let start = date(2026, 11, 1).at(0, 0, 0, 0);
    assert_eq!(
        days("FREQ=MONTHLY;BYDAY=WE,1MO", start, start, 6),
        ["2026-11-01", "2026-11-02", "2026-11-04", "2026-11-11", "2026-11-18", "2026-11-25"]
    );
}

/// Formats a list of values as in a rule.
fn texts<T: ToString>(values: Option<BTreeSet<T>>) -> Option<Vec<String>> {
    values.map(|values| values.iter().map(ToString::to_string).collect())
}

/// Expands a rule with another implementation.
fn expected(rule: &str, start: DateTime, most: usize) -> Option<Vec<String>> {
    let set = format!("DTSTART:{}\nRRULE:{rule}", start.strftime("%Y%m%dT%H%M%SZ"));
    let set: rrule::RRuleSet = set.parse().ok()?;
    let result = set.all(u16::try_from(most).unwrap());
    Some(result.dates.iter().map(|at| at.format("%Y-%m-%d").to_string()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]
    /// Agrees with another implementation. Excluded are week numbers at the ends of years, and weekdays with and
    /// without numbers in one rule, where the other implementation differs from the standard (see the two tests above).
    #[test]
    fn occurrences_match_another_implementation(
        freq in 0usize..4,
        interval in 1u32..5,
        day in 0i32..4_000,
        from in 0i32..1_500,
        months in option::weighted(0.4, btree_set(1u8..=12, 1..4)),
        month_days in option::weighted(0.3, btree_set(prop_oneof![1i8..=31, -31i8..=-1], 1..4)),
        year_days in option::weighted(0.2, btree_set(prop_oneof![1i16..=366, -366i16..=-1], 1..5)),
        weeks in option::weighted(0.2, btree_set(2i8..=51, 1..4)),
        weekdays in option::weighted(0.5, btree_set(0usize..7, 1..4)),
        number in option::weighted(0.4, prop_oneof![1i8..=5, -4i8..=-1]),
        positions in option::weighted(0.3, btree_set(prop_oneof![1i8..=6, -6i8..=-1], 1..3)),
        week_start in option::weighted(0.3, 0usize..7),
    ) {
        let freq = [Freq::Daily, Freq::Weekly, Freq::Monthly, Freq::Yearly][freq];
        let large = matches!(freq, Freq::Monthly | Freq::Yearly);
        let mut rule = format!("FREQ={};INTERVAL={interval}", freq.as_str());
        let mut add = |name: &str, values: Option<Vec<String>>| {
            if let Some(values) = values {
                rule += &[";", name, "=", &values.join(",")].concat();
            }
        };
        let by = months.is_some() || weekdays.is_some() || (month_days.is_some() && freq != Freq::Weekly);
        add("BYMONTH", texts(months));
        add("BYMONTHDAY", texts(month_days).filter(|_| freq != Freq::Weekly));
        add("BYYEARDAY", texts(year_days).filter(|_| freq == Freq::Yearly));
        let weeks = texts(weeks).filter(|_| freq == Freq::Yearly);
        let number = number.filter(|_| large && weeks.is_none()).map_or(String::new(), |n| n.to_string());
        add("BYWEEKNO", weeks);
        add("BYDAY", weekdays.map(|days| days.iter().map(|day| format!("{number}{}", WEEKDAYS[*day])).collect()));
        add("BYSETPOS", texts(positions).filter(|_| by));
        add("WKST", week_start.map(|day| vec![WEEKDAYS[day].to_owned()]));
        let start = date(2020, 1, 1).checked_add(Span::new().days(day)).unwrap().at(9, 0, 0, 0);
        let expected: Vec<String> = expected(&rule, start, 40).unwrap();
        let from = start.checked_add(Span::new().days(from)).unwrap();
        let parsed = Rule::parse(&rule).unwrap();
        // Rare rules are not expanded for thousands of years: the search is bounded.
        let end = date(2400, 1, 1);
        let wanted = from.date().to_string()..end.to_string();
        let same = |day: &String| *day != start.date().to_string() && wanted.contains(day);
        let expected: Vec<String> = expected.into_iter().filter(same).collect();
        let window = Window { end, ..Window::all(from) };
        let times = parsed.times(start, window, &TimeZone::UTC).unwrap();
        let found: Vec<String> = times.map(|at| at.date().to_string()).filter(same).take(expected.len()).collect();
        prop_assert_eq!(found, expected, "{} from {}", rule, start);
    }
}
