import type { Chat, ChatMessage } from "@/api/schema";

/** A message, as the server returns it. */
export const message = (id: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  id,
  chatId: "c",
  contactId: more.isMine ? "u1" : "m",
  kind: "text",
  value: `Text ${id}`,
  createdAt: "2025-11-21T09:00:00Z",
  isMine: false,
  removed: false,
  reactions: [],
  attachments: [],
  mentions: [],
  references: [],
  ...more,
});

/** A conversation of two members. */
export const pair = (more: Partial<Chat> = {}): Chat => ({
  id: "c",
  kind: "pair",
  contactId: "m",
  unreadCount: 0,
  muted: false,
  contact: { id: "m", name: "José Núñez", status: "online" },
  read: [],
  ...more,
});

/** A conversation of three members, owned by the signed-in one. */
export const group = (more: Partial<Chat> = {}): Chat => ({
  ...pair(),
  kind: "group",
  id: "g",
  contactId: "g",
  contact: { id: "g", name: "Spring fair", status: "not-visible" },
  group: {
    name: "Spring fair",
    ownerId: "u1",
    members: [
      { id: "u1", name: "Mira Okafor", status: "online" },
      { id: "m", name: "José Núñez", status: "online" },
      { id: "a", name: "Ana López", status: "away" },
    ],
  },
  ...more,
});
