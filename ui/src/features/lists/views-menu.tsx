import { ChevronDown, House, LayoutList, Pencil, Plus, Save, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { SavedView, User } from "@/api/schema";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuGroup, MenuItem, MenuPopover, MenuSeparator } from "@/components/menu";
import { useMay, useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { newId } from "@/lib/new-id";
import { toast } from "@/lib/toast";
import { inPlace } from "@/lib/use-address";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { recordKinds } from "@/records/kinds";
import { useViewCalls } from "./data";
import type { AnyList } from "./use-list";
import { ViewDialog } from "./view-dialog";

/** The item of the list without a view. */
const noView = "none";

/** Whether a view is the member's own; only the shared ones of others are seen. */
const isOwn = (view: SavedView, { id }: User) => view.createdBy === id || !view.shared;

const icon = (Icon: typeof Plus) => <Icon aria-hidden size={16} />;

/** Returns who shares a view. */
function useSharedText() {
  const { t } = useTranslation();
  const me = useUser();
  const { find } = useMembers();
  return ({ createdBy }: SavedView): string => {
    if (createdBy === me.id) return t("ui.list.views.sharedByYou");
    const name = find(createdBy)?.name;
    return name ? t("ui.list.views.sharedBy", { name }) : t("ui.list.views.shared");
  };
}

/** Marks a view that is shared. */
function SharedMark({ text }: { text: string }) {
  return (
    <span title={text} className="flex shrink-0 text-muted">
      <Users aria-hidden size={14} />
      <span className="sr-only">{`, ${text}`}</span>
    </span>
  );
}

/** Saves, renames, shares and deletes the views of a list. */
function useViewEditing(list: AnyList) {
  const { t } = useTranslation();
  const me = useUser();
  const mayManage = useMay("views.manage");
  const mayShare = useMay(`${recordKinds[list.kind].name}.write`);
  const { create, change, remove, setDefault } = useViewCalls(recordKinds[list.kind].name);
  /** The dialog, with a key that makes a retry safe. */
  const [dialog, setDialog] = useState<{ key: string; view: SavedView | undefined }>();
  const { view, state, toSave, defaultId } = list;

  const edit = (edited: SavedView | undefined) => {
    create.reset();
    change.reset();
    setDialog({ key: newId(), view: edited });
  };
  const save = (saved: SavedView) =>
    change.mutate(
      { view: saved, patch: { ...toSave, q: state.q || null } },
      {
        onSuccess: () => {
          list.open(saved.id, inPlace);
          toast.success(t("ui.list.views.saved", { name: saved.name }));
        },
        onError: (error) => toast.error(errorText(error)),
      },
    );
  const closeDialog = () => setDialog(undefined);
  const saveDialog = (named: { name: string; shared?: boolean }) => {
    if (!dialog) return;
    if (dialog.view) return change.mutate({ view: dialog.view, patch: named }, { onSuccess: closeDialog });
    const opened = ({ id }: SavedView) => {
      closeDialog();
      list.open(id);
    };
    create.mutate({ key: dialog.key, ...named, ...toSave, ...(state.q && { q: state.q }) }, { onSuccess: opened });
  };
  const removeView = (removed: SavedView) => {
    const { name, shared, filters, q, sort, columns } = removed;
    const restore = () =>
      // The list may be another one by now, as tasks are without a view with columns.
      create.mutateAsync({ key: newId(), name, shared, filters, columns, ...(q && { q }), ...(sort && { sort }) }).then(
        ({ id }) => {
          if (removed.id === defaultId) setDefault.mutate(id);
        },
        (error: unknown) => {
          toast.error(errorText(error));
          return false;
        },
      );
    remove.mutate(removed.id, {
      onSuccess: () => {
        list.open(undefined, inPlace);
        toast.success(t("ui.list.views.deleted", { name }), {
          label: t("ui.action.undo"),
          run: restore,
          undone: t("ui.bin.restored", { title: name }),
        });
      },
    });
  };
  return {
    mayChange: view !== undefined && (isOwn(view, me) || (view.shared && mayManage)),
    isSaving: change.isPending,
    edit,
    save,
    remove: removeView,
    /** Makes the open view, or the list without one, the one that the list opens with. */
    makeDefault: () => setDefault.mutate(view?.id ?? null),
    dialog: dialog && (
      <ViewDialog
        title={t(dialog.view ? "ui.list.views.editTitle" : "ui.list.views.new")}
        name={dialog.view?.name ?? ""}
        shared={dialog.view?.shared ?? false}
        mayShare={dialog.view ? dialog.view.createdBy === me.id && (mayShare || dialog.view.shared) : mayShare}
        error={dialog.view ? change.error : create.error}
        busy={change.isPending || create.isPending}
        onClose={closeDialog}
        onSave={saveDialog}
      />
    ),
  };
}

/** The saved views of a list: opens, renames, shares and deletes them. */
export function ViewsMenu({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const me = useUser();
  const { button, menu } = useMenuTrigger();
  const { mayChange, dialog, ...editing } = useViewEditing(list);
  const { view, views, defaultId } = list;
  const sharedText = useSharedText();
  const all = t(`ui.list.views.all.${recordKinds[list.kind].name}`);
  const name = view?.name ?? (list.isViewGone ? t("ui.list.views.gone") : all);
  const groups = [
    { label: t("ui.list.views.title"), items: [{ id: noView, name: all }] },
    { label: t("ui.list.views.own"), items: views.filter((one) => isOwn(one, me)) },
    { label: t("ui.list.views.shared"), items: views.filter((one) => !isOwn(one, me)) },
  ].filter(({ items }) => items.length > 0);
  const actions: Record<string, () => void> = {
    [noView]: () => list.open(undefined),
    new: () => editing.edit(undefined),
    ...(view && { save: () => editing.save(view), edit: () => editing.edit(view), delete: () => editing.remove(view) }),
    default: editing.makeDefault,
  };
  return (
    <>
      <Button
        icon={LayoutList}
        size="sm"
        {...button}
        aria-label={list.isChanged ? t("ui.list.views.changed", { name }) : name}
        {...(view?.shared && { "aria-description": sharedText(view) })}
        title={name}
        className="relative max-w-44 min-w-0 shrink-0 max-sm:gap-1 max-sm:px-2"
      >
        <span className="truncate max-sm:sr-only">{name}</span>
        {view?.shared && (
          <span className="flex max-sm:hidden">
            <SharedMark text={sharedText(view)} />
          </span>
        )}
        <ChevronDown aria-hidden size={14} className="shrink-0 text-muted" />
        {list.isChanged && (
          <span aria-hidden className="absolute -top-1 -right-1 size-2.5 rounded-full border-2 border-surface bg-primary" />
        )}
      </Button>
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom start" label={t("ui.list.views.title")} className="max-w-80">
          <Menu
            aria-label={t("ui.list.views.title")}
            className="max-h-96"
            onAction={(key) => (actions[key] ?? (() => list.open(String(key))))()}
          >
            {groups.map(({ label, items }) => (
              <MenuGroup key={label} label={label} selectionMode="single" selectedKeys={[view?.id ?? noView]}>
                {items.map((one) => (
                  <MenuItem
                    key={one.id}
                    id={one.id}
                    textValue={one.name}
                    icon={one.id === (defaultId ?? noView) ? icon(House) : <span className="size-4" />}
                  >
                    <span className="flex items-center gap-2">
                      <span className="truncate">{one.name}</span>
                      {one.id === (defaultId ?? noView) && <span className="sr-only">{`, ${t("ui.list.views.opensFirst")}`}</span>}
                      {"shared" in one && one.shared && <SharedMark text={sharedText(one)} />}
                    </span>
                  </MenuItem>
                ))}
              </MenuGroup>
            ))}
            <MenuSeparator />
            {mayChange && list.isChanged && (
              <MenuItem id="save" icon={icon(Save)}>
                {t("ui.list.views.save")}
              </MenuItem>
            )}
            <MenuItem id="new" icon={icon(Plus)}>
              {t("ui.list.views.saveAs")}
            </MenuItem>
            {mayChange && (
              <MenuItem id="edit" icon={icon(Pencil)}>
                {t("ui.list.views.edit")}
              </MenuItem>
            )}
            {defaultId !== view?.id && (
              <MenuItem id="default" icon={icon(House)}>
                {t("ui.list.views.makeDefault")}
              </MenuItem>
            )}
            {mayChange && (
              <MenuItem id="delete" danger icon={icon(Trash2)}>
                {t("ui.list.views.delete")}
              </MenuItem>
            )}
          </Menu>
        </MenuPopover>
      )}
      {dialog}
    </>
  );
}

/** Saves a list that differs from its view; on phones, the menu does. */
export function SaveView({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const { mayChange, isSaving, edit, save, dialog } = useViewEditing(list);
  const changed = mayChange ? list.view : undefined;
  return (
    <>
      {list.isChanged && (
        <IconButton
          label={t(changed ? "ui.list.views.save" : "ui.list.views.saveAs")}
          icon={Save}
          size="sm"
          className="max-sm:hidden"
          disabled={isSaving}
          onClick={() => (changed ? save(changed) : edit(undefined))}
        />
      )}
      {dialog}
    </>
  );
}
