//! Limits of texts, lists and numbers in the API document, as the features' rules enforce them. A rule that counts
//! after cleaning (duplicate tags, surrounding blanks) accepts more than its limit here, never less.

use serde_json::{Value, json};

use super::SCHEMAS;
use crate::kernel::text::PASSWORD_LENGTH;

/// Schemas of kinds whose records can have an id in another system.
const WITH_EXTERNAL_ID: &[&str] = &[
    "NewCustomer",
    "CustomerPatch",
    "NewOrganization",
    "OrganizationPatch",
    "NewDeal",
    "DealPatch",
    "NewTask",
    "TaskPatch",
];

/// Texts that must not be empty: schemas, member, maximum of characters.
const REQUIRED: &[(&[&str], &str, u64)] = &[
    (
        &[
            "NewCustomer",
            "CustomerPatch",
            "NewOrganization",
            "OrganizationPatch",
            "NewMember",
            "MemberPatch",
            "UserPatch",
            "CompanyPatch",
        ],
        "name",
        200,
    ),
    (&["SignUp", "ActivateAccount", "ErasePerson"], "name", 200),
    (&["NewTask", "TaskPatch", "NewSubtask", "NewNextStep"], "title", 300),
    (&["NewEvent", "EventPatch", "NewPage", "PagePatch", "NewSentMessage", "NewDeal", "DealPatch"], "title", 200),
    (&["StageInput", "DealReasonInput", "CustomerStatusInput"], "name", 60),
    (&["TagPatch", "RemoveTag"], "tag", 50),
    (&["RenameTag"], "from", 50),
    (&["RenameTag"], "to", 50),
    (&["NewSentMessage"], "text", 5_000),
    (&["NewCustomField", "CustomFieldPatch", "NewCustomFieldChoice", "NewSavedView", "SavedViewPatch"], "name", 100),
    (&["NewShortcut", "ShortcutPatch"], "label", 100),
    (&["NewShortcut", "ShortcutPatch"], "icon", 100),
    (&["NewShortcut", "ShortcutPatch"], "link", 2_000),
    (&["CreateChatGroup", "ChangeChatGroup", "NewPasskey", "PasskeyPatch"], "name", 100),
    (&["EditChatMessage", "CommentPatch"], "value", 4_000),
    (&["MentionInput", "NewRecordReference"], "text", 200),
    (&["ImportValue"], "value", 200),
    (&["SignOnProviderInput"], "clientId", 200),
    (&["SignOnProviderInput"], "name", 60),
];

/// Texts that may be empty: schemas, member, maximum of characters.
const TEXTS: &[(&[&str], &str, u64)] = &[
    (&["NewCustomer", "CustomerPatch", "NewOrganization", "OrganizationPatch", "NewDeal", "DealPatch"], "about", 5_000),
    (&["NewDeal", "DealPatch"], "reason", 500),
    (WITH_EXTERNAL_ID, "externalId", 100),
    (&["NewActivity", "ActivityPatch"], "text", 10_000),
    (&["NewActivity", "ActivityPatch"], "outcome", 200),
    (&["NewCustomer", "CustomerPatch"], "notes", 50_000),
    (&["NewTask", "TaskPatch"], "notes", 10_000),
    (&["NewEvent", "EventPatch"], "description", 5_000),
    (&["NewEvent", "EventPatch"], "location", 300),
    (&["NewPage", "PagePatch"], "icon", 50),
    (&["NewPage", "PagePatch"], "body", 200_000),
    (&["NewShortcut", "ShortcutPatch"], "description", 300),
    (&["NewNotice", "NoticePatch"], "title", 1_000),
    (&["NewNotice", "NoticePatch"], "description", 10_000),
    (&["NewNotice", "NoticePatch"], "icon", 100),
    (&["NewMember", "MemberPatch"], "title", 200),
    (&["NewMember", "MemberPatch"], "phone", 50),
    (&["NewMember", "MemberPatch"], "about", 2_000),
    (&["NewInvitations"], "message", 1_000),
    (&["Invitee"], "name", 200),
    (&["SendChatMessage", "NewComment"], "value", 4_000),
    (&["SendChatMessage"], "clientId", 100),
    (&["NewCustomField", "NewCustomFieldChoice"], "key", 40),
    (&["NewSavedView", "SavedViewPatch", "NewBulkChange"], "q", 256),
    (&["CustomerDetailsInput", "CustomerDetailsPatch"], "title", 200),
    (&["CustomerDetailsInput", "CustomerDetailsPatch", "DuplicateQuery"], "company", 200),
    (&["DuplicateQuery"], "name", 200),
    (&["DuplicateQuery"], "website", 2_000),
    (&["DuplicatePhone"], "phoneNumber", 40),
    (&["CustomerDetailsInput", "CustomerDetailsPatch", "NewOrganization", "OrganizationPatch"], "address", 500),
    (&["EmailAddressInput", "PhoneNumberInput"], "label", 50),
    (&["AttachmentInput"], "name", 200),
    (&["SignOnProviderInput"], "clientSecret", 1_000),
];

