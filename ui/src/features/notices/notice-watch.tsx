import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useUser } from "@/features/account/data";
import { unreadChatsQuery } from "@/features/chat/data";
import { listenForArrivals } from "./arrivals";
import { announce, followChoice, tellSight, wouldAnnounce } from "./browser";
import { useChangeNotices, useUnread } from "./data";
import { showOnTab } from "./tab-signs";

/** Reports unread items outside of the page: in the tab's title and icon, and as browser notifications. */
export default function NoticeWatch() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id } = useUser();
  const messages = useUnread("messages");
  const notifications = useUnread("notifications");
  const { data: chats = 0 } = useQuery(unreadChatsQuery);
  const count = messages + notifications + chats;
  useEffect(() => showOnTab(count), [count]);
  useEffect(() => () => showOnTab(0), []);
  useEffect(() => followChoice(id), [id]);
  useEffect(tellSight, []);

  const { mutate: changeMessages } = useChangeNotices("messages");
  const { mutate: changeNotifications } = useChangeNotices("notifications");
  useEffect(
    () =>
      listenForArrivals(async (kind, notice) => {
        if (!wouldAnnounce()) return;
        const { openNotice, plainTitle } = await import("./opening");
        const { senderOf } = await import("./sender");
        const sender = senderOf(notice);
        await announce(
          {
            tag: notice.id,
            title: [sender, plainTitle(notice)].filter(Boolean).join(": "),
            ...(kind === "messages" && { body: t("ui.notices.browser.message") }),
            onOpen: () => {
              (kind === "messages" ? changeMessages : changeNotifications)({ action: "read", notices: [notice] });
              openNotice(kind, notice, navigate);
            },
          },
          notice.time,
        );
      }),
    [t, navigate, changeMessages, changeNotifications],
  );
  return null;
}
