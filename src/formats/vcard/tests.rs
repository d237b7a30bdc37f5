//! Tests of reading and writing vCards.

use proptest::prelude::*;

use super::*;
use crate::{
    formats::{FormatError, TextEncoding, TextPosition},
    kernel::{Birthday, Day, text},
};

fn read(bytes: &[u8]) -> Vec<ContactCard> {
    let encoding = inspect_vcard(bytes).unwrap();
    let mut reader = CardReader::new(bytes, encoding, TextPosition::default()).unwrap();
    let mut cards = Vec::new();
    while let Some(card) = reader.next_card().unwrap() {
        cards.push(card);
    }
    cards
}

fn labelled(value: &str, label: &str) -> Labelled {
    Labelled { value: value.to_owned(), label: label.to_owned() }
}

fn other(name: &str, text: &str, is_data: bool) -> OtherProperty {
    OtherProperty { name: name.to_owned(), text: text.to_owned(), is_data }
}

const APPLE: &str = "BEGIN:VCARD\r\n\
    VERSION:3.0\r\n\
    PRODID:-//Apple Inc.//iPhone OS 17.0//EN\r\n\
    N:Lovelace;Ada;King;Dr.;\r\n\
    FN:Dr. Ada King Lovelace\r\n\
    NICKNAME:Countess\r\n\
    ORG:Analytical Engines\\, Ltd.;Research;Mathematics\r\n\
    TITLE:Mathematician\r\n\
    item1.EMAIL;type=INTERNET;type=pref:ada@acme.example\r\n\
    item1.X-ABLabel:_$!<Work>!$_\r\n\
    item2.EMAIL;type=INTERNET:ada@home.example\r\n\
    item2.X-ABLabel:Newsletter\r\n\
    TEL;type=CELL;type=VOICE;type=pref:+44 20 7946 0018\r\n\
    TEL;type=HOME;type=FAX:+44 20 7946 0019\r\n\
    item3.ADR;type=HOME;type=pref:;;12 St James’s Square\\nFlat 3;London;;SW1Y 4JH;United Kingdom\r\n\
    item3.X-ABADR:gb\r\n\
    item4.URL;type=pref:https\\://acme.example/ada?x=1\\,2\r\n\
    item4.X-ABLabel:_$!<HomePage>!$_\r\n\
    BDAY;value=date:1815-12-10\r\n\
    NOTE:First line\\nSecond line\\, with a comma\\; and more that is folded bec\r\n\
    \x20ause it is long\r\n\
    CATEGORIES:VIP,Key accounts\r\n\
    PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQg\r\n\
    \x20KDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAAL\r\n\
    UID:6A7F-0001\r\n\
    END:VCARD\r\n";

#[test]
fn reads_a_card_of_an_iphone_with_groups() {
    let cards = read(APPLE.as_bytes());
    let expected = ContactCard {
        uid: "6A7F-0001".to_owned(),
        kind: CardKind::Individual,
        full_name: "Dr. Ada King Lovelace".to_owned(),
        prefix: "Dr.".to_owned(),
        given: "Ada".to_owned(),
        additional: "King".to_owned(),
        family: "Lovelace".to_owned(),
        suffix: String::new(),
        nickname: "Countess".to_owned(),
        emails: vec![labelled("ada@acme.example", "Work"), labelled("ada@home.example", "Newsletter")],
        phones: vec![labelled("+44 20 7946 0018", "Mobile"), labelled("+44 20 7946 0019", "Fax")],
        organization: "Analytical Engines, Ltd.".to_owned(),
        department: "Research, Mathematics".to_owned(),
        title: "Mathematician".to_owned(),
        birthday: Some("1815-12-10".parse().unwrap()),
        other_birthday: String::new(),
        left_out: Vec::new(),
        others: vec![other("PHOTO", "JPEG", true)],
        is_mixed: false,
        addresses: vec![labelled("12 St James’s Square\nFlat 3\nSW1Y 4JH London\nUnited Kingdom", "Home")],
        urls: vec!["https://acme.example/ada?x=1,2".to_owned()],
        note: "First line\nSecond line, with a comma; and more that is folded because it is long".to_owned(),
        about: String::new(),
        rich_note: String::new(),
        categories: vec!["VIP".to_owned(), "Key accounts".to_owned()],
    };
    assert_eq!(cards, [expected]);
}

