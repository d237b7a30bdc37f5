//! Identity of the rows of a file: which record a row describes.
//!
//! In this order: the id; the import key; the id in another system; an e-mail address that one record alone has and that is
//! of a person, not of a role; a phone number or a shared address together with the name; the name with the company. A name
//! is not enough, also with a number or a shared address, when dates of birth, places or websites contradict each other.
//! Those with different ids or different ids in another system are never the same. When several records fit, none does.
//!
//! An address that stands beside different names in one file counts as the address of a role in all rows of the file:
//! [`FileAddresses`].

use std::collections::{HashMap, hash_map::Entry};
use std::hash::{BuildHasher as _, RandomState};

use uuid::Uuid;

use super::{ExchangeRecord, merge};
use crate::{
    kernel::{Birthday, Id, Result, phone, text},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead},
};

/// Maximum records that are examined for one value of a row.
pub const MAX_PER_VALUE: usize = 50;
/// Maximum records that are examined for a row.
pub const MAX_EXAMINED: usize = 250;
/// Maximum records that are kept for a row, and read again in the write.
const MAX_KEPT: usize = 10;
/// Maximum records that a message names.
const MAX_NAMED: usize = 3;
/// Maximum addresses of a file whose names are kept. Those beyond count as addresses of roles.
const MAX_FILE_ADDRESSES: usize = 200_000;
/// Maximum characters of the postal address of a record.
const MAX_PLACE_CHARS: usize = 500;
/// Digits of the shortest number that may be written without its country.
const MIN_DIGITS: usize = 6;

/// What comes before the `@` of addresses that colleagues share.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    // English
    "abuse", "accounting", "accounts", "admin", "administration", "administrator", "all", "billing", "board", "booking",
    "bookings", "care", "careers", "clinic", "company", "contact", "contactus", "customercare", "customerservice",
    "customers", "delivery", "desk", "dispatch", "donotreply", "enquiries", "enquiry", "events", "everyone", "export",
    "factory", "feedback", "finance", "financial", "frontdesk", "general", "hello", "help", "helpdesk", "hi", "hostmaster",
    "hotel", "hr", "import", "info", "information", "infos", "inquiries", "inquiry", "invoice", "invoices", "invoicing",
    "it", "jobs", "legal", "logistics", "mail", "mailbox", "mailerdaemon", "main", "maintenance", "management", "manager",
    "marketing", "media", "news", "newsletter", "noreply", "office", "operations", "order", "orders", "payments",
    "payroll", "people", "postmaster", "press", "privacy", "procurement", "purchase", "purchasing", "reception",
    "recruiting", "recruitment", "rentals", "reply", "reservation", "reservations", "restaurant", "returns", "root",
    "sales", "school", "secretary", "security", "service", "services", "shipping", "shop", "staff", "store", "studio",
    "subscribe", "supply", "support", "team", "tech", "technical", "unsubscribe", "warehouse", "web", "webmaster",
    "welcome", "workshop",
    // Spanish
    "administracion", "almacen", "asesoria", "atencion", "atencionalcliente", "ayuda", "bodega", "cita", "citas",
    "clientes", "clinica", "comercial", "compras", "comunicacion", "consultas", "contabilidad", "contacto", "correo",
    "direccion", "empleo", "empresa", "envios", "facturacion", "facturas", "finanzas", "formacion", "gerencia", "hola",
    "informacion", "informatica", "logistica", "oficina", "pedidos", "personal", "prensa", "presupuestos", "proveedores",
    "recepcion", "recursoshumanos", "reservas", "restaurante", "rrhh", "secretaria", "seguridad", "servicio",
    "servicios", "soporte", "taller", "tesoreria", "tienda", "ventas",
    // Catalan
    "botiga", "comandes", "facturacio", "magatzem", "recepcio", "vendes",
    // Portuguese
    "armazem", "atendimento", "contabilidade", "contato", "escritorio", "faturacao", "faturamento", "financas",
    "financeiro", "geral", "loja", "recepcao", "vendas",
    // Italian
    "acquisti", "amministrazione", "commerciale", "contabilita", "direzione", "fatturazione", "magazzino", "ordini",
    "prenotazioni", "segreteria", "ufficio", "vendite",
    // French
    "accueil", "achats", "bonjour", "bureau", "cabinet", "commandes", "commercial", "comptabilite", "contactez",
    "direction", "entrepot", "facturation", "livraison", "logistique", "magasin", "secretariat", "ventes",
    // German
    "anfrage", "bestellung", "bestellungen", "buchhaltung", "buero", "einkauf", "empfang", "firma", "kanzlei", "kontakt",
    "kundendienst", "kundenservice", "lager", "logistik", "post", "praxis", "rechnung", "rechnungen", "rezeption",
    "sekretariat", "verkauf", "versand", "vertrieb", "verwaltung", "werkstatt", "zentrale",
    // Dutch
    "administratie", "bestellingen", "boekhouding", "factuur", "facturen", "inkoop", "kantoor", "klantenservice",
    "magazijn", "receptie", "verkoop",
    // Polish
    "biuro", "faktura", "faktury", "ksiegowosc", "magazyn", "recepcja", "sprzedaz", "zamowienia",
];

