import { expect, it } from "vitest";
import { mapLink } from "./map-link";

it("asks for the lines of an address as one text", () => {
  expect(mapLink("1 High Street\n\n Leeds & Bradford ")).toBe(
    "https://www.openstreetmap.org/search?query=1%20High%20Street%2C%20Leeds%20%26%20Bradford%20",
  );
});
