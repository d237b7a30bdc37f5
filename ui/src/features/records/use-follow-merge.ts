import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { ApiError } from "@/api/errors";
import { toast } from "@/lib/toast";
import { type CreatedKind, pathOfKind } from "@/records/kinds";
import { titleQuery } from "@/records/record-titles";

/**
 * Leads from a record that was merged into another one to that one. `error` is that of its call, and `title` its name, if
 * it is known.
 */
export function useFollowMerge(kind: CreatedKind, error: unknown, title: string | undefined) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { search, state } = useLocation();
  const keptId = error instanceof ApiError && error.code === "not_found" ? error.problem.mergedInto : undefined;
  const follow = useEffectEvent(async (id: string) => {
    const kept = await client.fetchQuery(titleQuery(kind, id)).catch(() => "");
    if (kept) toast.info(title ? t("ui.duplicates.wasMerged", { title, kept }) : t("ui.duplicates.thisWasMerged", { kept }));
    void navigate(`${pathOfKind(kind)}/${id}${search}`, { replace: true, preventScrollReset: true, state });
  });
  useEffect(() => {
    if (keptId) void follow(keptId);
  }, [keptId]);
  return keptId !== undefined;
}
