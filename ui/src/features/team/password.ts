const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password of four groups that can be read out: no letters that look alike, about 93 bits. */
export function makePassword(): string {
  const groups: string[] = [];
  for (let group = 0; group < 4; group += 1) {
    let text = "";
    while (text.length < 4) {
      const byte = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
      // Numbers beyond the last whole round would make some letters likelier than others.
      if (byte < 256 - (256 % letters.length)) text += letters[byte % letters.length];
    }
    groups.push(text);
  }
  return groups.join("-");
}
