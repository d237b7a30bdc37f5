import { useEffect } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { LoadingBar } from "@/components/loading-bar";
import { Toaster } from "@/components/toaster";
import { hideSplash } from "@/lib/splash";

/** Around every screen; it is first shown when the first navigation has ended, so the splash goes then. */
export function Root() {
  useEffect(hideSplash, []);
  return (
    <>
      <LoadingBar />
      <Outlet />
      <Toaster />
      <ScrollRestoration />
    </>
  );
}
