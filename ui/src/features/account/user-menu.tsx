import { Check, Keyboard, LockKeyhole, LogOut, Settings, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Status } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Menu, MenuItem, MenuPopover, MenuSeparator, Submenu } from "@/components/menu";
import { Presence } from "@/components/presence";
import type { MenuState } from "@/lib/use-menu-trigger";
import { useShortcutsHelp } from "@/shell/shortcuts-help";
import { lockSession, useUpdateUser, useUser } from "./data";

const statuses: Status[] = ["online", "away", "busy", "not-visible"];

/** The user menu: the signed-in member, their status for others, and the way to sign out. */
export default function UserMenu(props: MenuState) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const user = useUser();
  const update = useUpdateUser();
  return (
    <MenuPopover className="w-64" {...props}>
      <div className="flex items-center gap-3 border-b border-line px-4 py-3.5">
        <Avatar name={user.name} src={user.avatar} size={40} />
        <div className="min-w-0">
          <p className="truncate font-semibold text-ink">{user.name}</p>
          <p className="truncate text-sm text-muted">{user.customer.name}</p>
        </div>
      </div>
      <div className="px-4 pt-2.5 text-sm text-muted">
        <p>{t("ui.user.signedInAs")}</p>
        <p className="truncate font-medium text-body">{user.email}</p>
      </div>
      <Menu aria-label={t("ui.user.menu")}>
        <MenuSeparator />
        <MenuItem id="profile" icon={<UserRound aria-hidden size={18} />} onAction={() => void navigate("/settings/account")}>
          {t("ui.user.profile")}
        </MenuItem>
        <MenuItem id="settings" icon={<Settings aria-hidden size={18} />} onAction={() => void navigate("/settings")}>
          {t("ui.user.settings")}
        </MenuItem>
        <MenuItem id="keys" icon={<Keyboard aria-hidden size={18} />} onAction={() => useShortcutsHelp.setState({ open: true })}>
          {t("ui.keys.title")}
        </MenuItem>
        <Submenu
          item={
            <MenuItem
              id="status"
              textValue={t("ui.user.status")}
              icon={
                <span className="grid size-4.5 place-items-center">
                  <Presence status={user.status} />
                </span>
              }
            >
              {t("ui.user.status")}
            </MenuItem>
          }
        >
          <Menu
            aria-label={t("ui.user.status")}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[user.status]}
            onAction={(key) => update.mutate({ status: statuses.find((status) => status === key) })}
          >
            {statuses.map((status) => (
              <MenuItem key={status} id={status} textValue={t(`ui.status.${status}`)} icon={<Presence status={status} />}>
                <span className="flex items-center justify-between gap-4">
                  {t(`ui.status.${status}`)}
                  {status === user.status && <Check aria-hidden size={16} className="text-accent" />}
                </span>
              </MenuItem>
            ))}
          </Menu>
        </Submenu>
        <MenuSeparator />
        <MenuItem id="lock" icon={<LockKeyhole aria-hidden size={18} />} onAction={() => void lockSession()}>
          {t("ui.lock.lock")}
        </MenuItem>
        <MenuItem id="sign-out" icon={<LogOut aria-hidden size={18} />} onAction={() => void navigate("/sign-out")}>
          {t("ui.user.signOut")}
        </MenuItem>
      </Menu>
    </MenuPopover>
  );
}
