import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Mark } from "@/components/mark";
import { cx } from "@/lib/cx";
import type { LayoutSlots } from "../slots";

export interface BrandProps extends Pick<LayoutSlots, "company" | "logo"> {
  ground?: "light" | "dark";
  /** When to show the name beside the mark: always, never, or from lg on. */
  words?: "always" | "never" | "lg";
  className?: string;
}

/** The company's mark and name, or its logotype, as a link to the dashboard. */
export function Brand({ company, logo, ground = "light", words = "always", className }: BrandProps) {
  const { t } = useTranslation();
  const picture = ground === "light" ? logo.onLight : logo.onDark;
  return (
    <Link
      to="/dashboard"
      aria-label={t("ui.shell.home", { company })}
      className={cx("touchable flex min-w-0 items-center gap-2.5 rounded-lg", className)}
    >
      {picture ? (
        <img
          src={picture}
          alt=""
          className={cx("h-8 object-contain", words === "never" ? "max-w-16" : words === "lg" ? "max-w-24 lg:max-w-40" : "max-w-40")}
        />
      ) : (
        <>
          <Mark size={30} />
          {words !== "never" && (
            <b className={cx("truncate text-[15px] font-bold tracking-[-.01em] text-ink", words === "lg" && "hidden max-w-64 lg:block")}>
              {company}
            </b>
          )}
        </>
      )}
    </Link>
  );
}
