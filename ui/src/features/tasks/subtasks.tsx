import { Plus, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Subtask } from "@/api/schema";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { newId } from "@/lib/new-id";
import { holdHeight } from "@/lib/press";
import { useBlurOnLeave } from "@/lib/use-blur-on-leave";
import { CheckButton } from "./check-button";

export interface SubtasksProps {
  items: Subtask[];
  onChange: (items: Subtask[], now: boolean) => void;
  disabled: boolean;
}

/** The subtasks of a task. */
export function Subtasks({ items, onChange, disabled }: SubtasksProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const section = useRef<HTMLElement>(null);
  useBlurOnLeave(section);
  const change = (id: string, part: Partial<Subtask>, now: boolean) =>
    onChange(
      items.map((one) => (one.id === id ? { ...one, ...part } : one)),
      now,
    );
  const add = (event: FormEvent) => {
    event.preventDefault();
    const title = text.trim();
    if (!title) return;
    setText("");
    onChange([...items, { id: newId(), title, completed: false }], true);
  };
  if (disabled && items.length === 0) return null;
  return (
    <section ref={section} aria-label={t("ui.tasks.subtasks")} onBlurCapture={() => holdHeight(section.current)}>
      <h3 className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.tasks.subtasks")}</h3>
      <ul>
        {items.map((one) => (
          <li key={one.id} className="group flex min-h-10 items-center gap-2.5">
            <CheckButton
              title={one.title}
              completed={one.completed}
              disabled={disabled}
              size={18}
              onToggle={() => change(one.id, { completed: !one.completed }, true)}
            />
            <input
              aria-label={t("ui.tasks.subtask")}
              value={one.title}
              readOnly={disabled}
              dir="auto"
              onChange={(event) => change(one.id, { title: event.target.value }, false)}
              onBlur={() =>
                one.title.trim() === "" &&
                onChange(
                  items.filter((other) => other.id !== one.id),
                  true,
                )
              }
              className={cx(
                "touchable h-8 min-w-0 flex-1 rounded-md bg-transparent px-1.5 focus-visible:outline-2 focus-visible:outline-primary",
                one.completed && "text-muted line-through",
              )}
            />
            {!disabled && (
              <IconButton
                label={t("ui.action.removeNamed", { name: one.title })}
                icon={X}
                size="sm"
                onClick={() =>
                  onChange(
                    items.filter((other) => other.id !== one.id),
                    true,
                  )
                }
                className="pointer-fine:opacity-0 pointer-fine:group-hover:opacity-100 pointer-fine:focus-visible:opacity-100"
              />
            )}
          </li>
        ))}
      </ul>
      {!disabled && (
        <form onSubmit={add} className="flex min-h-10 items-center gap-2.5">
          <Plus aria-hidden size={18} className="text-muted" />
          <input
            aria-label={t("ui.tasks.addSubtask")}
            placeholder={t("ui.tasks.addSubtask")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={add}
            className="touchable h-8 min-w-0 flex-1 rounded-md bg-transparent px-1.5 placeholder:text-muted focus-visible:outline-2 focus-visible:outline-primary"
          />
        </form>
      )}
    </section>
  );
}
