import { type RouteObject, redirect } from "react-router";

const note = async () => (await import("./guest-note-page")).GuestNotePage;

export const guestRoutes: RouteObject[] = [
  { path: "sign-in", lazy: { Component: async () => (await import("./sign-in-route")).SignInRoute } },
  // Administrators add people and the operator sets passwords: here one reads whom to ask.
  { path: "sign-up", lazy: { Component: note } },
  { path: "forgot-password", lazy: { Component: note } },
  { path: "reset-password", lazy: { Component: note } },
  { path: "activate-account", lazy: { Component: note } },
  // No address needs to be confirmed.
  { path: "confirmation-required", loader: () => redirect("/sign-in") },
];

export const signedInRoutes: RouteObject[] = [
  { path: "sign-out", lazy: { Component: async () => (await import("./sign-out-page")).SignOutPage } },
  // No session is ever locked: who is signed in goes on.
  { path: "unlock-session", loader: () => redirect("/dashboard") },
];
