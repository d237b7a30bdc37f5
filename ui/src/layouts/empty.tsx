import { Content } from "./parts/content";
import type { LayoutSlots } from "./slots";

/** The screen without navigation. */
export function EmptyLayout({ screen }: LayoutSlots) {
  return (
    <div className="flex min-h-dvh flex-col bg-page">
      <Content screen={screen} />
    </div>
  );
}
