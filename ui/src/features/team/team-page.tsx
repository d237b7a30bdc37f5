import { useQuery } from "@tanstack/react-query";
import { CircleDot, MessageCircle, SearchX, ShieldCheck, SquarePen, UserPlus, Users } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { Member } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { FilterMenu } from "@/components/filter-menu";
import { IconButton } from "@/components/icon-button";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Pager } from "@/components/pager";
import { type RecordColumn, RecordTable } from "@/components/record-table";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { compose } from "@/features/notices/compose/store";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { oneOf, recordId, searchText } from "@/lib/search-params";
import { useSearchText } from "@/lib/use-address";
import { useListKeys } from "@/lib/use-list-keys";
import { usePaging } from "@/lib/use-paging";
import { createState } from "@/records/kinds";
import { useTitle } from "@/shell/use-title";
import { AddMemberDialog } from "./add-member-dialog";
import { stateCountsQuery, states, teamPage, teamQuery, useMembers } from "./data";
import { InviteDialog } from "./invite-dialog";
import { useSendAgain } from "./member-administration";
import { MemberDrawer, useMessage } from "./member-drawer";
import { MemberAvatar, MemberState, roles, Seen, useManages } from "./roles";

const parsers = { q: searchText, role: oneOf(roles), state: oneOf(states), member: recordId };

/** The company's members. */
export function TeamPage() {
  const { t } = useTranslation();
  const maySend = useMay("messages.send");
  const navigate = useNavigate();
  const paging = usePaging(teamPage, parsers);
  const [search] = useSearchParams();
  const { mayAdd, mayChange, isSelf } = useManages();
  const message = useMessage();
  const { members } = useMembers();
  const again = useSendAgain();
  const [adding, setAdding] = useState<"invite" | "password" | undefined>();
  const list = useRef<HTMLDivElement>(null);
  const isAsked = useLocation().state === createState && mayAdd;
  useEffect(() => {
    if (!isAsked) return;
    setAdding("invite");
    void navigate("/team/list", { replace: true });
  }, [isAsked, navigate]);
  useTitle(t("ui.team.title"));
  useListKeys(list, mayAdd ? () => setAdding("invite") : undefined);

  const { filters, set } = paging;
  const { q, role, state, member: current } = filters;
  const { text, setText, clear: clearText } = useSearchText(q, set);
  const { data, error, refetch, isPlaceholderData } = useQuery(teamQuery({ q, role, state, cursor: paging.cursor }));
  const open = [...(data?.items ?? []), ...members].find((member) => member.id === current);
  const address = (id: string | undefined) => {
    const next = new URLSearchParams(search);
    if (id) next.set("member", id);
    else next.delete("member");
    return `/team/list${next.size > 0 ? `?${next}` : ""}`;
  };
  const narrowed = Boolean(q || role || state);
  const counts = useQuery({ ...stateCountsQuery, enabled: !narrowed }).data;
  /** Only who has joined is in the company; others are named by their state. */
  const inCompany = counts?.map(({ state: of, count }) => t(`ui.team.counts.${of}`, { count, total: formatNumber(count) })).join(" · ");
  const lead = narrowed ? data && t("ui.team.found", { count: data.total, total: formatNumber(data.total) }) : inCompany;
  const clear = () => {
    clearText();
    set({ q: undefined, role: undefined, state: undefined });
  };

  const columns: RecordColumn<Member>[] = [
    { id: "role", label: t("ui.team.role"), cell: (one) => t(`ui.team.roles.${one.role}`) },
    { id: "state", label: t("ui.team.state"), cell: (one) => <MemberState state={one.state} /> },
    { id: "seen", label: t("ui.team.seen"), className: "@max-[660px]:hidden", cell: (one) => <Seen member={one} /> },
    {
      id: "email",
      label: t("ui.team.email"),
      className: "@max-[920px]:hidden max-w-64",
      cell: (one) => (
        <a href={`mailto:${one.email}`} className="block truncate hover:underline">
          {one.email}
        </a>
      ),
    },
    {
      id: "message",
      label: "",
      className: "w-24 text-right",
      cell: (one) =>
        !isSelf(one) &&
        (one.state === "active" ? (
          <span className="flex justify-end">
            {maySend && (
              <IconButton
                label={t("ui.messages.newTo", { name: one.name })}
                icon={SquarePen}
                size="sm"
                onClick={() => compose({ to: [one.id] })}
              />
            )}
            <IconButton label={t("ui.team.messageTo", { name: one.name })} icon={MessageCircle} size="sm" onClick={() => message(one.id)} />
          </span>
        ) : (
          one.state === "invited" &&
          mayChange(one) && (
            <IconButton
              label={t(again.mailOff ? "ui.team.invite.getLinkOf" : "ui.team.invite.resendTo", { email: one.email })}
              icon={again.icon}
              size="sm"
              onClick={() => again.send(one)}
              className="ml-auto"
            />
          )
        )),
    },
  ];

  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
    if (data.items.length === 0) {
      return narrowed ? (
        <EmptyState
          icon={SearchX}
          title={t("ui.list.noMatch")}
          text={t("ui.list.noMatchText")}
          action={<Button onClick={clear}>{t("ui.list.clearFilters")}</Button>}
        />
      ) : (
        <EmptyState icon={Users} title={t("ui.team.empty")} />
      );
    }
    return (
      <>
        <RecordTable
          label={t("ui.team.title")}
          titleLabel={t("ui.team.name")}
          columns={columns}
          records={data.items}
          current={current}
          to={(one) => address(one.id)}
          title={(one) => ({
            name: isSelf(one) ? t("ui.team.you", { name: one.name }) : one.name,
            line: one.title,
            icon: <MemberAvatar member={one} />,
          })}
          card={(one) => (
            <>
              <span>{t(`ui.team.roles.${one.role}`)}</span>
              <MemberState state={one.state} />
              <Seen member={one} />
            </>
          )}
          className={cx("transition-opacity duration-150", isPlaceholderData && "opacity-60")}
        />
        <Pager list={data} paging={paging} optional />
      </>
    );
  };

  return (
    <Page>
      <PageHead
        title={t("ui.team.title")}
        lead={lead ?? <span className="invisible">{t("ui.team.title")}</span>}
        actions={
          mayAdd && (
            <Button variant="primary" icon={UserPlus} onClick={() => setAdding("invite")}>
              {t("ui.team.invite.title")}
            </Button>
          )
        }
      />
      <Card flush>
        <div role="search" className="flex flex-wrap gap-2 border-b border-line px-4 py-3.5">
          <SearchField label={t("ui.team.search")} value={text} onChange={setText} className="w-full sm:w-60" />
          <FilterMenu
            icon={ShieldCheck}
            label={t("ui.team.role")}
            value={role}
            onChange={(value) => set({ role: value })}
            options={roles.map((value) => ({ value, label: t(`ui.team.roles.${value}`) }))}
          />
          <FilterMenu
            icon={CircleDot}
            label={t("ui.team.state")}
            value={state}
            onChange={(value) => set({ state: value })}
            options={states.map((value) => ({ value, label: t(`ui.team.states.${value}`) }))}
          />
        </div>
        <div ref={list}>{content()}</div>
      </Card>
      {again.dialog}
      {adding === "invite" && <InviteDialog onClose={() => setAdding(undefined)} onAdd={() => setAdding("password")} />}
      {adding === "password" && <AddMemberDialog onClose={() => setAdding(undefined)} />}
      {open && <MemberDrawer member={open} onClose={() => void navigate(address(undefined), { preventScrollReset: true })} />}
    </Page>
  );
}
