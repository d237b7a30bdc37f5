import { expect, it } from "vitest";
import { fileSize } from "./file-size";

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1_400, "1.4 kB"],
  [12_345, "12 kB"],
  [1_450_000, "1.5 MB"],
])("says %i bytes as %s", (bytes, said) => {
  expect(fileSize(bytes)).toBe(said);
});
