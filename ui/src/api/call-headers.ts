import i18n from "i18next";
import { requestHeaders } from "@/lib/request-headers";

/** Returns the language of the interface, English until it is loaded. */
export const currentLanguage = () => i18n.language ?? "en";

/** Returns the headers of a call in the language of the interface. */
export const callHeaders = (token?: string) => requestHeaders(currentLanguage(), token);
