//! API handlers of messages, as section 7 of the specification defines them, and additions.

use super::Messages;
use crate::features::notices::shared_api::notice_api;

notice_api! {
    Messages, message, "/common/messages", "crate::wire::Tag::Messages",
    bodies: "CreateMessage", "ChangeMessage", "ToggleMessage",
    list: "listMessages",
    create: "createMessage",
    change: "changeMessage",
    remove: "removeMessage",
    batch: "batchMessages",
    restore: "restoreMessages",
    mark_all_by_get: "markAllMessagesAsReadByGet",
    mark_all: "markAllMessagesAsRead",
    toggle: "toggleMessageReadStatus",
    see: "seeMessages",
    unread: "countUnreadMessages",
}
