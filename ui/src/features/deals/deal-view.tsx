import { useQueryClient } from "@tanstack/react-query";
import {
  AlignLeft,
  Banknote,
  Building2,
  CalendarDays,
  CircleCheck,
  CircleX,
  Eye,
  RotateCcw,
  SquareUser,
  Tags,
  UserRound,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Deal } from "@/api/schema";
import { Button } from "@/components/button";
import { ContactHead } from "@/features/contact/contact-head";
import { TagsFact } from "@/features/contact/name-and-tags";
import { NextMeeting } from "@/features/contact/next-meeting";
import { OpenTasks } from "@/features/contact/open-tasks";
import { RelatedRecord } from "@/features/contact/related-record";
import { moneyText } from "@/features/fields/money";
import { EditableFact } from "@/features/records/editable-fact";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";
import { cx } from "@/lib/cx";
import { mediumDate } from "@/lib/format";
import { toast } from "@/lib/toast";
import { recordQuery, useSaveRecord } from "@/records/data";
import { bodyOf } from "@/records/flat";
import { usePipeline } from "@/records/pipeline";
import { CloseDialog, useLoss } from "./close-dialog";
import { DealVisibility } from "./deal-visibility";
import { ExpectedDay } from "./expected-day";
import { StageSteps } from "./stage-steps";
import { useReach } from "./use-reach";

/** Returns the values of a deal with the changes that are not saved yet. */
const useShown = (deal: Deal) => ({ ...deal, ...(useFactEditing()?.values as Partial<Deal> | undefined) });

/** What a deal is worth, how far it is, and the ways to reach who may buy. */
export function DealHead({ record: deal }: { record: Deal }) {
  const editing = useFactEditing();
  const { title, value, stageId, outcome, tags } = useShown(deal);
  const { stages } = usePipeline();
  return (
    <ContactHead kind="deal" input="title" record={deal} name={title} reach={useReach(deal)}>
      {(value || editing?.isEdited("value")) && (
        <EditableFact kind="deal" input="value" className="mt-1 pointer-coarse:mt-3.5">
          <p className="text-xl leading-8 font-title tracking-[-.022em] text-ink tabular-nums [overflow-wrap:anywhere]">
            {value && moneyText(value)}
          </p>
        </EditableFact>
      )}
      <div className="mt-2 empty:hidden">
        <TagsFact kind="deal" tags={tags} />
      </div>
      {outcome !== "open" && <Closing deal={deal} outcome={outcome} />}
      <div className="mt-4">
        <StageSteps
          stages={stages}
          current={stageId}
          isClosed={outcome !== "open"}
          onMove={editing && outcome === "open" ? (id) => editing.save({ stageId: id }) : undefined}
        />
      </div>
      {outcome === "open" && <Closing deal={deal} outcome={outcome} />}
    </ContactHead>
  );
}

