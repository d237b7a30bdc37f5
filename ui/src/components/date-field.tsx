import { CalendarDate, parseDate } from "@internationalized/date";
import { CalendarDays, ChevronLeft, ChevronRight } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Button as RootButton } from "react-aria-components/Button";
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
} from "react-aria-components/Calendar";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { I18nProvider } from "react-aria-components/I18nProvider";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatDate, isYearless } from "@/lib/format";
import { dateLocale, region } from "@/lib/region";
import { isWrittenAsDate, parseDateWithOptionalYear, parseShortDate, shortDate, shortDatePattern } from "@/lib/short-date";
import { useParsedText } from "@/lib/use-parsed-text";
import { isoDay } from "@/lib/zone";
import { Field, fieldAttributes, fieldButtonClass, inputClass, type ParsedFieldProps } from "./field";
import { Popover } from "./popover";

const firstDays = { monday: "mon", saturday: "sat", sunday: "sun" } as const;

export interface DateFieldProps extends ParsedFieldProps<string | null> {
  /** Shown in the empty field instead of the date pattern. */
  placeholder?: string;
  /** `sm` is the height of a toolbar's filters. */
  size?: "sm" | "md";
  disabled?: boolean;
  /** Takes a day and a month without a year, too; the hint says so. */
  yearIsOptional?: boolean | undefined;
}

/** Returns the day of a value in the calendar: without a year, that of this year, or the day before a missing 29 February. */
function calendarDay(value: string): CalendarDate {
  if (!isYearless(value)) return parseDate(value);
  const [month, day] = value.slice(2).split("-").map(Number);
  return new CalendarDate(Number(isoDay().slice(0, 4)), month ?? 1, day ?? 1);
}

const arrow =
  "touchable grid size-8 cursor-pointer place-items-center rounded-lg text-soft hover:bg-hover disabled:opacity-40 focus-visible:outline-2 focus-visible:outline-primary";

/**
 * A date, typed in the locale's short form and shown in its long form, with a calendar. The value is `YYYY-MM-DD`, or null
 * for none; with `yearIsOptional`, also `--MM-DD`.
 */
export function DateField({
  label,
  hint: ownHint,
  error,
  hideLabel,
  className,
  value,
  onChange,
  onWrong,
  placeholder,
  size = "md",
  disabled,
  yearIsOptional = false,
  ref,
}: DateFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const parse = (text: string) => (yearIsOptional ? parseDateWithOptionalYear(text) : parseShortDate(text));
  const { typed, type, wrong, leave, choose } = useParsedText({ value, empty: null, parse, onChange, onWrong });
  const [open, setOpen] = useState(false);
  const [isFocused, setFocused] = useState(false);
  /** Whether something was typed since the field got the focus. */
  const isTyped = useRef(false);
  const day = value ? calendarDay(value) : null;
  const hint = ownHint ?? (yearIsOptional ? t("ui.date.yearIsOptional") : undefined);
  const fault = isWrittenAsDate(typed ?? "", yearIsOptional)
    ? t("ui.date.noSuchDay")
    : t("ui.date.invalid", { pattern: shortDatePattern() });
  const note = error ?? (wrong ? fault : undefined);

  return (
    <Field id={id} label={label} hint={hint} error={note} className={className} {...(hideLabel && { hideLabel })}>
      <span className="relative block">
        <input
          ref={ref}
          {...fieldAttributes(id, { hint, error: note })}
          disabled={disabled}
          autoComplete="off"
          placeholder={typed === undefined && !isFocused ? (placeholder ?? shortDatePattern()) : shortDatePattern()}
          value={typed ?? (value ? (isFocused ? shortDate(value) : formatDate(value, { dateStyle: "long" })) : "")}
          onFocus={(event) => {
            const input = event.currentTarget;
            // The short form is shown, but not typed: leaving the field then changes nothing. Invalid text stays.
            setFocused(true);
            isTyped.current = false;
            // Once it is shown, unless something was typed before: that would be replaced.
            requestAnimationFrame(() => input === document.activeElement && !isTyped.current && input.select());
          }}
          onChange={(event) => {
            isTyped.current = true;
            type(event.target.value);
          }}
          onBlur={() => {
            setFocused(false);
            leave();
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") leave();
            if (event.key === "ArrowDown" && event.altKey) setOpen(true);
          }}
          className={cx(inputClass, "pr-11", size === "sm" && "!h-8.5 !rounded-lg !text-sm")}
        />
        <button
          ref={button}
          type="button"
          disabled={disabled}
          aria-label={t("ui.date.open", { label })}
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => setOpen(true)}
          className={cx(fieldButtonClass, "right-1.25 pointer-coarse:right-0", size === "sm" ? "top-0.75 size-7" : "top-1.25 size-8")}
        >
          <CalendarDays aria-hidden size={18} />
        </button>
      </span>
      <Popover triggerRef={button} isOpen={open} onOpenChange={setOpen} className="!rounded-xl p-3 pointer-coarse:p-2">
        <I18nProvider locale={dateLocale()}>
          <Dialog aria-label={label} className="outline-none">
            <Calendar
              aria-label={label}
              value={value && isYearless(value) ? null : day}
              defaultFocusedValue={day}
              onChange={(date: CalendarDate) => {
                choose(date.toString());
                setOpen(false);
              }}
              autoFocus
              firstDayOfWeek={firstDays[region().firstDay]}
            >
              <header className="mb-2 flex items-center">
                <RootButton slot="previous" className={arrow}>
                  <ChevronLeft aria-hidden size={18} />
                </RootButton>
                <Heading className="flex-1 text-center font-semibold text-ink" />
                <RootButton slot="next" className={arrow}>
                  <ChevronRight aria-hidden size={18} />
                </RootButton>
              </header>
              <CalendarGrid weekdayStyle="short">
                <CalendarGridHeader>
                  {(day) => (
                    <CalendarHeaderCell className="size-9 pointer-coarse:w-auto text-xs font-medium text-muted">{day}</CalendarHeaderCell>
                  )}
                </CalendarGridHeader>
                <CalendarGridBody>
                  {(date) => (
                    <CalendarCell
                      date={date}
                      className={cx(
                        // Seven of them are no wider than a narrow phone.
                        "m-px grid size-9 pointer-coarse:m-0 pointer-coarse:h-11 pointer-coarse:w-[min(2.75rem,(100vw-2.25rem)/7)] cursor-pointer place-items-center rounded-lg tabular-nums hover:bg-hover outside-month:invisible selected:bg-primary selected:text-on-primary data-today:font-bold data-today:inset-ring-1 data-today:inset-ring-primary focus-visible:outline-2 focus-visible:outline-offset-1 focus-visible:outline-primary disabled:opacity-40",
                      )}
                    />
                  )}
                </CalendarGridBody>
              </CalendarGrid>
            </Calendar>
          </Dialog>
        </I18nProvider>
      </Popover>
    </Field>
  );
}
