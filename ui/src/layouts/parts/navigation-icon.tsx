import {
  BookOpen,
  Briefcase,
  Building2,
  CalendarDays,
  ChartPie,
  CircleCheck,
  ClipboardList,
  LayoutDashboard,
  type LucideIcon,
  Settings,
  SquareUser,
  Users,
} from "lucide-react";
import { lazy, Suspense } from "react";

/** The icons of the built-in entries, which the first screen needs; the other fifty load later. */
const icons: Record<string, LucideIcon> = {
  "book-open": BookOpen,
  briefcase: Briefcase,
  "building-2": Building2,
  "calendar-days": CalendarDays,
  "chart-pie": ChartPie,
  "circle-check-big": CircleCheck,
  "clipboard-list": ClipboardList,
  contact: SquareUser,
  "layout-dashboard": LayoutDashboard,
  settings: Settings,
  users: Users,
};

const AnyIcon = lazy(() => import("@/components/icon").then(({ Icon }) => ({ default: Icon })));

/** A navigation icon by name. */
export function NavigationIcon({ name, size = 20, className }: { name: string; size?: number; className?: string }) {
  const Found = icons[name];
  if (Found) return <Found aria-hidden size={size} {...(className && { className })} />;
  return (
    <Suspense fallback={<span aria-hidden style={{ width: size, height: size }} className="inline-block" />}>
      <AnyIcon name={name} size={size} {...(className && { className })} />
    </Suspense>
  );
}
