//! API handlers of notifications, as section 7 of the specification defines them, and additions.

use super::Notifications;
use crate::features::notices::shared_api::notice_api;

notice_api! {
    Notifications, notification, "/common/notifications", "crate::wire::Tag::Notifications",
    bodies: "CreateNotification", "ChangeNotification", "ToggleNotification",
    list: "listNotifications",
    create: "createNotification",
    change: "changeNotification",
    remove: "removeNotification",
    batch: "batchNotifications",
    restore: "restoreNotifications",
    mark_all_by_get: "markAllNotificationsAsReadByGet",
    mark_all: "markAllNotificationsAsRead",
    toggle: "toggleNotificationReadStatus",
    see: "seeNotifications",
    unread: "countUnreadNotifications",
}
