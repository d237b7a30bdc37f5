import type { ReactNode } from "react";
import type { Navigation } from "@/api/schema";

/** The header's tools, in the order in which every layout shows them. */
export const toolOrder = ["language", "fullscreen", "search", "shortcuts", "messages", "notifications", "chat", "user"] as const;
export type ToolName = (typeof toolOrder)[number];

/** Who is signed in, for the layouts that show it beside their navigation. */
interface Person {
  name: string;
  email: string;
  avatar?: string | null | undefined;
  /** The user menu behind an icon, where the picture stands elsewhere. */
  menu: ReactNode;
}

/** What the application gives a layout to place. */
export interface LayoutSlots {
  company: string;
  /** Pictures of the company's name, by the ground they are made for. */
  logo: { onLight?: string | null | undefined; onDark?: string | null | undefined };
  navigation: Navigation;
  tools: Record<ToolName, ReactNode>;
  person: Person;
  /** Where the company's people find help: a path of ours, a page elsewhere or a mail address. */
  support: string;
  /** What holds the screen: it lives on when the layout around it changes. */
  screen: HTMLElement;
  /** The team's conversations at the edge. */
  rail: ReactNode;
  version: string;
}
