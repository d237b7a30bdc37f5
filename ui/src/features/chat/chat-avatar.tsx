import { Users } from "lucide-react";
import type { Chat } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { cx } from "@/lib/cx";
import { useContactStatus } from "./status";

/** A conversation's avatar: the colleague's picture or a group sign; decorative, so show the name beside it. */
export function ChatAvatar({
  chat,
  size,
  status: shows = true,
  className,
}: {
  chat: Chat;
  size: number;
  status?: boolean;
  className?: string;
}) {
  const status = useContactStatus(chat.contact);
  if (chat.kind === "group") {
    return (
      <span
        aria-hidden
        className={cx("grid shrink-0 place-items-center rounded-full bg-tint text-on-tint", className)}
        style={{ width: size, height: size }}
      >
        <Users size={Math.round(size * 0.5)} />
      </span>
    );
  }
  return (
    <Avatar
      name={chat.contact.name}
      src={chat.contact.avatar}
      size={size}
      status={shows ? status : undefined}
      {...(className && { className })}
    />
  );
}
