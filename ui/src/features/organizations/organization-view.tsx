import { AlignLeft, Globe, Mail, MapPin, Phone, Tags, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { SafeLink } from "@/components/safe-link";
import { emailFacts, phoneFacts } from "@/features/contact/contact-facts";
import { ContactFacts } from "@/features/contact/contact-state";
import { Deals } from "@/features/contact/deals";
import { NameFact, TagsFact } from "@/features/contact/name-and-tags";
import { OpenTasks } from "@/features/contact/open-tasks";
import { People } from "@/features/contact/people";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";
import { mediumDate } from "@/lib/format";

/** An organization's data; empty fields are hidden. */
export function OrganizationView({ record: organization }: { record: Organization }) {
  const { t } = useTranslation();
  const editing = useFactEditing();
  const { name, tags } = { ...organization, ...(editing?.values as Partial<Organization> | undefined) };
  const { website } = organization;
  return (
    <div className="px-5 pt-5 sm:px-6">
      <Avatar name={name} src={organization.logo} size={72} />
      <NameFact kind="organization" name={name} />
      <div className="mt-2.5 empty:hidden">
        <TagsFact kind="organization" tags={tags} />
      </div>
      <ContactFacts {...organization} />
      <RecordFacts
        kind="organization"
        record={organization}
        facts={[
          // Tags are above, once there are some.
          ...(tags.length === 0 ? [{ input: "tags", icon: Tags, show: false }] : []),
          { input: "about", icon: AlignLeft },
          { input: "emails", icon: Mail, show: emailFacts(organization.emails) },
          { input: "phoneNumbers", icon: Phone, show: phoneFacts(organization.phoneNumbers) },
          {
            input: "website",
            icon: Globe,
            show: website && (
              <SafeLink link={website} useRouter={false} className="block truncate text-accent hover:underline">
                {website.replace(/^https?:\/\//, "")}
              </SafeLink>
            ),
          },
          { input: "address", icon: MapPin },
          { input: "ownerId", icon: UserRound },
        ]}
      />
      <People id={organization.id} />
      <Deals column="organizationId" id={organization.id} parameters={{ organization: organization.id }} />
      <OpenTasks column="organizationId" id={organization.id} />
      <p className="mt-6 text-sm text-muted">
        {t("ui.customers.dates", { created: mediumDate(organization.createdAt), updated: mediumDate(organization.updatedAt) })}
      </p>
    </div>
  );
}
