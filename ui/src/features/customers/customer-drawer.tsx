import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { CustomerForm } from "./customer-form";
import { CustomerView } from "./customer-view";

export const NewCustomerDrawer = () => <NewRecordDrawer kind="customer" form={CustomerForm} />;

/** A customer beside the list. */
export const CustomerDrawer = () => <RecordDrawer kind="customer" inPlace view={CustomerView} form={CustomerForm} />;
