import type { KnowledgePage } from "@/api/schema";
import { mira } from "./people";

/** A page for tests. */
export const page: KnowledgePage = {
  id: "p1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  createdBy: mira.id,
  title: "Handbook",
  order: 1,
  status: "draft",
  visibility: { to: "company", people: [] },
  limited: false,
  body: "<p>Old</p>",
  fields: {},
};
