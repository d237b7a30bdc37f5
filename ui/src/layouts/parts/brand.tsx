import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Mark } from "@/components/mark";
import { cx } from "@/lib/cx";

/** The company's mark and name, leading to the dashboard. */
export function Brand({
  company,
  logo,
  compact,
  className,
}: {
  company: string;
  logo: string | null | undefined;
  compact?: boolean;
  className?: string;
}) {
  const { t } = useTranslation();
  return (
    <Link
      to="/dashboard"
      aria-label={t("ui.shell.home", { company })}
      className={cx("flex min-w-0 items-center gap-2.5 rounded-lg", className)}
    >
      {logo ? <img src={logo} alt="" className="h-8 max-w-40 object-contain" /> : <Mark size={30} />}
      {!logo && <b className={cx("truncate text-[15px] font-bold tracking-[-.01em] text-ink", compact && "hidden lg:block")}>{company}</b>}
    </Link>
  );
}
