import {
  BellRing,
  Building2,
  FileInput,
  HeartPulse,
  History,
  type LucideIcon,
  Palette,
  ShieldCheck,
  Tags,
  TextCursorInput,
  Trash2,
  UserRound,
} from "lucide-react";
import type { Permission } from "@/api/schema";
import { useUser } from "@/features/account/data";

const sections = [
  { name: "account", path: "account", icon: UserRound },
  { name: "appearance", path: "appearance", icon: Palette },
  { name: "notifications", path: "notifications", icon: BellRing },
  { name: "security", path: "security", icon: ShieldCheck },
  { name: "company", path: "company", icon: Building2, right: "settings.company" },
  { name: "tags", path: "company/tags", icon: Tags, right: "settings.company" },
  { name: "health", path: "company/health", icon: HeartPulse, right: "settings.company" },
  { name: "audit", path: "audit", icon: History, right: "audit.read" },
  { name: "fields", path: "data/fields", icon: TextCursorInput, right: "fields.manage" },
  { name: "imports", path: "data/imports", icon: FileInput },
  { name: "bin", path: "data/bin", icon: Trash2 },
] as const satisfies { name: string; path: string; icon: LucideIcon; right?: Permission }[];

/** Returns the sections of the settings that the member may open, with their addresses. */
export function useSettingsSections() {
  const { permissions } = useUser();
  return sections
    .filter((section) => !("right" in section) || permissions.includes(section.right))
    .map(({ name, path, icon }) => ({ name, icon, to: `/settings/${path}` }));
}
