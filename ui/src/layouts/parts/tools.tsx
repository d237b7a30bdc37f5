import { type LayoutSlots, type ToolName, toolOrder } from "../slots";

/** The header's tools in their order; a layout may leave some out. */
export function Tools({ tools, without = [] }: { tools: LayoutSlots["tools"]; without?: ToolName[] }) {
  return (
    <div className="ml-auto flex shrink-0 items-center sm:gap-0.5">
      {toolOrder
        .filter((name) => !without.includes(name))
        .map((name) => (
          <div key={name} className={name === "fullscreen" ? "hidden md:block" : name === "user" ? "ml-1 sm:ml-2" : undefined}>
            {tools[name]}
          </div>
        ))}
    </div>
  );
}
