import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { DealForm } from "./deal-form";
import { DealView } from "./deal-view";

export const NewDealDrawer = () => <NewRecordDrawer kind="deal" form={DealForm} />;

/** A deal beside the list. */
export const DealDrawer = () => <RecordDrawer kind="deal" inPlace view={DealView} form={DealForm} />;
