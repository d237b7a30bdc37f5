import { create } from "zustand";
import type { ActivityType } from "@/api/schema";
import { toast } from "@/lib/toast";
import { pathOfKind } from "@/records/kinds";

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

interface Offer {
  toast: number;
  kind: ContactKind;
  /** The path of the page on which the call was made. */
  path: string;
}

/** The offers to log a call, by the ids of the records. */
const offers = new Map<string, Offer>();

/** Offers to log a call on a record, until one is logged or the reader goes on to something else. */
export function offerCall(record: NamedContact, { text, label, path }: { text: string; label: string; path: string }) {
  const made = toast.offer(text, { label, run: () => addEntry(record, "call") });
  offers.set(record.id, { toast: made, kind: record.kind, path });
}

/** Takes back the offers that have nothing to do with a page: not where the call was made, its record, or the list with it. */
export function endOffersOutside(path: string) {
  for (const [id, offer] of offers) {
    const own = [offer.path, pathOfKind(offer.kind), `${pathOfKind(offer.kind)}/${id}`];
    if (!own.includes(path)) endOffer(id);
  }
}

/** Takes back the offer to log a call on a record. */
export function endOffer(id: string) {
  const offer = offers.get(id);
  if (offer) toast.dismiss(offer.toast);
  offers.delete(id);
}
