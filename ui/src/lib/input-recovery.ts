interface SavedField {
  /** Which field it was, by its kind, name and label. */
  field: string;
  /** Its text; for an editor, its HTML. */
  text: string;
}

interface Recovery {
  path: string;
  fields: SavedField[];
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLElement;

const typed = "input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], input[type=number], textarea";
const editors = "[contenteditable=true]";
/** What is typed there is a question, a filter or a secret, and no work. */
const passing = "search *, [role=search] *, [role=combobox], [role=spinbutton], [type=password]";

/** What stood in a field before the person changed it. */
const before = new Map<Field, string>();

function fieldOf(target: EventTarget | null): Field | undefined {
  if (!(target instanceof HTMLElement) || target.matches(passing)) return undefined;
  return target.matches(typed) ? target : (target.closest<HTMLElement>(editors) ?? undefined);
}

const isInput = (field: Field): field is HTMLInputElement | HTMLTextAreaElement => "value" in field;
const textOf = (field: Field) => (isInput(field) ? field.value : field.innerHTML);

/** How a field can be told from the others after the page has started anew. */
function label(field: Field): string {
  const by = field.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
  const words =
    field.getAttribute("aria-label") ??
    (isInput(field) ? field.labels?.[0]?.textContent : undefined) ??
    by.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  return [field.tagName, field.getAttribute("name") ?? "", words || (field.getAttribute("placeholder") ?? "")].join("|");
}

/** All fields on the page by their names; of those named alike, by their order. */
function fields(): Map<string, Field> {
  const found = new Map<string, Field>();
  const count = new Map<string, number>();
  for (const field of document.querySelectorAll<HTMLElement>(`${typed}, ${editors}`)) {
    if (field.matches(passing)) continue;
    const name = label(field);
    const number = count.get(name) ?? 0;
    count.set(name, number + 1);
    found.set(`${name}|${number}`, field);
  }
  return found;
}

/** Remembers which fields people type in, until the answered function is called. */
export function trackInput(): () => void {
  const enter = ({ target }: { target: EventTarget | null }) => {
    const field = fieldOf(target);
    if (field && !before.has(field)) before.set(field, textOf(field));
    for (const known of before.keys()) if (!known.isConnected) before.delete(known);
  };
  document.addEventListener("focusin", enter);
  // A screen may have put the focus into a field before this.
  enter({ target: document.activeElement });
  return () => {
    document.removeEventListener("focusin", enter);
    before.clear();
  };
}

const key = (member: string) => `atrium.rescue.${member}`;

function read(member: string): Recovery | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key(member)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what was typed on this screen, for this member and browser tab: the page is about to start anew. */
export function saveTypedInput(member: string) {
  const kept: SavedField[] = [];
  for (const [name, field] of fields()) {
    const was = before.get(field);
    if (was !== undefined && textOf(field) !== was) kept.push({ field: name, text: textOf(field) });
  }
  if (kept.length === 0) return;
  try {
    sessionStorage.setItem(key(member), JSON.stringify({ path: location.pathname, fields: kept } satisfies Recovery));
  } catch {
    // Without storage only the forms that keep drafts themselves can bring theirs back.
  }
}

/** The fields on this screen whose rescued text is not in them. */
function lacking(member: string): [Field, string][] {
  const rescue = read(member);
  if (rescue?.path !== location.pathname) return [];
  const present = fields();
  return rescue.fields.flatMap(({ field, text }): [Field, string][] => {
    const found = present.get(field);
    return found && textOf(found) !== text ? [[found, text]] : [];
  });
}

export const hasRecovery = (member: string) => read(member) !== undefined;
export const canRestoreInput = (member: string) => lacking(member).length > 0;

function fill(field: Field, text: string) {
  field.focus();
  if (isInput(field)) {
    // Through the element's own setter, so that whoever controls the field hears of it.
    const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
    if (setter) setter.call(field, text);
    else field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return;
  }
  // An editor takes it as it takes everything from outside: pasted, and cleaned by its own rules.
  getSelection()?.selectAllChildren(field);
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/html", text);
  clipboardData.setData("text/plain", field.textContent ?? "");
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

/** Fills the fields with what was typed in them. */
export function restoreInput(member: string) {
  for (const [field, text] of lacking(member)) fill(field, text);
  discardRecovery(member);
}

export function discardRecovery(member: string) {
  try {
    sessionStorage.removeItem(key(member));
  } catch {
    // What could not be kept need not be forgotten.
  }
}
