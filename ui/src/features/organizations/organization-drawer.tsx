import type { Organization } from "@/api/schema";
import { MergeMenu } from "@/features/duplicates/merge-menu";
import { NewRecordDrawer, RecordDrawer } from "@/features/records/record-drawer";
import { OrganizationForm } from "./organization-form";
import { OrganizationHead, OrganizationRelated, OrganizationView } from "./organization-view";

export const NewOrganizationDrawer = () => <NewRecordDrawer kind="organization" form={OrganizationForm} />;

const OrganizationMenu = ({ record: { id } }: { record: Organization }) => <MergeMenu kind="organization" id={id} />;

/** An organization beside the list. */
export const OrganizationDrawer = () => (
  <RecordDrawer
    kind="organization"
    inPlace
    head={OrganizationHead}
    view={OrganizationView}
    related={OrganizationRelated}
    form={OrganizationForm}
    menu={OrganizationMenu}
  />
);
