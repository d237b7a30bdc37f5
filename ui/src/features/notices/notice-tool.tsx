import { Bell, Mail } from "lucide-react";
import { Suspense, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "@/components/badge";
import { IconButton } from "@/components/icon-button";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { type NoticeKind, useUnread } from "./data";

const NoticePanel = lazyOnIdle(() => import("./notice-panel"));
const icons = { messages: Mail, notifications: Bell };

/** The header button of a panel, with the number of unread items. */
export function NoticeTool({ kind }: { kind: NoticeKind }) {
  const { t } = useTranslation();
  const unread = useUnread(kind);
  const note = useId();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        ref={ref}
        label={t(`ui.${kind}.title`)}
        icon={icons[kind]}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-describedby={unread > 0 ? note : undefined}
        active={open}
        onClick={() => setOpen(true)}
        className="max-sm:w-9"
      >
        <Badge count={unread} className="absolute top-0.5 left-[calc(50%+1px)]" />
      </IconButton>
      {unread > 0 && (
        <span id={note} className="sr-only">
          {t(`ui.${kind}.unread`, { count: unread })}
        </span>
      )}
      <Suspense>{open && <NoticePanel kind={kind} unread={unread} triggerRef={ref} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
