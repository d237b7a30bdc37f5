import i18n from "i18next";

/** What the server has in place of the name of an erased person. */
const erasedPerson = "[erased person]";

/** Returns a name or text with the erased people in it named in the language of the reader. */
export const withErasedPeople = (text: string): string =>
  text.includes(erasedPerson) ? text.replaceAll(erasedPerson, i18n.t("ui.records.erasedPerson")) : text;
