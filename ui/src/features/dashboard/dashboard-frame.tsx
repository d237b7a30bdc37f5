import { useQuery } from "@tanstack/react-query";
import { CalendarPlus, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router";
import { ButtonLink } from "@/components/button-link";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Sentence, slot } from "@/components/sentence";
import { TabNav } from "@/components/tab-nav";
import { useMay, useUser } from "@/features/account/data";
import { longDate } from "@/lib/format";
import { clock } from "@/lib/zone";
import { useTitle } from "@/shell/use-title";
import { defaultFlowDays, ownDueQuery, projectQuery } from "./data";
import { partOfDay } from "./greeting";

function Lead() {
  const { t } = useTranslation();
  const { id } = useUser();
  const { data } = useQuery(projectQuery(defaultFlowDays));
  const { data: tasks } = useQuery(ownDueQuery(id));
  if (!data || tasks === undefined) return <span className="invisible">{t("ui.dashboard.nothing")}</span>;
  const { events } = data.today;
  if (tasks === 0 && events === 0) return t("ui.dashboard.nothing");
  const strong = (text: string) => <b className="font-semibold text-body">{text}</b>;
  return (
    <Sentence
      text={t(`ui.dashboard.${tasks === 0 ? "leadNoTasks" : events === 0 ? "leadNoEvents" : "lead"}`, {
        tasks: slot("tasks"),
        events: slot("events"),
      })}
      slots={{ tasks: strong(t("ui.dashboard.tasks", { count: tasks })), events: strong(t("ui.dashboard.events", { count: events })) }}
    />
  );
}

/** The greeting, the day's summary, and the two tabs. */
export function DashboardFrame() {
  const { t, i18n } = useTranslation();
  const user = useUser();
  const { pathname } = useLocation();
  const mayTask = useMay("tasks.write");
  const mayEvent = useMay("events.write");
  const now = new Date();
  useTitle(t("ui.dashboard.title"));
  return (
    <Page>
      <PageHead
        title={t(`ui.dashboard.greeting.${partOfDay(Number(clock(now).slice(0, 2)), i18n.language)}`, {
          name: user.personal.firstname || user.name,
        })}
        lead={
          <>
            <span className="block first-letter:uppercase">{longDate(now)}</span>
            <Lead />
          </>
        }
        actions={
          <>
            {mayEvent && (
              <ButtonLink to="/events/new" icon={CalendarPlus}>
                {t("ui.dashboard.newEvent")}
              </ButtonLink>
            )}
            {mayTask && (
              <ButtonLink to="/tasks/new" variant="primary" icon={Plus}>
                {t("ui.dashboard.newTask")}
              </ButtonLink>
            )}
          </>
        }
      />
      <TabNav
        label={t("ui.dashboard.title")}
        items={[
          { to: pathname === "/dashboard" ? "/dashboard" : "/dashboards/project", label: t("ui.dashboard.project") },
          { to: "/dashboards/analytics", label: t("ui.dashboard.analytics") },
        ]}
      />
      <div className="@container">
        <Outlet />
      </div>
    </Page>
  );
}
