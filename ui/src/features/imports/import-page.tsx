import { useQuery } from "@tanstack/react-query";
import { FileInput, History } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import type { ImportPlan } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SkeletonRows } from "@/components/skeleton";
import { ago, formatNumber } from "@/lib/format";
import { importPath } from "@/records/kinds";
import { useTitle } from "@/shell/use-title";
import { CheckBar, CheckStep } from "./check-step";
import { importQuery, isOpen, useImportCalls } from "./data";
import { DuplicatesChoice } from "./duplicates-choice";
import { kindOf } from "./kinds";
import { MatchColumns } from "./match-columns";
import { Preview } from "./preview";
import { EncodingChoice, EncodingNote, ReadingSettings } from "./reading-settings";
import { Result } from "./result";
import { Step } from "./step";

/** The file, and how it is read. */
function FileStep({ plan, calls }: { plan: ImportPlan; calls: ReturnType<typeof useImportCalls> }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const rows = { count: plan.rows, total: formatNumber(plan.rows) };
  return (
    <Step
      number={1}
      title={plan.name}
      subtitle={t(plan.format === "vcard" ? "ui.imports.cards" : "ui.imports.rows", rows)}
      actions={
        <Button
          size="sm"
          icon={FileInput}
          busy={calls.remove.isPending}
          onClick={() =>
            calls.remove.mutate(plan.id, { onSuccess: () => void navigate(importPath(kindOf(plan).kind) ?? "", { replace: true }) })
          }
        >
          {t("ui.imports.otherFile")}
        </Button>
      }
      className="@container"
    >
      <EncodingNote plan={plan} />
      <div className="border-t border-hover">
        {plan.format === "csv" ? (
          <ReadingSettings plan={plan} />
        ) : (
          <div className="px-5 pt-3 pb-5">
            <EncodingChoice plan={plan} />
          </div>
        )}
      </div>
    </Step>
  );
}

/** An import from its file to its result. Its state is the server's, so it can be left and opened again. */
function Steps({ plan }: { plan: ImportPlan }) {
  const calls = useImportCalls();
  if (!isOpen(plan)) return <Result plan={plan} calls={calls} />;
  return (
    <>
      <div
        inert={plan.state === "checking"}
        // What gets the focus is not below the bar.
        className="grid grid-cols-1 gap-5 transition-opacity duration-150 inert:opacity-60 [&_:is(input,button,summary)]:scroll-mb-36"
      >
        <FileStep plan={plan} calls={calls} />
        <MatchColumns plan={plan} refusal={calls.check.error ?? calls.start.error} />
        <DuplicatesChoice plan={plan} />
        <Preview plan={plan} />
      </div>
      <CheckStep plan={plan} />
      <CheckBar plan={plan} calls={calls} />
    </>
  );
}

/** The page of an import. */
export function ImportPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(importQuery(id));
  const title = data ? t(`ui.imports.titles.${kindOf(data).name}`) : t("ui.imports.title");
  useTitle(title);
  return (
    <Page>
      <PageHead
        title={title}
        lead={data && (isOpen(data) ? t("ui.imports.newLead") : `${data.name} · ${ago(data.createdAt)}`)}
        actions={
          <ButtonLink to="/settings/data/imports" icon={History}>
            {t("ui.imports.back")}
          </ButtonLink>
        }
      />
      {data ? (
        <div className="grid grid-cols-1 gap-5">
          <Steps key={id} plan={data} />
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={8} />
      )}
    </Page>
  );
}
