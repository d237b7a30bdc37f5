const entrances = ["/", "/dashboard", "/sign-in"];

/** Checks whether a guest's first screen is the sign-in page, which needs no router; corrects the address. */
export function startsAtSignIn(): boolean {
  if (!entrances.includes(location.pathname)) return false;
  if (location.pathname !== "/sign-in") {
    const wanted = location.pathname === "/" ? "/dashboard" : location.pathname + location.search + location.hash;
    history.replaceState(null, "", `/sign-in?redirectURL=${encodeURIComponent(wanted)}`);
  }
  return true;
}
