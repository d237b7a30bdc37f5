import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { useRecordAddress } from "@/features/records/use-record-address";
import { CustomerForm, organizationParameter } from "./customer-form";
import { CustomerMenu } from "./customer-menu";
import { CustomerHead, CustomerRelated, CustomerView } from "./customer-view";

export const NewCustomerDrawer = () => (
  <NewRecordDrawer kind="customer" form={CustomerForm} address={useRecordAddress("customer", organizationParameter)} />
);

/** A customer beside the list. */
export const CustomerDrawer = () => (
  <RecordDrawer
    kind="customer"
    inPlace
    head={CustomerHead}
    view={CustomerView}
    related={CustomerRelated}
    form={CustomerForm}
    menu={CustomerMenu}
  />
);
