import { type LesionPlace, type LesionSide, lobeOfRegion } from "@/model/regions/lesion_site.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";
import { REGION_GROUP_TEXT } from "@/model/text/regions.ts";

/** Sites of lesions in the terms of the McDonald criteria. They do not state a diagnosis. */
export const lesionSiteText = {
  periventricular: { en: "Periventricular", ko: "뇌실주위" },
  juxtacortical: { en: "Juxtacortical or cortical", ko: "피질 또는 피질 인접" },
  deep_white: { en: "Deep white matter", ko: "심부 백질" },
  infratentorial: { en: "Infratentorial", ko: "천막하" },
  deep_grey: { en: "Deep gray matter", ko: "심부 회백질" },
} as const satisfies Catalogue;

/** Short names of the lesion sites, for narrow columns. */
export const lesionSiteShort = {
  periventricular: { en: "PV", ko: "뇌실주위" },
  juxtacortical: { en: "JC", ko: "피질 인접" },
  deep_white: { en: "deep WM", ko: "심부 백질" },
  infratentorial: { en: "infratentorial", ko: "천막하" },
  deep_grey: { en: "deep GM", ko: "심부 회백질" },
} as const satisfies Catalogue;

/** Texts for brain regions that are not searched for lesions. */
export const lesionSearchText = {
  notSearched: { en: "not searched", ko: "탐색하지 않음" },
  note: {
    en: "The brain stem and cerebellum are not searched for lesions.",
    ko: "뇌간과 소뇌는 병변 탐색 대상이 아닙니다.",
  },
} as const satisfies Catalogue;

/** Words for the side of a lesion's location. */
export const SIDE = {
  L: { en: "L", ko: "좌" },
  R: { en: "R", ko: "우" },
  both: { en: "Bilateral", ko: "양측" },
} as const;

const lower = (text: string) => `${text[0]!.toLowerCase()}${text.slice(1)}`;

function sided(name: Record<Language, string>, side: LesionSide, language: Language): string {
  if (side === null) return name[language];
  if (language === "ko") return `${SIDE[side].ko} ${name.ko}`;
  const { en } = name, isPlural = side === "both" && en.endsWith("lobe");
  return `${SIDE[side].en} ${lower(en)}${isPlural ? "s" : ""}`;
}

/**
 * Lobe and side of a lesion: "L frontal lobe", "좌 전두엽".
 * Earlier versions stored only the label of a nearby region; empty if nothing is stored.
 */
export function lesionPlace(
  { place, near_label }: { place?: LesionPlace; near_label?: number },
  language: Language,
): string {
  if (place) {
    return place.lobe ? sided(REGION_GROUP_TEXT[place.lobe], place.side, language) : "";
  }
  const region = near_label === undefined ? undefined : regionOf(near_label);
  if (!region) return "";
  const lobe = lobeOfRegion(region) ?? region.group;
  return sided(REGION_GROUP_TEXT[lobe], region.hemisphere || null, language);
}

/** Lobe, side and site of a lesion: "L frontal lobe, periventricular". */
export function lesionPlaceAndSite(
  lesion: { place?: LesionPlace; near_label?: number },
  language: Language,
): string {
  const name = lesionPlace(lesion, language), site = lesion.place?.site;
  if (!site) return name;
  const word = textIn(lesionSiteText[site], language);
  if (name === "") return word;
  return `${name}, ${language === "en" ? lower(word) : word}`;
}
