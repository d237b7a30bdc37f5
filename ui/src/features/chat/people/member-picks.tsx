import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChatContact } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Checkbox } from "@/components/checkbox";
import { ErrorState } from "@/components/error-state";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { Tag } from "@/components/tag";
import { fold } from "@/lib/fold";
import { contactsQuery } from "../data";

export interface MemberPicksProps {
  chosen: string[];
  onChange: (chosen: string[]) => void;
  /** Members who are not offered, because they are in the group. */
  without?: string[];
}

/** Chooses several colleagues. */
export function MemberPicks({ chosen, onChange, without = [] }: MemberPicksProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(contactsQuery);
  const [text, setText] = useState("");
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonRows rows={3} />;
  const offered = data.filter(({ id }) => !without.includes(id));
  const found = offered.filter(({ name }) => fold(name).includes(fold(text)));
  const named = chosen.flatMap((id) => offered.find((one) => one.id === id) ?? []);
  const toggle = ({ id }: ChatContact) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div role="group" aria-label={t("ui.chat.members")} className="min-w-0">
      <SearchField label={t("ui.chat.findContact")} value={text} onChange={setText} />
      {named.length > 0 && (
        <div className="mt-2.5 flex flex-wrap gap-1.5">
          {named.map((one) => (
            <Tag key={one.id} onRemove={() => toggle(one)}>
              {one.name}
            </Tag>
          ))}
        </div>
      )}
      <ul className="mt-2 max-h-60 overflow-y-auto">
        {found.map((one) => (
          <li key={one.id}>
            <Checkbox
              checked={chosen.includes(one.id)}
              onChange={() => toggle(one)}
              className="!flex min-h-12 w-full min-w-0 cursor-pointer items-center !gap-3 rounded-lg px-2 py-1.5 hover:bg-hover"
            >
              <Avatar name={one.name} src={one.avatar} size={32} />
              <span className="min-w-0">
                <span dir="auto" className="block truncate font-medium text-ink">
                  {one.name}
                </span>
                {one.about && (
                  <span dir="auto" className="block truncate text-sm text-muted">
                    {one.about}
                  </span>
                )}
              </span>
            </Checkbox>
          </li>
        ))}
        {found.length === 0 && <li className="px-2 py-3 text-muted">{t("ui.search.none")}</li>}
      </ul>
    </div>
  );
}
