import type { ComponentPropsWithRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import type { Customer } from "@/api/schema";
import { useMay } from "@/features/account/data";
import { type NamedContact, offerCall } from "@/features/record-parts/logging";
import { phoneLink } from "@/lib/countries";

export interface PhoneLinkProps extends Omit<ComponentPropsWithRef<"a">, "href" | "onClick"> {
  /** The record on which the call can be logged. */
  record: NamedContact;
  phone: Customer["details"]["phoneNumbers"][number];
  /** Who is called, where it is not the record. */
  called?: string | undefined;
}

/** Calls a phone number, and offers to log the call. */
export function PhoneLink({ record, phone, called, ...rest }: PhoneLinkProps) {
  const { t } = useTranslation();
  const mayLog = useMay("comments.write");
  const { pathname } = useLocation();
  const offer = () => {
    if (!mayLog) return;
    const text = t("ui.activities.calling", { name: called ?? record.name });
    offerCall(record, { text, label: t("ui.activities.logThisCall"), path: pathname });
  };
  return <a href={phoneLink(phone)} onClick={offer} {...rest} />;
}
