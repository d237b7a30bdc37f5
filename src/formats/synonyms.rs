//! Names that the columns of other programs have for our fields, in English and Spanish. They are compared without case,
//! accents and punctuation.
//!
//! Sources are the exports of address books and other CRMs. What a column name says about the label of a value (`Work`,
//! `Mobile`, `2`) is recognized separately: `Work Phone` is `Phone`.

/// The names of the columns of one field.
#[derive(Clone, Copy, Debug)]
pub struct FieldSynonyms {
    /// The name of the field in the API.
    pub field: &'static str,
    /// The names of columns, separated by commas.
    names: &'static str,
}

impl FieldSynonyms {
    /// Returns the names of columns, the usual ones first.
    pub fn names(&self) -> Vec<&'static str> {
        self.names.split(',').map(str::trim).collect()
    }
}

/// Returns the synonyms of a field in a table; none if it is not listed.
pub fn synonyms_of(table: &[FieldSynonyms], field: &str) -> Vec<&'static str> {
    table.iter().find(|entry| entry.field == field).map(FieldSynonyms::names).unwrap_or_default()
}

const fn field(field: &'static str, names: &'static str) -> FieldSynonyms {
    FieldSynonyms { field, names }
}

const ID: FieldSynonyms = field("id", "id");
const TAGS: FieldSynonyms = field(
    "tags",
    "tags, tag, labels, label, categories, category, group membership, groups, keywords, etiquetas, \
         etiqueta, categorías, categoría, grupos, grupo, palabras clave",
);
const OWNER: FieldSynonyms = field(
    "owner",
    "owner, owner email, record owner, contact owner, company owner, account owner, lead owner, deal \
         owner, opportunity owner, organization owner, hubspot owner, assigned to, responsible, \
         salesperson, sales rep, account manager, propietario, propietario del contacto, propietario de \
         la empresa, propietario del negocio, responsable, asignado a, comercial, vendedor",
);
const EXTERNAL_ID: FieldSynonyms = field(
    "externalId",
    "external id, record id, contact id, customer id, client id, person id, lead id, company id, \
         organization id, account id, deal id, opportunity id, task id, activity id, card id, issue key, issue id, user id, salesforce \
         id, hubspot id, record id contact, record id company, record id deal, case safe id, uid, uuid, \
         reference, ref, code, customer number, account number, id externo, identificador, identificador \
         externo, id de registro, id de contacto, id de cliente, id de empresa, id del negocio, \
         referencia, código, código de cliente, número de cliente",
);
const ABOUT: FieldSynonyms = field(
    "about",
    "about, about us, description, summary, bio, biography, background, profile, company description, \
         descripción, acerca de, sobre, resumen, biografía, perfil, información",
);
const NOTES: FieldSynonyms = field(
    "notes",
    "notes, note, comments, comment, remarks, remark, details, internal notes, notas, nota, \
         comentarios, comentario, observaciones, detalles",
);
const EMAIL: FieldSynonyms = field(
    "email",
    "email, email address, mail, mail address, emails, email addresses, additional email addresses, \
         correo electrónico, correo, correos, correos electrónicos, dirección de correo electrónico, \
         dirección de correo, dirección de email, correo e",
);
const PHONE: FieldSynonyms = field(
    "phone",
    "phone, phone number, telephone, telephone number, tel, phones, phone numbers, mobile, mobile \
         number, cell, cellphone, cell number, fax, fax number, pager, whatsapp, whatsapp phone number, \
         whatsapp number, teléfono, teléfonos, número de teléfono, número de móvil, tfno, tlf, tfn, tlfn, \
         móvil, celular, número de celular, número de fax, address phone",
);
const ADDRESS: FieldSynonyms = field(
    "address",
    "address, full address, postal address, formatted, address formatted, location, dirección, \
         dirección completa, dirección postal, domicilio, señas",
);
const STREET: FieldSynonyms = field(
    "street",
    "street, street address, street name, address line, address street, street house number of \
         address, address house number, address address, calle, calle y número, vía, línea de dirección, dirección calle",
);
const POSTAL_CODE: FieldSynonyms = field(
    "postalCode",
    "postal code, zip, zip code, postcode, zip postal code, address postal code, zip postal code of \
         address, address zip, código postal, cp, cod postal",
);
const CITY: FieldSynonyms = field(
    "city",
    "city, town, locality, address city, city town village locality of address, ciudad, localidad, \
         población, municipio",
);
const REGION: FieldSynonyms = field(
    "region",
    "region, state, province, state province, state region, county, address region, address state, \
         state county of address, address province code, address province, provincia, estado provincia, comunidad autónoma, comunidad, \
         departamento provincia",
);
const COUNTRY: FieldSynonyms = field(
    "country",
    "country, country region, country code, nation, address country, address country code, country of address, país, país \
         región, nación",
);

