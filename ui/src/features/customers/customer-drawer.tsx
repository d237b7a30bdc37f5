import { useParams } from "react-router";
import type { Customer } from "@/api/schema";
import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { useRecordAddress } from "@/features/records/use-record-address";
import { CustomerForm } from "./customer-form";
import { CustomerView } from "./customer-view";
import { customerQuery, useKnownCustomer } from "./data";

const title = ({ name }: Customer) => name;
const form = (place: Parameters<typeof CustomerForm>[0]) => <CustomerForm {...place} />;

export function NewCustomerDrawer() {
  return <NewRecordDrawer kind="customer" address={useRecordAddress("customer")} title={title} form={form} />;
}

/** A customer beside the list. */
export function CustomerDrawer() {
  const { id = "" } = useParams();
  return (
    <RecordDrawer
      key={id}
      kind="customer"
      id={id}
      query={customerQuery(id)}
      known={useKnownCustomer(id)}
      address={useRecordAddress("customer")}
      title={title}
      view={(customer) => <CustomerView customer={customer} />}
      form={form}
    />
  );
}
