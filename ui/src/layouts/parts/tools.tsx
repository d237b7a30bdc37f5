import { cx } from "@/lib/cx";
import { type LayoutSlots, type ToolName, toolOrder } from "../slots";

export interface ToolsProps {
  tools: LayoutSlots["tools"];
  without?: ToolName[];
  /** Whether the chat button shows only on narrow screens, or always because the layout has no rail. */
  chat?: "narrow" | "always";
}

/** The header's tools in order; a layout may leave some out. */
export function Tools({ tools, without = [], chat = "narrow" }: ToolsProps) {
  const room = (name: ToolName) =>
    cx(
      name === "fullscreen" && "hidden md:block",
      name === "chat" && chat === "narrow" && "lg:hidden",
      name === "user" && "ml-1 shrink-0 sm:ml-2",
    );
  return (
    <div data-tools="" className="ml-auto flex shrink-0 items-center sm:gap-0.5">
      {toolOrder
        .filter((name) => !without.includes(name))
        .map((name) => (
          <div key={name} className={room(name)}>
            {tools[name]}
          </div>
        ))}
    </div>
  );
}
