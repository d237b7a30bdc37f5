import type { RouteObject } from "react-router";

export const guestRoutes: RouteObject[] = [
  { path: "sign-in", lazy: { Component: async () => (await import("./sign-in-route")).SignInRoute } },
  { path: "sign-up", lazy: { Component: async () => (await import("./sign-up-page")).SignUpPage } },
  {
    path: "confirmation-required",
    lazy: { Component: async () => (await import("./confirmation-required-page")).ConfirmationRequiredPage },
  },
  { path: "activate-account", lazy: { Component: async () => (await import("./activate-account-page")).ActivateAccountPage } },
  { path: "forgot-password", lazy: { Component: async () => (await import("./forgot-password-page")).ForgotPasswordPage } },
  { path: "reset-password", lazy: { Component: async () => (await import("./reset-password-page")).ResetPasswordPage } },
];

export const signedInRoutes: RouteObject[] = [
  { path: "sign-out", lazy: { Component: async () => (await import("./sign-out-page")).SignOutPage } },
  { path: "unlock-session", lazy: { Component: async () => (await import("./unlock-session-page")).UnlockSessionPage } },
];