#[test]
fn reads_cards_of_android_in_quoted_printable() {
    let file = "BEGIN:VCARD\r\n\
        VERSION:2.1\r\n\
        N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Pe=C3=B1a;Jos=C3=A9;;;\r\n\
        FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jos=C3=A9=20Pe=C3=B1a\r\n\
        TEL;CELL:600555012\r\n\
        TEL;WORK;VOICE:915550123\r\n\
        EMAIL;HOME:jose@acme.example\r\n\
        ADR;HOME;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;Calle=20Mayor=2C=201;M=C3=A1laga;;29001;\r\n\
        NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:L=C3=ADnea=0D=0Auno=20=\r\n\
        =20y=20m=C3=A1s\r\n\
        PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQg\r\n\
        \x20KDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL=\r\n\
        \r\n\
        END:VCARD\r\n\
        BEGIN:VCARD\r\n\
        VERSION:2.1\r\n\
        N;ENCODING=QUOTED-PRINTABLE:Mu=F1oz;Bego=F1a;;;\r\n\
        END:VCARD\r\n";
    let cards = read(file.as_bytes());
    assert_eq!(cards[0].full_name, "José Peña");
    assert_eq!((cards[0].given.as_str(), cards[0].family.as_str()), ("José", "Peña"));
    assert_eq!(cards[0].phones, [labelled("600555012", "Mobile"), labelled("915550123", "Work")]);
    assert_eq!(cards[0].emails, [labelled("jose@acme.example", "Home")]);
    assert_eq!(cards[0].addresses, [labelled("Calle Mayor, 1\n29001 Málaga", "Home")]);
    assert_eq!(cards[0].note, "Línea\nuno  y más");
    assert_eq!(cards[1].full_name, "Begoña Muñoz", "without a character set: Windows-1252");
}

#[test]
fn reads_version_4_with_uris_and_organizations() {
    let file = "BEGIN:VCARD\nVERSION:4.0\nKIND:org\nFN:Acme\nORG:Acme\nTEL;VALUE=uri;TYPE=\"work,voice\":tel:+34-915-550-123;ext=12\n\
        EMAIL:mailto:info@acme.example\nBDAY:--0412\nUID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1\nEND:VCARD\n\
        begin:vcard\nversion:4.0\nfn:Ada\nbday:19850412T000000Z\nend:vcard\n";
    let cards = read(file.as_bytes());
    assert_eq!(cards[0].kind, CardKind::Organization);
    assert_eq!(cards[0].phones, [labelled("+34-915-550-123 ext. 12", "Work")]);
    assert_eq!(cards[0].emails, [labelled("info@acme.example", "")]);
    assert_eq!(cards[0].birthday, Some("--04-12".parse().unwrap()));
    assert_eq!(cards[0].uid, "urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1");
    assert_eq!(cards[1].birthday, Some("1985-04-12".parse().unwrap()));
}

#[test]
fn reads_companies_groups_and_birthdays_of_icloud() {
    let file = "BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nFN:\nORG:Acme;\nX-ABShowAs:COMPANY\nEND:VCARD\n\
        BEGIN:VCARD\nVERSION:3.0\nFN:Friends\nX-ADDRESSBOOKSERVER-KIND:group\nEND:VCARD\n\
        BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10\nEND:VCARD\n";
    let cards = read(file.as_bytes());
    assert_eq!((cards[0].kind, cards[0].full_name.as_str()), (CardKind::Organization, "Acme"));
    assert_eq!(cards[1].kind, CardKind::Group);
    assert_eq!(cards[2].birthday, Some("--12-10".parse().unwrap()));
}

