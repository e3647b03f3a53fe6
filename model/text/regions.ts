import type { Catalogue, Language } from "@/model/text.ts";

/**
 * Names of the 57 atlas parts, by `part` of model/regions/regions.ts. Korean names are the
 * Sino-Korean terms that radiology reports use.
 */
export const regionText = {
  "Cerebral white matter": { en: "Cerebral white matter", ko: "대뇌 백질" },
  "Cerebellar white matter": { en: "Cerebellar white matter", ko: "소뇌 백질" },
  "Cerebellar cortex": { en: "Cerebellar cortex", ko: "소뇌 피질" },
  "Thalamus": { en: "Thalamus", ko: "시상" },
  "Caudate": { en: "Caudate", ko: "미상핵" },
  "Putamen": { en: "Putamen", ko: "피각" },
  "Pallidum": { en: "Pallidum", ko: "담창구" },
  "Lateral ventricle": { en: "Lateral ventricle", ko: "측뇌실" },
  "Inferior lateral ventricle": { en: "Temporal horn", ko: "측뇌실 측두각" },
  "Hippocampus": { en: "Hippocampus", ko: "해마" },
  "Amygdala": { en: "Amygdala", ko: "편도체" },
  "Accumbens": { en: "Accumbens", ko: "측좌핵" },
  "Third ventricle": { en: "Third ventricle", ko: "제3뇌실" },
  "Fourth ventricle": { en: "Fourth ventricle", ko: "제4뇌실" },
  "Cerebrospinal fluid": { en: "Cerebrospinal fluid", ko: "뇌척수액" },
  "White matter hypointensities": { en: "White matter hypointensities", ko: "백질 저신호" },
  "Ventral diencephalon": { en: "Ventral diencephalon", ko: "복측 간뇌" },
  "Brain stem": { en: "Brain stem", ko: "뇌간" },
  "Corpus callosum posterior": { en: "Corpus callosum posterior", ko: "뇌량 후방부" },
  "Corpus callosum mid-posterior": { en: "Corpus callosum mid-posterior", ko: "뇌량 중후방부" },
  "Corpus callosum central": { en: "Corpus callosum central", ko: "뇌량 중앙부" },
  "Corpus callosum mid-anterior": { en: "Corpus callosum mid-anterior", ko: "뇌량 중전방부" },
  "Corpus callosum anterior": { en: "Corpus callosum anterior", ko: "뇌량 전방부" },
  "Superior frontal": { en: "Superior frontal", ko: "상전두회" },
  "Rostral middle frontal": { en: "Rostral middle frontal", ko: "중전두회 전방부" },
  "Caudal middle frontal": { en: "Caudal middle frontal", ko: "중전두회 후방부" },
  "Pars opercularis": { en: "Pars opercularis", ko: "하전두회 판개부" },
  "Pars triangularis": { en: "Pars triangularis", ko: "하전두회 삼각부" },
  "Pars orbitalis": { en: "Pars orbitalis", ko: "하전두회 안와부" },
  "Lateral orbitofrontal": { en: "Lateral orbitofrontal", ko: "외측 안와전두피질" },
  "Medial orbitofrontal": { en: "Medial orbitofrontal", ko: "내측 안와전두피질" },
  "Precentral": { en: "Precentral", ko: "중심전회" },
  "Paracentral": { en: "Paracentral", ko: "중심방소엽" },
  "Frontal pole": { en: "Frontal pole", ko: "전두극" },
  "Superior parietal": { en: "Superior parietal", ko: "상두정소엽" },
  "Inferior parietal": { en: "Inferior parietal", ko: "하두정소엽" },
  "Supramarginal": { en: "Supramarginal", ko: "연상회" },
  "Postcentral": { en: "Postcentral", ko: "중심후회" },
  "Precuneus": { en: "Precuneus", ko: "설전부" },
  "Superior temporal": { en: "Superior temporal", ko: "상측두회" },
  "Middle temporal": { en: "Middle temporal", ko: "중측두회" },
  "Inferior temporal": { en: "Inferior temporal", ko: "하측두회" },
  "Banks of superior temporal sulcus": {
    en: "Banks of superior temporal sulcus",
    ko: "상측두구 둑",
  },
  "Fusiform": { en: "Fusiform", ko: "방추상회" },
  "Transverse temporal": { en: "Transverse temporal", ko: "횡측두회" },
  "Entorhinal": { en: "Entorhinal", ko: "내후각피질" },
  "Temporal pole": { en: "Temporal pole", ko: "측두극" },
  "Parahippocampal": { en: "Parahippocampal", ko: "해마방회" },
  "Lateral occipital": { en: "Lateral occipital", ko: "외측 후두피질" },
  "Lingual": { en: "Lingual", ko: "설회" },
  "Cuneus": { en: "Cuneus", ko: "설부" },
  "Pericalcarine": { en: "Pericalcarine", ko: "조거구 주위피질" },
  "Rostral anterior cingulate": { en: "Rostral anterior cingulate", ko: "전대상회 전방부" },
  "Caudal anterior cingulate": { en: "Caudal anterior cingulate", ko: "전대상회 후방부" },
  "Posterior cingulate": { en: "Posterior cingulate", ko: "후대상회" },
  "Isthmus cingulate": { en: "Isthmus cingulate", ko: "대상회 협부" },
  "Insula": { en: "Insula", ko: "뇌섬엽" },
} as const satisfies Catalogue;

/** Names of the groups of brain regions, such as lobes. */
export const REGION_GROUP_TEXT = {
  "white matter": { en: "White matter", ko: "백질" },
  "cerebellum": { en: "Cerebellum", ko: "소뇌" },
  "deep grey": { en: "Deep gray matter", ko: "심부 회백질" },
  "ventricle": { en: "Ventricles", ko: "뇌실" },
  "medial temporal": { en: "Medial temporal", ko: "내측 측두엽" },
  "brain stem": { en: "Brain stem", ko: "뇌간" },
  "corpus callosum": { en: "Corpus callosum", ko: "뇌량" },
  "frontal": { en: "Frontal lobe", ko: "전두엽" },
  "parietal": { en: "Parietal lobe", ko: "두정엽" },
  "temporal": { en: "Temporal lobe", ko: "측두엽" },
  "occipital": { en: "Occipital lobe", ko: "후두엽" },
  "cingulate": { en: "Cingulate", ko: "대상회" },
  "insula": { en: "Insula", ko: "뇌섬엽" },
} as const satisfies Catalogue;

/** Name of an atlas part in a language; an unknown part is returned unchanged. */
export const partName = (part: string, language: Language): string =>
  Object.hasOwn(regionText, part) ? regionText[part as keyof typeof regionText][language] : part;

/** Atlas part with its side: "Left hippocampus", "좌측 해마"; without a side for midline parts. */
export function sidedPartName(part: string, side: "L" | "R" | "", language: Language): string {
  const name = partName(part, language);
  if (side === "") return name;
  if (language === "ko") return `${side === "L" ? "좌측" : "우측"} ${name}`;
  return `${side === "L" ? "Left" : "Right"} ${name[0]!.toLowerCase()}${name.slice(1)}`;
}
