import { useQuery } from "@tanstack/react-query";
import { Pencil, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useParams } from "react-router";
import { Button } from "@/components/button";
import { Drawer } from "@/components/drawer";
import { DrawerHead } from "@/components/drawer-head";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { toast } from "@/lib/toast";
import { useIsRemoved } from "@/records/removed";
import { useRemove } from "@/records/use-remove";
import { useTitle } from "@/shell/use-title";
import { CustomerForm } from "./customer-form";
import { CustomerView } from "./customer-view";
import { customerQuery, useKnownCustomer } from "./data";

const width = "sm:!w-160";

/** Returns to the list with its filters. */
function useBack() {
  const navigate = useNavigate();
  const { search } = useLocation();
  return {
    toList: () => void navigate(`/customers${search}`, { preventScrollReset: true }),
    toCustomer: (id: string) => void navigate(`/customers/${id}${search}`, { preventScrollReset: true, replace: true }),
  };
}

export function NewCustomerDrawer() {
  const { t } = useTranslation();
  const back = useBack();
  useTitle(t("ui.customers.add"));
  return (
    <Drawer label={t("ui.customers.add")} isOpen onOpenChange={back.toList} className={width}>
      <DrawerHead title={t("ui.customers.add")} onClose={back.toList} />
      <CustomerForm
        customer={undefined}
        onCancel={back.toList}
        onSaved={({ id, name }) => {
          toast.success(t("ui.customers.added", { name }));
          back.toCustomer(id);
        }}
      />
    </Drawer>
  );
}

function Details({ id }: { id: string }) {
  const { t } = useTranslation();
  const back = useBack();
  const known = useKnownCustomer(id);
  const remove = useRemove("customer");
  const { data, error, refetch } = useQuery({ ...customerQuery(id), enabled: !useIsRemoved(id) });
  const customer = data ?? known;
  const mayWrite = useMay("customers.write");
  const mayDelete = useMayDelete("customer");
  const [editing, setEditing] = useState(false);
  useTitle(customer?.name ?? t("ui.customers.title"));

  return (
    <Drawer label={customer?.name ?? t("ui.customers.title")} isOpen onOpenChange={back.toList} className={width}>
      {!customer || (error && !data) ? (
        <>
          <DrawerHead title={t("ui.customers.title")} onClose={back.toList} />
          {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows className="p-6" />}
        </>
      ) : editing && data ? (
        <>
          <DrawerHead title={t("ui.customers.edit")} onClose={back.toList} />
          <CustomerForm
            customer={data}
            onCancel={() => setEditing(false)}
            onSaved={() => setEditing(false)}
            onDelete={mayDelete(data) ? () => remove.mutate({ id, title: data.name }, { onSuccess: back.toList }) : undefined}
          />
        </>
      ) : (
        <>
          <div className="absolute top-3 right-3 z-1 flex gap-2">
            {mayWrite && (
              <Button data-refocus icon={Pencil} onClick={() => setEditing(true)} disabled={!data}>
                {t("ui.action.edit")}
              </Button>
            )}
            <IconButton
              label={t("ui.action.close")}
              icon={X}
              onClick={back.toList}
              className="border border-line bg-surface shadow-control"
            />
          </div>
          <CustomerView customer={customer} />
        </>
      )}
    </Drawer>
  );
}

/** A customer beside the list: view first, and a form to edit it. */
export function CustomerDrawer() {
  const { id = "" } = useParams();
  return <Details key={id} id={id} />;
}
