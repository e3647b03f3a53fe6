import type { Catalogue } from "@/model/text.ts";

/** Reasons why a series cannot be analysed, by `details.reason` of `engine.unsupported_input`. */
export const analysisReasonText = {
  "empty": {
    en: "The images are empty or nearly black. Please check the series and export it again.",
    ko: "영상이 비어 있거나 거의 검은색입니다. 시리즈를 확인하고 장비나 PACS에서 다시 내보내세요.",
  },
  "shape": {
    en: "The images do not form a complete volume. Please export the series again.",
    ko: "영상이 하나의 완전한 볼륨을 이루지 않습니다. 장비나 PACS에서 시리즈를 다시 내보내세요.",
  },
  "contrast": {
    en:
      "The images do not have T1w contrast: white matter is not brighter than the cortex. Please check the series type.",
    ko: "T1w 영상의 대조도가 아닙니다. 백질이 피질보다 밝지 않습니다. 시리즈 종류를 확인하세요.",
  },
  "registration failed": {
    en:
      "The head could not be registered to the atlas. Please check that the series shows the whole head.",
    ko: "머리 영상을 아틀라스에 정합할 수 없습니다. 머리 전체가 촬영된 시리즈인지 확인하세요.",
  },
  "field of view": {
    en:
      "Part of the brain is outside the field of view. Please upload a series that covers the whole head.",
    ko: "뇌의 일부가 촬영 범위 밖에 있습니다. 머리 전체를 촬영한 시리즈를 업로드하세요.",
  },
  "flair registration": {
    en:
      "The FLAIR series could not be registered to the T1w series. Please check that both show the same patient.",
    ko:
      "FLAIR 시리즈를 T1w 시리즈에 정합할 수 없습니다. 두 시리즈가 같은 환자의 것인지 확인하세요.",
  },
  "t2_contrast": {
    en:
      "The series is T2-weighted without CSF suppression, so lesions and CSF cannot be distinguished. Please upload a FLAIR series.",
    ko:
      "뇌척수액 신호가 억제되지 않은 T2 강조 영상입니다. 병변과 뇌척수액을 구별할 수 없습니다. FLAIR 시리즈를 업로드하세요.",
  },
  "t1_contrast": {
    en:
      "The series provided as FLAIR has T1w contrast: white matter is brighter than the cortex. Please check the series type.",
    ko:
      "FLAIR로 지정된 시리즈의 대조도가 T1w 영상과 같습니다. 백질이 피질보다 밝습니다. 시리즈 종류를 확인하세요.",
  },
  "same_series": {
    en:
      "The same images were provided as both T1w and FLAIR, so they were not analyzed as FLAIR. Please upload the FLAIR series.",
    ko:
      "같은 영상이 T1w와 FLAIR로 모두 지정되어 FLAIR로 분석하지 않았습니다. FLAIR 시리즈를 업로드하세요.",
  },
  "flair_cortex": {
    en:
      "Without a T1w series, bright cortex could not be distinguished from lesions on this FLAIR series, so no lesion volume is given. Please upload a T1w series of the same patient.",
    ko:
      "T1w 시리즈가 없어 이 FLAIR에서 밝은 피질과 병변을 구별할 수 없으므로 병변 부피를 제시하지 않습니다. 같은 환자의 T1w 시리즈를 업로드하세요.",
  },
  "voxel size": {
    en: "The voxel size is implausible for a head MRI. Please check the series.",
    ko: "머리 MRI로 보기에는 복셀이 너무 크거나 작습니다. 시리즈를 확인하세요.",
  },
  "volume size": {
    en: "The volume has too many voxels. Please export the original series without interpolation.",
    ko: "볼륨의 복셀 수가 너무 많습니다. 장비나 PACS에서 보간하지 않은 원본 시리즈를 내보내세요.",
  },
} as const satisfies Catalogue;

export const isAnalysisReason = (reason: string): reason is keyof typeof analysisReasonText =>
  Object.hasOwn(analysisReasonText, reason);
