interface SavedField {
  /** Identifies the field by its kind, name and label. */
  field: string;
  /** Its text; for an editor, its HTML. */
  text: string;
}

interface Recovery {
  path: string;
  fields: SavedField[];
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLElement;

const textFields = "input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], input[type=number], textarea";
const editors = "[contenteditable=true]";
/** Fields for search, filters and secrets, which are not recovered; `data-secret` marks a secret whose type is not `password`. */
const notRecovered = "search *, [role=search] *, [role=combobox], [role=spinbutton], [type=password], [data-secret]";

/** The text of each field before the member changed it. */
const initialTexts = new Map<Field, string>();

function fieldOf(target: EventTarget | null): Field | undefined {
  if (!(target instanceof HTMLElement) || target.matches(notRecovered)) return undefined;
  return target.matches(textFields) ? target : (target.closest<HTMLElement>(editors) ?? undefined);
}

const isInput = (field: Field): field is HTMLInputElement | HTMLTextAreaElement => "value" in field;
const textOf = (field: Field) => (isInput(field) ? field.value : field.innerHTML);

/** Returns a label that identifies a field after a reload. */
function labelOf(field: Field): string {
  const by = field.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
  const words =
    field.getAttribute("aria-label") ??
    (isInput(field) ? field.labels?.[0]?.textContent : undefined) ??
    by.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  return [field.tagName, field.getAttribute("name") ?? "", words || (field.getAttribute("placeholder") ?? "")].join("|");
}

/** Returns all fields of the page by label; fields with the same label are numbered. */
function fields(): Map<string, Field> {
  const found = new Map<string, Field>();
  const count = new Map<string, number>();
  for (const field of document.querySelectorAll<HTMLElement>(`${textFields}, ${editors}`)) {
    if (field.matches(notRecovered)) continue;
    const name = labelOf(field);
    const number = count.get(name) ?? 0;
    count.set(name, number + 1);
    found.set(`${name}|${number}`, field);
  }
  return found;
}

/** Records which fields the member types in, until the returned function is called. */
export function trackInput(): () => void {
  const enter = ({ target }: { target: EventTarget | null }) => {
    const field = fieldOf(target);
    if (field && !initialTexts.has(field)) initialTexts.set(field, textOf(field));
    for (const known of initialTexts.keys()) if (!known.isConnected) initialTexts.delete(known);
  };
  document.addEventListener("focusin", enter);
  // A screen may have focused a field before this.
  enter({ target: document.activeElement });
  return () => {
    document.removeEventListener("focusin", enter);
    initialTexts.clear();
  };
}

/** The stored key of a recovery (`rescue` is an earlier name); `lib/drafts.ts` removes it at sign-out. */
const key = (member: string) => `atrium.rescue.${member}`;

function read(member: string): Recovery | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key(member)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores the input of this screen for this member and tab, before the page reloads. */
export function saveRecovery(member: string) {
  const changed: SavedField[] = [];
  for (const [name, field] of fields()) {
    const was = initialTexts.get(field);
    if (was !== undefined && textOf(field) !== was) changed.push({ field: name, text: textOf(field) });
  }
  if (changed.length === 0) return;
  try {
    sessionStorage.setItem(key(member), JSON.stringify({ path: location.pathname, fields: changed } satisfies Recovery));
  } catch {
    // Without storage, only forms with drafts of their own can restore their input.
  }
}

/** Returns the fields of this screen that differ from their stored text. */
function unrestored(member: string): [Field, string][] {
  const recovery = read(member);
  if (recovery?.path !== location.pathname) return [];
  const present = fields();
  return recovery.fields.flatMap(({ field, text }): [Field, string][] => {
    const found = present.get(field);
    return found && textOf(found) !== text ? [[found, text]] : [];
  });
}

export const hasRecovery = (member: string) => read(member) !== undefined;
export const canRestoreInput = (member: string) => unrestored(member).length > 0;

function fill(field: Field, text: string) {
  field.focus();
  if (isInput(field)) {
    // Uses the element's own setter, so that React notices the change.
    const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
    if (setter) setter.call(field, text);
    else field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return;
  }
  // An editor receives it as pasted content, which it cleans by its own rules.
  getSelection()?.selectAllChildren(field);
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/html", text);
  clipboardData.setData("text/plain", field.textContent ?? "");
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

/** Fills the fields with their stored input. */
export function restoreInput(member: string) {
  for (const [field, text] of unrestored(member)) fill(field, text);
  discardRecovery(member);
}

export function discardRecovery(member: string) {
  try {
    sessionStorage.removeItem(key(member));
  } catch {
    // Without storage there is nothing to delete.
  }
}
