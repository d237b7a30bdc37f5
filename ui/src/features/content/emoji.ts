/** Emoji for reactions and messages, with their names in the catalogue. */
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

/** Returns an emoji's name; undefined for unknown ones. */
export const nameOf = (sign: string) => names.get(sign);
