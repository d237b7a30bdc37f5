import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "@/components/error-state";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { organizationFilter, peopleQuery } from "./data";
import { RelatedRow } from "./related-row";
import { RelatedSection } from "./related-section";

/** The people of an organization, and the way to add one. */
export function People({ id }: { id: string }) {
  const { t } = useTranslation();
  const mayRead = useMay("customers.read");
  const mayWrite = useMay("customers.write");
  const { data, error, refetch } = useQuery({ ...peopleQuery(id), enabled: mayRead });
  const list = pathOfKind("customer");
  if (!mayRead || (!mayWrite && data?.total === 0)) return null;
  return (
    <RelatedSection
      id={`people-${id}`}
      title={t("ui.customers.people")}
      add={
        mayWrite
          ? { to: `${recordKinds.customer.create.path}?organization=${id}`, label: t("ui.organizations.addPerson"), state: openedState }
          : undefined
      }
      all={
        data && data.total > data.items.length
          ? {
              to: `${list}?${new URLSearchParams({ filter: organizationFilter(id) })}`,
              label: t("ui.organizations.allPeople", { total: formatNumber(data.total) }),
            }
          : undefined
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && data.total > 0 && (
        <ul className="mt-1 -ml-2">
          {data.items.map(({ id: customerId, name, avatar, details: { title } }) => (
            <li key={customerId}>
              <RelatedRow to={`${list}/${customerId}`} name={name} line={title} picture={avatar} />
            </li>
          ))}
        </ul>
      )}
      {data?.total === 0 && <p className="mt-1 text-muted">{t("ui.organizations.noPeople")}</p>}
    </RelatedSection>
  );
}