#[test]
fn decodes_windows_1252_utf16_and_named_character_sets() {
    let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:José Peña\r\nEND:VCARD\r\n";
    let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [utf16, encoding_rs::WINDOWS_1252.encode(text).0.into_owned(), format!("\u{feff}{text}").into_bytes()]
    {
        assert_eq!(read(&bytes)[0].full_name, "José Peña");
    }
    let (cyrillic, _, _) = encoding_rs::KOI8_R.encode("Ада");
    let file = [b"BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=KOI8-R:".as_slice(), &cyrillic, b"\nEND:VCARD\n"].concat();
    assert_eq!(read(&file)[0].full_name, "Ада");
}

#[test]
fn unfolds_characters_that_were_cut() {
    let file = b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Jos\xC3\r\n \xA9\r\nEND:VCARD\r\n";
    assert_eq!(read(file)[0].full_name, "José");
}

#[test]
fn ignores_lines_that_are_no_properties_and_cards_within_cards() {
    let file = "\n\nhello\nBEGIN:VCARD\nVERSION:2.1\nFN:Ada\ngarbage\n:x\nAGENT:\nBEGIN:VCARD\nFN:Assistant\nEND:VCARD\nTITLE:Boss\nEND:VCARD\nbye";
    let cards = read(file.as_bytes());
    assert_eq!(cards.len(), 1);
    assert_eq!((cards[0].full_name.as_str(), cards[0].title.as_str()), ("Ada", "Boss"));
}

// The kind of fault: a card within another one vanishes without a word.
#[test]
fn cards_within_cards_are_named() {
    for (agent, name) in [
        ("AGENT:\nBEGIN:VCARD\nFN:Assistant\nN:x\nTEL:1\nEND:VCARD\n", "Assistant"),
        ("AGENT:\nBEGIN:VCARD\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jos=C3=A9\nEND:VCARD\n", "José"),
        ("AGENT:\nBEGIN:VCARD\nFN:One\nAGENT:\nBEGIN:VCARD\nFN:Two\nEND:VCARD\nEND:VCARD\n", "One"),
        ("AGENT;VALUE=uri:mailto:assistant@x.example\n", "mailto:assistant@x.example"),
    ] {
        let file = format!("BEGIN:VCARD\nVERSION:2.1\nFN:Ada\n{agent}TITLE:Boss\nEND:VCARD\n");
        let cards = read(file.as_bytes());
        assert_eq!((cards.len(), cards[0].title.as_str()), (1, "Boss"), "{file}");
        assert_eq!(cards[0].others, [other("AGENT", name, false)], "{file}");
    }
}

// The kind of fault: a label that a person gave is lost.
#[test]
fn labels_of_android_are_decoded() {
    for (parameter, label) in [
        ("X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=C3=96zel)", "Özel"),
        ("X-CUSTOM(CHARSET=ISO-8859-1,ENCODING=QUOTED-PRINTABLE,Se=F1or)", "Señor"),
        ("x-custom(Guardia)", "Guardia"),
        ("CELL", "Mobile"),
    ] {
        let file = format!("BEGIN:VCARD\nVERSION:2.1\nFN:Ada\nTEL;{parameter}:600555012\nEND:VCARD\n");
        assert_eq!(read(file.as_bytes())[0].phones, [labelled("600555012", label)], "{file}");
    }
}