/// Lists: schemas, member, minimum and maximum of items.
const LISTS: &[(&[&str], &str, u64, u64)] = &[
    (&["CustomerDetailsInput", "CustomerDetailsPatch", "NewOrganization", "OrganizationPatch"], "emails", 0, 20),
    (&["CustomerDetailsInput", "CustomerDetailsPatch", "NewOrganization", "OrganizationPatch"], "phoneNumbers", 0, 20),
    (&["AttachmentsInput", "AttachmentsPatch"], "media", 0, 100),
    (&["AttachmentsInput", "AttachmentsPatch"], "docs", 0, 100),
    (&["AttachmentsInput", "AttachmentsPatch"], "links", 0, 100),
    (&["NewTask", "TaskPatch"], "subtasks", 0, 100),
    (&["NewCustomField", "CustomFieldPatch"], "choices", 0, 100),
    (&["NewSavedView", "SavedViewPatch"], "filters", 0, 12),
    (&["NewSavedView", "SavedViewPatch"], "columns", 0, 100),
    (&["NewBulkChange"], "ids", 0, 1_000),
    (&["ImportPatch"], "columns", 0, 200),
    (&["ImportColumnInput"], "values", 0, 200),
    (&["DuplicateQuery"], "emails", 0, 10),
    (&["DuplicateQuery"], "phones", 0, 10),
    (&["DismissedDuplicate"], "ids", 2, 2),
    (&["MakeOrganizations"], "except", 0, 1_000),
    (&["MakeOrganizations"], "only", 0, 1_000),
    (&["NewActivity", "ActivityPatch"], "links", 1, 10),
    (&["PipelinePatch"], "stages", 1, 20),
    (&["PipelinePatch"], "reasons", 0, 50),
    (&["PipelinePatch", "CustomerStatusesPatch"], "moves", 0, 20),
    (&["CustomerStatusesPatch"], "statuses", 1, 20),
    (&["NewBulkChange"], "filter", 0, 16),
    (&["NewBulkChange"], "addTags", 0, 30),
    (&["NewBulkChange"], "removeTags", 0, 30),
    (&["NewEvent", "EventPatch"], "attendees", 0, 200),
    (&["NewEvent", "EventPatch"], "reminders", 0, 5),
    (&["NewInvitations"], "emails", 0, 50),
    (&["NewInvitations"], "people", 0, 50),
    (&["NoticeBatch", "NoticeIds"], "ids", 1, 200),
    (&["SendChatMessage", "NewComment"], "attachments", 0, 10),
    (&["SendChatMessage", "EditChatMessage", "NewComment", "CommentPatch"], "mentions", 0, 50),
    (&["SendChatMessage", "EditChatMessage", "NewComment", "CommentPatch"], "references", 0, 50),
];

/// Numbers: schemas, member, minimum and maximum.
const NUMBERS: &[(&[&str], &str, i64, i64)] = &[
    (&["NewTask", "TaskPatch"], "priority", 0, 2),
    (&["CompanyPatch"], "idleMinutes", 0, 1_440),
    (&["ImportPatch"], "skippedRows", 0, 50),
    (&["SecondFactorRulePatch"], "graceDays", 0, 90),
    (&["NotificationPreferencesPatch"], "digestHour", 0, 23),
    (&["ChatPatch"], "unreadCount", 0, 9_999),
    (&["SearchRequest"], "limit", 1, 50),
    (&["CustomerStatusInput"], "retentionMonths", 1, 240),
    // Of deals alone: amounts of custom fields may be negative.
    (&["MoneyInput"], "amount", 0, 1_000_000_000_000_000),
];

/// Lists of numbers: schemas, member, minimum and maximum of an item.
const ITEMS: &[(&[&str], &str, i64, i64)] = &[(&["NewEvent", "EventPatch"], "reminders", 0, 40_320)];

/// Numeric parameters: calls (all if empty), name, minimum and maximum.
const PARAMETERS: &[(&[&str], &str, i64, i64)] = &[
    (&["searchChat"], "limit", 1, 50),
    (&["previewRetention"], "months", 1, 240),
    (&["getForecast"], "months", 1, 24),
    (&[], "limit", 1, 200),
    (&[], "days", 1, 366),
    (&[], "wait", 0, 25),
];

