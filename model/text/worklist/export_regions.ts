import type { Catalogue } from "@/model/text.ts";

/**
 * Names of atlas parts in heads of exported tables, by `part` of model/regions/regions.ts.
 * A part that is not listed here has its usual name.
 * A table has no picture, so each name contains a noun and says which neighbour it excludes.
 *
 * @see Desikan et al. 2006, doi:10.1016/j.neuroimage.2006.01.021 (borders of the cortical regions).
 */
export const exportRegionText = {
  "Cerebral white matter": {
    en: "Cerebral white matter (excluding T1w hypointensities)",
    ko: "대뇌 백질(T1w 저신호 제외)",
  },
  "Caudate": { en: "Caudate nucleus", ko: "미상핵" },
  "Pallidum": { en: "Pallidum", ko: "담창구" },
  "Accumbens": { en: "Nucleus accumbens", ko: "측좌핵" },
  "Lateral ventricle": {
    en: "Lateral ventricle (excluding temporal horn)",
    ko: "측뇌실(측두각 제외)",
  },
  "Inferior lateral ventricle": {
    en: "Temporal horn of the lateral ventricle",
    ko: "측뇌실 측두각",
  },
  "White matter hypointensities": {
    en: "White matter hypointensities on T1w",
    ko: "T1w 백질 저신호",
  },
  "Superior frontal": { en: "Superior frontal gyrus cortex", ko: "상전두회 피질" },
  "Rostral middle frontal": {
    en: "Middle frontal gyrus cortex (rostral part)",
    ko: "중전두회 전방부(rostral) 피질",
  },
  "Caudal middle frontal": {
    en: "Middle frontal gyrus cortex (caudal part)",
    ko: "중전두회 후방부(caudal) 피질",
  },
  "Pars opercularis": {
    en: "Inferior frontal gyrus cortex (pars opercularis)",
    ko: "하전두회 판개부 피질",
  },
  "Pars triangularis": {
    en: "Inferior frontal gyrus cortex (pars triangularis)",
    ko: "하전두회 삼각부 피질",
  },
  "Pars orbitalis": {
    en: "Inferior frontal gyrus cortex (pars orbitalis)",
    ko: "하전두회 안와부 피질",
  },
  "Lateral orbitofrontal": { en: "Lateral orbitofrontal cortex", ko: "외측 안와전두피질" },
  "Medial orbitofrontal": { en: "Medial orbitofrontal cortex", ko: "내측 안와전두피질" },
  "Precentral": { en: "Precentral gyrus cortex", ko: "중심전회 피질" },
  "Paracentral": { en: "Paracentral lobule cortex", ko: "중심방소엽 피질" },
  "Frontal pole": { en: "Frontal pole cortex", ko: "전두극 피질" },
  "Superior parietal": { en: "Superior parietal cortex", ko: "상두정소엽 피질" },
  "Inferior parietal": {
    en: "Inferior parietal cortex (excluding supramarginal gyrus)",
    ko: "하두정소엽 피질(연상회 제외)",
  },
  "Supramarginal": { en: "Supramarginal gyrus cortex", ko: "연상회(supramarginal gyrus) 피질" },
  "Postcentral": { en: "Postcentral gyrus cortex", ko: "중심후회 피질" },
  "Precuneus": { en: "Precuneus cortex", ko: "설전부(precuneus) 피질" },
  "Superior temporal": {
    en: "Superior temporal gyrus cortex (excluding transverse temporal gyrus)",
    ko: "상측두회 피질(횡측두회 제외)",
  },
  "Middle temporal": { en: "Middle temporal gyrus cortex", ko: "중측두회 피질" },
  "Inferior temporal": { en: "Inferior temporal gyrus cortex", ko: "하측두회 피질" },
  "Banks of superior temporal sulcus": {
    en: "Cortex along the banks of the superior temporal sulcus",
    ko: "상측두구 둑(banks of STS) 피질",
  },
  "Fusiform": { en: "Fusiform gyrus cortex", ko: "방추상회 피질" },
  "Transverse temporal": {
    en: "Transverse temporal gyrus (Heschl’s gyrus) cortex",
    ko: "횡측두회(Heschl) 피질",
  },
  "Entorhinal": { en: "Entorhinal cortex", ko: "내후각피질" },
  "Temporal pole": { en: "Temporal pole cortex", ko: "측두극 피질" },
  "Parahippocampal": {
    en: "Parahippocampal gyrus cortex (excluding entorhinal cortex)",
    ko: "해마방회 피질(내후각피질 제외)",
  },
  "Lateral occipital": { en: "Lateral occipital cortex", ko: "외측 후두피질" },
  "Lingual": { en: "Lingual gyrus cortex", ko: "설회(lingual gyrus) 피질" },
  "Cuneus": { en: "Cuneus cortex", ko: "설부(cuneus) 피질" },
  "Pericalcarine": { en: "Pericalcarine cortex", ko: "조거구 주위피질" },
  "Rostral anterior cingulate": {
    en: "Anterior cingulate cortex (rostral part)",
    ko: "전대상회 전방부(rostral anterior cingulate) 피질",
  },
  "Caudal anterior cingulate": {
    en: "Anterior cingulate cortex (caudal part)",
    ko: "전대상회 후방부(caudal anterior cingulate) 피질",
  },
  "Posterior cingulate": { en: "Posterior cingulate cortex", ko: "후대상회 피질" },
  "Isthmus cingulate": {
    en: "Cortex of the isthmus of the cingulate gyrus",
    ko: "대상회 협부(isthmus) 피질",
  },
  "Insula": { en: "Insular cortex (as a single region)", ko: "뇌섬엽 피질(세부 영역)" },
} as const satisfies Catalogue;
