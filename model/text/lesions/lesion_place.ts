import { regionOf } from "@/model/regions/regions.ts";
import type { Language } from "@/model/text.ts";
import { REGION_GROUP_TEXT } from "@/model/text/regions.ts";

const SIDE = { L: { en: "L", ko: "좌" }, R: { en: "R", ko: "우" } } as const;

/**
 * "L frontal lobe", "좌 전두엽": the place of a lesion by the label that names it; empty for no label
 * of ours.
 */
export function lesionPlace(label: number, language: Language): string {
  const region = regionOf(label);
  if (!region) return "";
  const { en, ko } = REGION_GROUP_TEXT[region.group];
  if (region.hemisphere === "") return { en, ko }[language];
  const side = SIDE[region.hemisphere][language];
  return language === "ko" ? `${side} ${ko}` : `${side} ${en[0]!.toLowerCase()}${en.slice(1)}`;
}