/// New passwords: schema and member.
const PASSWORDS: &[(&str, &str)] = &[
    ("SignUp", "password"),
    ("ActivateAccount", "password"),
    ("ResetPassword", "password"),
    ("ChangePassword", "newPassword"),
    ("NewMember", "password"),
];

/// The colours of events.
const COLOURS: [&str; 10] = ["gray", "red", "orange", "yellow", "green", "teal", "blue", "indigo", "purple", "pink"];

/// Returns the range of a member that is a number, or of the numbers in a list.
pub(in crate::wire) fn of_member(schema: &str, member: &str) -> Option<(i64, i64)> {
    let mut all = NUMBERS.iter().chain(ITEMS);
    all.find(|(schemas, it, ..)| *it == member && schemas.contains(&schema)).map(|(.., least, most)| (*least, *most))
}

/// Returns the range of a call's parameter.
pub fn of_parameter(call: &str, name: &str) -> Option<(i64, i64)> {
    let fits =
        |(calls, it, ..): &&(&[&str], &str, i64, i64)| *it == name && (calls.is_empty() || calls.contains(&call));
    PARAMETERS.iter().find(fits).map(|(.., least, most)| (*least, *most))
}

/// Adds the limits to a document.
pub(super) fn set(document: &mut Value) {
    let mut put = |schema: &str, member: &str, further: Value| {
        let at = format!("{SCHEMAS}/{schema}/properties/{member}");
        if let (Some(Value::Object(property)), Value::Object(further)) = (document.pointer_mut(&at), further) {
            property.extend(further);
        }
    };
    for (schemas, member, most) in REQUIRED {
        schemas.iter().for_each(|it| put(it, member, json!({ "minLength": 1, "maxLength": most })));
    }
    for (schemas, member, most) in TEXTS {
        schemas.iter().for_each(|it| put(it, member, json!({ "maxLength": most })));
    }
    for (schemas, member, least, most) in LISTS {
        schemas.iter().for_each(|it| put(it, member, json!({ "minItems": least, "maxItems": most })));
    }
    for (schemas, member, least, most) in NUMBERS {
        schemas.iter().for_each(|it| put(it, member, json!({ "minimum": least, "maximum": most })));
    }
    for (schema, member) in PASSWORDS {
        put(schema, member, json!({ "minLength": PASSWORD_LENGTH.start(), "maxLength": PASSWORD_LENGTH.end() }));
    }
    for schema in ["NewEvent", "EventPatch"] {
        put(schema, "color", json!({ "enum": COLOURS }));
    }
    for (schemas, member, least, most) in ITEMS {
        let items = json!({ "type": "integer", "format": "uint32", "minimum": least, "maximum": most });
        schemas.iter().for_each(|it| put(it, member, json!({ "items": items })));
    }
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operation in paths.into_iter().flat_map(super::operations) {
        let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default().to_owned();
        for parameter in super::parameters(operation) {
            let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else { continue };
            if name == "If-Match" {
                // `*`, or one ETag as it was received.
                schema.insert("pattern".to_owned(), json!(r#"^(\*|(W/)?"[!#-~]*")$"#));
                schema.insert("minLength".to_owned(), json!(1));
            }
            if let Some((least, most)) = of_parameter(&id, &name) {
                schema.insert("minimum".to_owned(), json!(least));
                schema.insert("maximum".to_owned(), json!(most));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openapi_document_contains_every_limit() {
        let document: Value = serde_json::from_str(include_str!("../../../openapi/openapi.json")).unwrap();
        let all =
            REQUIRED.iter().chain(TEXTS).map(|(schemas, member, most)| (*schemas, *member, json!(most), "maxLength"));
        let all =
            all.chain(LISTS.iter().map(|(schemas, member, _, most)| (*schemas, *member, json!(most), "maxItems")));
        let all =
            all.chain(NUMBERS.iter().map(|(schemas, member, _, most)| (*schemas, *member, json!(most), "maximum")));
        for (schemas, member, most, name) in all {
            for schema in schemas {
                let kept = &document["components"]["schemas"][schema]["properties"][member][name];
                assert_eq!(*kept, most, "{schema}.{member}");
            }
        }
        for (schema, member) in PASSWORDS {
            assert_eq!(document["components"]["schemas"][schema]["properties"][member]["maxLength"], 128, "{schema}");
        }
    }
}