// The kind of fault: a property with content vanishes without a word.
#[test]
fn properties_that_are_no_part_of_a_contact_are_named() {
    let file = "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:x\r\nREV:2026\r\nFN:Ada\r\nTITLE:CEO\r\nROLE:Founder\r\n\
        IMPP;X-SERVICE-TYPE=Skype:skype:ada\r\nitem1.X-ABRELATEDNAMES:Bob\r\nitem1.X-ABLabel:_$!<Spouse>!$_\r\n\
        X-ANNIVERSARY:2010-05-01\r\nX-CUSTOMERNO:12\r\n 34\r\nX-CUSTOMERNO:56\r\nGENDER:F\r\nTZ:\r\nN:;;;;\r\n\
        X-NOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb=C3=B1\r\nADR:;;Calle 1;Madrid;;;\r\nLABEL:Calle 1\\nMadrid\r\n\
        LOGO;VALUE=uri:https://x.example/a.png\r\nX-ABUID:1\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Bea\r\nROLE:Boss\r\nLABEL;HOME;ENCODING=QUOTED-PRINTABLE:Calle 2=0D=0AToledo\r\n\
        PHOTO;ENCODING=BASE64;GIF:R0lGODlh\r\n R0lG\r\n\r\nPHOTO;VALUE=URL:http://x.example/b.gif\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Eva\r\nPHOTO:data:image/png;base64,iVBORw0KGgo=\r\nLANG:es\r\nEND:VCARD\r\n";
    let cards = read(file.as_bytes());
    let expected = [
        ("ROLE", "Founder"),
        ("LABEL", "Calle 1 Madrid"),
        ("IMPP", "skype:ada"),
        ("X-ABRELATEDNAMES", "Bob"),
        ("X-ANNIVERSARY", "2010-05-01"),
        ("X-CUSTOMERNO", "1234, 56"),
        ("GENDER", "F"),
        ("X-NOTE", "abñ"),
        ("LOGO", "https://x.example/a.png"),
    ];
    assert_eq!(cards[0].others, expected.map(|(name, text)| other(name, text, false)));
    assert_eq!((cards[0].title.as_str(), cards[0].addresses.len()), ("CEO", 1));
    // What the contact can keep is kept.
    assert_eq!((cards[1].title.as_str(), &cards[1].addresses), ("Boss", &vec![labelled("Calle 2\nToledo", "Home")]));
    assert_eq!(cards[1].others, [other("PHOTO", "GIF, http://x.example/b.gif", false)]);
    assert_eq!(cards[2].others, [other("PHOTO", "image/png", true), other("LANG", "es", false)]);
}

#[test]
fn properties_that_are_no_part_of_a_contact_are_bounded() {
    let long = format!("X-LONG:{}ñ{}\n", "a".repeat(MAX_OTHERS * 10 + 16), "b".repeat(1_000_000));
    let many = (0..1_000).map(|at| format!("X-{at}:{at}\n")).collect::<Vec<_>>().concat();
    let file = format!("BEGIN:VCARD\nVERSION:3.0\nFN:Ada\n{long}{many}NOT A NAME:x\nEND:VCARD\n");
    let cards = read(file.as_bytes());
    assert_eq!(cards[0].others.len(), MAX_OTHERS);
    assert_eq!(cards[0].others[0].text, "a".repeat(1_016));
}

// The kind of fault: of two names of a card, one vanishes without a word.
#[test]
fn the_name_of_a_card_is_the_one_that_says_more() {
    for (shown, parts, name, left_out) in [
        ("Mom", "Miller;Susan;Jane", "Mom", "Susan Jane Miller"),
        ("Ann", "Alpha;Ann", "Ann Alpha", ""),
        ("Ana M. López", "López;Ana;María;Dr.;", "Dr. Ana María López", ""),
        ("López, Ana", "López;Ana", "López, Ana", ""),
        ("Dr. Ana López Ruiz", "López;Ana", "Dr. Ana López Ruiz", ""),
        ("Robert Miller", "Miller;Bob", "Robert Miller", "Bob Miller"),
        ("Ann", "Alpha;Anna", "Ann", "Anna Alpha"),
        ("JOSE PENA", "Pena;José;;;Jr.", "José Pena Jr.", ""),
        ("李伟", "李;伟", "李伟", ""),
        ("ana@x.example", "López;Ana", "Ana López", ""),
        ("Acme", ";;;;", "Acme", ""),
        ("", "López;Ana", "Ana López", ""),
    ] {
        let file = format!("BEGIN:VCARD\nVERSION:3.0\nFN:{shown}\nN:{parts}\nEND:VCARD\n");
        let card = read(file.as_bytes()).remove(0);
        let said: Vec<String> = card.left_out.iter().map(|(property, value)| format!("{property}{value}")).collect();
        assert_eq!(card.full_name, name, "{file}");
        let left_out = if left_out.is_empty() { Vec::new() } else { vec![format!("N{left_out}")] };
        assert_eq!(said, left_out, "{file}");
    }
    // The card of an organization stays as it is.
    let file = "BEGIN:VCARD\nVERSION:3.0\nFN:Acme\nN:Miller;Susan\nX-ABShowAs:COMPANY\nEND:VCARD\n";
    assert_eq!(
        (read(file.as_bytes())[0].full_name.as_str(), &read(file.as_bytes())[0].left_out),
        ("Acme", &Vec::new())
    );
}

