import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Html } from "@/components/html";
import { useMembers } from "@/features/team/data";
import { phoneText } from "@/lib/countries";
import { longDate } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import type { CustomerValues } from "./form-values";

const lines = (texts: string[]) => texts.filter(Boolean).join("\n");
const labelled = (text: string, label: string) => text.trim() && [text, label].filter(Boolean).join(" · ");

/** The fields of a customer for a conflict. */
export function useCustomerFields(): ConflictField<CustomerValues>[] {
  const { t } = useTranslation();
  const { find } = useMembers();
  return [
    { names: ["name"], label: t("ui.customers.name"), show: ({ name }) => name },
    {
      names: ["avatar"],
      label: t("ui.customers.avatar"),
      show: ({ avatar, name }) => avatar && <Avatar name={name} src={avatar} size={48} />,
    },
    {
      names: ["background"],
      label: t("ui.customers.background"),
      show: ({ background }) => background && <img src={background} alt="" className="h-16 w-full rounded object-cover" />,
    },
    { names: ["status"], label: t("ui.customers.status"), show: ({ status }) => t(`ui.customers.statuses.${status}`) },
    { names: ["ownerId"], label: t("ui.customers.owner"), show: ({ ownerId }) => find(ownerId ?? undefined)?.name },
    { names: ["company"], label: t("ui.customers.company"), show: ({ company }) => company },
    { names: ["title"], label: t("ui.customers.jobTitle"), show: ({ title }) => title },
    { names: ["tags"], label: t("ui.customers.tags"), show: ({ tags }) => tags.join(", ") },
    {
      names: ["emails"],
      label: t("ui.customers.emails"),
      show: ({ emails }) => lines(emails.map(({ email, label }) => labelled(email, label))),
    },
    {
      names: ["phoneNumbers"],
      label: t("ui.customers.phones"),
      show: ({ phoneNumbers }) => lines(phoneNumbers.map((one) => one.phoneNumber.trim() && labelled(phoneText(one), one.label))),
    },
    { names: ["address"], label: t("ui.customers.address"), show: ({ address }) => address },
    { names: ["birthday"], label: t("ui.customers.birthday"), show: ({ birthday }) => birthday && longDate(birthday) },
    { names: ["about"], label: t("ui.customers.about"), show: ({ about }) => about },
    {
      names: ["notes"],
      label: t("ui.customers.notes"),
      show: ({ notes }) => notes && <Html html={notes} rich className="prose text-sm" />,
    },
    {
      names: ["attachments"],
      label: t("ui.customers.attachments"),
      show: ({ attachments }) => lines(attachments.map(({ name, url }) => name || url)),
    },
  ];
}
