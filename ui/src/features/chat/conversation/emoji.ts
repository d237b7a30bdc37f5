/** The pictures to react with and to write; each by the name it has in the catalogue. */
export const emoji = [
  ["👍", "thumbsUp"],
  ["❤️", "heart"],
  ["😂", "joy"],
  ["🎉", "party"],
  ["🙏", "thanks"],
  ["👀", "eyes"],
  ["✅", "check"],
  ["🚀", "rocket"],
  ["😀", "grin"],
  ["😅", "sweat"],
  ["😊", "smile"],
  ["😉", "wink"],
  ["😍", "love"],
  ["🤔", "thinking"],
  ["😮", "surprise"],
  ["😢", "sad"],
  ["😡", "angry"],
  ["😴", "tired"],
  ["🤝", "handshake"],
  ["👏", "clap"],
  ["👋", "wave"],
  ["💪", "strong"],
  ["👎", "thumbsDown"],
  ["🤞", "luck"],
  ["🔥", "fire"],
  ["⭐", "star"],
  ["💡", "idea"],
  ["⏰", "clock"],
  ["📌", "pin"],
  ["📞", "phone"],
  ["☕", "coffee"],
  ["🎂", "cake"],
  ["❓", "question"],
  ["❗", "important"],
  ["💯", "hundred"],
  ["❌", "cross"],
] as const;

export type EmojiName = (typeof emoji)[number][1];

const names = new Map<string, EmojiName>(emoji.map(([sign, name]) => [sign, name]));

/** What a picture is called; nothing for one that came from elsewhere. */
export const nameOf = (sign: string) => names.get(sign);