// The kind of fault: an escaped separator divides a tag.
#[test]
fn escaped_separators_divide_no_categories() {
    for (version, written, expected) in [
        ("3.0", "x\\;y,VIP\\, gold", ["x;y", "VIP, gold"]),
        ("4.0", "a\\,b\\;c,d", ["a,b;c", "d"]),
        ("2.1", "x\\;y,VIP\\, gold", ["x;y", "VIP, gold"]),
        ("3.0", "one,two", ["one", "two"]),
    ] {
        let file = format!("BEGIN:VCARD\nVERSION:{version}\nFN:Ada\nCATEGORIES:{written}\nEND:VCARD\n");
        assert_eq!(read(file.as_bytes())[0].categories, expected, "{file}");
    }
}

#[test]
fn refuses_files_without_cards() {
    assert_eq!(inspect_vcard(b"name,email\n".as_slice()), Err(FormatError::NoCards));
    assert_eq!(inspect_vcard(b"".as_slice()), Err(FormatError::Empty));
}

#[test]
fn damaged_and_large_cards_do_not_stop_the_rest() {
    let card = |name: &str| format!("BEGIN:VCARD\nVERSION:3.0\nFN:{name}\nEND:VCARD\n");
    let photo = format!("BEGIN:VCARD\nFN:Photo\nPHOTO;ENCODING=b:{}\nEND:VCARD\n", "A".repeat(5_000_000));
    let huge = format!("BEGIN:VCARD\nFN:Huge\nPHOTO;ENCODING=b:{}\nEND:VCARD\n", "A\n ".repeat(3_000_000));
    let long = format!("BEGIN:VCARD\nFN:Long\nNOTE:{}\nEND:VCARD\n", "A".repeat(300_000));
    let file =
        [&card("One"), "BEGIN:VCARD\nFN:Open\n", &card("Two"), &photo, &huge, &long, "BEGIN:VCARD\nFN:Last\n"].concat();
    let mut reader = CardReader::new(file.as_bytes(), TextEncoding::Utf8, TextPosition::default()).unwrap();
    let mut next = || reader.next_card().map(|card| card.map(|card| card.full_name));
    assert_eq!(next(), Ok(Some("One".to_owned())));
    assert_eq!(next(), Err(FormatError::UnclosedCard { card: 2 }));
    assert_eq!(next(), Ok(Some("Two".to_owned())));
    assert_eq!(next(), Ok(Some("Photo".to_owned())), "pictures are dropped while they are read");
    assert_eq!(next(), Err(FormatError::CardTooLarge { card: 5, max: 8 * 1024 * 1024 }));
    assert_eq!(next(), Err(FormatError::CardTooLarge { card: 6, max: 256 * 1024 }));
    assert_eq!(next(), Err(FormatError::UnclosedCard { card: 7 }));
    assert_eq!(next(), Ok(None));
}

