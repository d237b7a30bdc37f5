import { useTranslation } from "react-i18next";
import type { Deal, Visibility } from "@/api/schema";
import { useMay, useUser } from "@/features/account/data";
import { VisibilityButton } from "@/features/record-parts/visibility";
import { useMembers } from "@/features/team/data";

export interface DealVisibilityProps {
  /** Undefined for a new one. */
  deal: Deal | undefined;
  ownerId: string | null | undefined;
  value: Visibility;
  isField?: boolean;
  onSave: (value: Visibility) => Promise<unknown>;
}

/** Shows who can see a deal, and lets its author and administrators change it. */
export function DealVisibility({ deal, ownerId, value, isField = false, onSave }: DealVisibilityProps) {
  const { t } = useTranslation();
  const user = useUser();
  const { find } = useMembers();
  const mayWrite = useMay("deals.write");
  const mayAll = useMay("deals.delete");
  const author = deal ? deal.createdBy : user.id;
  const owner = ownerId && ownerId !== author ? find(ownerId)?.name : undefined;
  return (
    <VisibilityButton
      value={value}
      author={author}
      mayChange={mayWrite && (mayAll || author === user.id)}
      notes={owner ? [t("ui.deals.ownerToo", { name: owner })] : []}
      isField={isField}
      onSave={onSave}
    />
  );
}