/// Columns of people.
pub const PEOPLE: &[FieldSynonyms] = &[
    field(
        "name",
        "name, full name, display name, contact name, contact, customer, customer name, client, client \
         name, person, person name, lead name, file as, formatted name, nombre completo, nombre y \
         apellidos, nombre y apellido, apellidos y nombre, nombre del contacto, nombre de contacto, \
         contacto, cliente, nombre del cliente, persona",
    ),
    field(
        "firstName",
        "first name, given name, forename, first, christian name, nombre, primer nombre, nombre de pila, \
         nombres",
    ),
    field("lastName", "last name, family name, surname, last, apellidos, apellido, primer apellido, apellido paterno"),
    field(
        "namePrefix",
        "name prefix, prefix, salutation, courtesy title, honorific, honorific prefix, tratamiento, prefijo, prefijo del \
         nombre",
    ),
    field("middleName", "middle name, middle names, additional name, additional names, second name, segundo nombre"),
    field(
        "secondLastName",
        "second last name, second surname, maternal surname, segundo apellido, apellido materno, apellido segundo",
    ),
    field("nameSuffix", "name suffix, suffix, honorific suffix, sufijo, sufijo del nombre"),
    EMAIL,
    PHONE,
    field(
        "company",
        "company, company name, organization, organization name, organisation, organisation name, \
         account, account name, associated company, primary company, employer, business name, address company, empresa, \
         nombre de la empresa, nombre de empresa, compañía, organización, razón social, cuenta",
    ),
    field(
        "title",
        "title, job title, position, role, job, job role, occupation, function, organization title, \
         cargo, puesto, puesto de trabajo, profesión, rol, título profesional",
    ),
    field(
        "birthday",
        "birthday, birth date, date of birth, dob, born, cumpleaños, fecha de nacimiento, nacimiento, f \
         nacimiento",
    ),
    field("yearOfBirth", "birth year, year of birth, año de nacimiento"),
    field("monthOfBirth", "birth month, month of birth, mes de nacimiento"),
    field("dayOfBirth", "day of birth, birth day of month, día de nacimiento"),
    ADDRESS,
    STREET,
    POSTAL_CODE,
    CITY,
    REGION,
    COUNTRY,
    field(
        "links",
        "links, link, website, websites, website url, web, web page, web pages, web address, homepage, url, urls, sitio web, \
         sitios web, página web, páginas web, enlace, enlaces",
    ),
    ABOUT,
    NOTES,
    field(
        "status",
        "status, lead status, lifecycle stage, contact status, contact type, type, stage, estado, estado \
         del lead, estado del cliente, etapa del ciclo de vida, situación",
    ),
    TAGS,
    OWNER,
    EXTERNAL_ID,
    ID,
];

/// Columns of organizations.
pub const ORGANIZATIONS: &[FieldSynonyms] = &[
    field(
        "name",
        "name, company, company name, organization, organization name, organisation, organisation name, \
         account, account name, business name, customer, customer name, client, nombre, empresa, nombre \
         de la empresa, nombre de empresa, compañía, organización, razón social, nombre comercial, \
         cuenta, cliente",
    ),
    EMAIL,
    PHONE,
    field(
        "website",
        "website, web, web page, website url, homepage, url, domain, company domain name, company domain, \
         domain name, sitio web, página web, sitio, dominio, url del sitio web",
    ),
    ADDRESS,
    STREET,
    POSTAL_CODE,
    CITY,
    REGION,
    COUNTRY,
    field(
        "about",
        "about, about us, description, summary, notes, note, comments, background, profile, company \
         description, descripción, acerca de, sobre nosotros, resumen, notas, nota, comentarios, \
         observaciones",
    ),
    TAGS,
    OWNER,
    EXTERNAL_ID,
    ID,
];

