import { cx } from "@/lib/cx";

/** A choice that one press makes and takes back. */
export function Chip({ isOn, label, onPress }: { isOn: boolean; label: string; onPress: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className={cx(
        "touchable h-8.5 rounded-full border px-3 text-sm font-medium whitespace-nowrap transition-colors duration-150",
        isOn ? "border-tint-line bg-tint-soft text-on-tint hover:bg-tint" : "border-line bg-surface text-soft hover:bg-hover",
      )}
    >
      {label}
    </button>
  );
}
