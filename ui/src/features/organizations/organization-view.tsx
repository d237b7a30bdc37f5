import { AlignLeft, Globe, Mail, MapPin, Phone, Tags, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { SafeLink } from "@/components/safe-link";
import { Tag } from "@/components/tag";
import { emailFacts, phoneFacts } from "@/features/contact/contact-facts";
import { EditableFact } from "@/features/records/editable-fact";
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
      <EditableFact kind="organization" input="name" className="mt-3">
        <h2 dir="auto" className="text-[26px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
          {name}
        </h2>
      </EditableFact>
      {tags.length > 0 && (
        <div className="mt-2.5">
          <EditableFact kind="organization" input="tags" asButton className="w-full">
            <span className="flex flex-wrap items-center gap-1.5">
              {tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </span>
          </EditableFact>
        </div>
      )}
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
      <p className="mt-6 text-sm text-muted">
        {t("ui.customers.dates", { created: mediumDate(organization.createdAt), updated: mediumDate(organization.updatedAt) })}
      </p>
    </div>
  );
}