/// Whether an e-mail address belongs to a role or a place, such as `info@` or `ventas.madrid@`, and not to a person.
pub fn is_role_address(email: &str) -> bool {
    let local = email.rsplit_once('@').map_or(email, |(local, _)| local);
    let local = text::fold(local.split('+').next().unwrap_or_default());
    let letters = |part: &str| part.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let is_role = |part: &str| ROLES.contains(&part);
    let first = local.split(['.', '-', '_']).map(letters).find(|part| !part.is_empty());
    // An address of digits only is a number or a place on a list.
    is_role(&letters(&local)) || first.is_none_or(|first| is_role(&first))
}

/// What identifies a row of a file, or a record.
#[derive(Clone, Debug, Default)]
pub struct MatchKeys {
    /// The id of the record. That of a row may be of the company that it was exported from.
    pub id: Option<Uuid>,
    /// What identified the rows that a record comes from, as [`import_keys`] reads it, or identifies a row.
    pub import_key: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// Normalized e-mail addresses.
    pub emails: Vec<String>,
    /// Keys of phone numbers.
    pub phones: Vec<String>,
    /// The folded name.
    pub name: Option<String>,
    /// What tells it apart from others of the name, folded.
    pub name_group: String,
    /// The date of birth, which tells those of one name apart, too.
    pub birthday: Option<Birthday>,
    /// Where it is, which tells those of one name apart, too.
    pub place: Option<Place>,
    /// The host of its website, as well.
    pub host: Option<String>,
    /// Of a row: those of its addresses that stand beside other names in the file, so that they identify no one.
    pub shared_emails: Vec<String>,
}

/// The words of a postal address, or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Folded.
    words: String,
    /// Whether it is only a part, such as a city or a street alone, which does not replace an address.
    is_part: bool,
}

impl Place {
    /// Returns the words of an address. An address that no record can have is none.
    pub fn of(address: &str, is_part: bool) -> Option<Self> {
        let words = text::folded_words(address);
        let is_kept = !words.is_empty() && address.chars().nth(MAX_PLACE_CHARS).is_none();
        is_kept.then_some(Self { words, is_part })
    }

    /// Whether one of the two has all of the other one.
    fn agrees_with(&self, other: &Self) -> bool {
        text::has_words(&self.words, &other.words) || text::has_words(&other.words, &self.words)
    }
}

/// Most rows that a record remembers.
const MAX_IMPORT_KEYS: usize = 10;

/// Returns what identified the rows that a record comes from: each in a line.
pub fn import_keys(kept: Option<&String>) -> impl Iterator<Item = &str> {
    kept.into_iter().flat_map(|keys| keys.lines())
}

/// Adds what identifies a row to what a record remembers of its rows, unless it remembers enough. Returns whether it did.
pub fn add_import_key(kept: &mut Option<String>, key: &str) -> bool {
    let known: Vec<&str> = import_keys(kept.as_ref()).collect();
    let adds = known.len() < MAX_IMPORT_KEYS && !known.contains(&key);
    if adds {
        *kept = Some([known, vec![key]].concat().join("\n"));
    }
    adds
}

impl MatchKeys {
    /// Returns the key that an import gives a record with this id elsewhere.
    pub fn key_of(id: Uuid) -> String {
        format!("id:{id}")
    }

    /// Returns what a record that is made of the row remembers of it.
    pub fn import_key_of_row(&self) -> Option<String> {
        self.id.map(Self::key_of).or_else(|| self.import_key.clone())
    }

