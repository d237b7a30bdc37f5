//! Error responses in the API document: described once, and referenced by each call that can return them.

use serde_json::{Map, Value, json};

use crate::kernel::Code;

/// The name of the refresh token's security scheme.
pub(super) const COOKIE: &str = "refreshToken";

/// Status, name and description of every error response.
const ERROR_RESPONSES: [(&str, &str, &str); 13] = [
    ("400", "BadRequest", "The request cannot be read: `fields` names what is wrong, and `reasons` why."),
    ("401", "NotSignedIn", "Not signed in, or no longer. With `token_expired`, refresh the session."),
    ("403", "Forbidden", "Missing permission."),
    ("404", "NotFound", "Not found, or not visible to the caller."),
    ("409", "Conflict", "Conflict with existing data."),
    ("412", "StaleVersion", "The record has changed since the version in `If-Match`."),
    ("413", "TooLarge", "The body is too large."),
    ("415", "UnsupportedMediaType", "The body has a type that is not accepted here."),
    ("422", "Invalid", "Validation failed: `fields` names each field, and `reasons` says which rule."),
    ("423", "SessionLocked", "The session is locked until the password is given."),
    ("429", "SlowDown", "Too many attempts, or too many requests of one company at once: wait for `Retry-After`."),
    ("500", "Internal", "Internal server error; `requestId` is in the server's log."),
    ("503", "Busy", "The server cannot process it now: wait for `Retry-After` and try again."),
];

/// Public calls that can return 401: they authenticate by the refresh token.
const UNAUTHORIZED_BY_COOKIE: [&str; 3] = ["refreshSession", "unlockSession", "signOut"];
/// Calls of a member that a locked session may make.
const ALLOWED_WHILE_LOCKED: [&str; 1] = ["lockSession"];
/// Calls that redirect the browser from or to a single sign-on provider, whatever the result.
const REDIRECTING: [&str; 2] = ["startSingleSignOn", "finishSingleSignOn"];
/// Public calls that can return 403: for pages of other sites, or by the installation's configuration.
const CAN_BE_FORBIDDEN: [&str; 9] = [
    "refreshSession",
    "unlockSession",
    "signOut",
    "signUp",
    "signIn",
    "signInByPasskey",
    "activateAccount",
    "resendConfirmation",
    "askPasskey",
];
/// Calls that name a record elsewhere than in their path.
const CAN_BE_NOT_FOUND: [&str; 28] = [
    "createBulkChange",
    "makeOrganizations",
    "getChat",
    "openChat",
    "changeChat",
    "createChatGroup",
    "getChatContact",
    "listChatMessages",
    "sendChatMessage",
    "searchChat",
    "readChat",
    "endSession",
    "removeMessage",
    "changeMessage",
    "batchMessages",
    "restoreMessages",
    "toggleMessageReadStatus",
    "removeNotification",
    "changeNotification",
    "batchNotifications",
    "restoreNotifications",
    "toggleNotificationReadStatus",
    "changeShortcut",
    "removeShortcut",
    "handCompanyOver",
    "removeSingleSignOn",
    "orderShortcuts",
    "removeTotp",
];
/// Calls that can conflict with existing data: something is taken, used up, the last one, or too late.
const CAN_CONFLICT: [&str; 69] = [
    "changePassword",
    "closeCompany",
    "removeTotp",
    "removePasskey",
    "endSession",
    "endOtherSessions",
    "mergeRecords",
    "undoMerge",
    "dismissDuplicate",
    "createImport",
    "changeImport",
    "checkImport",
    "startImport",
    "undoImport",
    "removeImport",
    "createCustomer",
    "changeCustomer",
    "createOrganization",
    "changeOrganization",
    "createDeal",
    "changeDeal",
    "createTask",
    "changeTask",
    "createShortcut",
    "createMember",
    "inviteMembers",
    "changeMember",
    "removeMember",
    "resendInvitation",
    "createInvitationLink",
    "createPasswordLink",
    "addSampleData",
    "sendTestEmail",
    "uploadFile",
    "sendChatMessage",
    "editChatMessage",
    "removeChatMessage",
    "reactToChatMessage",
    "reactToComment",
    "attachRecordFile",
    "linkRecord",
    "createCustomField",
    "restoreCustomField",
    "createBulkChange",
    "makeOrganizations",
    "undoBulkChange",
    "renameTag",
    "removeTag",
    "undoTagChange",
    "createSavedView",
    "changeSavedView",
    "createPage",
    "changePage",
    "removePage",
    "restoreRecord",
    "changeCompanySettings",
    "changeEmail",
    "handCompanyOver",
    "activateAccount",
    "addPasskey",
    "beginPasskey",
    "beginTotp",
    "signIn",
    "signInByPasskey",
    "askPasskey",
    "confirmTotp",
    "signUp",
    "unlockSession",
    "renewRecoveryCodes",
];

