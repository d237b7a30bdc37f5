import type { InputOf, Organization } from "@/api/schema";
import { type ContactValues, toContactInput, toContactValues } from "@/features/contact/contact-values";
import { textOrNull } from "@/lib/text-or-null";

/** The form's values: every field is a text or list, none is absent. */
export interface OrganizationValues extends ContactValues {
  name: string;
  logo: string | null;
  tags: string[];
  ownerId: string | null;
  website: string;
  address: string;
  about: string;
}

export const toValues = (organization: Organization | undefined, country: string): OrganizationValues => ({
  name: organization?.name ?? "",
  logo: organization?.logo ?? null,
  tags: organization?.tags ?? [],
  ownerId: organization?.ownerId ?? null,
  website: organization?.website ?? "",
  address: organization?.address ?? "",
  about: organization?.about ?? "",
  ...toContactValues(organization, country),
});

/** Returns the request body; empty fields are null. */
export const toInput = (values: OrganizationValues): InputOf<"organization"> => ({
  name: values.name.trim(),
  logo: values.logo,
  tags: values.tags,
  ownerId: values.ownerId,
  website: textOrNull(values.website),
  address: textOrNull(values.address),
  about: textOrNull(values.about),
  ...toContactInput(values),
});
