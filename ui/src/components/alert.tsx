import { CircleAlert, CircleCheck, Info } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

const looks = {
  error: { className: "bg-bad-soft text-bad", icon: CircleAlert },
  success: { className: "bg-ok-soft text-ok", icon: CircleCheck },
  info: { className: "bg-tint-soft text-on-tint", icon: Info },
};

/** A sentence that belongs to the form or page around it. */
export function Alert({ kind, children, className }: { kind: keyof typeof looks; children: ReactNode; className?: string }) {
  const { className: look, icon: Icon } = looks[kind];
  return (
    <div role={kind === "error" ? "alert" : "status"} className={cx("flex gap-2.5 rounded-control px-3.5 py-3", look, className)}>
      <Icon aria-hidden size={18} className="mt-px" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
