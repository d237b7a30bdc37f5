import { renderHook } from "@testing-library/react";
import { useForm } from "react-hook-form";
import { expect, it } from "vitest";
import { hasUnsentWork, readDraft, writeDraft } from "@/lib/drafts";
import { useFormBaseline } from "./use-conflict";
import { useFormDraft } from "./use-form-draft";

it("discarding a draft also deletes its base record", () => {
  const record = { id: "c1", version: 1, name: "Ana" };
  writeDraft("u1", "customer.c1", { name: "Ana L" });
  writeDraft("u1", "customer.c1.base", record);
  const { result } = renderHook(() => {
    const baseline = useFormBaseline({ ...record, version: 2 }, "u1", "customer.c1");
    const form = useForm({ defaultValues: { name: baseline.base?.name ?? "" } });
    return { baseline, draft: useFormDraft(form, "u1", "customer.c1") };
  });
  expect(result.current.baseline.base?.version).toBe(1);
  expect(result.current.draft.restored).toBe(true);
  result.current.draft.finish();
  expect(readDraft("u1", "customer.c1.base")).toBeUndefined();
  expect(hasUnsentWork("u1")).toBe(false);
});
