//! Tests of reading, inspecting and writing CSV.

use std::io::Read;

use proptest::prelude::*;

use super::*;
use crate::formats::{BinaryFormat, FormatError, TextPosition};

fn inspect(bytes: &[u8]) -> CsvInspection {
    inspect_csv(bytes, CsvHints::default(), CsvLimits::default()).unwrap()
}

fn dialect(delimiter: u8, has_header: bool, columns: usize) -> CsvDialect {
    CsvDialect { encoding: TextEncoding::Utf8, delimiter, has_header, columns, skipped_rows: 0 }
}

fn reader(bytes: &[u8], dialect: CsvDialect) -> CsvReader<&[u8]> {
    CsvReader::new(bytes, dialect, CsvLimits::default(), TextPosition::default()).unwrap()
}

/// Reads all rows in the detected dialect, without their numbers.
fn read(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = reader(bytes, inspect(bytes).dialect);
    let mut rows = Vec::new();
    while let Some(row) = reader.next_row().unwrap() {
        rows.push(row.cells);
    }
    rows
}

fn first_error(bytes: &[u8], dialect: CsvDialect, limits: CsvLimits) -> FormatError {
    let mut reader = CsvReader::new(bytes, dialect, limits, TextPosition::default()).unwrap();
    loop {
        match reader.next_row() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("read to the end"),
            Err(error) => {
                assert_eq!(reader.next_row(), Err(error.clone()), "the error is returned again");
                return error;
            }
        }
    }
}

#[test]
fn reads_an_export_of_google_contacts() {
    let file = "First Name,Last Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Notes\n\
        Ada,Lovelace,* myContacts ::: Friends,* Work,ada@acme.example,Mobile,+44 20 7946 0018,\"Met in London.\nLikes \"\"tea\"\".\"\n\
        Grace,Hopper,* myContacts,,grace@navy.example,,,\n";
    let found = inspect(file.as_bytes());
    assert_eq!(found.dialect, dialect(b',', true, 8));
    assert_eq!(found.header[4], "E-mail 1 - Value");
    assert_eq!(found.rows[0].number, 2);
    assert_eq!(found.rows[0].cells[7], "Met in London.\nLikes \"tea\".");
    assert_eq!(found.rows[1].number, 3, "a cell of several lines is in one row");
    assert_eq!(found.rows[1].cells, ["Grace", "Hopper", "* myContacts", "", "grace@navy.example", "", "", ""]);
}

#[test]
fn reads_an_export_of_outlook() {
    let file = "\u{feff}\"First Name\",\"Last Name\",\"E-mail Address\",\"Business Phone\",\"Birthday\"\r\n\
        \"Ada\",\"Lovelace\",\"ada@acme.example\",\"(212) 555-0101\",\"12/10/1815\"\r\n\
        \"\",\"\",\"\",\"\",\"\"\r\n\
        \"Grace\",\"Hopper\",\"grace@navy.example\",\"\",\"\"\r\n";
    let found = inspect(file.as_bytes());
    assert_eq!(found.dialect, dialect(b',', true, 5));
    assert_eq!(found.header[0], "First Name", "without the byte order mark");
    let numbers: Vec<u64> = found.rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, [2, 4], "a row without content is skipped, and counted");
}

#[test]
fn reads_windows_1252_with_semicolons() {
    let text = "Nombre;Apellidos;Correo electrónico;Importe\r\nJosé;Peña;jose@acme.example;1.234,56 €\r\n\
        Begoña;Muñoz;begona@acme.example;12,5\r\n";
    let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let found = inspect(&bytes);
    assert_eq!(found.dialect.encoding, TextEncoding::Windows1252);
    assert_eq!(found.dialect.delimiter, b';', "not the comma of the decimals");
    assert_eq!(found.header[2], "Correo electrónico");
    assert_eq!(read(&bytes)[0], ["José", "Peña", "jose@acme.example", "1.234,56 €"]);
}

