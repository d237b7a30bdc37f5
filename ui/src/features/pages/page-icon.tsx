import { FileText } from "lucide-react";
import { Icon } from "@/components/icon";

/** A page's icon: the name of an icon, or an emoji. */
export function PageIcon({ icon, size = 18 }: { icon: string | undefined; size?: number }) {
  if (!icon) return <FileText aria-hidden size={size} className="shrink-0 text-muted" />;
  if (/^[a-z0-9-]+$/.test(icon)) return <Icon name={icon} size={size} className="shrink-0 text-muted" />;
  return (
    <span aria-hidden className="grid shrink-0 place-items-center leading-none" style={{ width: size, fontSize: size - 2 }}>
      {icon}
    </span>
  );
}