    /// Whether the name is only an address or a number, in place of one.
    pub fn is_nameless(&self) -> bool {
        let Some(name) = &self.name else { return true };
        let digits = phone::digits(name);
        let is_number = |key: &String| {
            let national = digits.trim_start_matches('0');
            phone::digits(key) == digits || (national.len() >= MIN_DIGITS && key.ends_with(national))
        };
        let is_of_digits = !digits.is_empty() && !name.chars().any(char::is_alphabetic);
        self.emails.contains(name) || (is_of_digits && self.phones.iter().any(is_number))
    }

    /// Returns the values that are looked up: `id` and other sorts apart, so that no two are the same by chance.
    fn values(&self) -> impl Iterator<Item = (u8, &str)> {
        let keys = import_keys(self.import_key.as_ref()).map(|key| (0, key));
        let external = self.external_id.iter().map(|id| (1, id.as_str()));
        let emails = self.emails.iter().map(|email| (2, email.as_str()));
        let phones = self.phones.iter().map(|phone| (3, phone.as_str()));
        keys.chain(external).chain(emails).chain(phones).chain(self.name.iter().map(|name| (4, name.as_str())))
    }

    /// Returns the number of values that are looked up.
    pub fn count(&self) -> usize {
        self.values().count()
    }

    /// Whether they have an address or a number in common.
    fn share_channel(&self, other: &Self) -> bool {
        self.emails.iter().any(|email| other.emails.contains(email))
            || self.phones.iter().any(|phone| other.phones.contains(phone))
    }

    /// Whether an address of a row identifies a person: it is of no role, and stands beside no other name in the file.
    fn is_personal(&self, email: &str) -> bool {
        !is_role_address(email) && !self.shared_emails.iter().any(|shared| shared == email)
    }

    fn has_channels(&self) -> bool {
        !self.emails.is_empty() || !self.phones.is_empty()
    }

    /// Whether the names agree: they are the same, or the record has none yet. A record with the address of a role is a
    /// place, and not the person of a row with an address of its own.
    fn agrees_with(&self, record: &Self) -> bool {
        let is_place = || record.emails.iter().any(|email| !self.is_personal(email));
        let has_own = || self.emails.iter().any(|email| !record.emails.contains(email));
        self.has_same_name(record) || (record.is_nameless() && !(is_place() && has_own()))
    }

    fn has_same_name(&self, other: &Self) -> bool {
        self.name.is_some() && self.name == other.name
    }

    /// Whether the record has another id in another system than the row.
    fn is_other(&self, record: &Self) -> bool {
        self.external_id.is_some() && record.external_id.is_some() && self.external_id != record.external_id
    }

    fn has_other_birthday(&self, other: &Self) -> bool {
        matches!((self.birthday, other.birthday), (Some(own), Some(theirs)) if !own.agrees_with(theirs))
    }

    /// Whether a row and a record cannot be the same although their names agree: they are of other days, places or websites,
    /// and have no address of a person in common.
    fn contradicts(&self, record: &Self) -> bool {
        let places = self.place.as_ref().zip(record.place.as_ref());
        let hosts = self.host.as_deref().zip(record.host.as_deref());
        let is_within =
            |one: &str, other: &str| one.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let is_other = self.has_other_birthday(record)
            || places.is_some_and(|(one, other)| !one.agrees_with(other))
            || hosts.is_some_and(|(one, other)| !is_within(one, other) && !is_within(other, one));
        is_other && !self.emails.iter().any(|email| self.is_personal(email) && record.emails.contains(email))
    }

    /// Whether the record has this id, here or in the company that it was exported from.
    fn has_id(&self, id: Uuid) -> bool {
        self.id == Some(id) || self.has_import_key(&Self::key_of(id))
    }

    /// Whether the record comes from a row with this key.
    fn has_import_key(&self, key: &str) -> bool {
        import_keys(self.import_key.as_ref()).any(|known| known == key)
    }

    /// Whether the record comes from this row.
    fn is_of_row(&self, row: &Self) -> bool {
        row.import_key.as_deref().is_some_and(|key| self.has_import_key(key))
    }

