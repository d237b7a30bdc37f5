import type { RouteObject } from "react-router";

const page = { Component: async () => (await import("./page/chat-page")).ChatPage };

export const chatRoutes: RouteObject[] = [
  // One screen for both paths, so that the list stays when the conversation changes.
  { path: "chat", lazy: page, children: [{ path: ":id", element: null }] },
];
