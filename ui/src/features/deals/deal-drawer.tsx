import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { useRecordAddress } from "@/features/records/use-record-address";
import { DealForm, newDealParameters } from "./deal-form";
import { DealHead, DealRelated, DealView } from "./deal-view";

export const NewDealDrawer = () => <NewRecordDrawer kind="deal" form={DealForm} address={useRecordAddress("deal", ...newDealParameters)} />;

/** A deal beside the list. */
export const DealDrawer = () => <RecordDrawer kind="deal" inPlace head={DealHead} view={DealView} related={DealRelated} form={DealForm} />;
