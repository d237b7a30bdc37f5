//! The calls for notifications, as the specification's section 7 has them, and a few more.

use super::Notifications;
use crate::features::notices::calls::declare;

declare! {
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