#[test]
fn obeys_the_separator_line_of_excel() {
    for first in ["sep=|", "SEP=|", "\"sep=|\""] {
        let file = format!("{first}\r\nname|tags\r\nAda|a;b;c\r\nGrace|d;e;f\r\n");
        let found = inspect(file.as_bytes());
        assert_eq!(found.dialect, dialect(b'|', true, 2), "{first}");
        assert_eq!(found.rows[0].number, 2, "Excel does not show that line");
        assert_eq!(read(file.as_bytes()), [["Ada", "a;b;c"], ["Grace", "d;e;f"]]);
    }
}

#[test]
fn reads_utf16_with_tabs_as_excel_saves_unicode_text() {
    let text = "\u{feff}Name\tCity\r\nJosé 👩\u{200d}💻\tMálaga\r\n";
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        assert_eq!(inspect(&bytes).dialect.delimiter, b'\t');
        assert_eq!(read(&bytes), [["José 👩\u{200d}💻", "Málaga"]]);
    }
}

#[test]
fn delimiters_within_quotes_do_not_count() {
    let file = "name,address\n\"Ada\",\"1; 2; 3; 4\"\n\"Grace\",\"5; 6; 7; 8\"\n";
    assert_eq!(inspect(file.as_bytes()).dialect.delimiter, b',');
    let file = "name;tags\nAda;\"a,b,c,d\"\nGrace;\"e,f,g,h\"\n";
    assert_eq!(inspect(file.as_bytes()).dialect.delimiter, b';');
    assert_eq!(inspect(b"name\nAda\nGrace\n").dialect, dialect(b',', true, 1));
}

#[test]
fn a_person_can_choose_the_dialect() {
    let hints = CsvHints { delimiter: Some(b'#'), has_header: Some(false), ..CsvHints::default() };
    let found = inspect_csv(b"a,b#c,d\n1#2\n".as_slice(), hints, CsvLimits::default()).unwrap();
    assert_eq!(found.dialect, dialect(b'#', false, 2));
    assert_eq!(found.rows[0].cells, ["a,b", "c,d"]);
    let hints = CsvHints { encoding: Some(TextEncoding::Windows1252), ..CsvHints::default() };
    let found = inspect_csv("name\nñ\n".as_bytes(), hints, CsvLimits::default()).unwrap();
    assert_eq!(found.rows[0].cells, ["Ã±"]);
    let hints = CsvHints { delimiter: Some(b'"'), ..CsvHints::default() };
    assert_eq!(
        inspect_csv(b"a,b\n1,2\n".as_slice(), hints, CsvLimits::default()).unwrap().dialect.delimiter,
        b',',
        "a quotation mark cannot delimit"
    );
}

#[test]
fn a_header_has_distinct_names() {
    for (file, expected) in [
        ("name,email\nAda,ada@acme.example\n", true),
        ("Ada,ada@acme.example\nGrace,grace@navy.example\n", false),
        ("name,name\nAda,Lovelace\n", false),
        ("name,,email\nAda,x,y\n", false),
        ("name,email,,\nAda,ada@acme.example\n", true),
        ("name,2024\nAda,5\n", false),
        ("name,25/11/2026\nAda,5\n", false),
        ("name,600 555 012\nAda,5\n", false),
    ] {
        assert_eq!(inspect(file.as_bytes()).dialect.has_header, expected, "{file}");
    }
}

// The kind of fault: columns without content hide the header.
#[test]
fn columns_without_content_hide_no_header() {
    for (file, above, columns) in [
        (",Name,,Email,,Phone\n,Ada,,ada@x.example,,600 555 012\n", 0, 6),
        (",,Name,City\n,,Ada,Madrid\n,,Bea,Toledo\n", 0, 4),
        (",Name,,,,City,,\n,Ada,,,,Madrid,,\n", 0, 6),
        ("People of 2026,,,,,\n,,Name,,,Email\n,,Ada,,,ada@x.example\n", 1, 6),
        ("\t\tName\t\tCity\n\t\tAda\t\tMadrid\n", 0, 5),
    ] {
        let dialect = inspect(file.as_bytes()).dialect;
        assert_eq!((dialect.has_header, dialect.skipped_rows, dialect.columns), (true, above, columns), "{file}");
    }
    // Columns with content and without a name stay values.
    assert!(!inspect(b"Ada,,Madrid\nBea,x,Toledo\n").dialect.has_header);
    assert!(!inspect(b",Ada,ada@x.example\n,Bea,bea@x.example\n").dialect.has_header);
}