    /// Adds what another row says of the same record.
    fn extend(&mut self, other: &Self) {
        let add = |known: &mut Vec<String>, more: &[String]| {
            let new: Vec<String> = more.iter().filter(|one| !known.contains(one)).cloned().collect();
            known.extend(new);
        };
        add(&mut self.emails, &other.emails);
        add(&mut self.phones, &other.phones);
        self.external_id = other.external_id.clone().or_else(|| self.external_id.take());
        self.name = other.name.clone().or_else(|| self.name.take());
        // As an update keeps a year that is known, and an address whose part is known.
        let is_less = |new: Birthday| new.day().is_none() && self.birthday.is_some_and(|known| new.agrees_with(known));
        self.birthday = other.birthday.filter(|new| !is_less(*new)).or(self.birthday);
        let is_part = self.place.is_some() && other.place.as_ref().is_some_and(|place| place.is_part);
        if !is_part {
            self.place = other.place.clone().or_else(|| self.place.take());
        }
        self.host = other.host.clone().or_else(|| self.host.take());
        for key in import_keys(other.import_key.as_ref()) {
            add_import_key(&mut self.import_key, key);
        }
    }
}

/// A record that may be that of a row.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its id.
    pub id: Uuid,
    /// What identifies it.
    pub keys: MatchKeys,
}

/// The records that may be that of a row, of a bounded number that were examined.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Those in the store.
    records: Vec<Candidate>,
    /// Those of earlier rows of the file.
    of_rows: Vec<Candidate>,
    /// The values that more records have than were examined.
    cut: Vec<String>,
    /// How many records were examined.
    pub examined: usize,
}

/// By what a record was recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// An id, the row itself, or the address of one person.
    Identity,
    /// Its name, which stays as it is.
    Name,
    /// A number or an address of a record that has no name yet.
    Channel,
}

/// Which record a row describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matched {
    /// None.
    No,
    /// This one.
    Record(Uuid, MatchedBy),
    /// It cannot be said which of these.
    Several(Vec<Uuid>),
}

impl Candidates {
    /// Returns how many records in the store may be that of the row.
    #[cfg(test)]
    pub const fn kept(&self) -> usize {
        self.records.len()
    }

    /// Reads the records in the store again. `read` returns what identifies one, if it is there.
    pub fn check_again(&mut self, read: impl Fn(Uuid) -> Result<Option<MatchKeys>>) -> Result<()> {
        for candidate in std::mem::take(&mut self.records) {
            let keys = read(candidate.id)?;
            self.records.extend(keys.map(|keys| Candidate { id: candidate.id, keys }));
        }
        Ok(())
    }

    /// Returns which of the records the row describes.
    pub fn choose(mut self, row: &MatchKeys) -> Matched {
        for seen in std::mem::take(&mut self.of_rows) {
            match self.records.iter_mut().find(|known| known.id == seen.id) {
                Some(known) => known.keys.extend(&seen.keys),
                None => self.records.push(seen),
            }
        }
        let with = |is_same: &dyn Fn(&Candidate) -> bool| {
            let ids: Vec<Uuid> = self.records.iter().filter(|one| is_same(one)).map(|one| one.id).collect();
            ids
        };
        let certain = [
            with(&|one| row.id == Some(one.id)),
            with(&|one| row.id.is_some_and(|id| one.keys.has_id(id))),
            with(&|one| row.id.is_none() && one.keys.is_of_row(row)),
            // A record that comes from a row with another id has the id in another system by mistake.
            with(&|one| {
                let is_of_other =
                    row.id.is_some() && import_keys(one.keys.import_key.as_ref()).any(|key| key.starts_with("id:"));
                row.external_id.is_some() && row.external_id == one.keys.external_id && !is_of_other
            }),
        ];
        if let Some(found) = certain.into_iter().find(|found| !found.is_empty()) {
            return one_of(found, MatchedBy::Identity);
        }
        // All records that are left have another id.
        if row.id.is_some() {
            return Matched::No;
        }
        let mut of_person: Vec<Uuid> = Vec::new();
        for email in row.emails.iter().filter(|email| row.is_personal(email) && !self.is_cut(email)) {
            let mut holders = self.records.iter().filter(|one| one.keys.emails.contains(email));
            if let (Some(holder), None) = (holders.next(), holders.next())
                && !row.is_other(&holder.keys)
                && !of_person.contains(&holder.id)
            {
                of_person.push(holder.id);
            }
        }
        if let [holder] = of_person.as_slice() {
            // The address names one, name and number another.
            let is_named = |one: &Candidate| row.has_same_name(&one.keys);
            let is_other = |one: &Candidate| {
                one.id != *holder && is_named(one) && row.share_channel(&one.keys) && !row.contradicts(&one.keys)
            };
            let others = with(&|one| is_other(one) && !row.is_other(&one.keys));
            if !others.is_empty() && !self.records.iter().any(|one| one.id == *holder && is_named(one)) {
                return Matched::Several([of_person, others].concat().into_iter().take(MAX_NAMED).collect());
            }
        }
        if !of_person.is_empty() {
            return one_of(of_person, MatchedBy::Identity);
        }
        let may_be =
            |one: &Candidate| !row.is_other(&one.keys) && row.agrees_with(&one.keys) && !row.contradicts(&one.keys);
        let by_channel = with(&|one| may_be(one) && row.share_channel(&one.keys));
        let is_name_cut = row.name.as_ref().is_some_and(|name| self.is_cut(name));
        let is_channel_cut = row.emails.iter().chain(&row.phones).any(|channel| self.is_cut(channel));
        if is_name_cut && is_channel_cut {
            return Matched::Several(by_channel.into_iter().take(MAX_NAMED).collect());
        }
        if let [id] = by_channel.as_slice() {
            let named = self.records.iter().any(|one| one.id == *id && !one.keys.is_nameless());
            return Matched::Record(*id, if named { MatchedBy::Name } else { MatchedBy::Channel });
        }
        if !by_channel.is_empty() {
            return one_of(by_channel, MatchedBy::Name);
        }
        let by_name = with(&|one| {
            let has_name = row.name.is_some() && row.name == one.keys.name && row.name_group == one.keys.name_group;
            // Those who can be reached in other ways are others of the same name.
            let is_elsewhere = row.has_channels() && one.keys.has_channels();
            has_name && !is_elsewhere && !row.is_other(&one.keys) && !row.contradicts(&one.keys)
        });
        if is_name_cut {
            return Matched::Several(by_name.into_iter().take(MAX_NAMED).collect());
        }
        one_of(by_name, MatchedBy::Name)
    }

