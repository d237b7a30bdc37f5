import { Building2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { TagList } from "@/components/tag-list";
import { ContactLine } from "@/features/contact/contact-state";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { useCompanies } from "@/features/contact/data";
import { Ways } from "@/features/contact/ways";
import { RecordList } from "@/features/lists/record-list";
import { LogDialogs } from "@/features/record-parts/log-dialog";
import { useOrganizationColumns } from "./columns";
import { CompaniesDialog } from "./companies-dialog";

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
      actions={make}
      emptyActions={make}
      columns={useOrganizationColumns()}
      order="name"
      tabs={<CustomerTabs />}
      title={(one) => ({
        name: one.name,
        line: one.address?.split("\n").at(-1),
        icon: <Avatar name={one.name} src={one.logo} size={34} />,
      })}
      card={(one) => (
        <>
          <TagList tags={one.tags} />
          <Ways {...one} />
          <ContactLine record={{ kind: "organization", id: one.id, name: one.name }} {...one} />
        </>
      )}
    />
  );
  return (
    <>
      {list}
      <LogDialogs />
      {isMaking && <CompaniesDialog onClose={() => setMaking(false)} />}
    </>
  );
}
