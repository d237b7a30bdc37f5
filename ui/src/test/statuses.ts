import type { CustomerStatuses } from "@/api/schema";

/** The statuses that a company begins with. */
export const statuses: CustomerStatuses = {
  version: 1,
  statuses: [
    { id: "lead", name: "Lead", color: "blue", customers: 4 },
    { id: "active", name: "Active", color: "green", customers: 12 },
    { id: "inactive", name: "Inactive", color: "gray", customers: 0 },
  ],
};