    fn is_cut(&self, value: &str) -> bool {
        self.cut.iter().any(|cut| cut == value)
    }

    /// Keeps those that can decide which record the row describes.
    fn narrow(&mut self, row: &MatchKeys) {
        let is_certain = |one: &Candidate| {
            row.id.is_some_and(|id| one.keys.has_id(id))
                || one.keys.is_of_row(row)
                || (row.external_id.is_some() && row.external_id == one.keys.external_id)
        };
        self.records.retain(|one| is_certain(one) || !row.contradicts(&one.keys));
        self.records.sort_by_key(|one| {
            let is_shared = row.share_channel(&one.keys);
            let agrees = row.agrees_with(&one.keys);
            (!is_certain(one), !(is_shared && agrees), !is_shared, !agrees)
        });
        for left in self.records.split_off(self.records.len().min(MAX_KEPT)) {
            self.cut.extend(left.keys.emails.into_iter().filter(|email| row.emails.contains(email)));
            self.cut.extend(left.keys.phones.into_iter().filter(|phone| row.phones.contains(phone)));
            self.cut.extend(left.keys.name.filter(|name| row.name.as_ref() == Some(name)));
        }
    }
}

/// Returns the only one of some records, or says that there are several.
fn one_of(mut found: Vec<Uuid>, by: MatchedBy) -> Matched {
    match found.as_slice() {
        [] => Matched::No,
        [id] => Matched::Record(*id, by),
        [..] => {
            found.truncate(MAX_NAMED);
            Matched::Several(found)
        }
    }
}

