import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { controlKey } from "@/lib/keys";
import { type Toast, toast, useToasts } from "@/lib/toast";
import { undo } from "@/lib/undo";

const icons = { info: Info, success: CircleCheck, error: CircleAlert };
const colours = { info: "text-primary-300", success: "text-[oklch(.8_.15_155)]", error: "text-[oklch(.78_.13_22)]" };

/** Milliseconds for which a toast stays. An offer outlasts a phone call. */
const shortMs = 5_000;
const longMs = 10_000;
const offerMs = 10 * 60_000;

/** Characters of text and button from which the button is below the text on phones. */
const stackedFrom = 36;

function Card({ item }: { item: Toast }) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  const Icon = icons[item.kind];
  // Beside a button there is too little room for it on a phone.
  const isStacked = item.action && item.text.length + item.action.label.length > stackedFrom;
  // Toasts with an action stay longer; none disappears while the pointer or the focus is on it.
  useEffect(() => {
    if (held) return;
    const ms = item.isOffer ? offerMs : item.action || item.kind === "error" ? longMs : shortMs;
    const timer = setTimeout(() => toast.dismiss(item.id), ms);
    return () => clearTimeout(timer);
  }, [held, item]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only delays the removal
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className={cx(
        "pointer-events-auto flex w-full max-w-100 items-start gap-3 rounded-xl bg-gray-900 py-3 pr-2 pl-4 text-white shadow-panel animate-enter",
        isStacked && "max-sm:flex-wrap",
      )}
    >
      <Icon aria-hidden size={20} className={cx("mt-px", colours[item.kind])} />
      <p className={cx("line-clamp-3 min-w-0 flex-1 py-px [overflow-wrap:anywhere]", isStacked && "max-sm:basis-[calc(100%-6.5rem)]")}>
        {item.text}
      </p>
      {item.action && (
        <button
          type="button"
          onClick={() => toast.run(item)}
          aria-keyshortcuts={item.isOffer ? undefined : "Control+Z Meta+Z"}
          className={cx(
            "fingertip relative -my-0.5 rounded-lg px-2 py-1 font-semibold text-primary-300 hover:bg-white/10 focus-visible:outline-white",
            isStacked && "max-sm:order-last max-sm:ml-6",
          )}
        >
          {item.action.label}
          {item.action.label === t("ui.action.undo") && (
            <kbd aria-hidden className="ml-2 hidden font-sans text-xs font-normal text-gray-400 sm:pointer-fine:inline">
              {`${controlKey}+Z`}
            </kbd>
          )}
        </button>
      )}
      <button
        type="button"
        aria-label={t("ui.action.dismiss")}
        onClick={() => toast.dismiss(item.id)}
        className="fingertip relative -my-0.5 grid size-7 place-items-center rounded-lg text-gray-400 hover:bg-white/10 hover:text-white focus-visible:outline-white"
      >
        <X aria-hidden size={16} />
      </button>
    </div>
  );
}

/** Ctrl+Z or Cmd+Z undoes the newest act of this tab, except in a text field. */
function useUndoKey() {
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if (
        event.target instanceof HTMLElement &&
        event.target.matches("input:not([type=checkbox], [type=radio]), textarea, [contenteditable]")
      )
        return;
      if (undo.runLast()) event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
}

const dialogs = "[role=dialog], [role=alertdialog]";
const active = () => document.activeElement;
const isBefore = (a: Element, b: Element) => Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);

/**
 * An open dialog keeps Tab within itself: after its last control comes the first. With this, the toasts' buttons come
 * between them. React Aria lets the focus go to them, but only moves it within the dialog.
 */
function useTabFromDialogs(toaster: RefObject<HTMLElement | null>) {
  useEffect(() => {
    let from: Element | null = null;
    /** The first and last control of the dialog that the focus came from. */
    let ends: { first: Element; last: Element } | undefined;
    const isTab = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent) => key === "Tab" && !altKey && !ctrlKey && !metaKey;
    const move = (event: KeyboardEvent, to: Element | undefined) => {
      if (!(to instanceof HTMLElement) || !to.isConnected) return;
      event.preventDefault();
      to.focus();
    };
    const before = (event: KeyboardEvent) => {
      if (isTab(event)) from = active();
    };
    const after = (event: KeyboardEvent) => {
      const buttons = [...(toaster.current?.querySelectorAll("button") ?? [])];
      if (!isTab(event) || !from || buttons.length === 0) return;
      const isBack = event.shiftKey;
      if (toaster.current?.contains(from)) {
        if (from === (isBack ? buttons[0] : buttons.at(-1))) move(event, isBack ? ends?.last : ends?.first);
        return;
      }
      const to = active();
      const dialog = from.closest(dialogs);
      if (!event.defaultPrevented || !to || !dialog?.contains(to)) return;
      const isWrapped = from === to || (isBack ? isBefore(from, to) : isBefore(to, from));
      if (!isWrapped) return;
      ends = isBack ? { first: from, last: to } : { first: to, last: from };
      move(event, isBack ? buttons.at(-1) : buttons[0]);
    };
    addEventListener("keydown", before, true);
    addEventListener("keydown", after);
    return () => {
      removeEventListener("keydown", before, true);
      removeEventListener("keydown", after);
    };
  }, [toaster]);
}

/** Keeps the height of the toasts in a property, so that what they cover on phones can be scrolled away from below them. */
function useHeightProperty(toaster: RefObject<HTMLElement | null>, count: number) {
  useEffect(() => {
    const { style } = document.documentElement;
    const height = count > 0 && toaster.current?.offsetHeight;
    if (height) style.setProperty("--toasts", `${height + 16}px`);
    else style.removeProperty("--toasts");
    return () => void style.removeProperty("--toasts");
  }, [toaster, count]);
}

/** The container of toasts; screen readers announce new ones. */
export function Toaster() {
  const { t } = useTranslation();
  const toasts = useToasts((state) => state.toasts);
  const toaster = useRef<HTMLElement>(null);
  useUndoKey();
  useTabFromDialogs(toaster);
  useHeightProperty(toaster, toasts.length);
  return (
    <section
      ref={toaster}
      // Stays reachable, and is announced, while a panel or dialog is open.
      data-react-aria-top-layer="true"
      aria-label={t("ui.shell.toasts")}
      aria-live="polite"
      className="no-print pointer-events-none fixed inset-x-4 bottom-[calc(1rem+var(--notes,0px)+var(--foot,0px))] z-[1100] flex flex-col items-center gap-2 sm:left-auto sm:w-100 lg:bottom-[calc(1rem+var(--foot,0px))]"
    >
      {toasts.map((item) => (
        <Card key={item.id} item={item} />
      ))}
    </section>
  );
}
