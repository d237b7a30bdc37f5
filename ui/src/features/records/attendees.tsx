import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CalendarEvent } from "@/api/schema";
import { PeopleField, type PeopleFieldProps } from "@/components/people-field";
import { RecordTitle } from "@/components/record-title";
import { useMembers } from "@/features/team/data";
import { Person } from "@/features/team/person";
import { titleQuery } from "@/records/record-titles";

export type Attendees = CalendarEvent["attendees"];

const membersOf = (attendees: Attendees) => attendees.flatMap(({ memberId }) => memberId ?? []);
const customersOf = (attendees: Attendees) => attendees.flatMap(({ customerId }) => customerId ?? []);

/** Those who attend an event, below each other. */
export function AttendeeList({ attendees }: { attendees: Attendees }) {
  return (
    <ul className="grid grid-cols-1 gap-2">
      {membersOf(attendees).map((id) => (
        <li key={id}>
          <Person id={id} />
        </li>
      ))}
      {customersOf(attendees).map((id) => (
        <li key={id}>
          <RecordTitle isLink kind="customer" id={id} />
        </li>
      ))}
    </ul>
  );
}

export interface AttendeesInputProps extends Pick<PeopleFieldProps, "label" | "hideLabel" | "error"> {
  value: Attendees;
  onChange: (value: Attendees) => void;
}

/** Chooses those who attend an event: members, and the customers who attended when it was opened. */
export function AttendeesInput({ value, onChange, ...field }: AttendeesInputProps) {
  const { t } = useTranslation();
  const { members } = useMembers();
  const [first] = useState(() => customersOf(value));
  const customers = [...new Set([...first, ...customersOf(value)])];
  const titles = useQueries({ queries: customers.map((id) => titleQuery("customer", id)) });
  const chosen = membersOf(value);
  const offered = members.filter((member) => member.state === "active" || chosen.includes(member.id));
  return (
    <PeopleField
      {...field}
      placeholder={t("ui.visibility.peoplePlaceholder")}
      value={[...chosen, ...customersOf(value)]}
      onChange={(ids) => onChange(ids.map((id) => (customers.includes(id) ? { customerId: id } : { memberId: id })))}
      options={[
        ...offered.map(({ id, name, title, avatar }) => ({ id, name, line: title, avatar })),
        ...customers.map((id, at) => ({ id, name: titles[at]?.data ?? "…" })),
      ]}
    />
  );
}
