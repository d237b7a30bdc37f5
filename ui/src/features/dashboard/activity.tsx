import type { TFunction } from "i18next";
import { Activity as ActivityIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ProjectDashboard } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { Sentence, slot } from "@/components/sentence";
import { ago, panelTime } from "@/lib/format";
import { isInAppPath } from "@/lib/links";
import { withErasedPeople } from "@/records/erased-person";

type Item = ProjectDashboard["activity"][number];

/** Returns the records that an act changed, with their number if the reader may know it. */
function changedRecords(t: TFunction, { kind, count }: Item) {
  return count === undefined ? t(`ui.dashboard.uncounted.${kind}`) : t(`ui.dashboard.records.${kind}`, { count });
}

/** Returns the sentence about an item, with places for the actor and the title. */
function sentence(t: TFunction, item: Item) {
  const values = { actor: slot("actor"), title: slot("title") };
  switch (item.op) {
    case "created":
    case "updated":
    case "completed":
    case "removed":
    case "restored":
      return t(`ui.dashboard.did.${item.kind}.${item.op}`, values);
    case "joined":
      return t("ui.dashboard.did.member.joined", values);
    default:
      return t(`ui.dashboard.act.${item.op}`, { ...values, records: changedRecords(t, item) });
  }
}

/** Recent changes by members, newest first. */
export function RecentActivity({ items }: { items: Item[] }) {
  const { t } = useTranslation();
  return (
    <Card title={t("ui.dashboard.activity")}>
      {items.length === 0 ? (
        <EmptyState icon={ActivityIcon} title={t("ui.dashboard.noActivity")} text={t("ui.dashboard.noActivityText")} className="!py-8" />
      ) : (
        <ul>
          {items.slice(0, 9).map((item) => {
            const name = withErasedPeople(item.title) || t("ui.dashboard.untitled");
            return (
              <li key={item.id} className="flex gap-3 py-1.75">
                <Avatar name={item.actor.name} src={item.actor.avatar} size={32} />
                <div className="min-w-0">
                  <p className="line-clamp-2 text-soft">
                    <Sentence
                      text={sentence(t, item)}
                      slots={{
                        actor: (
                          <b dir="auto" className="font-medium text-ink">
                            {item.actor.name}
                          </b>
                        ),
                        title:
                          item.link && item.op !== "removed" && isInAppPath(item.link) ? (
                            <Link to={item.link} dir="auto" className="font-medium text-ink hover:underline">
                              {name}
                            </Link>
                          ) : (
                            <span dir="auto" className="font-medium text-ink">
                              {name}
                            </span>
                          ),
                      }}
                    />
                  </p>
                  <time dateTime={item.at} title={panelTime(item.at)} className="block text-xs text-muted">
                    {ago(item.at)}
                  </time>
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