/** A deal's data; empty fields are hidden. */
export function DealView({ record: deal }: { record: Deal }) {
  const { value, outcome, tags, expectedDay } = useShown(deal);
  const { mutateAsync } = useSaveRecord("deal");
  return (
    <RecordFacts
      kind="deal"
      record={deal}
      facts={[
        // The value is above, once there is one, and so are tags.
        ...(value ? [] : [{ input: "value", icon: Banknote, show: false }]),
        ...(tags.length === 0 ? [{ input: "tags", icon: Tags, show: false }] : []),
        {
          input: "expectedDay",
          icon: CalendarDays,
          isMain: true,
          show: expectedDay && <ExpectedDay day={expectedDay} isOpen={outcome === "open"} isLong />,
        },
        { input: "organizationId", icon: Building2, isMain: true },
        { input: "customerId", icon: SquareUser, isMain: true },
        { input: "ownerId", icon: UserRound, isMain: true },
        { input: "about", icon: AlignLeft },
        {
          input: "visibility",
          icon: Eye,
          show: (
            <div className="-my-1.75">
              <DealVisibility
                deal={deal}
                ownerId={deal.ownerId}
                value={deal.visibility}
                onSave={(visibility) => mutateAsync({ input: bodyOf("deal", { visibility }), known: deal })}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

/** What belongs to a deal. */
export function DealRelated({ record: deal }: { record: Deal }) {
  const { id, customerId, organizationId } = deal;
  const record = { kind: "deal", id, name: deal.title } as const;
  return (
    <>
      {organizationId && <RelatedRecord kind="organization" id={organizationId} />}
      {customerId && <RelatedRecord kind="customer" id={customerId} />}
      <NextMeeting record={record} attendee={customerId ? { kind: "customer", id: customerId } : undefined} />
      <OpenTasks record={record} />
    </>
  );
}

/** Closes a deal as won or lost, says why it is closed, and opens it again. */
function Closing({ deal, outcome }: { deal: Deal; outcome: Deal["outcome"] }) {
  const { t } = useTranslation();
  const editing = useFactEditing();
  const client = useQueryClient();
  const { reasonName } = usePipeline();
  const { mutateAsync } = useSaveRecord("deal");
  const loss = useLoss();
  const [asksReason, setAsksReason] = useState(false);
  const { title } = deal;
  const named = { title };
  const reopen = () => {
    // Also after the record is closed, over the version that is known then.
    const known = client.getQueryData(recordQuery("deal", deal.id).queryKey) ?? deal;
    return mutateAsync({ input: bodyOf("deal", { outcome: "open" }), known }).catch((error: unknown) => {
      toast.error(errorText(error));
      return false;
    });
  };
  const win = () => {
    editing?.save({ outcome: "won" });
    toast.success(t("ui.deals.wonToast", named), { label: t("ui.action.undo"), run: reopen, undone: t("ui.undo.what", { what: title }) });
  };
  const lose = async () => {
    const change = await loss.ask(deal);
    if (change) editing?.save({ ...change });
  };
  if (outcome === "open") {
    if (!editing) return null;
    return (
      <div className="no-print mt-3 flex flex-wrap gap-2">
        <Button data-no-refocus icon={CircleCheck} onClick={win}>
          {t("ui.deals.outcomes.won")}
        </Button>
        <Button data-no-refocus icon={CircleX} onClick={() => void lose()}>
          {t("ui.deals.outcomes.lost")}
        </Button>
        {loss.dialog}
      </div>
    );
  }
  // The reason of another outcome is gone once the server has the change.
  const { closedAt, reasonId, reason } = deal.outcome === outcome ? deal : {};
  const reasonText = reasonName(reasonId);
  const Icon = outcome === "won" ? CircleCheck : CircleX;
  return (
    <section aria-label={t("ui.deals.outcome")} className="mt-3 rounded-xl border border-line bg-sunken px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className={cx("inline-flex items-center gap-1.5 text-base font-semibold", outcome === "won" ? "text-ok" : "text-bad")}>
          <Icon aria-hidden size={18} />
          {t(`ui.deals.outcomes.${outcome}`)}
        </span>
        {closedAt && <time dateTime={closedAt}>{mediumDate(closedAt)}</time>}
        {reasonText && (
          <span dir="auto" className="font-medium text-ink [overflow-wrap:anywhere]">
            {reasonText}
          </span>
        )}
      </p>
      {reason && (
        <p dir="auto" className="mt-1.5 whitespace-pre-line text-soft [overflow-wrap:anywhere]">
          {reason}
        </p>
      )}
      {editing && (
        <div className="no-print mt-2 -ml-2.75 flex flex-wrap gap-1">
          <Button data-refocus size="sm" variant="ghost" icon={RotateCcw} onClick={() => editing.save({ outcome: "open" })}>
            {t("ui.deals.reopen")}
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setAsksReason(true)}>
            {t(reasonId || reason ? "ui.deals.changeReason" : "ui.deals.addReason")}
          </Button>
        </div>
      )}
      {asksReason && editing && (
        <CloseDialog
          title={t(outcome === "won" ? "ui.deals.wonReasonTitle" : "ui.deals.lostReasonTitle")}
          confirm={t("ui.action.save")}
          outcome={outcome}
          value={{ reasonId: reasonId ?? null, reason: reason ?? null }}
          onSave={(closing) => editing.save({ ...closing })}
          onClose={() => setAsksReason(false)}
        />
      )}
    </section>
  );
}