/// Columns of deals.
pub const DEALS: &[FieldSynonyms] = &[
    field(
        "title",
        "title, deal name, deal title, deal, name, opportunity name, opportunity, título, negocio, nombre \
         del negocio, nombre, oportunidad, nombre de la oportunidad, operación",
    ),
    field(
        "customer",
        "customer, customer name, contact, contact name, contact person, person, person name, client, \
         associated contact, primary contact, associated contacts, cliente, nombre del cliente, contacto, \
         persona, persona de contacto, contacto asociado",
    ),
    field(
        "organization",
        "organization, organization name, organisation, company, company name, account, account name, \
         associated company, primary associated company, organización, empresa, nombre de la empresa, \
         compañía, cuenta, nombre de la cuenta, empresa asociada",
    ),
    field(
        "value",
        "value, amount, deal value, deal amount, price, total, revenue, expected revenue, amount in \
         company currency, valor, importe, cantidad, monto, precio, valor del negocio, ingresos",
    ),
    field(
        "currency",
        "currency, currency code, deal currency, value currency, amount currency, currency of value, \
         moneda, divisa, moneda del valor",
    ),
    field(
        "stage",
        "stage, deal stage, pipeline stage, stage name, sales stage, etapa, fase, etapa del negocio, \
         etapa de venta",
    ),
    field(
        "expectedDay",
        "expected close date, expected day, expected closing date, expected close, forecast date, fecha de \
         cierre prevista, fecha prevista de cierre, fecha prevista, cierre previsto, fecha estimada de cierre",
    ),
    field("closeDate", "close date, closing date, fecha de cierre"),
    field(
        "closedAt",
        "closed at, closed on, closed date, date closed, deal closed on, won time, lost time, close time, won date, \
         lost date, won at, lost at, actual close date, actual closing date, cerrado el, fecha de cierre real, ganado \
         el, perdido el, ganada el, perdida el, fecha de ganancia, fecha de pérdida",
    ),
    field(
        "outcome",
        "outcome, status, deal status, result, won, is won, is closed won, resultado, estado, estado del \
         negocio",
    ),
    field(
        "reason",
        "reason, lost reason, closed lost reason, closed won reason, loss reason, won reason, win reason, \
         motivo, razón, motivo de pérdida, motivo de la pérdida, motivo de cierre, motivo de ganancia",
    ),
    OWNER,
    TAGS,
    field(
        "about",
        "about, description, summary, notes, note, deal description, next step, comments, descripción, \
         resumen, notas, nota, comentarios, observaciones, próximo paso",
    ),
    EXTERNAL_ID,
    ID,
];

/// Columns of tasks.
pub const TASKS: &[FieldSynonyms] = &[
    field(
        "title",
        "title, subject, task, task name, task title, name, summary, to do, content, card name, card title, issue summary, título, asunto, tarea, nombre \
         de la tarea, nombre",
    ),
    field(
        "notes",
        "notes, note, description, card description, task notes, task content, task description, details, body, comments, \
         notas, nota, descripción, detalles, comentarios, observaciones",
    ),
    field(
        "completed",
        "completed, complete, done, is completed, finished, due complete, status, task status, completada, completado, \
         hecho, hecha, terminada, finalizada, estado, estado de la tarea",
    ),
    field(
        "completedAt",
        "completed at, completed date, date completed, completion date, completion time, completed time, done date, done \
         at, finished at, finished on, finish date, resolved, resolved at, resolved on, resolution date, date resolved, closed \
         at, closed on, closed date, date closed, completado el, finalizada el, fecha de finalización, fecha de \
         completado, resuelta, resuelta el, fecha de resolución, terminada el",
    ),
    field("priority", "priority, task priority, importance, urgency, prioridad, importancia, urgencia"),
    field(
        "dueDate",
        "due date, due, date, deadline, due on, due by, end date, activity date, fecha de vencimiento, \
         vencimiento, fecha límite, vence, plazo, fecha de entrega",
    ),
    field(
        "assignee",
        "assignee, assigned to, assignee email, assignee name, assignees, members, owner, task owner, responsible, activity assigned to, \
         asignado a, asignada a, responsable, encargado, persona asignada",
    ),
    field(
        "customer",
        "customer, customer name, contact, contact name, contact person, person, client, associated \
         contact, who, cliente, contacto, persona de contacto, nombre del cliente",
    ),
    field(
        "organization",
        "organization, organization name, organisation, company, company name, account, account name, \
         associated company, organización, empresa, compañía, cuenta, nombre de la empresa",
    ),
    field("subtasks", "subtasks, checklist, checklist items, subtareas, lista de control, lista de comprobación"),
    field(
        "deal",
        "deal, deal name, deal title, opportunity, opportunity name, associated deal, negocio, \
         oportunidad, nombre del negocio",
    ),
    TAGS,
    EXTERNAL_ID,
    ID,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::text::fold;

    #[test]
    fn a_name_belongs_to_one_field_of_a_table() {
        for table in [PEOPLE, ORGANIZATIONS, DEALS, TASKS] {
            let mut seen = HashSet::new();
            for entry in table {
                for synonym in entry.names() {
                    let name: String = fold(synonym).chars().filter(|c| c.is_alphanumeric()).collect();
                    assert!(seen.insert(name), "{synonym} of {}", entry.field);
                }
            }
        }
    }

    #[test]
    fn finds_the_synonyms_of_a_field() {
        assert_eq!(synonyms_of(PEOPLE, "lastName").first(), Some(&"last name"));
        assert!(synonyms_of(PEOPLE, "nothing").is_empty());
    }
}