/// What becomes of the cards of a file: the name of each, or that it cannot be read.
fn names_of_cards(file: &[u8], encoding: TextEncoding) -> Vec<Result<String, ()>> {
    let mut reader = CardReader::new(file, encoding, TextPosition::default()).unwrap();
    let mut names = Vec::new();
    loop {
        match reader.next_card() {
            Ok(Some(card)) => names.push(Ok(card.full_name)),
            Ok(None) => return names,
            Err(FormatError::UnclosedCard { card } | FormatError::UnopenedCard { card }) => {
                names.push(Err(()));
                assert_eq!(card, names.len() as u64);
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

// The kind of fault: cards become one, or vanish, because of the characters between them.
#[test]
fn no_card_is_lost_between_others() {
    let ok = |name: &str| Ok(name.to_owned());
    for (file, expected) in [
        ("BEGIN:VCARD\r\nFN:One\r\nEND:VCARDBEGIN:VCARD\r\nFN:Two\r\nEND:VCARD", vec![ok("One"), ok("Two")]),
        (
            "BEGIN:VCARD\r\nFN:One\r\nEND:VCARD\r\n\u{feff}BEGIN:VCARD\r\nFN:Two\r\nEND:VCARD",
            vec![ok("One"), ok("Two")],
        ),
        (
            "\u{200b} BEGIN:VCARD\nFN:One\n\u{2060}END:VCARD\nx begin : vcard\n\u{feff}FN:Two\nend:vcard",
            vec![ok("One"), ok("Two")],
        ),
        (
            "BEGIN:VCARD\nFN:OneEND:VCARD\nBEGIN:VCARD\nFN:TwoEND:VCARDBEGIN:VCARD\nFN:ThreeEND:VCARD",
            vec![ok("One"), ok("Two"), ok("Three")],
        ),
        ("BEGIN:VCARDVERSION:3.0\nFN:One\nTEL:1BEGIN:VCARD\nVERSION:3.0\nFN:Two\nEND:VCARD", vec![Err(()), ok("Two")]),
        ("VERSION:3.0\nFN:One\nEND:VCARD\nBEGIN:VCARD\nFN:Two\nEND:VCARD\nEND:VCARD", vec![Err(()), ok("Two")]),
        (
            "BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:x=\nEND:VCARD\nBEGIN:VCARD\nFN:Two\nEND:VCARD",
            vec![ok(""), ok("Two")],
        ),
    ] {
        assert_eq!(names_of_cards(file.as_bytes(), TextEncoding::Utf8), expected, "{file:?}");
        let encoding = inspect_vcard(file.as_bytes());
        assert!(encoding.is_ok() || !file.starts_with('B'), "{file:?}");
    }
    // A text that speaks of cards is text.
    let file = "BEGIN:VCARD\nVERSION:3.0\nFN:One\nNOTE:ends with END:VCARD\nTITLE:BEGIN:VCARD begins\nEND:VCARD\n";
    let cards = read(file.as_bytes());
    assert_eq!((cards[0].note.as_str(), cards[0].title.as_str()), ("ends with END:VCARD", "BEGIN:VCARD begins"));
}

#[test]
fn reading_time_is_linear_for_hostile_cards() {
    let parts = ["=\n".repeat(120_000), ";".repeat(250_000), "A\n ".repeat(80_000), ",\\".repeat(120_000)];
    for part in parts {
        for head in ["N;ENCODING=QUOTED-PRINTABLE:", "ADR:", "TEL;TYPE=", "CATEGORIES:"] {
            let file = format!("BEGIN:VCARD\nVERSION:2.1\n{head}{part}:x\nEND:VCARD\n");
            let mut reader = CardReader::new(file.as_bytes(), TextEncoding::Utf8, TextPosition::default()).unwrap();
            let _ = reader.next_card();
        }
    }
}

fn write(card: &ContactCard, version: VcardVersion) -> String {
    let mut file = Vec::new();
    write_card(&mut file, card, version).unwrap();
    String::from_utf8(file).unwrap()
}

#[test]
fn writes_standard_types_and_labels_of_its_own() {
    let card = ContactCard {
        full_name: "Ada".to_owned(),
        phones: vec![labelled("1", "Mobile"), labelled("2", "Móvil de guardia"), labelled("3", "")],
        birthday: Some("1985-04-12".parse().unwrap()),
        kind: CardKind::Organization,
        ..ContactCard::default()
    };
    let expected = "BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:org\r\nFN:Ada\r\nN:;;;;\r\nTEL;TYPE=cell:1\r\nitem1.TEL:2\r\n\
        item1.X-ABLabel:Móvil de guardia\r\nTEL:3\r\nBDAY:19850412\r\nEND:VCARD\r\n";
    assert_eq!(write(&card, VcardVersion::V4), expected);
    let third = write(&card, VcardVersion::V3);
    assert!(third.contains("X-ABShowAs:COMPANY\r\n") && third.contains("BDAY:1985-04-12\r\n"), "{third}");
}

/// One line of text.
fn line() -> impl Strategy<Value = String> {
    "[a-z ,;:\\\\\"='^ñé👩.-]{0,12}|[A-Za-z ñ,;\\\\]{60,90}|\\PC{0,8}".prop_map(|text| text::line(&text))
}

fn filled_line() -> impl Strategy<Value = String> {
    line().prop_map(|text| if text.is_empty() { "x".to_owned() } else { text })
}

fn label() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec!["", "Work", "Home", "Mobile", "Fax", "Pager", "Main", "work"]);
    prop_oneof![known.prop_map(str::to_owned), filled_line()]
}

fn list(value: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<Labelled>> {
    prop::collection::vec((value, label()).prop_map(|(value, label)| Labelled { value, label }), 0..3)
}

fn lines() -> impl Strategy<Value = String> {
    "([a-z ,;:\\\\ñ]{0,8}|\n|\t|[a-z]{80}){0,5}".prop_map(|text| text::lines(&text))
}

fn address() -> impl Strategy<Value = String> {
    lines().prop_map(|text| {
        let text = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        if text.is_empty() { "x".to_owned() } else { text }
    })
}

prop_compose! {
    fn card()(
        names in prop::collection::vec(line(), 9),
        full_name in filled_line(),
        emails in list(filled_line()),
        phones in list(filled_line()),
        addresses in list(address()),
        urls in prop::collection::hash_set(filled_line(), 0..3),
        categories in prop::collection::vec(filled_line(), 0..3),
        nicknames in prop::collection::vec("[a-z ]{1,5}", 0..3),
        (note, about, rich_note) in (lines(), lines(), lines()),
        is_organization: bool,
        birthday in prop::option::of((prop::option::of(1_850_i16..2_100), 1_i8..=12, 1_i8..=28)),
    ) -> ContactCard {
        let nicknames: Vec<String> = nicknames.iter().map(|name| text::line(name)).filter(|name| !name.is_empty()).collect();
        let [uid, prefix, given, additional, family, suffix, organization, department, title] =
            <[String; 9]>::try_from(names).unwrap();
        ContactCard {
            uid, prefix, given, additional, family, suffix, organization, department, title, full_name, emails, phones,
            addresses, note, about, rich_note, categories,
            kind: if is_organization { CardKind::Organization } else { CardKind::Individual },
            nickname: nicknames.join(", "),
            urls: urls.into_iter().collect(),
            birthday: birthday.and_then(|(year, month, day)| match year {
                Some(year) => Some(Day(jiff::civil::date(year, month, day)).into()),
                None => Birthday::without_year(month, day),
            }),
            other_birthday: String::new(),
            left_out: Vec::new(),
            others: Vec::new(),
            is_mixed: false,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_without_loss(card in card()) {
        for version in [VcardVersion::V3, VcardVersion::V4] {
            let file = write(&card, version);
            prop_assert!(file.lines().all(|line| line.len() <= 75), "{}", file);
            let mut reader = CardReader::new(file.as_bytes(), TextEncoding::Utf8, TextPosition::default()).unwrap();
            // Which of two names counts is another matter.
            let name = |read: ContactCard| {
                ContactCard { full_name: card.full_name.clone(), left_out: Vec::new(), ..read }
            };
            prop_assert_eq!(reader.next_card().map(|read| read.map(name)), Ok(Some(card.clone())), "{}", file);
            prop_assert_eq!(reader.next_card(), Ok(None));
        }
    }

    // A file has as many rows as cards, whatever stands between them, and no card has lines of another.
    #[test]
    fn as_many_cards_are_counted_as_a_file_has(
        cards in prop::collection::vec((
            prop::sample::select(vec!["BEGIN:VCARD\r\n", "begin:vcard\n", "BEGIN : VCARD\n", "BEGIN:VCARD", "\u{feff}BEGIN:VCARD\r"]),
            prop::sample::select(vec!["", "NOTE:END:VCARD or BEGIN:VCARD inside\n", "EMAIL:a@a.example\r\n", "\n", "PHOTO;ENCODING=b:AAAA\n AAAA\n"]),
            prop::sample::select(vec!["\r\n", "\n", "\n\n", "\n\u{feff}", "\n\u{200b} ", ""]),
            prop::sample::select(vec!["END:VCARD", "end:vcard", "END:VCARD\n", "END:VCARD\r\n\r\n", "END:VCARD ", ""]),
            prop::sample::select(vec!["", "\u{feff}", "\u{200b}", "\u{a0}", ";", ", ", "<br>", "text\n", "\t", "\r\n", "\u{0}"]),
        ), 1..8),
        encoding in prop::sample::select(vec![TextEncoding::Utf8, TextEncoding::Utf16Le]),
    ) {
        let write = |(at, (begin, lines, end_of_line, end, between)): (usize, &(&str, &str, &str, &str, &str))| {
            format!("{begin}VERSION:3.0\r\n{lines}FN:Person {at}{end_of_line}{end}{between}")
        };
        let file: String = cards.iter().enumerate().map(write).collect();
        let bytes: Vec<u8> = match encoding {
            TextEncoding::Utf16Le => file.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => file.as_bytes().to_vec(),
        };
        let names = names_of_cards(&bytes, encoding);
        prop_assert_eq!(names.len(), cards.len(), "{:?}", file);
        for (at, (name, card)) in names.iter().zip(&cards).enumerate() {
            let is_whole = !card.2.is_empty() && !card.3.is_empty();
            prop_assert!(name.is_ok() || !is_whole, "{:?}", file);
            if let Ok(name) = name {
                prop_assert!(name.starts_with(&format!("Person {at}")), "{} in {:?}", name, file);
                prop_assert!(name.len() < 12 || !is_whole, "{} in {:?}", name, file);
            }
        }
    }

    #[test]
    fn reading_resumes_at_every_position(parts in prop::collection::vec(prop::sample::select(vec![
        "BEGIN:VCARD\r\n", "END:VCARD\r\n", "FN:A\n", "END:VCARD\r", "\r\n", "BEGIN:VCARD\nFN:B\nEND:VCARD", "AGENT:\n", "x",
        "\u{feff}", "END:VCARD", "VERSION:3.0\n", "TEL:1",
    ]), 0..20)) {
        let file = parts.concat();
        let mut reader = CardReader::new(file.as_bytes(), TextEncoding::Utf8, TextPosition::default()).unwrap();
        loop {
            let position = reader.position();
            let offset = usize::try_from(position.offset).unwrap();
            let next = reader.next_card();
            let mut resumed = CardReader::new(&file.as_bytes()[offset..], TextEncoding::Utf8, position).unwrap();
            prop_assert_eq!(&resumed.next_card(), &next);
            prop_assert_eq!(resumed.position(), reader.position());
            if next == Ok(None) {
                break;
            }
        }
    }

    #[test]
    fn arbitrary_lines_end_without_panic(
        lines in prop::collection::vec("(item1\\.)?(N|ADR|TEL|BDAY|ORG|NOTE|X-ABLabel|AGENT|VERSION)?[;=,]?(TYPE|CHARSET|ENCODING)?[=;\"]?(QUOTED-PRINTABLE|koi8-r|work)?:?[ =;,\\\\\\PC]{0,12}", 0..12),
        version in prop::sample::select(vec!["2.1", "3.0", "4.0", "x"]),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let file = format!("BEGIN:VCARD\nVERSION:{version}\n{}\n", lines.join("\n"));
        let file = [file.as_bytes(), &bytes, b"\nEND:VCARD\n", &bytes].concat();
        for encoding in [TextEncoding::Utf8, TextEncoding::Windows1252, TextEncoding::Utf16Le] {
            let mut reader = CardReader::new(file.as_slice(), encoding, TextPosition::default()).unwrap();
            while !matches!(reader.next_card(), Ok(None)) {}
        }
        let _ = inspect_vcard(bytes.as_slice());
    }
}
