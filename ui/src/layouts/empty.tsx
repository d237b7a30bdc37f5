import { Outlet } from "react-router";
import { Content } from "./parts/content";
import type { LayoutSlots } from "./slots";

/** The screen without navigation; the loading bar is above every layout. */
export function EmptyLayout() {
  return <Outlet />;
}

/** The same within the application, to see a screen alone. */
export function EmptyFrame({ screen }: LayoutSlots) {
  return (
    <div className="flex min-h-dvh flex-col bg-page">
      <Content screen={screen} />
    </div>
  );
}
