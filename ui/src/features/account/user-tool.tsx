import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Tooltip } from "@/components/tooltip";
import { late } from "@/lib/late";
import { useUser } from "./data";

const UserMenu = late(() => import("./user-menu"));

export function UserTool() {
  const { t } = useTranslation();
  const user = useUser();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tooltip text={t("ui.user.menu")}>
        <button
          ref={ref}
          type="button"
          aria-label={t("ui.user.menu")}
          aria-haspopup="menu"
          aria-expanded={open}
          onClick={() => setOpen(true)}
          className="block rounded-full"
        >
          <Avatar name={user.name} src={user.avatar} size={36} status={user.status} className="max-sm:!size-8" />
        </button>
      </Tooltip>
      <Suspense>{open && <UserMenu triggerRef={ref} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
