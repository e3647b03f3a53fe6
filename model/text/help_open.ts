import type { Catalogue } from "@/model/text.ts";

/** Label of the button that opens a page's help. */
export const helpOpenText = { open: { en: "Help", ko: "도움말" } } as const satisfies Catalogue;
