//! Tests of guessing the fields of columns.

use super::{content::is_postal_code, *};
use crate::formats::synonyms::{DEALS, FieldSynonyms, ORGANIZATIONS, PEOPLE, TASKS};

const MULTIPLE: [&str; 8] = ["email", "phone", "address", "street", "postalCode", "city", "region", "country"];

fn targets(table: &[FieldSynonyms]) -> Vec<TargetField<'static>> {
    let content = |field: &str| match field {
        "name" => ContentType::Name,
        "email" => ContentType::Email,
        "phone" => ContentType::Phone,
        "website" => ContentType::Url,
        "birthday" | "expectedDay" | "dueDate" => ContentType::Date,
        "postalCode" => ContentType::PostalCode,
        "value" => ContentType::Number,
        _ => ContentType::Text,
    };
    let target = |entry: &FieldSynonyms| TargetField {
        name: entry.field,
        content: content(entry.field),
        synonyms: Vec::leak(entry.names()),
        is_multiple: MULTIPLE.contains(&entry.field),
    };
    table.iter().map(target).collect()
}

fn texts(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Guesses by names alone and returns the fields with their labels, such as `phone:Work`.
fn guess(table: &[FieldSynonyms], headers: &[&str]) -> Vec<String> {
    let targets = targets(table);
    let rows: [Vec<String>; 0] = [];
    let shown = |guess: ColumnGuess| {
        let field = guess.target.map_or("-", |target| targets[target].name);
        guess.label.map_or_else(|| field.to_owned(), |label| format!("{field}:{label}"))
    };
    guess_mapping(&texts(headers), &rows, &targets).into_iter().map(shown).collect()
}

#[test]
fn knows_google_contacts() {
    let headers = [
        "First Name",
        "Middle Name",
        "Last Name",
        "Phonetic First Name",
        "Nickname",
        "File As",
        "Organization Name",
        "Organization Title",
        "Birthday",
        "Notes",
        "Photo",
        "Labels",
        "E-mail 1 - Label",
        "E-mail 1 - Value",
        "E-mail 2 - Label",
        "E-mail 2 - Value",
        "Phone 1 - Label",
        "Phone 1 - Value",
        "Address 1 - Label",
        "Address 1 - Formatted",
        "Address 1 - Street",
        "Address 1 - City",
        "Address 1 - PO Box",
        "Address 1 - Region",
        "Address 1 - Postal Code",
        "Address 1 - Country",
        "Website 1 - Label",
        "Website 1 - Value",
    ];
    let expected = [
        "firstName",
        "middleName",
        "lastName",
        "-",
        "-",
        "name",
        "company",
        "title",
        "birthday",
        "notes",
        "-",
        "tags",
        "-",
        "email",
        "-",
        "email",
        "-",
        "phone",
        "-",
        "address",
        "street",
        "city",
        "-",
        "region",
        "postalCode",
        "country",
        "-",
        "links",
    ];
    assert_eq!(guess(PEOPLE, &headers), expected);
    let rows: [Vec<String>; 0] = [];
    let guesses = guess_mapping(&texts(&headers), &rows, &targets(PEOPLE));
    assert_eq!((guesses[15].number, guesses[15].label_column), (Some(2), Some(14)));
    assert_eq!((guesses[24].number, guesses[24].label_column), (Some(1), Some(18)));
}

#[test]
fn knows_outlook() {
    let headers = [
        "Title",
        "First Name",
        "Last Name",
        "Company",
        "Department",
        "Job Title",
        "Business Street",
        "Business City",
        "Business Postal Code",
        "Home Street",
        "Home Country/Region",
        "Business Fax",
        "Business Phone",
        "Home Phone 2",
        "Mobile Phone",
        "Assistant's Phone",
        "Manager's Name",
        "E-mail Address",
        "E-mail 2 Address",
        "E-mail Type",
        "Birthday",
        "Categories",
        "Web Page",
    ];
    let expected = [
        "-",
        "firstName",
        "lastName",
        "company",
        "-",
        "title",
        "street:Work",
        "city:Work",
        "postalCode:Work",
        "street:Home",
        "country:Home",
        "phone:Fax",
        "phone:Work",
        "phone:Home",
        "phone:Mobile",
        "-",
        "-",
        "email",
        "email",
        "-",
        "birthday",
        "tags",
        "links",
    ];
    let found = guess(PEOPLE, &headers);
    assert_eq!(found[1..5], expected[1..5]);
    assert_eq!(found[6..], expected[6..]);
    assert!(found[0] == "title" || found[5] == "title");
}

#[test]
fn knows_spanish_exports() {
    let headers = [
        "Nombre",
        "Apellidos",
        "Correo electrónico",
        "Correo electrónico del trabajo",
        "Teléfono móvil",
        "Móvil",
        "Teléfono",
        "Empresa",
        "Cargo",
        "Fecha de nacimiento",
        "Dirección",
        "Código postal",
        "Población",
        "Provincia",
        "País",
        "Observaciones",
        "Etiquetas",
        "Propietario del contacto",
        "ID de registro",
    ];
    let expected = [
        "firstName",
        "lastName",
        "email",
        "email:Work",
        "phone:Mobile",
        "phone:Mobile",
        "phone",
        "company",
        "title",
        "birthday",
        "address",
        "postalCode",
        "city",
        "region",
        "country",
        "notes",
        "tags",
        "owner",
        "externalId",
    ];
    assert_eq!(guess(PEOPLE, &headers), expected);
}

#[test]
fn knows_other_crms() {
    assert_eq!(
        guess(PEOPLE, &["Record ID - Contact", "First Name", "Email", "Phone Number", "Contact owner", "Lead Status"]),
        ["externalId", "firstName", "email", "phone", "owner", "status"]
    );
    assert_eq!(
        guess(PEOPLE, &["Person - Name", "Person - Email - Work", "Person - Phone - Mobile", "Person - Organization"]),
        ["name", "email:Work", "phone:Mobile", "company"]
    );
    assert_eq!(
        guess(PEOPLE, &["Mailing Street", "Mailing Zip/Postal Code", "Mailing State/Province", "Account Name"]),
        ["street", "postalCode", "region", "company"]
    );
    assert_eq!(
        guess(
            ORGANIZATIONS,
            &["Company name", "Company Domain Name", "Phone Number", "City", "Company owner", "Industry"]
        ),
        ["name", "website", "phone", "city", "owner", "-"]
    );
    assert_eq!(
        guess(
            DEALS,
            &["Deal Name", "Deal Stage", "Close Date", "Amount", "Deal owner", "Associated Company", "Lost reason"]
        ),
        ["title", "stage", "closeDate", "value", "owner", "organization", "reason"]
    );
    assert_eq!(
        guess(
            DEALS,
            &["Deal - Title", "Deal - Value", "Deal - Currency of Value", "Deal - Contact person", "Deal - Status"]
        ),
        ["title", "value", "currency", "customer", "outcome"]
    );
    assert_eq!(
        guess(TASKS, &["Asunto", "Fecha de vencimiento", "Prioridad", "Asignado a", "Completada", "Empresa"]),
        ["title", "dueDate", "priority", "assignee", "completed", "organization"]
    );
}

#[test]
fn knows_its_own_names_and_custom_fields() {
    let headers: Vec<&str> = PEOPLE.iter().map(|entry| entry.field).collect();
    assert_eq!(guess(PEOPLE, &headers), headers);
    let mut targets = targets(PEOPLE);
    let custom = ["Customer number"];
    let field = TargetField { name: "", content: ContentType::Text, synonyms: &custom, is_multiple: false };
    targets.insert(0, field);
    let rows: [Vec<String>; 0] = [];
    assert_eq!(guess_mapping(&texts(&["customer NUMBER"]), &rows, &targets)[0].target, Some(0));
    assert_eq!(guess_mapping(&texts(&[""]), &rows, &targets)[0].target, None);
}

#[test]
fn a_single_field_is_used_once() {
    assert_eq!(guess(PEOPLE, &["Company", "Organization"]), ["company", "-"]);
    assert_eq!(guess(PEOPLE, &["Customer ID", "ID"]), ["externalId", "id"]);
}

// The kind of fault: the first column with a name decides, although a later one fits better.
#[test]
fn comments_are_notes_only_where_nothing_better_is() {
    assert_eq!(guess(TASKS, &["Task Name", "Comments", "Task Content"]), ["title", "-", "notes"]);
    assert_eq!(guess(PEOPLE, &["Nombre", "Comentarios", "Notas"]), ["firstName", "-", "notes"]);
    assert_eq!(guess(DEALS, &["Deal Name", "Comments", "Description"]), ["title", "-", "about"]);
    assert_eq!(guess(TASKS, &["Task Name", "Comments"]), ["title", "notes"]);
}

#[test]
fn values_decide_without_names() {
    let rows = [
        texts(&["Ada Lovelace", "ada@acme.example", "+34 600 55 50 12", "10/12/1985", "https://acme.example", "x"]),
        texts(&["Grace Hopper", "grace@navy.example", "915 550 123", "9/12/1986", "", "y"]),
    ];
    let targets = targets(PEOPLE);
    let guesses = guess_mapping(&[], &rows, &targets);
    let names: Vec<&str> =
        guesses.iter().map(|guess| guess.target.map_or("-", |target| targets[target].name)).collect();
    assert_eq!(names, ["name", "email", "phone", "birthday", "-", "-"]);
    assert!(guesses[1].confidence < LABELLED);
    let guesses = guess_mapping(&texts(&["a", "Reachable at", "c", "d", "e", "f"]), &rows, &targets);
    let names: Vec<&str> =
        guesses.iter().map(|guess| guess.target.map_or("-", |target| targets[target].name)).collect();
    assert_eq!(names, ["-", "email", "phone", "-", "-", "-"], "names that are unknown: only what is certain");
}

#[test]
fn values_that_contradict_the_name_lower_the_confidence() {
    let targets = targets(PEOPLE);
    let guess = |value: &str| guess_mapping(&texts(&["Email"]), &[texts(&[value])], &targets)[0].confidence;
    assert_eq!(guess("ada@acme.example"), EXACT);
    assert_eq!(guess("yes"), CONTRADICTED);
    assert_eq!(guess(""), EXACT);
}

#[test]
fn recognizes_types_of_values() {
    for (value, expected) in [
        ("ada@acme.example", Some(ContentType::Email)),
        ("+34 600 55 50 12", Some(ContentType::Phone)),
        ("600555012", Some(ContentType::Phone)),
        ("(212) 555-0101", Some(ContentType::Phone)),
        ("https://acme.example/x", Some(ContentType::Url)),
        ("acme.example", Some(ContentType::Url)),
        ("25/11/2026", Some(ContentType::Date)),
        ("1.234,56 €", Some(ContentType::Number)),
        ("28001", Some(ContentType::Number)),
        ("Ada Lovelace", None),
        ("", None),
    ] {
        assert_eq!(ContentType::of(value), expected, "{value}");
    }
    assert!(is_postal_code("28001") && is_postal_code("SW1Y 4JH") && is_postal_code("94103-1234"));
}

#[test]
fn names_labels_in_two_languages() {
    for (text, expected) in [
        ("* Work", Some("Work")),
        ("Trabajo", Some("Work")),
        ("Móvil", Some("Mobile")),
        ("Work Fax", Some("Fax")),
        ("Casa", Some("Home")),
        ("E-mail 1", None),
    ] {
        assert_eq!(contact_label(text), expected, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn arbitrary_headers_and_rows_end_without_panic(
        headers in proptest::collection::vec("\\PC{0,20}|[A-Za-z0-9 -]{0,20}", 0..6),
        row in proptest::collection::vec("\\PC{0,20}|[0-9+@./ -]{0,20}", 0..6),
    ) {
        let guesses = guess_mapping(&headers, std::slice::from_ref(&row), &targets(PEOPLE));
        proptest::prop_assert_eq!(guesses.len(), if headers.is_empty() { row.len() } else { headers.len() });
    }
}
