import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, ChevronDown, Plus, Type, X } from "lucide-react";
import { type KeyboardEvent, type RefCallback, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { Text } from "react-aria-components/Text";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { ChoiceError } from "@/components/choice-error";
import { ChoiceInput } from "@/components/choice-input";
import { ChoicePopover } from "@/components/choice-popover";
import { TextField } from "@/components/text-field";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { minSearchLength } from "@/lib/search-params";
import { useDebounced } from "@/lib/use-debounced";
import { companyNamesQuery } from "@/records/company-names";
import { type Company, isSameName, linkByName, namedOrganizationsQuery } from "@/records/named-organizations";
import { matchesQuery, type RecordMatch, titleQuery } from "@/records/record-titles";

export interface CompanyInputProps {
  label: string;
  hideLabel?: boolean;
  value: Company;
  /** Receives every typed text, and what was chosen from the list or cleared. */
  onChange: (value: Company, isChosen: boolean) => void;
  error?: string | undefined;
  ref?: RefCallback<HTMLElement>;
}

const none: Company = { id: null, name: "" };
/** The key of the choice of a new organization, and the beginning of those of names in use. */
const newKey = "new";
const textKey = "text:";
/** Maximum names in use that are suggested. */
const maxNames = 5;
const optionClass =
  "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none pointer-coarse:min-h-11 focus:bg-hover focus-visible:highlight";
const buttonClass =
  "absolute top-1.75 right-1.5 grid size-7 cursor-pointer place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-coarse:-top-px pointer-coarse:right-0 pointer-coarse:size-11";

/**
 * A text for a company that offers organizations of this name, and names that other people have as a text. An organization
 * that is chosen is linked, or created with the person who is saved; a text that is typed over it is a text again, unless
 * it is the name of exactly one organization, which is linked when the field is left. Without the right to read
 * organizations it is a text field.
 */
export function CompanyInput(props: CompanyInputProps) {
  const mayRead = useMay("organizations.read");
  const { value, onChange, ...field } = props;
  if (mayRead) return <OrganizationInput {...props} />;
  return (
    <TextField
      {...field}
      autoComplete="off"
      dir="auto"
      value={value.name}
      onChange={({ target }) => onChange({ id: null, name: target.value }, false)}
    />
  );
}

function OrganizationInput({ label, hideLabel = false, value, onChange, error, ref }: CompanyInputProps) {
  const { t, i18n } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  const mayAdd = useMay("organizations.write");
  const mayReadPeople = useMay("customers.read");
  const { id, isNew = false } = value;
  const isLinked = id !== null || isNew;
  const { data: title } = useQuery({ ...titleQuery("organization", id ?? ""), enabled: id !== null });
  const shown = id === null ? value.name : (title ?? value.name);
  const [isAsked, setAsked] = useState(false);
  /** The choice whose value has no id. React Aria closes the list when its selected key changes. */
  const [chosenKey, setChosenKey] = useState<string>();
  const typed = id === null ? value.name.trim() : "";
  const rested = useDebounced(typed, 250);
  // One letter finds nothing.
  const words = rested.length < minSearchLength ? "" : rested;
  const matches = useQuery({ ...matchesQuery("organization", words), enabled: isAsked });
  const wanted = fold(typed).split(/\s+/);
  const hasWords = (name: string) => wanted.every((word) => ` ${fold(name)}`.includes(` ${word}`));
  // The search also finds organizations by their other fields.
  const found = (matches.data ?? []).filter(({ title: name }) => hasWords(name));
  const isKnown = words === typed && matches.isSuccess && !matches.isPlaceholderData;
  const names = useQuery({ ...companyNamesQuery(words), enabled: isAsked && mayReadPeople && words !== "" });
  const isFound = (name: string) => found.some((match) => fold(match.title) === fold(name));
  /** Whether another organization of the list has the same name. */
  const isDouble = (name: string) => found.filter((match) => isSameName(match.title, name)).length > 1;
  const inUse = (words !== "" && names.data ? names.data : [])
    .filter((name) => hasWords(name) && fold(name) !== fold(typed) && !isFound(name))
    .slice(0, maxNames);
  const offersNew = mayAdd && isKnown && typed !== "" && !isFound(typed);
  const option = (key: string, name: string) => ({ id: key, title: name, subtitle: undefined, avatar: undefined });
  /** What was linked before a text was typed over it, which Escape restores. */
  const before = useRef<Company>(undefined);
  const wasOpen = useRef(false);
  /** The latest company, for what is found out later. */
  const latest = useRef(value);
  latest.current = value;
  const isTyped = useRef(false);
  const named = useQuery({ ...namedOrganizationsQuery(rested), enabled: isAsked && rested !== "" });
  const isAmbiguous = !isLinked && typed !== "" && rested === typed && (named.data?.length ?? 0) > 1;

  const linkTyped = async () => {
    if (!isTyped.current) return;
    isTyped.current = false;
    const { company } = await linkByName(client, value);
    const { id: now, name } = latest.current;
    if (company.id && now === null && name === value.name) onChange(company, false);
  };
  const choose = (next: Company, key?: string) => {
    before.current = undefined;
    isTyped.current = false;
    setChosenKey(key);
    // Cached at once, so that the field shows the name without waiting.
    if (next.id) client.setQueryData(titleQuery("organization", next.id).queryKey, next.name);
    onChange(next, true);
  };
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !wasOpen.current) return;
    // Only the list closes, not the form.
    event.stopPropagation();
    if (before.current) onChange(before.current, false);
    before.current = undefined;
    isTyped.current = false;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape belongs to the list inside
    <div
      className="min-w-0"
      onKeyDownCapture={({ target }) => {
        wasOpen.current = target instanceof Element && target.getAttribute("aria-expanded") === "true";
      }}
      onKeyDown={onEscape}
    >
      <ComboBox
        items={[...found, ...inUse.map((name) => option(textKey + name, name)), ...(offersNew ? [option(newKey, typed)] : [])]}
        inputValue={shown}
        selectedKey={id ?? chosenKey ?? null}
        allowsCustomValue
        isInvalid={error !== undefined}
        menuTrigger="manual"
        allowsEmptyCollection
        onInputChange={(name) => {
          if (name === shown) return;
          if (isLinked) before.current = { ...value, name: shown };
          isTyped.current = true;
          setChosenKey(undefined);
          onChange({ id: null, name }, false);
        }}
        onSelectionChange={(key) => {
          if (key === newKey) return choose({ id: null, name: typed, isNew: true }, newKey);
          if (typeof key === "string" && key.startsWith(textKey)) return choose({ id: null, name: key.slice(textKey.length) }, key);
          const picked = found.find((match) => match.id === key);
          if (picked && picked.id !== id) choose({ id: picked.id, name: picked.title });
        }}
        onOpenChange={(isOpen) => isOpen && setAsked(true)}
        onBlur={() => {
          before.current = undefined;
          void linkTyped();
        }}
        {...(hideLabel && { "aria-label": label })}
      >
        {!hideLabel && <Label className="mb-1.5 block text-sm font-medium text-gray-700">{label}</Label>}
        <div ref={box} className="relative">
          {isLinked && <Building2 aria-hidden size={18} className="pointer-events-none absolute top-3 left-3 text-muted" />}
          <ChoiceInput isText {...(ref && { ref })} className={cx("text-ellipsis pr-10 pointer-coarse:pr-11", isLinked && "pl-9.5")} />
          {isLinked ? (
            <button
              type="button"
              aria-label={t("ui.action.clearNamed", { name: label.toLocaleLowerCase(i18n.language) })}
              onClick={() => {
                choose(none);
                box.current?.querySelector("input")?.focus();
              }}
              className={buttonClass}
            >
              <X aria-hidden size={16} />
            </button>
          ) : (
            <Button className={buttonClass}>
              <ChevronDown aria-hidden size={16} />
            </Button>
          )}
        </div>
        {/* Always there: React Aria ties to the input what is there at first. */}
        <Text slot="description" className={isNew || isAmbiguous ? "mt-1.5 block text-sm text-muted" : "sr-only"}>
          {isNew
            ? t("ui.customers.companyNew")
            : isAmbiguous
              ? t("ui.customers.companySeveral")
              : id !== null && t("ui.customers.companyLinked")}
        </Text>
        <ChoiceError error={error} />
        <ChoicePopover
          isBusy={matches.isPending}
          emptyText={typed ? t("ui.customers.companyAsText", { name: typed }) : t("ui.organizations.empty")}
        >
          {({ id: key, title: name, avatar, detail }: RecordMatch) =>
            key === newKey ? (
              <ListBoxItem id={key} textValue={name} className={optionClass}>
                <span className="grid size-7 shrink-0 place-items-center rounded-full bg-tint text-on-tint">
                  <Plus aria-hidden size={16} />
                </span>
                <span className="min-w-0 [overflow-wrap:anywhere]">{t("ui.organizations.addNamed", { name })}</span>
              </ListBoxItem>
            ) : key.startsWith(textKey) ? (
              <ListBoxItem id={key} textValue={name} className={optionClass}>
                <span className="grid size-7 shrink-0 place-items-center rounded-full bg-hover text-muted">
                  <Type aria-hidden size={15} />
                </span>
                <span className="min-w-0">
                  <span dir="auto" className="block truncate">
                    {name}
                  </span>
                  <span className="block truncate text-xs text-muted">{t("ui.customers.companyInUse")}</span>
                </span>
              </ListBoxItem>
            ) : (
              <ListBoxItem id={key} textValue={name} className={optionClass}>
                <Avatar name={name} src={avatar} size={28} />
                <span className="min-w-0">
                  <span dir="auto" className="block truncate">
                    {name}
                  </span>
                  {detail && isDouble(name) && (
                    <span dir="auto" className="block truncate text-xs text-muted">
                      {detail}
                    </span>
                  )}
                </span>
              </ListBoxItem>
            )
          }
        </ChoicePopover>
      </ComboBox>
    </div>
  );
}
