import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleX, Kanban, Trophy } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import type { Deal, Pipeline } from "@/api/schema";
import { Board, type BoardTarget } from "@/components/board";
import { BoardColumn } from "@/components/board-column";
import { ButtonLink } from "@/components/button-link";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import type { MoveCard } from "@/components/use-board";
import { useMay } from "@/features/account/data";
import { moneyText } from "@/features/fields/money";
import type { AnyList } from "@/features/lists/use-list";
import { useMembers } from "@/features/team/data";
import { toast } from "@/lib/toast";
import { useAddressQuery } from "@/lib/use-address";
import { recordQuery } from "@/records/data";
import { pathOfKind } from "@/records/kinds";
import { parseFilter } from "@/records/list/filters";
import { pipelineQuery } from "@/records/pipeline";
import { type BoardRequest, boardSumsQuery, cardsOf, columnQuery, type DealMove, dealOnBoard, useMoveDeal, withMoved } from "./board/data";
import { DealCard, MembersContext } from "./board/deal-card";
import { landingPlace } from "./board/landing-place";
import { useLoss } from "./close-dialog";
import { addressOfView } from "./deal-views";
import type { Closing } from "./reason-fields";

/** The targets of the board; a stage has no such id. */
const closing = { "outcome.won": "won", "outcome.lost": "lost" } as const;
const outcomeOf = (place: string) => closing[place as keyof typeof closing] as (typeof closing)[keyof typeof closing] | undefined;

/** Whether a filter leaves out all open deals, which are those that the board shows. */
const leavesOutOpen = (text: string) => {
  const filter = parseFilter(text);
  return filter?.column === "outcome" && filter.operator === "is" && !filter.values.includes("open");
};

/** The toasts of moves: one at a time, so that they do not cover the board. */
const movesGroup = "deal-moves";

const titleOf = ({ title }: Deal) => title;
const content = (deal: Deal) => <DealCard deal={deal} />;

interface ColumnProps {
  stage: Pipeline["stages"][number];
  list: AnyList;
  request: BoardRequest;
  /** The id of the deal that was moved last, which stays in sight. */
  moved: string | undefined;
  onMove: MoveCard;
}

function DealColumn({ stage, list, request, moved, onMove }: ColumnProps) {
  const client = useQueryClient();
  const { id: current } = useParams();
  const query = useInfiniteQuery({ ...columnQuery(stage.id, request), enabled: list.mayRead });
  const { data: sums } = useQuery({ ...boardSumsQuery(request), enabled: list.mayRead });
  const data = list.isKnown ? query.data : undefined;
  const hasMore = query.hasNextPage;
  const read = useMemo(() => data && cardsOf(data), [data]);
  const isBeyond = moved !== undefined && hasMore && read?.every(({ id }) => id !== moved);
  const { data: beyond } = useQuery({ ...recordQuery("deal", moved ?? ""), enabled: isBeyond === true });
  const cards = useMemo(() => read && withMoved(read, isBeyond ? beyond : undefined, stage.id), [read, isBeyond, beyond, stage.id]);
  return (
    <BoardColumn
      id={stage.id}
      title={stage.name}
      count={list.isKnown ? (sums?.groups?.find(({ value }) => value === stage.id)?.count ?? data?.pages[0]?.total) : undefined}
      sums={(list.isKnown ? (sums?.items ?? []) : []).flatMap(({ group, currency, sum, count }) =>
        group === stage.id && currency && count > 0 ? [moneyText({ amount: sum, currency })] : [],
      )}
      cards={cards}
      error={query.error}
      onRetry={() => void query.refetch()}
      hasMore={hasMore}
      isReading={query.isFetchingNextPage}
      onMore={() => void query.fetchNextPage({ cancelRefetch: false })}
      titleOf={titleOf}
      to={({ id }) => `${pathOfKind("deal")}/${id}${list.addressText}`}
      current={current}
      placeOf={(id) => {
        const deal = dealOnBoard(client, id);
        return deal && cards ? landingPlace(deal, cards, request.sort) : 0;
      }}
      onMove={onMove}
      content={content}
    />
  );
}

/** The open deals by stage. A deal is moved to another stage, or to one of the targets, where it is won or lost. */
export function DealBoard({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mayWrite = useMay("deals.write");
  const { search } = useAddressQuery({});
  const pipeline = useQuery(pipelineQuery);
  const { members } = useMembers();
  const byId = useMemo(() => (members.length > 0 ? new Map(members.map((member) => [member.id, member])) : undefined), [members]);
  const { q, filter, sort } = list.request;
  const request: BoardRequest = { q, filter, sort };
  const { mutateAsync } = useMoveDeal(request);
  const [moved, setMoved] = useState<string>();
  const loss = useLoss();
  const stages = pipeline.data?.stages ?? [];

  const show = (deal: Deal, move: DealMove, text?: string) =>
    mutateAsync({ deal, move }).then(
      (saved) => {
        setMoved(saved.id);
        if (text === undefined) return true;
        const back: DealMove = move.outcome ? { outcome: deal.outcome } : { stageId: deal.stageId };
        toast.success(
          text,
          { label: t("ui.action.undo"), run: () => show(saved, back), undone: t("ui.undo.what", { what: deal.title }) },
          movesGroup,
        );
        return true;
      },
      // The reason is in a toast.
      () => false,
    );
  const lose = async (deal: Deal, before?: Closing) => {
    const move = await loss.ask(deal, before);
    if (!move) return false;
    // It may have changed in the meantime.
    const shown = show(dealOnBoard(client, deal.id) ?? deal, move, t("ui.board.lost", { title: deal.title }));
    // A reason that could not be saved is asked again, as it was typed.
    void shown.then((isSaved) => {
      if (!isSaved && move.reason) void lose(deal, move);
    });
    return true;
  };
  const onMove: MoveCard = (id, to) => {
    const deal = dealOnBoard(client, id);
    if (!deal) return;
    const { title } = deal;
    const outcome = outcomeOf(to);
    if (outcome === "lost") return lose(deal);
    if (outcome) void show(deal, { outcome }, t(`ui.board.${outcome}`, { title }));
    else void show(deal, { stageId: to }, t("ui.board.moved", { title, column: stages.find((stage) => stage.id === to)?.name }));
  };

  if (!pipeline.data) {
    if (pipeline.error) return <ErrorState error={pipeline.error} onRetry={() => void pipeline.refetch()} />;
    return <SkeletonRows rows={8} className="p-5" />;
  }
  if (filter.some(leavesOutOpen)) {
    return (
      <EmptyState
        icon={Kanban}
        title={t("ui.board.openOnly")}
        text={t("ui.board.openOnlyText")}
        action={<ButtonLink to={addressOfView("table", "board", search)}>{t("ui.board.asTable")}</ButtonLink>}
      />
    );
  }
  const targets: BoardTarget[] = [
    { id: "outcome.won", title: t("ui.deals.outcomes.won"), icon: Trophy, tone: "ok" },
    { id: "outcome.lost", title: t("ui.deals.outcomes.lost"), icon: CircleX, tone: "bad" },
  ];
  return (
    <MembersContext value={byId}>
      <Board label={t("ui.board.deals")} columns={stages.map(({ id, name }) => ({ id, title: name }))} targets={targets} mayMove={mayWrite}>
        {stages.map((stage) => (
          <DealColumn key={stage.id} stage={stage} list={list} request={request} moved={moved} onMove={onMove} />
        ))}
      </Board>
      {loss.dialog}
    </MembersContext>
  );
}
