import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Avatar } from "@/components/avatar";
import { ErrorState } from "@/components/error-state";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { organizationFilter, peopleQuery } from "./data";
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
              <Link
                to={`${list}/${customerId}`}
                state={openedState}
                className="flex min-h-11 items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-hover"
              >
                <Avatar name={name} src={avatar} size={32} />
                <span className="min-w-0">
                  <span dir="auto" title={name} className="block truncate font-medium text-ink">
                    {name}
                  </span>
                  {title && (
                    <span dir="auto" title={title} className="block truncate text-sm text-muted">
                      {title}
                    </span>
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {data?.total === 0 && <p className="mt-1 text-muted">{t("ui.organizations.noPeople")}</p>}
    </RelatedSection>
  );
}
