import { useQueryClient } from "@tanstack/react-query";
import { History, LockKeyhole } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ButtonLink } from "@/components/button-link";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Segmented } from "@/components/segmented";
import { useUser } from "@/features/account/data";
import { oneOf } from "@/lib/search-params";
import { inPlace, useAddressQuery } from "@/lib/use-address";
import { useTitle } from "@/shell/use-title";
import { importQuery } from "./data";
import { FileDrop } from "./file-drop";
import { importedNames } from "./kinds";

const parsers = { kind: oneOf(importedNames) };

/** Chooses a file to import. The kind of its records is in the address. */
export function NewImportPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { permissions } = useUser();
  const { values, set } = useAddressQuery(parsers);
  const allowed = importedNames.filter((name) => permissions.includes(`${name}.read`) && permissions.includes(`${name}.write`));
  const kind = allowed.find((name) => name === values.kind) ?? allowed[0];
  const title = kind ? t(`ui.imports.titles.${kind}`) : t("ui.imports.begin");
  useTitle(title);
  return (
    <Page>
      <PageHead
        title={title}
        lead={kind && t("ui.imports.newLead")}
        actions={
          <ButtonLink to="/settings/data/imports" icon={History}>
            {t("ui.imports.back")}
          </ButtonLink>
        }
      />
      {kind ? (
        <FileDrop
          kind={kind}
          onDone={(plan) => {
            client.setQueryData(importQuery(plan.id).queryKey, plan);
            void navigate(`/imports/${plan.id}`, { replace: true });
          }}
        >
          {allowed.length > 1 && (
            <Segmented
              label={t("ui.imports.what")}
              value={kind}
              onChange={(name) => set({ kind: name }, inPlace)}
              options={allowed.map((name) => ({ value: name, label: t(`ui.imports.kinds.${name}`) }))}
              className="flex-wrap justify-self-start"
            />
          )}
        </FileDrop>
      ) : (
        <EmptyState icon={LockKeyhole} title={t("ui.imports.begin")} text={t("ui.imports.forbidden")} />
      )}
    </Page>
  );
}
