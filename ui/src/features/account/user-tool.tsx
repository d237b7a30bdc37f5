import { CircleUserRound } from "lucide-react";
import { Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { IconButton } from "@/components/icon-button";
import { Tooltip } from "@/components/tooltip";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { useUser } from "./data";

const UserMenu = lazyOnIdle(() => import("./user-menu"));

/** The button of the user menu: the avatar, or an icon if the layout shows the avatar elsewhere. */
export function UserTool({ icon = false }: { icon?: boolean }) {
  const { t } = useTranslation();
  const user = useUser();
  const { button: trigger, menu } = useMenuTrigger();
  const note = useId();
  const button = { ...trigger, "aria-describedby": note };
  return (
    <>
      {icon ? (
        <IconButton label={t("ui.user.menu")} icon={CircleUserRound} active={menu.isOpen} {...button} />
      ) : (
        <Tooltip text={t("ui.user.menu")}>
          <button type="button" aria-label={t("ui.user.menu")} {...button} className="touchable grid place-items-center rounded-full">
            <Avatar name={user.name} src={user.avatar} size={36} status={user.status} className="max-sm:!size-8" />
          </button>
        </Tooltip>
      )}
      <span id={note} className="sr-only">
        {t(`ui.status.${user.status}`)}
      </span>
      <Suspense>{menu.isOpen && <UserMenu {...menu} />}</Suspense>
    </>
  );
}