#[test]
fn without_a_header_all_rows_are_data() {
    let found = inspect(b"Ada,ada@acme.example\nGrace,grace@navy.example,5\n");
    assert_eq!(found.dialect, dialect(b',', false, 3));
    assert!(found.header.is_empty());
    assert_eq!(found.rows[0].number, 1);
    assert_eq!(found.rows[0].cells, ["Ada", "ada@acme.example", ""]);
}

#[test]
fn reads_all_line_ends() {
    for file in ["a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\n1,2\r\n3,4\r"] {
        assert_eq!(read(file.as_bytes()), [["1", "2"], ["3", "4"]], "{file:?}");
    }
}

#[test]
fn rows_with_other_widths_lose_nothing() {
    let mut reader = reader(b"a,b\n1,2,3,,4,,\n5\n6,7,,\n", dialect(b',', true, 2));
    let row = reader.next_row().unwrap().unwrap();
    assert_eq!(row.cells, ["1", "2"]);
    assert_eq!(row.extra, ["3", "", "4"]);
    assert_eq!(reader.next_row().unwrap().unwrap().cells, ["5", ""]);
    assert_eq!(reader.next_row().unwrap().unwrap().extra, Vec::<String>::new(), "empty cells are not extra");
    assert_eq!(reader.next_row(), Ok(None));
}

#[test]
fn a_million_empty_lines_are_skipped_and_counted() {
    let mut file = b"a,b\r\n".to_vec();
    file.extend_from_slice(&b"\r\n".repeat(1_000_000));
    file.extend_from_slice(b" , \t,\n1,2");
    let mut reader = reader(&file, dialect(b',', true, 2));
    assert_eq!(reader.next_row().unwrap().unwrap().number, 1_000_003);
    assert_eq!(reader.next_row(), Ok(None));
}

#[test]
fn reports_limits_with_the_row() {
    let limits = CsvLimits { columns: 3, cell_chars: 5, row_bytes: 12, rows: 2 };
    let error = |file: &str| first_error(file.as_bytes(), dialect(b',', true, 3), limits);
    assert_eq!(error("a,b\n1,2,3,4\n"), FormatError::TooManyColumns { row: 2, max: 3 });
    assert_eq!(error("a\n1\nx,ñandúñ\n"), FormatError::CellTooLong { row: 3, column: 2, max: 5 });
    assert_eq!(error(&format!("a\n{}\n", "x".repeat(100))), FormatError::CellTooLong { row: 2, column: 1, max: 5 });
    assert_eq!(error("a\nñandú,ñandú\n"), FormatError::RowTooLong { row: 2, max: 12 });
    assert_eq!(error("a\n1\n2\n3\n"), FormatError::TooManyRows { max: 2 });
}

#[test]
fn finds_a_quote_that_is_never_closed() {
    let of = |file: &[u8]| first_error(file, dialect(b',', true, 2), CsvLimits::default());
    assert_eq!(of(b"a,b\n1,2\n3,\"4\n5,6\n"), FormatError::UnclosedQuote { row: 3 });
    assert_eq!(of(b"a,b\n1,\"2\"\"\n"), FormatError::UnclosedQuote { row: 2 });
    // Only as much as the longest cell is read.
    let file = [b"a,b\n1,\"".as_slice(), &b"row of a file\n".repeat(600_000)].concat();
    assert_eq!(of(&file), FormatError::UnclosedQuote { row: 2 });
    let found = inspect_csv(file.as_slice(), CsvHints::default(), CsvLimits::default());
    assert_eq!(found, Ok(inspect(b"a,b\n")), "what is before it can be shown");
}

