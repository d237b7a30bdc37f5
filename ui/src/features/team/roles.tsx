import { useTranslation } from "react-i18next";
import type { Member, Role } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { PresenceLabel } from "@/components/presence";
import { StatusPill } from "@/components/status-pill";
import { useMay, useUser } from "@/features/account/data";
import { ago } from "@/lib/format";
import { useStatusOf } from "@/shell/presence";

export const roles: Role[] = ["owner", "admin", "member", "viewer"];
const tones = { active: "ok", invited: "warn", unconfirmed: "warn", suspended: "off" } as const;

export function MemberState({ state }: { state: Member["state"] }) {
  const { t } = useTranslation();
  return <StatusPill tone={tones[state]}>{t(`ui.team.states.${state}`)}</StatusPill>;
}

/** A colleague's avatar with the presence dot; show its meaning beside it. */
export function MemberAvatar({ member }: { member: Member }) {
  const presence = useStatusOf(member.id, member.presence);
  const status = presence === "not-visible" ? undefined : presence;
  return <Avatar name={member.name} src={member.avatar} status={status} />;
}

/** Whether a colleague is present, else when they last were. */
export function Seen({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { lastSeenAt } = member;
  const presence = useStatusOf(member.id, member.presence);
  if (presence !== "not-visible") return <PresenceLabel status={presence} />;
  if (member.state === "invited") {
    return (
      <time dateTime={member.createdAt} className="text-muted">
        {t("ui.team.invite.ago", { ago: ago(member.createdAt) })}
      </time>
    );
  }
  if (!lastSeenAt) return <span className="whitespace-nowrap text-muted">{t("ui.status.offline")}</span>;
  return (
    <time dateTime={lastSeenAt} className="whitespace-nowrap text-muted">
      {ago(lastSeenAt)}
    </time>
  );
}

/** Returns what the member may do to colleagues; only owners may change owners. */
export function useManages() {
  const user = useUser();
  const manages = useMay("team.manage");
  return {
    mayAdd: manages,
    mayChange: (member: Member) => manages && (user.role === "owner" || member.role !== "owner"),
    isSelf: (member: Member) => member.id === user.id,
    /** The roles that may be assigned: only owners make owners. */
    grantable: roles.filter((role) => role !== "owner" || user.role === "owner"),
  };
}
