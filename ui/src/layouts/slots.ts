import type { ReactNode } from "react";
import type { Navigation } from "@/api/schema";

/** The header's tools, in the order of every layout. */
export const toolOrder = ["language", "fullscreen", "search", "shortcuts", "messages", "notifications", "chat", "user"] as const;
export type ToolName = (typeof toolOrder)[number];

/** The signed-in member, for layouts that show them beside the navigation. */
interface Person {
  name: string;
  email: string;
  avatar?: string | null | undefined;
  /** The user menu behind an icon, if the layout shows the avatar elsewhere. */
  menu: ReactNode;
}

/** The parts that the application passes to a layout. */
export interface LayoutSlots {
  company: string;
  /** The company's logotypes, for light and dark backgrounds. */
  logo: { onLight?: string | null | undefined; onDark?: string | null | undefined };
  navigation: Navigation;
  tools: Record<ToolName, ReactNode>;
  person: Person;
  /** The company's help: a path of this application, an external page or an e-mail address. */
  support: string;
  /** The element that contains the screen; it is kept when the layout changes. */
  screen: HTMLElement;
  /** The list of conversations at the side. */
  rail: ReactNode;
  version: string;
}
