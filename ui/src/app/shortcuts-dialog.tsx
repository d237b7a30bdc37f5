import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { Switch } from "@/components/switch";
import { controlKey, setSingleKeys, useSingleKeys } from "@/lib/keys";

/** The keys that work everywhere or in every list; alternatives are separate presses, in order. */
const keys = [
  { keys: [["/"]], does: "ui.keys.search" },
  { keys: [[controlKey, "K"]], does: "ui.keys.commands" },
  { keys: [["?"]], does: "ui.keys.help" },
  { keys: [["N"]], does: "ui.keys.new" },
  { keys: [["J"], ["K"]], does: "ui.keys.move" },
  { keys: [["Enter"]], does: "ui.keys.open" },
  { keys: [["E"]], does: "ui.keys.edit" },
  { keys: [["Space"]], does: "ui.keys.complete" },
  { keys: [["X"]], does: "ui.keys.select" },
  { keys: [["B"]], does: "ui.keys.bulk" },
  { keys: [[controlKey, "Enter"]], does: "ui.keys.save" },
  { keys: [[controlKey, "Z"]], does: "ui.keys.undo" },
  { keys: [["Esc"]], does: "ui.keys.close" },
] as const;

/** The list of keyboard shortcuts. */
export default function ShortcutsDialog({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const on = useSingleKeys((state) => state.on);
  const shown = keys
    .map(({ does, keys: chords }) => ({ does, chords: chords.filter((chord) => on || chord.length > 1 || chord[0].length > 1) }))
    .filter(({ chords }) => chords.length > 0);
  return (
    <Dialog title={t("ui.keys.title")} isOpen={isOpen} onOpenChange={onOpenChange}>
      <dl>
        {shown.map((one) => (
          <div key={one.does} className="flex items-center justify-between gap-4 border-b border-line py-2.5 last:border-0">
            <dt>{t(one.does)}</dt>
            <dd className="flex items-center gap-1.5 text-sm text-muted">
              {one.chords.map((chord, at) => (
                <span key={chord.join("+")} className="flex items-center gap-1">
                  {at > 0 && <span className="mr-0.5">{t("ui.keys.or")}</span>}
                  {chord.map((key) => (
                    <kbd
                      key={key}
                      className="min-w-6.5 rounded-md border border-line-strong bg-sunken px-1.5 py-0.5 text-center font-sans text-xs font-semibold text-body"
                    >
                      {key}
                    </kbd>
                  ))}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 rounded-control border border-line bg-sunken p-4">
        <Switch hint={t("ui.keys.singleHint")} checked={on} onChange={(event) => setSingleKeys(event.target.checked)}>
          {t("ui.keys.single")}
        </Switch>
      </div>
    </Dialog>
  );
}
