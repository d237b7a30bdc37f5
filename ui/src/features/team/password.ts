const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Generates a password of four groups that can be read out: without similar letters, about 93 bits. */
export function makePassword(): string {
  const groups: string[] = [];
  for (let group = 0; group < 4; group += 1) {
    let text = "";
    while (text.length < 4) {
      const byte = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
      // Larger values are rejected, because the modulo would make some letters more likely.
      if (byte < 256 - (256 % letters.length)) text += letters[byte % letters.length];
    }
    groups.push(text);
  }
  return groups.join("-");
}