/// Looks up the records that may be that of a row and that the reader may see. Examines a bounded number of records.
pub fn look_up<R: ExchangeRecord>(tx: &TenantRead<'_>, reader: Reader, row: &MatchKeys) -> Result<Candidates> {
    let mut found = Candidates::default();
    let add = |found: &mut Candidates, record: &Stored<R>| {
        if R::is_visible_to(record, reader) {
            let id = record.id.uuid();
            if found.records.iter().all(|known| known.id != id) {
                found.records.push(Candidate { id, keys: R::match_keys(record) });
            }
        }
    };
    if let Some(record) = row.id.map_or(Ok(None), |id| tx.find::<R>(Id::from(id)))? {
        found.examined += 1;
        add(&mut found, &record);
    }
    let by_id = row.id.map(MatchKeys::key_of);
    let single = [
        (R::KEYS.import_key, by_id.as_deref()),
        (R::KEYS.import_key, row.import_key.as_deref()),
        (R::KEYS.external_id, row.external_id.as_deref()),
    ];
    let single = single.into_iter().filter_map(|(index, value)| Some((index, value?)));
    let emails = row.emails.iter().map(|email| (R::KEYS.email, email.as_str()));
    let phones = row.phones.iter().map(|phone| (R::KEYS.phone, phone.as_str()));
    let name = row.name.iter().map(|name| (R::KEYS.name, name.as_str()));
    for (index, value) in single.chain(emails).chain(phones).chain(name) {
        let Some(index) = index else { continue };
        let most = MAX_PER_VALUE.min(MAX_EXAMINED.saturating_sub(found.examined));
        if most == 0 {
            found.cut.push(value.to_owned());
            continue;
        }
        let page = tx.page::<R>(&Scan::with(index, value).limit(most).examining(most), |_| true)?;
        found.examined += page.items.len();
        if page.next.is_some() {
            found.cut.push(value.to_owned());
        }
        page.items.iter().for_each(|record| add(&mut found, record));
    }
    found.narrow(row);
    Ok(found)
}

/// Returns what is compared of the address of a website: its host. A word without a dot is none.
pub fn host_of(website: &str) -> Option<String> {
    merge::host(website).filter(|host| host.contains('.'))
}

/// The names beside the e-mail addresses of a file, of all its rows. An address beside names that do not agree is that of
/// colleagues or of a family, wherever the rows stand in the file.
#[derive(Debug, Default)]
pub struct FileAddresses {
    /// The digest of the name beside each address; none once another one stands beside it.
    names: HashMap<u64, Option<u64>>,
    hasher: RandomState,
}

impl FileAddresses {
    /// Notes the addresses of a row. A row without a name agrees with all.
    pub fn note(&mut self, row: &MatchKeys) {
        if row.is_nameless() {
            return;
        }
        let name = self.hasher.hash_one(&row.name);
        for email in row.emails.iter().filter(|email| !is_role_address(email)) {
            let address = self.hasher.hash_one(email);
            let is_full = self.names.len() >= MAX_FILE_ADDRESSES;
            match self.names.entry(address) {
                Entry::Occupied(mut known) => {
                    if *known.get() != Some(name) {
                        known.insert(None);
                    }
                }
                Entry::Vacant(place) if !is_full => {
                    place.insert(Some(name));
                }
                Entry::Vacant(_) => {}
            }
        }
    }

    /// Marks the addresses of a row that identify no one.
    pub fn mark(&self, row: &mut MatchKeys) {
        let is_full = self.names.len() >= MAX_FILE_ADDRESSES;
        let is_shared = |email: &&String| {
            let name = self.names.get(&self.hasher.hash_one(email));
            name.map_or(is_full, Option::is_none)
        };
        row.shared_emails = row.emails.iter().filter(is_shared).cloned().collect();
    }
}

/// What identifies the records of earlier rows of a file, by the values that rows have.
#[derive(Debug, Default)]
pub struct SeenRows {
    seen: Vec<Candidate>,
    /// The places of the rows with a value.
    places: HashMap<u64, Vec<u32>>,
    hasher: RandomState,
}

impl SeenRows {
    /// Notes the record of a row.
    pub fn note(&mut self, id: Uuid, row: &MatchKeys) {
        let place = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        let keys = MatchKeys { id: Some(id), import_key: row.import_key_of_row(), ..row.clone() };
        for value in keys.values() {
            let places = self.places.entry(self.hasher.hash_one(value)).or_default();
            // One more than is examined says that there are more.
            if places.len() <= MAX_PER_VALUE {
                places.push(place);
            }
        }
        self.seen.push(Candidate { id, keys });
    }

    /// Adds the records of earlier rows that may be that of a row.
    pub fn add_to(&self, found: &mut Candidates, row: &MatchKeys) {
        let of_row = MatchKeys { import_key: row.import_key_of_row(), ..row.clone() };
        for value in of_row.values() {
            let Some(places) = self.places.get(&self.hasher.hash_one(value)) else { continue };
            for place in places.iter().take(MAX_PER_VALUE) {
                let seen = usize::try_from(*place).ok().and_then(|place| self.seen.get(place));
                found.of_rows.extend(seen.cloned());
            }
            if places.len() > MAX_PER_VALUE {
                found.cut.push(value.1.to_owned());
            }
        }
    }
}
