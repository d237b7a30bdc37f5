import { useTranslation } from "react-i18next";
import type { Notice } from "@/api/schema";
import { formatNumber } from "@/lib/format";
import { toast, useToasts } from "@/lib/toast";
import { type NoticeAction, type NoticeKind, useChangeNotices } from "./data";

/** The last removal, while its toast offers to undo it. */
let removal: { toast: number; kind: NoticeKind; notices: Notice[] } | undefined;
const stillOffered = () => removal && useToasts.getState().toasts.some(({ id }) => id === removal?.toast);

const opposite = { read: "unread", unread: "read", remove: "restore" } as const;

/** The actions on one or several items; those without a visible result offer to undo. */
export function useNoticeActions(kind: NoticeKind) {
  const { t } = useTranslation();
  const { mutate, mutateAsync } = useChangeNotices(kind);
  const back = (action: Exclude<NoticeAction, "restore">, notices: Notice[]) => ({
    label: t("ui.action.undo"),
    run: () =>
      mutateAsync({
        action: opposite[action],
        notices: notices.map((one) => ({ ...one, read: action === "remove" ? one.read : action === "read" })),
      }),
  });

  /** Removes items; several removals in a row are undone together. */
  const remove = (notices: Notice[]) =>
    mutateAsync({ action: "remove", notices }).then(
      () => {
        const together = stillOffered() && removal?.kind === kind ? [...removal.notices, ...notices] : notices;
        if (removal && together !== notices) toast.dismiss(removal.toast);
        const text = t(`ui.${kind}.removed`, { count: together.length, number: formatNumber(together.length) });
        removal = { toast: toast.success(text, back("remove", together)), kind, notices: together };
      },
      // The list shows it again, and the query cache reports the error.
      () => undefined,
    );

  /** Marks the items that are not marked yet, and states their number. */
  const mark = (action: "read" | "unread", notices: Notice[]) => {
    const concerned = notices.filter(({ read }) => read !== (action === "read"));
    if (concerned.length === 0) return;
    const number = formatNumber(concerned.length);
    mutateAsync({ action, notices: concerned }).then(
      () => toast.success(t(action === "read" ? "ui.notices.nowRead" : "ui.notices.nowUnread", { number }), back(action, concerned)),
      () => undefined,
    );
  };

  return {
    toggle: (notice: Notice) => mutate({ action: notice.read ? "unread" : "read", notices: [notice] }),
    remove,
    mark,
  };
}
