import { create } from "zustand";
import type { ActivityType } from "@/api/schema";
import { toast } from "@/lib/toast";

/** The kinds of records that activities concern. */
export type ContactKind = "customer" | "organization" | "deal";

/** A record on which activities are logged. */
export interface ContactOf {
  kind: ContactKind;
  id: string;
}

export type NamedContact = ContactOf & { name: string };

/** What is added to a record: an activity of a type, or a task. */
export type EntryType = ActivityType | "task";

/** The record to which something is added in a dialog, and what. */
export const useLogging = create<{ record?: NamedContact | undefined; type?: EntryType | undefined }>(() => ({}));

/** What shows the composers of the records that are open, by the ids of the records. */
const composers = new Map<string, (type: EntryType | undefined) => void>();

/** Registers the composer of an open record; returns a function that removes it. */
export function registerComposer(id: string, show: (type: EntryType | undefined) => void): () => void {
  composers.set(id, show);
  return () => {
    if (composers.get(id) === show) composers.delete(id);
  };
}

/** Leads to the composer of a record; for one that is not open, it is in a dialog. */
export function addEntry(record: NamedContact, type?: EntryType) {
  const show = composers.get(record.id);
  if (show) show(type);
  else useLogging.setState({ record, type });
}

/** The toasts that offer to log a call, by the ids of the records. */
const offers = new Map<string, number>();

/** Offers to log a call on a record, until one is logged. */
export function offerCall(record: NamedContact, { text, label }: { text: string; label: string }) {
  offers.set(record.id, toast.offer(text, { label, run: () => addEntry(record, "call") }));
}

/** Takes back the offer to log a call on a record. */
export function endOffer(id: string) {
  const offer = offers.get(id);
  if (offer !== undefined) toast.dismiss(offer);
  offers.delete(id);
}
