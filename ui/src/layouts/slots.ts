import type { ReactNode } from "react";
import type { Navigation } from "@/api/schema";

/** The header's tools, in the order in which every layout shows them. */
export const toolOrder = ["language", "fullscreen", "search", "shortcuts", "messages", "notifications", "chat", "user"] as const;
export type ToolName = (typeof toolOrder)[number];

/** What the application gives a layout to place. */
export interface LayoutSlots {
  company: string;
  logo: string | null | undefined;
  navigation: Navigation;
  tools: Record<ToolName, ReactNode>;
  content: ReactNode;
  footer: ReactNode;
}
