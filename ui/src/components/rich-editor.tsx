import { TableKit } from "@tiptap/extension-table";
import { DOMParser as ModelParser, type Slice } from "@tiptap/pm/model";
import type { EditorView } from "@tiptap/pm/view";
import { type Editor, EditorContent, getSchema, useEditor, useEditorState } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import { Bold, Heading2, Heading3, Italic, Link as LinkIcon, List, ListOrdered, type LucideIcon, Quote, Redo2, Undo2 } from "lucide-react";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Toolbar as RootToolbar } from "react-aria-components/Toolbar";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { isSafeLink } from "@/lib/links";
import { Button } from "./button";
import { cleanFragment } from "./html";
import { IconButton } from "./icon-button";
import { pastedFragment } from "./pasted-html";
import { Popover } from "./popover";
import { TextField } from "./text-field";

export interface RichEditorProps {
  label: string;
  /** The initial HTML; later changes are ignored. */
  value: string;
  /** HTML, or "" when the editor is empty. */
  onChange: (html: string) => void;
  placeholder?: string;
  /** Fills the page instead of being a box in a form. */
  bare?: boolean;
  className?: string;
}

const extensions = [
  StarterKit.configure({
    heading: { levels: [1, 2, 3, 4] },
    link: { openOnClick: false, autolink: true, isAllowedUri: (link) => isSafeLink(link), HTMLAttributes: { target: null, rel: null } },
  }),
  TableKit.configure({ table: { resizable: false } }),
];
const parser = ModelParser.fromSchema(getSchema(extensions));

/**
 * HTML becomes a document from sanitized nodes. The editor's own conversions from text are sinks that the trusted types
 * policy refuses, so pasting and dropping also use this.
 */
const toDocument = (html: string) => parser.parse(cleanFragment(html, true)).toJSON() as object;

function insert(view: EditorView, html: string, at?: number) {
  const fragment = pastedFragment(html);
  const context = at === undefined ? view.state.selection.$from : view.state.doc.resolve(at);
  // Each editor has its own schema, and accepts only content made with it.
  const slice: Slice = ModelParser.fromSchema(view.state.schema).parseSlice(fragment, { context });
  const { tr } = view.state;
  if (at === undefined) tr.replaceSelection(slice);
  else tr.replaceRange(at, at, slice);
  view.dispatch(tr.setMeta("paste", true).scrollIntoView());
}

const handleDOMEvents = {
  paste: (view: EditorView, event: ClipboardEvent) => {
    const html = event.clipboardData?.getData("text/html");
    if (!html || view.state.selection.$from.parent.type.spec.code) return false;
    event.preventDefault();
    insert(view, html);
    return true;
  },
  drop: (view: EditorView, event: DragEvent) => {
    const html = event.dataTransfer?.getData("text/html");
    if (view.dragging || !html) return false;
    event.preventDefault();
    insert(view, html, view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos);
    return true;
  },
};

function Tool({ label, icon, on, disabled, run }: { label: string; icon: LucideIcon; on?: boolean; disabled?: boolean; run: () => void }) {
  return (
    <IconButton
      label={label}
      icon={icon}
      size="sm"
      active={on}
      aria-pressed={on}
      disabled={disabled}
      // Pressing a tool keeps the text's selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={run}
      className={on ? "!bg-tint !text-on-tint" : ""}
    />
  );
}

function LinkTool({ editor, on }: { editor: Editor; on: boolean }) {
  const { t } = useTranslation();
  const ref = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const [link, setLink] = useState("");
  const [wrong, setWrong] = useState(false);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const typed = link.trim();
    const address = typed === "" || isSafeLink(typed) ? typed : `https://${typed}`;
    if (address !== "" && !isSafeLink(address)) {
      setWrong(true);
      return;
    }
    setOpen(false);
    const chain = editor.chain().focus().extendMarkRange("link");
    if (address === "") chain.unsetLink().run();
    else if (editor.state.selection.empty && !on)
      chain.insertContent({ type: "text", text: address, marks: [{ type: "link", attrs: { href: address } }] }).run();
    else chain.setLink({ href: address }).run();
  };
  return (
    <span ref={ref}>
      <Tool
        label={t("ui.editor.link")}
        icon={LinkIcon}
        on={on}
        run={() => {
          setLink(String(editor.getAttributes("link").href ?? ""));
          setWrong(false);
          setOpen(true);
        }}
      />
      <Popover triggerRef={ref} isOpen={open} onOpenChange={setOpen} placement="bottom start" className="w-80 max-w-full">
        <Dialog aria-label={t("ui.editor.link")} className="outline-none">
          <form noValidate onSubmit={apply} className="grid gap-3 p-4">
            <TextField
              label={t("ui.editor.address")}
              autoFocus
              value={link}
              placeholder="https://"
              error={wrong ? t("ui.editor.addressInvalid") : undefined}
              onChange={(event) => {
                setLink(event.target.value);
                setWrong(false);
              }}
            />
            <div className="flex justify-end gap-2">
              {on && (
                <Button
                  size="sm"
                  variant="ghost"
                  onClick={() => {
                    setOpen(false);
                    editor.chain().focus().extendMarkRange("link").unsetLink().run();
                  }}
                >
                  {t("ui.editor.unlink")}
                </Button>
              )}
              <Button size="sm" variant="primary" type="submit">
                {t("ui.action.apply")}
              </Button>
            </div>
          </form>
        </Dialog>
      </Popover>
    </span>
  );
}

