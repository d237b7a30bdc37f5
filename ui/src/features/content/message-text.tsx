import { memo } from "react";
import type { Mention, RecordReferenceInput } from "@/api/schema";
import { cx } from "@/lib/cx";
import { withErasedPeople } from "@/records/erased-person";
import { linkify } from "./linkify";

export interface MessageTextProps {
  value: string;
  mentions: Mention[];
  references: RecordReferenceInput[];
  me: string;
  isMine: boolean;
}

/** The text of a message: addresses are links, names are highlighted, the rest is plain. */
export const MessageText = memo(function MessageText({ value, mentions, references, me, isMine }: MessageTextProps) {
  const names = [
    ...mentions.map(({ text, memberId }) => ({ text, kind: "mention" as const, isMe: memberId === me })),
    ...references.map(({ text }) => ({ text, kind: "reference" as const })),
  ];
  return linkify(withErasedPeople(value), names).map(({ text, link, name }, at) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: parts of a text have no other key and are rendered with it
    if (link) {
      return (
        <a
          key={at}
          href={link}
          rel="noopener noreferrer nofollow"
          {...(!link.startsWith("mailto:") && { target: "_blank" })}
          className={cx("underline underline-offset-2", isMine ? "focus-visible:outline-on-primary" : "text-accent")}
        >
          {text}
        </a>
      );
    }
    if (!name) return text;
    return (
      <span
        key={at}
        className={cx("font-semibold", !isMine && "text-accent", name.isMe && "rounded bg-tint px-0.5 text-on-tint box-decoration-clone")}
      >
        {text}
      </span>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
  });
});
