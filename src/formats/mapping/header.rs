//! Names of columns, divided into words: labels, kinds of records, numbers, and the name of the field.

use crate::kernel::text::fold;

/// Characters of a column name that are read.
const MAX_NAME_CHARS: usize = 100;

/// Labels with the words that name them, folded. Of several, the first one of this list counts: `Business Fax` is a fax.
const LABELS: [(&str, &str); 8] = [
    ("Fax", "fax"),
    ("Pager", "pager busca"),
    ("Mobile", "mobile cell cellphone cellular movil celular whatsapp"),
    ("Billing", "billing facturacion"),
    ("Shipping", "shipping delivery envio entrega"),
    ("Work", "work business office company trabajo oficina empresa laboral profesional"),
    ("Home", "home personal private casa particular privado"),
    ("Other", "other secondary alternative otro otra secundario"),
];
/// Words that say nothing about the field.
const FILLERS: &str =
    "value valor default main primary principal mailing direct directo the de del la el of and y s no my";
/// Words for the kind of record in front of or behind the name of a field: `Person - Email`, `Owner of Deal`.
const RECORDS: &str = "contact contacto person persona customer cliente client lead deal negocio opportunity \
    oportunidad task tarea activity account cuenta company empresa organization organizacion organisation record user";

/// Whether a word is in a list that is separated by spaces.
fn has_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|own| own == word)
}

/// The name of a column, divided into words.
pub(super) struct HeaderWords {
    pub words: Vec<String>,
    /// The label that a word names.
    pub label: Option<&'static str>,
    /// The first number.
    pub number: Option<u32>,
}

impl HeaderWords {
    /// Divides a name.
    pub fn parse(name: &str) -> Self {
        let words = divide_words(name);
        let named = LABELS.iter().find(|(_, names)| words.iter().any(|word| has_word(names, word)));
        let label = named.map(|(label, _)| *label);
        let number = words.iter().find_map(|word| word.parse().ok());
        Self { words, label, number }
    }
}

/// Returns a name without numbers and words that say nothing, then also without labels of places (`Work`), then without
/// all labels; and whether labels were removed. What remains of `Customer ID`, `id`, is too short to tell.
pub(super) fn shortened(words: &[String]) -> [(String, bool); 3] {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let label = |word: &str| LABELS.iter().find(|(_, names)| has_word(names, word)).map(|(label, _)| *label);
    // `Fax` and `Mobile` are names of phone numbers as well.
    let is_place = |word: &str| label(word).is_some_and(|label| !matches!(label, "Fax" | "Mobile" | "Pager"));
    let join = |is_removed: &dyn Fn(&str) -> bool| {
        let rest = words.iter().map(String::as_str);
        let rest: String =
            rest.filter(|word| !is_number(word) && !has_word(FILLERS, word) && !is_removed(word)).collect();
        if rest.len() > 2 { rest } else { String::new() }
    };
    [(join(&|_| false), false), (join(&is_place), true), (join(&|word| label(word).is_some()), true)]
}

/// Whether a word is the kind of a record.
pub(super) fn is_record(word: &str) -> bool {
    has_word(RECORDS, word)
}

/// Whether a word names what others wrote of a record.
pub(super) fn is_comment(word: &str) -> bool {
    has_word("comment comments comentario comentarios", word)
}

/// Divides a name into folded words: at punctuation, between `camelCase`, and between letters and digits. `E-mail` is
/// one word.
pub(super) fn divide_words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut last = ' ';
    for c in name.chars().take(MAX_NAME_CHARS) {
        let is_border = (last.is_lowercase() && c.is_uppercase()) || last.is_ascii_digit() != c.is_ascii_digit();
        if is_border {
            spaced.push(' ');
        }
        spaced.push(c);
        last = c;
    }
    let folded = fold(&spaced);
    let mut words: Vec<String> = Vec::new();
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last) if last == "e" && word == "mail" => *last = "email".to_owned(),
            _ => words.push(word.to_owned()),
        }
    }
    words
}
