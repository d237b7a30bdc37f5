import { Building2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { TagList } from "@/components/tag-list";
import { ContactLine } from "@/features/contact/contact-state";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { useCompanies } from "@/features/contact/data";
import { QuickActions } from "@/features/contact/quick-actions";
import { RecordList } from "@/features/lists/record-list";
import { LogButton } from "@/features/record-parts/log-button";
import { useOrganizationColumns } from "./columns";
import { CompaniesDialog } from "./companies-dialog";

const contactOf = ({ id, name }: Organization) => ({ kind: "organization", id, name }) as const;

/** The list of organizations, page by page. */
export function OrganizationsPage() {
  const { t } = useTranslation();
  const companies = useCompanies();
  const [isMaking, setMaking] = useState(false);
  const make = companies && companies.total > 0 && (
    <Button icon={Building2} onClick={() => setMaking(true)}>
      {t("ui.organizations.fromCompanies.offer")}
    </Button>
  );
  const list = (
    <RecordList
      kind="organization"
      // It concerns the companies of all people, so it is no offer for some organizations.
      actions={({ isFiltered }) => !isFiltered && make}
      emptyActions={make}
      columns={useOrganizationColumns()}
      order="name"
      tabs={<CustomerTabs />}
      title={(one) => ({
        name: one.name,
        line: one.address?.split("\n").at(-1),
        icon: <Avatar name={one.name} src={one.logo} size={34} />,
        action: <LogButton record={contactOf(one)} />,
      })}
      card={(one) => (
        <>
          <TagList kind="organization" tags={one.tags} />
          <ContactLine {...one} />
          <QuickActions isShort inCard record={contactOf(one)} reach={one} />
        </>
      )}
    />
  );
  return (
    <>
      {list}
      {isMaking && <CompaniesDialog onClose={() => setMaking(false)} />}
    </>
  );
}
