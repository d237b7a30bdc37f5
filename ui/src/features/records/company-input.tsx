import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, ChevronDown, Plus, X } from "lucide-react";
import { type KeyboardEvent, type RefCallback, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { Text } from "react-aria-components/Text";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Avatar } from "@/components/avatar";
import { ChoiceError } from "@/components/choice-error";
import { ChoiceInput } from "@/components/choice-input";
import { ChoicePopover } from "@/components/choice-popover";
import { TextField } from "@/components/text-field";
import { useMay, useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { minSearchLength } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { useDebounced } from "@/lib/use-debounced";
import { useSaveRecord } from "@/records/data";
import { matchesQuery, type RecordMatch, titleQuery } from "@/records/record-titles";

/** The company of a person: an organization with its name, or a text alone. */
export interface Company {
  /** The id of the organization. */
  id: string | null;
  name: string;
}

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
/** The key of the choice that adds an organization. */
const newKey = "new";
const optionClass =
  "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none pointer-coarse:min-h-11 focus:bg-hover focus-visible:highlight";
const buttonClass =
  "absolute top-1.75 right-1.5 grid size-7 cursor-pointer place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-coarse:-top-px pointer-coarse:right-0 pointer-coarse:size-11";

/** Returns the mutation that adds an organization by its name. */
function useAddOrganization() {
  const { mutateAsync } = useSaveRecord("organization");
  const { id: ownerId } = useUser();
  return useMutation({
    mutationFn: (name: string) => mutateAsync({ input: { name, ownerId }, known: undefined }),
    meta: { handled: true },
  });
}

/**
 * A text for a company that offers organizations of this name. What is chosen from the list is linked; a text that is
 * typed over it is a text again. Without the right to read organizations it is a text field.
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
  const { mutate: add, isPending: isAdding, error: addError, reset } = useAddOrganization();
  const { id } = value;
  const { data: title } = useQuery({ ...titleQuery("organization", id ?? ""), enabled: id !== null });
  const shown = id === null ? value.name : (title ?? value.name);
  const [isAsked, setAsked] = useState(false);
  const typed = id === null ? value.name.trim() : "";
  const rested = useDebounced(typed, 250);
  // One letter finds nothing.
  const words = rested.length < minSearchLength ? "" : rested;
  const matches = useQuery({ ...matchesQuery("organization", words), enabled: isAsked });
  const wanted = fold(typed).split(/\s+/);
  // The search also finds organizations by their other fields.
  const found = (matches.data ?? []).filter(({ title: name }) => wanted.every((word) => ` ${fold(name)}`.includes(` ${word}`)));
  const isKnown = words === typed && matches.isSuccess && !matches.isPlaceholderData;
  const isNew = mayAdd && isKnown && typed !== "" && !found.some((match) => fold(match.title) === fold(typed));
  /** What was linked before a text was typed over it, which Escape restores. */
  const before = useRef<Company>(undefined);
  const wasOpen = useRef(false);

  const choose = (next: Company) => {
    before.current = undefined;
    reset();
    // Cached at once, so that the field shows the name without waiting.
    if (next.id) client.setQueryData(titleQuery("organization", next.id).queryKey, next.name);
    onChange(next, true);
  };
  const create = () =>
    add(typed, {
      onSuccess: (made) => {
        toast.success(t("ui.records.added", { title: made.name }));
        choose({ id: made.id, name: made.name });
      },
    });
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !wasOpen.current) return;
    // Only the list closes, not the form.
    event.stopPropagation();
    if (before.current) onChange(before.current, false);
    before.current = undefined;
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
        items={[...found, ...(isNew ? [{ id: newKey, title: typed, subtitle: undefined, avatar: undefined }] : [])]}
        inputValue={shown}
        selectedKey={id}
        allowsCustomValue
        isInvalid={error !== undefined || addError !== null}
        menuTrigger="manual"
        allowsEmptyCollection
        onInputChange={(name) => {
          if (name === shown) return;
          if (id !== null) before.current = { id, name: shown };
          reset();
          onChange({ id: null, name }, false);
        }}
        onSelectionChange={(key) => {
          const picked = found.find((match) => match.id === key);
          if (picked && picked.id !== id) choose({ id: picked.id, name: picked.title });
        }}
        onOpenChange={(isOpen) => isOpen && setAsked(true)}
        onBlur={() => {
          before.current = undefined;
        }}
        {...(hideLabel && { "aria-label": label })}
      >
        {!hideLabel && <Label className="mb-1.5 block text-sm font-medium text-gray-700">{label}</Label>}
        <div ref={box} className="relative">
          {id !== null && <Building2 aria-hidden size={18} className="pointer-events-none absolute top-3 left-3 text-muted" />}
          <ChoiceInput isText {...(ref && { ref })} className={cx("text-ellipsis pr-10 pointer-coarse:pr-11", id !== null && "pl-9.5")} />
          {id !== null ? (
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
        <Text slot="description" className="sr-only">
          {id !== null && t("ui.customers.companyLinked")}
        </Text>
        <ChoiceError error={error ?? (addError ? errorText(addError) : undefined)} />
        <ChoicePopover
          isBusy={matches.isPending || isAdding}
          emptyText={typed ? t("ui.customers.companyAsText", { name: typed }) : t("ui.organizations.empty")}
        >
          {(option: RecordMatch) =>
            option.id === newKey ? (
              <ListBoxItem
                id={newKey}
                textValue={t("ui.organizations.addNamed", { name: option.title })}
                onAction={create}
                className={optionClass}
              >
                <span className="grid size-7 shrink-0 place-items-center rounded-full bg-tint text-on-tint">
                  <Plus aria-hidden size={16} />
                </span>
                <span className="min-w-0 [overflow-wrap:anywhere]">{t("ui.organizations.addNamed", { name: option.title })}</span>
              </ListBoxItem>
            ) : (
              <ListBoxItem id={option.id} textValue={option.title} className={optionClass}>
                <Avatar name={option.title} src={option.avatar} size={28} />
                <span dir="auto" className="min-w-0 truncate">
                  {option.title}
                </span>
              </ListBoxItem>
            )
          }
        </ChoicePopover>
      </ComboBox>
    </div>
  );
}