// The kind of fault: a mark that is missing joins rows without a word.
#[test]
fn a_quote_that_is_closed_by_that_of_a_row_below_is_found() {
    let unmatched = |file: &[u8]| {
        let rows = rows_from(file, &dialect(b',', true, 2), TextPosition::default());
        rows.iter().map(|row| row.unmatched).collect::<Vec<_>>()
    };
    assert_eq!(unmatched(b"a,b\n\"Ana,1\nBob,2\n\"Cy\",3\n"), [Some(0)]);
    assert_eq!(unmatched(b"a,b\r\n1,\"Ana\r\n2,\"Bob\"\r\n3,Cy\r\n"), [Some(1), None]);
    assert_eq!(unmatched(b"a,b\n\"two\nlines\",\"a \"\"quote\"\"\nin lines\"\n"), [None]);
    assert_eq!(unmatched(b"a,b\n\"Ana\" Smith,5\"\n\"12\"\" pipe\",6\n"), [None, None]);
}

// The kind of fault: blanks around quotation marks make them a part of the text, and its delimiters divide it.
#[test]
fn blanks_around_quotes_do_not_count() {
    for (file, expected) in [
        ("\"Name\", \"City\"\n\"Ann\", \"Paris, France\"\n", vec![["Ann", "Paris, France"]]),
        ("Name;City\n  \"Ann\"  ;   \"Paris; France\"  \n", vec![["Ann", "Paris; France"]]),
        ("Name,City\r\n\t\"Ann\"\t,\t\"two\nlines\"\t\r\nBob,x\r\n", vec![["Ann", "two\nlines"], ["Bob", "x"]]),
        ("Name\tCity\nAnn\t \"a\tb\" \n", vec![["Ann", "a\tb"]]),
        ("Name|City\nAnn| \"12\"\" pipe | \"", vec![["Ann", "12\" pipe | "]]),
        ("Name,City\nAnn, \" in \" ", vec![["Ann", " in "]]),
        // Blanks that belong to a text, and marks within one, stay.
        ("Name,City\n Ann , 5\" pipe \n", vec![[" Ann ", " 5\" pipe "]]),
        ("Name,City\nAnn,\"big\" house\n", vec![["Ann", "big house"]]),
    ] {
        assert_eq!(read(file.as_bytes()), expected, "{file:?}");
    }
    // A tab that is the delimiter makes a cell.
    let cells = rows_from(b"a\tb\tc\n1\t\t\"x\"\n", &dialect(b'\t', true, 3), TextPosition::default());
    assert_eq!(cells[0].cells, ["1", "", "x"]);
    // Blanks where the buffer of the file ends, also in UTF-16.
    let row = format!("{},    \"a, b\"   \n", "x".repeat(50));
    let file = format!("Name,City\n{}", row.repeat(5_000));
    let expected = vec!["x".repeat(50), "a, b".to_owned()];
    let utf16: Vec<u8> = format!("\u{feff}{file}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [file.into_bytes(), utf16] {
        let rows = read(&bytes);
        assert_eq!(rows.len(), 5_000);
        assert!(rows.iter().all(|row| *row == expected));
    }
}

// The kind of fault: how a spreadsheet marks a text is taken as a part of it.
#[test]
fn texts_that_spreadsheets_write_as_formulas_are_texts() {
    let file = "\"=\"\"Name\"\"\",Zip,Phone\n\"=\"\"00123\"\"\",=\"01001\",\"=\"\"+34 600 555 012\"\"\"\n\
        \"=\"\"a \"\"\"\"b\"\"\"\" c\"\"\",=\"5\",\"=\"\"\"\"\"\n";
    let found = inspect(file.as_bytes());
    assert_eq!(found.header, ["Name", "Zip", "Phone"]);
    assert_eq!(found.rows[0].cells, ["00123", "01001", "+34 600 555 012"]);
    assert_eq!(found.rows[1].cells, ["a \"b\" c", "5", ""]);
    // Other formulas stay as they are, and so does a text that our own export guards.
    let file = "Name,Sum\n\"=1+1\",\"=A1&\"\"x\"\"\"\n\"'=\"\"00123\"\"\",\"=\"\"a\"\"&\"\"b\"\"\"\n";
    assert_eq!(read(file.as_bytes()), [["=1+1", "=A1&\"x\""], ["=\"00123\"", "=\"a\"&\"b\""]]);
}

