import { Outlet } from "react-router";

/** Nothing around the screen; the loading bar is above every layout. */
export function EmptyLayout() {
  return <Outlet />;
}
