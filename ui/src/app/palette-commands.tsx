import { useQuery } from "@tanstack/react-query";
import type { ParseKeys } from "i18next";
import {
  Bell,
  Building2,
  CircleHelp,
  CopyCheck,
  FileInput,
  Keyboard,
  Languages,
  LayoutTemplate,
  LockKeyhole,
  LogOut,
  type LucideIcon,
  Maximize,
  MessageCircle,
  MessagesSquare,
  Minimize,
  Palette,
  Sparkles,
  SquarePen,
} from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Flag } from "@/components/flag";
import { Icon } from "@/components/icon";
import { lockSession, useUpdateUser, useUser } from "@/features/account/data";
import { useCustomerTabs } from "@/features/contact/customer-tabs";
import { useDealScreens } from "@/features/deals/deal-views";
import { navigationQuery } from "@/features/navigation/data";
import { compose } from "@/features/notices/compose/store";
import { useMessagesTabs } from "@/features/notices/messages-tabs";
import { useSettingsSections } from "@/features/settings/sections";
import { useChooseLanguage } from "@/features/tools/use-choose-language";
import { languageName } from "@/i18n";
import { toggleFullscreen, useFullscreen } from "@/lib/fullscreen";
import { layouts } from "@/lib/layout";
import { createdKinds, duplicatesPath, importedKinds, importPath, mergedKinds, recordKinds } from "@/records/kinds";
import { useCompanyInfo } from "@/shell/company-info";
import { useShortcutsHelp } from "@/shell/shortcuts-help";
import { schemes } from "@/theme/schemes";

/** Commands that open a list of choices. */
export type Mode = "layout" | "scheme" | "language";
export type CommandGroup = "go" | "new" | "settings" | "switch" | "app" | Mode;

export interface Command {
  id: string;
  group: CommandGroup;
  title: string;
  icon: ReactNode;
  /** The screen that it is a part of. */
  within?: string;
  /** Additional words that find the command. */
  also?: string;
  /** The list that the command belongs to; typing in the main list also finds it, after the others. */
  mode?: Mode;
  /** Whether the choice is the current one. */
  isSet?: boolean;
  /** The list that the command opens. */
  opens?: Mode;
  run?: () => void;
}

const drawn = (Drawn: LucideIcon) => <Drawn aria-hidden size={20} />;

interface Screen {
  item: NavigationItem;
  /** The heading that it is a part of, as its id says. */
  within?: NavigationItem | undefined;
}

/** Collects all screens of the navigation, each once. */
function screens(items: NavigationItem[], parent?: NavigationItem, found = new Map<string, Screen>()): Screen[] {
  for (const item of items) {
    if (item.hidden || item.disabled) continue;
    const within = parent && item.id.startsWith(`${parent.id}.`) ? parent : undefined;
    if (item.link && !found.has(item.link)) found.set(item.link, { item, within });
    screens(item.children ?? [], item, found);
  }
  return [...found.values()];
}

/** Screens that the navigation does not contain. */
const furtherScreens = [
  ["/messages", "ui.messages.title", MessagesSquare],
  ["/notifications", "ui.notifications.title", Bell],
  ["/chat", "ui.chat.title", MessageCircle],
  ["/apps/help-center", "ui.help.title", CircleHelp],
  ["/docs/changelog", "ui.help.changelog", Sparkles],
] as const;

/** Returns the parts of screens that have an address of their own: their tabs and views. */
function useParts() {
  const { t } = useTranslation();
  const of = <P,>(within: string, parts: P[]) => parts.map((part) => ({ ...part, within }));
  return [
    ...of(t("ui.customers.title"), useCustomerTabs()),
    ...of(t("ui.deals.title"), useDealScreens()),
    ...of(t("ui.messages.title"), useMessagesTabs()),
  ];
}

function useGo(): Command[] {
  const { t } = useTranslation();
  const { permissions } = useUser();
  const navigate = useNavigate();
  const { data } = useQuery(navigationQuery);
  const parts = useParts();
  const go = (id: string, group: CommandGroup, title: string, icon: ReactNode, run: () => void): Command => ({
    id: `go:${id}`,
    group,
    title,
    icon,
    also: t("ui.palette.groups.go"),
    run,
  });
  const titleOf = ({ title, link = "" }: NavigationItem) => (title ? t(title as ParseKeys) : link);
  const found = screens(data?.default ?? []).map(({ item, within }): Command => {
    const link = item.link ?? "";
    const follow = () => {
      if (item.externalLink) open(link, "_blank", "noopener");
      else void navigate(link);
    };
    const command = go(link, "go", titleOf(item), <Icon name={item.icon} />, follow);
    if (!within) return command;
    // The bar of the horizontal layout has one entry for all of them, with a name of its own.
    const inBar = data?.horizontal.find((one) => one.link === link);
    const also = [command.also, titleOf(within), inBar && titleOf(inBar)].filter(Boolean).join(" ");
    return { ...command, within: titleOf(within), also };
  });
  const isFound = (link: string) => found.some(({ id }) => id === `go:${link}`);
  const further = furtherScreens.filter(([link]) => !isFound(link));
  const tabs = parts
    .filter(({ to }) => !isFound(to) && furtherScreens.every(([link]) => link !== to))
    .map(({ to, label, icon, within }): Command => {
      const also = [t("ui.palette.groups.go"), within].join(" ");
      return { ...go(to, "go", label, drawn(icon), () => void navigate(to)), within, also };
    });
  const duplicates = mergedKinds
    .filter((kind) => permissions.includes(`${recordKinds[kind].name}.read`))
    .map((kind): Command => {
      const link = duplicatesPath(kind);
      const also = [t("ui.palette.groups.go"), t("ui.duplicates.also")].join(" ");
      return { ...go(link, "go", t(`ui.palette.duplicates.${kind}`), drawn(CopyCheck), () => void navigate(link)), also };
    });
  return [
    ...found,
    ...further.map(([link, title, icon]) => go(link, "go", t(title), drawn(icon), () => void navigate(link))),
    ...tabs,
    ...duplicates,
  ];
}