#[test]
fn closed_quotes_are_no_error() {
    assert_eq!(read(b"a,b\n1,\"2\"")[0], ["1", "2"]);
    assert_eq!(read(b"a,b\n1,\"\"")[0], ["1", ""]);
    assert_eq!(read(b"a,b\n1,\"\"\"\"")[0], ["1", "\""]);
    assert_eq!(read(b"a,b\n5\" pipe,2")[0], ["5\" pipe", "2"]);
}

#[test]
fn refuses_files_without_text() {
    let of = |bytes: &[u8]| inspect_csv(bytes, CsvHints::default(), CsvLimits::default()).unwrap_err();
    assert_eq!(of(b""), FormatError::Empty);
    assert_eq!(of(b"\r\n \r\n,,,\r\n"), FormatError::Empty);
    assert_eq!(of(b"PK\x03\x04...xl/worksheets"), FormatError::Binary(BinaryFormat::Spreadsheet));
}

#[test]
fn the_sample_does_not_end_in_the_middle_of_a_row() {
    let row = format!("{},{}\n", "x".repeat(9_000), "y".repeat(9_000));
    let file = format!("a,b\n{}", row.repeat(40));
    let found = inspect(file.as_bytes());
    assert!(found.rows.len() > 10 && found.rows.len() < 20);
    assert!(found.rows.iter().all(|row| row.cells[1].len() == 9_000));
    let small = "a,b\n".to_owned() + &"1,2\n".repeat(500);
    assert_eq!(inspect(small.as_bytes()).rows.len(), 50);
}

#[test]
fn a_failing_reader_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
    }
    let error = inspect_csv(Broken, CsvHints::default(), CsvLimits::default()).unwrap_err();
    assert_eq!(error, FormatError::Read(std::io::ErrorKind::ConnectionReset));
}

