import type { Catalogue, Language } from "@/model/text.ts";

/**
 * Names of the 57 parts, as `part` of model/regions.ts is the key. Korean as in the anatomical terms of the Korean
 * Association of Anatomists (6th edition), the native terms first where both are in use.
 */
export const regionText = {
  "Cerebral white matter": { en: "Cerebral white matter", ko: "대뇌백색질" },
  "Cerebellar white matter": { en: "Cerebellar white matter", ko: "소뇌백색질" },
  "Cerebellar cortex": { en: "Cerebellar cortex", ko: "소뇌겉질" },
  "Thalamus": { en: "Thalamus", ko: "시상" },
  "Caudate": { en: "Caudate", ko: "꼬리핵" },
  "Putamen": { en: "Putamen", ko: "조가비핵" },
  "Pallidum": { en: "Pallidum", ko: "창백핵" },
  "Lateral ventricle": { en: "Lateral ventricle", ko: "가쪽뇌실" },
  "Inferior lateral ventricle": { en: "Inferior lateral ventricle", ko: "가쪽뇌실 아래뿔" },
  "Hippocampus": { en: "Hippocampus", ko: "해마" },
  "Amygdala": { en: "Amygdala", ko: "편도체" },
  "Accumbens": { en: "Accumbens", ko: "기댐핵" },
  "Third ventricle": { en: "Third ventricle", ko: "셋째뇌실" },
  "Fourth ventricle": { en: "Fourth ventricle", ko: "넷째뇌실" },
  "Cerebrospinal fluid": { en: "Cerebrospinal fluid", ko: "뇌척수액" },
  "White matter hypointensities": { en: "White matter hypointensities", ko: "백색질 저신호" },
  "Ventral diencephalon": { en: "Ventral diencephalon", ko: "배쪽사이뇌" },
  "Brain stem": { en: "Brain stem", ko: "뇌줄기" },
  "Corpus callosum posterior": { en: "Corpus callosum posterior", ko: "뇌들보 뒤부분" },
  "Corpus callosum mid-posterior": { en: "Corpus callosum mid-posterior", ko: "뇌들보 중간뒤부분" },
  "Corpus callosum central": { en: "Corpus callosum central", ko: "뇌들보 중심부분" },
  "Corpus callosum mid-anterior": { en: "Corpus callosum mid-anterior", ko: "뇌들보 중간앞부분" },
  "Corpus callosum anterior": { en: "Corpus callosum anterior", ko: "뇌들보 앞부분" },
  "Superior frontal": { en: "Superior frontal", ko: "위이마이랑" },
  "Rostral middle frontal": { en: "Rostral middle frontal", ko: "중간이마이랑 앞부분" },
  "Caudal middle frontal": { en: "Caudal middle frontal", ko: "중간이마이랑 뒤부분" },
  "Pars opercularis": { en: "Pars opercularis", ko: "아래이마이랑 덮개부분" },
  "Pars triangularis": { en: "Pars triangularis", ko: "아래이마이랑 세모부분" },
  "Pars orbitalis": { en: "Pars orbitalis", ko: "아래이마이랑 눈확부분" },
  "Lateral orbitofrontal": { en: "Lateral orbitofrontal", ko: "가쪽눈확이마겉질" },
  "Medial orbitofrontal": { en: "Medial orbitofrontal", ko: "안쪽눈확이마겉질" },
  "Precentral": { en: "Precentral", ko: "중심앞이랑" },
  "Paracentral": { en: "Paracentral", ko: "중심옆소엽" },
  "Frontal pole": { en: "Frontal pole", ko: "이마극" },
  "Superior parietal": { en: "Superior parietal", ko: "위마루소엽" },
  "Inferior parietal": { en: "Inferior parietal", ko: "아래마루소엽" },
  "Supramarginal": { en: "Supramarginal", ko: "모서리위이랑" },
  "Postcentral": { en: "Postcentral", ko: "중심뒤이랑" },
  "Precuneus": { en: "Precuneus", ko: "쐐기앞소엽" },
  "Superior temporal": { en: "Superior temporal", ko: "위관자이랑" },
  "Middle temporal": { en: "Middle temporal", ko: "중간관자이랑" },
  "Inferior temporal": { en: "Inferior temporal", ko: "아래관자이랑" },
  "Banks of superior temporal sulcus": { en: "Banks of superior temporal sulcus", ko: "위관자고랑 둑" },
  "Fusiform": { en: "Fusiform", ko: "방추이랑" },
  "Transverse temporal": { en: "Transverse temporal", ko: "가로관자이랑" },
  "Entorhinal": { en: "Entorhinal", ko: "내후각겉질" },
  "Temporal pole": { en: "Temporal pole", ko: "관자극" },
  "Parahippocampal": { en: "Parahippocampal", ko: "해마곁이랑" },
  "Lateral occipital": { en: "Lateral occipital", ko: "가쪽뒤통수겉질" },
  "Lingual": { en: "Lingual", ko: "혀이랑" },
  "Cuneus": { en: "Cuneus", ko: "쐐기소엽" },
  "Pericalcarine": { en: "Pericalcarine", ko: "새발톱고랑주위겉질" },
  "Rostral anterior cingulate": { en: "Rostral anterior cingulate", ko: "앞띠이랑 앞부분" },
  "Caudal anterior cingulate": { en: "Caudal anterior cingulate", ko: "앞띠이랑 뒤부분" },
  "Posterior cingulate": { en: "Posterior cingulate", ko: "뒤띠이랑" },
  "Isthmus cingulate": { en: "Isthmus cingulate", ko: "띠이랑잘룩" },
  "Insula": { en: "Insula", ko: "뇌섬엽" },
} as const satisfies Catalogue;

/** Name of a part in a language; the part itself when it is none of ours. */
export const partName = (part: string, language: Language): string =>
  Object.hasOwn(regionText, part) ? regionText[part as keyof typeof regionText][language] : part;

/** "Left hippocampus", "왼쪽 해마"; the part alone for midline regions. */
export function sidedPartName(part: string, side: "L" | "R" | "", language: Language): string {
  const name = partName(part, language);
  if (side === "") return name;
  if (language === "ko") return `${side === "L" ? "왼쪽" : "오른쪽"} ${name}`;
  return `${side === "L" ? "Left" : "Right"} ${name[0]!.toLowerCase()}${name.slice(1)}`;
}
