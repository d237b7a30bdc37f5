import { type RouteObject, redirect } from "react-router";

const toAccount = () => redirect("/settings/account");

export const settingsRoutes: RouteObject[] = [
  {
    path: "settings",
    lazy: { Component: async () => (await import("./settings-page")).SettingsPage },
    children: [
      { index: true, loader: toAccount },
      { path: "account", lazy: { Component: async () => (await import("./account-section")).AccountSection } },
      { path: "appearance", lazy: { Component: async () => (await import("./appearance-section")).AppearanceSection } },
      {
        path: "notifications",
        lazy: { Component: async () => (await import("./notifications/notifications-section")).NotificationsSection },
      },
      { path: "security", lazy: { Component: async () => (await import("@/features/security/security-section")).SecuritySection } },
      { path: "company", lazy: { Component: async () => (await import("./company-section")).CompanySection } },
      { path: "company/tags", lazy: { Component: async () => (await import("@/features/tags/tags-section")).TagsSection } },
      { path: "company/health", lazy: { Component: async () => (await import("./company/health-section")).HealthSection } },
      { path: "audit", lazy: { Component: async () => (await import("./audit/audit-section")).AuditSection } },
      { path: "data/fields", lazy: { Component: async () => (await import("@/features/fields/fields-section")).FieldsSection } },
      { path: "data/imports", lazy: { Component: async () => (await import("@/features/imports/imports-section")).ImportsSection } },
      { path: "data/bin", lazy: { Component: async () => (await import("@/features/bin/bin-section")).BinSection } },
      { path: "*", loader: toAccount },
    ],
  },
];
