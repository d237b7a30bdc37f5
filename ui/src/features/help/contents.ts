/** The guides by topic, in reading order; each has a file per language. */
export const contents = {
  "getting-started": ["introduction", "signing-in", "finding-things", "keyboard", "shortcuts"],
  work: ["dashboard", "customers", "deals", "tasks", "events", "pages", "import"],
  together: ["messages", "notifications", "chat", "comments"],
  company: ["team", "settings", "fields", "privacy"],
} as const;

export type Topic = keyof typeof contents;
export const topics = Object.keys(contents) as Topic[];
