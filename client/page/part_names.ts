import type { Language } from "@/model/text.ts";
import { loadedLater } from "@/client/page/loaded_later.ts";

const texts = loadedLater(() => import("@/model/text/regions.ts"));

/** Name of a brain region; empty until the names are loaded. Reads a signal. */
export const partNameLater = (part: string, side: "L" | "R" | "", language: Language): string =>
  texts()?.sidedPartName(part, side, language) ?? "";
