import type { Deal, Pipeline } from "@/api/schema";

/** The stages and reasons that a company begins with, some of them. */
export const pipeline: Pipeline = {
  version: 1,
  stages: [
    { id: "new", name: "New", probability: 10 },
    { id: "qualified", name: "Qualified", probability: 25 },
    { id: "proposal", name: "Proposal", probability: 50 },
  ],
  reasons: [
    { id: "price", name: "Price", outcome: "lost" },
    { id: "service", name: "Our service", outcome: "won" },
    { id: "old", name: "Old reason", outcome: "lost", removed: true },
  ],
};

/** A deal, as the server returns it. */
export const makeDeal = (id: string, title: string, more: Partial<Deal> = {}): Deal => ({
  id,
  title,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  createdBy: "u1",
  stageId: "new",
  outcome: "open",
  tags: [],
  visibility: { to: "company", people: [] },
  fields: {},
  ...more,
});