fn write(rows: &[Vec<String>], has_bom: bool) -> Vec<u8> {
    let mut writer = CsvWriter::new(Vec::new(), Delimiter::Comma, has_bom).unwrap();
    for row in rows {
        writer.write_row(row).unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn writes_files_that_are_safe_in_spreadsheets() {
    let rows = [vec!["name", "n"], vec!["=1+1", "-12.5"], vec!["a;=2", "+34 600 55 50 12"], vec!["a \"b\"\nc", ""]];
    let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
    let file = String::from_utf8(write(&rows, true)).unwrap();
    let expected =
        "\u{feff}\"name\",\"n\"\r\n\"'=1+1\",-12.5\r\n\"a;=2\",\"+34 600 55 50 12\"\r\n\"a \"\"b\"\"\nc\",\"\"\r\n";
    assert_eq!(file, expected);
}

#[test]
fn reads_each_delimiter_that_it_writes() {
    let rows: [[&str; 3]; 3] = [["name", "n", "list"], ["a;b,c\td", "-12.5", "x, y"], ["=1+1", "1.2340", "\"q\"\nz"]];
    for delimiter in [Delimiter::Comma, Delimiter::Semicolon, Delimiter::Tab] {
        let mut writer = CsvWriter::new(Vec::new(), delimiter, true).unwrap();
        for row in &rows {
            writer.write_row(row).unwrap();
        }
        let file = writer.into_inner().unwrap();
        let found = inspect_csv(&file[..], CsvHints::default(), CsvLimits::default()).unwrap();
        assert_eq!(found.dialect.delimiter, delimiter.byte());
        let read = found.rows.iter().map(|row| row.cells.clone());
        assert_eq!(read.collect::<Vec<_>>(), [rows[1], rows[2]].map(|row| row.map(str::to_owned).to_vec()));
    }
}

/// The rows of a file as a reader yields them from a position on.
fn rows_from(bytes: &[u8], dialect: &CsvDialect, position: TextPosition) -> Vec<CsvRow> {
    let rest = &bytes[usize::try_from(position.offset).unwrap().min(bytes.len())..];
    let mut rows = Vec::new();
    let Ok(mut reader) = CsvReader::new(rest, dialect.clone(), CsvLimits::default(), position) else { return rows };
    while let Ok(Some(row)) = reader.next_row() {
        rows.push(row);
    }
    rows
}

proptest! {
    #[test]
    fn what_is_written_is_read_without_loss(
        cells in prop::collection::vec(prop::collection::vec("['=+@\t\r\n\"a,;ñ-]{0,6}|\\PC{0,6}", 3), 1..6),
        has_bom: bool,
    ) {
        let cells: Vec<Vec<String>> = cells
            .into_iter()
            .map(|row| row.into_iter().map(|cell| if cell.trim().is_empty() { "x".to_owned() } else { cell }).collect())
            .collect();
        let header = vec!["first".to_owned(), "second".to_owned(), "third".to_owned()];
        let file = write(&[&[header], cells.as_slice()].concat(), has_bom);
        let mut reader = reader(&file, dialect(b',', true, 3));
        for row in &cells {
            prop_assert_eq!(&reader.next_row().unwrap().unwrap().cells, row);
        }
        prop_assert_eq!(reader.next_row(), Ok(None));
    }

    #[test]
    fn reading_resumes_at_every_position(
        text in "(ab|ñ|👩|,|\"[a,\r\n]{0,3}\"|\r\n|\n|\r| ){0,30}",
        encoding in prop::sample::select(vec![
            TextEncoding::Utf8, TextEncoding::Windows1252, TextEncoding::Macintosh, TextEncoding::Cp850, TextEncoding::Utf16Le,
            TextEncoding::Utf16Be, TextEncoding::Windows1251, TextEncoding::Gb18030,
        ]),
        has_header: bool,
    ) {
        let bytes: Vec<u8> = match encoding {
            TextEncoding::Utf8 => text.into_bytes(),
            TextEncoding::Utf16Le => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
            TextEncoding::Utf16Be => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => encoding_rs::WINDOWS_1252.encode(&text.replace('👩', "é")).0.into_owned(),
        };
        let dialect = CsvDialect { encoding, delimiter: b',', has_header, columns: 2, skipped_rows: 0 };
        let all = rows_from(&bytes, &dialect, TextPosition::default());
        let reader = CsvReader::new(bytes.as_slice(), dialect.clone(), CsvLimits::default(), TextPosition::default());
        // A damaged header is an error at once.
        let Ok(mut reader) = reader else { return Ok(()) };
        for done in 0..all.len() {
            if reader.position().offset > 0 {
                prop_assert_eq!(&rows_from(&bytes, &dialect, reader.position()), &all[done..]);
            }
            prop_assert_eq!(reader.next_row(), Ok(Some(all[done].clone())));
        }
    }

    #[test]
    fn arbitrary_bytes_end_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), delimiter: u8) {
        let hints = CsvHints { delimiter: Some(delimiter), ..CsvHints::default() };
        let _ = inspect_csv(bytes.as_slice(), CsvHints::default(), CsvLimits::default());
        let limits = CsvLimits { columns: 5, cell_chars: 20, row_bytes: 50, rows: 20 };
        if let Ok(found) = inspect_csv(bytes.as_slice(), hints, limits) {
            let mut reader = CsvReader::new(bytes.as_slice(), found.dialect, limits, TextPosition::default());
            while let Ok(Ok(Some(_))) = reader.as_mut().map(CsvReader::next_row) {}
        }
    }
}
