import { Button } from "./button";

interface MoreRowsProps {
  label: string;
  busy: boolean;
  onMore: () => void;
}

/** Loads further rows at the end of a list. */
export function MoreRows({ label, busy, onMore }: MoreRowsProps) {
  return (
    <div className="border-t border-hover p-3 text-center">
      <Button size="sm" busy={busy} onClick={onMore}>
        {label}
      </Button>
    </div>
  );
}
