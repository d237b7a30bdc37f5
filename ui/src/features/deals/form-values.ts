import type { Deal, InputOf } from "@/api/schema";
import { textOrNull } from "@/lib/text-or-null";

/** The form's values: none is absent. */
export interface DealValues {
  title: string;
  customerId: string | null;
  organizationId: string | null;
  value: Deal["value"] | null;
  stageId: string | null;
  expectedDay: string | null;
  ownerId: string | null;
  outcome: Deal["outcome"];
  reasonId: string | null;
  reason: string;
  tags: string[];
  about: string;
  visibility: Deal["visibility"];
}

export const toValues = (deal: Deal | undefined): DealValues => ({
  title: deal?.title ?? "",
  customerId: deal?.customerId ?? null,
  organizationId: deal?.organizationId ?? null,
  value: deal?.value ?? null,
  stageId: deal?.stageId ?? null,
  expectedDay: deal?.expectedDay ?? null,
  ownerId: deal?.ownerId ?? null,
  outcome: deal?.outcome ?? "open",
  reasonId: deal?.reasonId ?? null,
  reason: deal?.reason ?? "",
  tags: deal?.tags ?? [],
  about: deal?.about ?? "",
  visibility: deal?.visibility ?? { to: "company", people: [] },
});

/** Returns the request body; empty fields are null. A new deal without a stage begins in the first one. */
export const toInput = ({ stageId, ...values }: DealValues): InputOf<"deal"> => ({
  title: values.title.trim(),
  customerId: values.customerId,
  organizationId: values.organizationId,
  value: values.value ?? null,
  ...(stageId && { stageId }),
  expectedDay: values.expectedDay,
  ownerId: values.ownerId,
  outcome: values.outcome,
  // A reason belongs to the outcome that it was given for.
  reasonId: values.outcome === "open" ? null : values.reasonId,
  reason: values.outcome === "open" ? null : textOrNull(values.reason),
  tags: values.tags,
  about: textOrNull(values.about),
  visibility: values.visibility,
});
