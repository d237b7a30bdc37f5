import { useEffect } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { LoadingBar } from "@/components/loading-bar";
import { Toaster } from "@/components/toaster";
import { keepFocus } from "@/lib/keep-focus";
import { hideSplash } from "@/lib/splash";

/** Wraps every screen. It is first shown after the first navigation, which removes the splash. */
export function Root() {
  useEffect(hideSplash, []);
  useEffect(keepFocus, []);
  return (
    <>
      <LoadingBar />
      <Outlet />
      <Toaster />
      <ScrollRestoration />
    </>
  );
}
