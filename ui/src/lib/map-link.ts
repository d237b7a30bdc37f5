/** Returns the address of a map that shows a postal address, on a site that needs no account. */
export const mapLink = (address: string) =>
  `https://www.openstreetmap.org/search?query=${encodeURIComponent(
    address
      .split(/\s*\n\s*/)
      .filter(Boolean)
      .join(", "),
  )}`;
