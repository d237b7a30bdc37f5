/** The classes of a title in one line; on phones it has up to two. */
export const twoLinesOnPhones = "truncate max-sm:line-clamp-2 max-sm:whitespace-normal max-sm:[overflow-wrap:anywhere]";