function useSettings(): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const sections = useSettingsSections();
  return sections.map(({ name, icon, to }) => ({
    id: `settings:${name}`,
    group: "settings",
    title: t(`ui.settings.sections.${name}`),
    icon: drawn(icon),
    also: [
      t("ui.settings.title"),
      t(`ui.settings.about.${name}`),
      name === "company" && t("ui.settings.statuses.statuses"),
      name === "company" && t("ui.settings.deals.also"),
    ]
      .filter(Boolean)
      .join(" "),
    run: () => void navigate(to),
  }));
}

function useNew(): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { permissions } = useUser();
  const records = createdKinds
    .filter(({ name }) => permissions.includes(`${name}.write`))
    .map(
      ({ kind, create }) =>
        [kind, create.icon, () => void navigate(create.path, "state" in create ? { state: create.state } : {})] as const,
    );
  const message = ["message", SquarePen, () => compose()] as const;
  const made = [...records, ...(permissions.includes("messages.send") ? [message] : [])].map(
    ([kind, icon, run]): Command => ({ id: `new:${kind}`, group: "new", title: t(`ui.palette.new.${kind}`), icon: drawn(icon), run }),
  );
  const imports = importedKinds
    .filter((kind) => permissions.includes(`${recordKinds[kind].name}.write`))
    .map(
      (kind): Command => ({
        id: `import:${kind}`,
        group: "new",
        title: t(`ui.palette.import.${kind}`),
        icon: drawn(FileInput),
        also: t("ui.palette.importAlso"),
        run: () => void navigate(importPath(kind) ?? ""),
      }),
    );
  return [...made, ...imports];
}

function useSwitches(): Command[] {
  const { t, i18n } = useTranslation();
  const user = useUser();
  const { company, locales } = useCompanyInfo();
  const { mutate } = useUpdateUser();
  const choose = useChooseLanguage();
  const ofCompany = t("ui.settings.asCompany");
  const entry = (mode: Mode, icon: LucideIcon): Command => ({
    id: `switch:${mode}`,
    group: "switch",
    title: t(`ui.palette.choose.${mode}`),
    icon: drawn(icon),
    opens: mode,
  });
  const option = (mode: Mode, name: string, title: string, icon: ReactNode, isSet: boolean, run: () => void): Command => ({
    id: `${mode}:${name}`,
    group: mode,
    mode,
    title,
    icon,
    isSet,
    run,
    also: t(`ui.palette.groups.${mode}`),
  });
  const swatch = (scheme: string) => (
    <span
      aria-hidden
      className={`theme-${scheme} block size-4.5 rounded-full ring-1 ring-black/8`}
      style={{ background: "var(--solid)" }}
    />
  );
  return [
    entry("layout", LayoutTemplate),
    entry("scheme", Palette),
    entry("language", Languages),
    option("layout", "", ofCompany, drawn(Building2), !user.layout, () => mutate({ layout: null })),
    ...layouts.map((name) =>
      option("layout", name, t(`ui.settings.layouts.${name}`), drawn(LayoutTemplate), user.layout === name, () => mutate({ layout: name })),
    ),
    option("scheme", "", ofCompany, swatch(company.color_scheme), !user.scheme, () => mutate({ scheme: null })),
    ...schemes.map((name) =>
      option("scheme", name, t(`ui.settings.schemes.${name}`), swatch(name), user.scheme === name, () => mutate({ scheme: name })),
    ),
    ...locales.map((code) =>
      option("language", code, languageName(code), <Flag language={code} />, i18n.language === code, () => void choose(code)),
    ),
  ];
}

function useApp(): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const full = useFullscreen();
  return [
    {
      id: "fullscreen",
      group: "app",
      title: t("ui.shell.fullscreen"),
      icon: drawn(full ? Minimize : Maximize),
      run: () => void toggleFullscreen(),
    },
    { id: "keys", group: "app", title: t("ui.keys.help"), icon: drawn(Keyboard), run: () => useShortcutsHelp.setState({ open: true }) },
    { id: "lock", group: "app", title: t("ui.lock.command"), icon: drawn(LockKeyhole), run: () => void lockSession() },
    { id: "sign-out", group: "app", title: t("ui.user.signOut"), icon: drawn(LogOut), run: () => void navigate("/sign-out") },
  ];
}

/** Returns all commands, in the current language. */
export function useCommands(): Command[] {
  return [...useGo(), ...useNew(), ...useSettings(), ...useSwitches(), ...useApp()];
}