/// Sets the error responses and the security requirement of a call.
pub(super) fn say(operation: &mut Value) {
    let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default().to_owned();
    let id = id.as_str();
    let is_public = operation.get("security").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let has_body = operation.get("requestBody").is_some();
    let parameters = operation.get("parameters").and_then(Value::as_array).cloned().unwrap_or_default();
    let has = |name: &str, value: &str| parameters.iter().any(|it| it.get(name).is_some_and(|it| it == value));
    let by_cookie = UNAUTHORIZED_BY_COOKIE.contains(&id);
    let can = |status: &str| match status {
        "400" | "500" | "503" => true,
        "401" => !is_public || by_cookie,
        "423" => (!is_public || by_cookie) && !ALLOWED_WHILE_LOCKED.contains(&id),
        "403" => !is_public || CAN_BE_FORBIDDEN.contains(&id),
        "404" => has("in", "path") || CAN_BE_NOT_FOUND.contains(&id),
        "409" => CAN_CONFLICT.contains(&id),
        "412" => has("name", "If-Match"),
        "413" | "415" => has_body,
        "422" => has_body || has("in", "query"),
        "429" => !REDIRECTING.contains(&id),
        _ => false,
    };
    if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        for (status, name, _) in ERROR_RESPONSES {
            responses.remove(status);
            if can(status) {
                responses.insert(status.to_owned(), json!({ "$ref": format!("#/components/responses/{name}") }));
            }
        }
    }
    if let Some(operation) = operation.as_object_mut().filter(|_| is_public) {
        let security = if by_cookie { json!([{ COOKIE: [] }]) } else { json!([]) };
        operation.insert("security".to_owned(), security);
    }
}

/// Describes the error responses, with all codes of the catalogue.
pub(super) fn define(document: &mut Value) {
    let mut responses = Map::new();
    for (status, name, description) in ERROR_RESPONSES {
        let codes = Code::ALL.iter().filter(|code| code.status().to_string() == status);
        let codes: Vec<String> = codes.map(|code| format!("`{}`", code.as_str())).collect();
        let mut response = json!({
            "description": format!("{description} Codes: {}.", codes.join(", ")),
            "content": { super::JSON: { "schema": { "$ref": "#/components/schemas/Problem" } } },
        });
        let header = match status {
            "401" => Some(("WWW-Authenticate", "How to sign in (RFC 6750).")),
            "429" | "503" => Some(("Retry-After", "Seconds to wait before the next try, where the server knows.")),
            _ => None,
        };
        if let (Some((header, description)), Some(response)) = (header, response.as_object_mut()) {
            let described = json!({ "description": description, "schema": { "type": "string" } });
            response.insert("headers".to_owned(), json!({ header: described }));
        }
        responses.insert(name.to_owned(), response);
    }
    responses.insert("NotModified".to_owned(), json!({ "description": "The client has the newest version already." }));
    if let Some(components) = document.get_mut("components").and_then(Value::as_object_mut) {
        components.insert("responses".to_owned(), Value::Object(responses));
    }
    if let Some(code) = document.pointer_mut("/components/schemas/ProblemDetail/properties/code")
        && let Some(code) = code.as_object_mut()
    {
        code.insert("enum".to_owned(), Code::ALL.iter().map(|code| code.as_str()).collect());
    }
}
