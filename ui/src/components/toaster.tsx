import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { type Toast, toast, useToasts } from "@/lib/toast";

const icons = { info: Info, success: CircleCheck, error: CircleAlert };
const colours = { info: "text-primary-300", success: "text-[oklch(.8_.15_155)]", error: "text-[oklch(.78_.13_22)]" };

function Card({ item }: { item: Toast }) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  const Icon = icons[item.kind];
  // What offers a way back stays longer; nothing goes while it is looked at.
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => toast.dismiss(item.id), item.action || item.kind === "error" ? 10_000 : 5_000);
    return () => clearTimeout(timer);
  }, [held, item]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps it from going away
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full max-w-100 items-start gap-3 rounded-xl bg-gray-900 py-3 pr-2 pl-4 text-white shadow-panel animate-enter"
    >
      <Icon aria-hidden size={20} className={cx("mt-px", colours[item.kind])} />
      <p className="min-w-0 flex-1 py-px">{item.text}</p>
      {item.action && (
        <button
          type="button"
          onClick={() => {
            item.action?.run();
            toast.dismiss(item.id);
          }}
          className="-my-0.5 rounded-lg px-2 py-1 font-semibold text-primary-300 hover:bg-white/10 focus-visible:outline-white"
        >
          {item.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label={t("ui.action.dismiss")}
        onClick={() => toast.dismiss(item.id)}
        className="-my-0.5 grid size-7 place-items-center rounded-lg text-gray-400 hover:bg-white/10 hover:text-white focus-visible:outline-white"
      >
        <X aria-hidden size={16} />
      </button>
    </div>
  );
}

/** Where toasts appear; announced to screen readers as they come. */
export function Toaster() {
  const { t } = useTranslation();
  const toasts = useToasts((state) => state.toasts);
  return (
    <section
      aria-label={t("ui.shell.toasts")}
      aria-live="polite"
      className="no-print pointer-events-none fixed inset-x-4 bottom-4 z-[1100] flex flex-col items-center gap-2 sm:left-auto sm:w-100"
    >
      {toasts.map((item) => (
        <Card key={item.id} item={item} />
      ))}
    </section>
  );
}
