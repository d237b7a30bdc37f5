import { AlignLeft, Globe, Mail, MapPin, Phone, Tags, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { SafeLink } from "@/components/safe-link";
import { emailFacts, phoneFacts } from "@/features/contact/contact-facts";
import { ContactHead } from "@/features/contact/contact-head";
import { Deals } from "@/features/contact/deals";
import { TagsFact } from "@/features/contact/name-and-tags";
import { NextMeeting } from "@/features/contact/next-meeting";
import { OpenTasks } from "@/features/contact/open-tasks";
import { People } from "@/features/contact/people";
import { DuplicateLine } from "@/features/duplicates/duplicate-line";
import { PictureMenu } from "@/features/files/picture-menu";
import { RecordFacts } from "@/features/records/record-facts";
import { useFactEditing } from "@/features/records/use-facts";

/** Returns the values of an organization with the changes that are not saved yet. */
const useShown = (organization: Organization) => ({
  ...organization,
  ...(useFactEditing()?.values as Partial<Organization> | undefined),
});

/** What an organization is called, and the ways to reach it. */
export function OrganizationHead({ record: organization }: { record: Organization }) {
  const { t } = useTranslation();
  const editing = useFactEditing();
  const { name, tags, logo } = useShown(organization);
  const face = <Avatar name={name} src={logo} size={64} />;
  const picture = editing ? (
    <PictureMenu pictures={[{ label: t("ui.organizations.logo"), value: logo, onChange: (url) => editing.save({ logo: url }) }]}>
      {face}
    </PictureMenu>
  ) : (
    face
  );
  return (
    <ContactHead kind="organization" record={organization} name={name} picture={picture} reach={organization}>
      <div className="mt-3 empty:hidden">
        <TagsFact kind="organization" tags={tags} />
      </div>
      <DuplicateLine kind="organization" record={{ id: organization.id, name }} />
    </ContactHead>
  );
}

/** An organization's data; empty fields are hidden. */
export function OrganizationView({ record: organization }: { record: Organization }) {
  const { id, emails, phoneNumbers, website } = organization;
  const { name, tags } = useShown(organization);
  return (
    <RecordFacts
      kind="organization"
      record={organization}
      facts={[
        // Tags are above, once there are some.
        ...(tags.length === 0 ? [{ input: "tags", icon: Tags, show: false }] : []),
        { input: "phoneNumbers", icon: Phone, isMain: true, show: phoneFacts({ kind: "organization", id, name }, phoneNumbers) },
        { input: "emails", icon: Mail, isMain: true, show: emailFacts(emails) },
        {
          input: "website",
          icon: Globe,
          isMain: true,
          show: website && (
            <SafeLink
              link={website}
              useRouter={false}
              className="block truncate text-accent hover:underline pointer-coarse:-my-3 pointer-coarse:py-3"
            >
              {website.replace(/^https?:\/\//, "")}
            </SafeLink>
          ),
        },
        { input: "address", icon: MapPin, isMain: true },
        { input: "ownerId", icon: UserRound },
        { input: "about", icon: AlignLeft },
      ]}
    />
  );
}

/** What belongs to an organization. */
export function OrganizationRelated({ record: organization }: { record: Organization }) {
  const { id } = organization;
  const { name } = useShown(organization);
  const record = { kind: "organization", id, name } as const;
  return (
    <>
      <People id={id} />
      <NextMeeting record={record} attendee={record} />
      <OpenTasks record={record} />
      <Deals column="organizationId" id={id} parameters={{ organization: id }} />
    </>
  );
}
