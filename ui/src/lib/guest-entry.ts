const entrances = ["/", "/dashboard", "/sign-in"];

/** Whether this guest's first screen is the sign-in page, which needs no router; the address is put right. */
export function startsAtSignIn(): boolean {
  if (!entrances.includes(location.pathname)) return false;
  if (location.pathname !== "/sign-in") {
    const wanted = location.pathname === "/" ? "/dashboard" : location.pathname + location.search + location.hash;
    history.replaceState(null, "", `/sign-in?redirectURL=${encodeURIComponent(wanted)}`);
  }
  return true;
}
