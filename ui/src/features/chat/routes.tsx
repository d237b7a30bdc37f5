import type { RouteObject } from "react-router";

const page = { Component: async () => (await import("./page/chat-page")).ChatPage };

export const chatRoutes: RouteObject[] = [
  // One screen for both, so that the list stays while one goes from talk to talk.
  { path: "chat", lazy: page, children: [{ path: ":id", element: null }] },
];
