import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/lib/toast";
import { useIsRemoved } from "@/records/removed";

/** Says that a record keeps its title when its editor is left with an empty one, which is not saved. */
export function useTitleKept(id: string, title: string, isEmpty: boolean) {
  const { t } = useTranslation();
  const isRemoved = useIsRemoved(id);
  const leave = useRef<() => void>(undefined);
  leave.current = isEmpty && !isRemoved && title ? () => toast.info(t("ui.records.titleKept", { title })) : undefined;
  useEffect(() => () => leave.current?.(), []);
}