function Toolbar({ editor, className }: { editor: Editor; className?: string }) {
  const { t } = useTranslation();
  const on = useEditorState({
    editor,
    selector: ({ editor: at }) => ({
      bold: at.isActive("bold"),
      italic: at.isActive("italic"),
      heading: at.isActive("heading", { level: 2 }),
      subheading: at.isActive("heading", { level: 3 }),
      bullets: at.isActive("bulletList"),
      numbers: at.isActive("orderedList"),
      quote: at.isActive("blockquote"),
      link: at.isActive("link"),
      undo: at.can().undo(),
      redo: at.can().redo(),
    }),
  });
  const rule = <span aria-hidden className="mx-1 h-5 w-px shrink-0 bg-line" />;
  return (
    <RootToolbar aria-label={t("ui.editor.tools")} className={cx("flex flex-wrap items-center gap-0.5", className)}>
      <Tool label={t("ui.editor.bold")} icon={Bold} on={on.bold} run={() => editor.chain().focus().toggleBold().run()} />
      <Tool label={t("ui.editor.italic")} icon={Italic} on={on.italic} run={() => editor.chain().focus().toggleItalic().run()} />
      {rule}
      <Tool
        label={t("ui.editor.heading")}
        icon={Heading2}
        on={on.heading}
        run={() => editor.chain().focus().toggleHeading({ level: 2 }).run()}
      />
      <Tool
        label={t("ui.editor.subheading")}
        icon={Heading3}
        on={on.subheading}
        run={() => editor.chain().focus().toggleHeading({ level: 3 }).run()}
      />
      {rule}
      <Tool label={t("ui.editor.bullets")} icon={List} on={on.bullets} run={() => editor.chain().focus().toggleBulletList().run()} />
      <Tool
        label={t("ui.editor.numbers")}
        icon={ListOrdered}
        on={on.numbers}
        run={() => editor.chain().focus().toggleOrderedList().run()}
      />
      <Tool label={t("ui.editor.quote")} icon={Quote} on={on.quote} run={() => editor.chain().focus().toggleBlockquote().run()} />
      <LinkTool editor={editor} on={on.link} />
      {rule}
      <Tool label={t("ui.editor.undo")} icon={Undo2} disabled={!on.undo} run={() => editor.chain().focus().undo().run()} />
      <Tool label={t("ui.editor.redo")} icon={Redo2} disabled={!on.redo} run={() => editor.chain().focus().redo().run()} />
    </RootToolbar>
  );
}

/** A text editor with headings, lists and links. */
export function RichEditor({ label, value, onChange, placeholder, bare, className }: RichEditorProps) {
  const latest = useRef(onChange);
  latest.current = onChange;
  const content = useMemo(() => toDocument(value), [value]);
  const [blank, setBlank] = useState(value === "");
  const editor = useEditor(
    {
      extensions,
      content,
      // The content security policy allows no style element; the rules are in the style sheet.
      injectCSS: false,
      shouldRerenderOnTransaction: false,
      editorProps: {
        handleDOMEvents,
        attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label, class: "prose outline-none", dir: "auto" },
      },
      onUpdate: ({ editor: at }) => {
        setBlank(at.isEmpty);
        latest.current(at.isEmpty ? "" : at.getHTML());
      },
    },
    [],
  );
  return (
    <div
      className={cx(
        !bare &&
          "overflow-hidden rounded-control border border-line-strong bg-surface shadow-control transition-colors hover:border-gray-400 focus-within:border-primary focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-primary",
        className,
      )}
    >
      <Toolbar
        editor={editor}
        className={
          bare
            ? "sticky top-16 z-2 -mx-2 mb-4 rounded-control border border-line bg-surface p-1 shadow-control"
            : "border-b border-line bg-sunken px-1.5 py-1"
        }
      />
      <div className={cx("relative", !bare && "max-h-80 overflow-y-auto px-3 py-2.5")}>
        {blank && placeholder && (
          <p aria-hidden className={cx("pointer-events-none absolute text-muted", bare && "text-lg")}>
            {placeholder}
          </p>
        )}
        <EditorContent editor={editor} className={bare ? "[&_.ProseMirror]:min-h-96" : "[&_.ProseMirror]:min-h-24"} />
      </div>
    </div>
  );
}
