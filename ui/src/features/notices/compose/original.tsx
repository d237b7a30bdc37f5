import { useTranslation } from "react-i18next";
import type { Notice } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Html } from "@/components/html";
import { panelTime } from "@/lib/format";

/** The message that is answered, above the answer. */
export function Original({ notice }: { notice: Notice }) {
  const { t } = useTranslation();
  const name = notice.from?.name ?? "";
  return (
    <section aria-label={t("ui.messages.original", { name })} className="rounded-xl border border-line bg-sunken px-4 py-3.5">
      <p className="mb-2 flex items-center gap-2.5">
        <Avatar name={name} src={notice.image} size={28} />
        <b className="min-w-0 flex-1 truncate font-semibold text-ink">{name}</b>
        <time dateTime={notice.time} className="text-xs whitespace-nowrap text-muted">
          {panelTime(notice.time)}
        </time>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <div tabIndex={0} className="max-h-52 overflow-y-auto rounded-md text-body [&_strong]:font-semibold [&_strong]:text-ink">
        <Html html={notice.description ?? ""} className="[overflow-wrap:anywhere]" />
      </div>
    </section>
  );
}
