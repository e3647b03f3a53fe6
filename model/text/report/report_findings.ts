import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page with readers' measurements, key images and corrections. */
export const findingsText = {
  title: { en: "Reader's measurements and key images", ko: "판독자의 측정값과 키 이미지" },
  measurements: { en: "Measurements", ko: "측정" },
  kind: { en: "Measurement", ko: "측정 종류" },
  value: { en: "Value", ko: "값" },
  place: { en: "Series and plane", ko: "시리즈와 단면" },
  note: { en: "Note", ko: "메모" },
  who: { en: "Measured by", ko: "측정자" },
  ruler: { en: "Length", ko: "길이" },
  angle: { en: "Angle", ko: "각도" },
  ellipse: { en: "ROI (ellipse)", ko: "관심영역(타원)" },
  rectangle: { en: "ROI (rectangle)", ko: "관심영역(사각형)" },
  freehand: { en: "ROI (outline)", ko: "관심영역(윤곽)" },
  statistics: { en: "mean {mean}, SD {sd}", ko: "평균 {mean}, 표준편차 {sd}" },
  units: {
    en:
      "Means and standard deviations are calculated from the original series values of the pixels in the slice shown.",
    ko: "평균과 표준편차는 표시된 단면의 화소에서 시리즈의 원본 값으로 계산했습니다.",
  },
  images: { en: "Key images", ko: "키 이미지" },
  imageAlt: { en: "Key image {n} of {count}", ko: "키 이미지 {n}/{count}" },
  visitCorrected: {
    en:
      "Studies corrected by a reader (this comparison measures the images again, without the corrections): {dates}",
    ko: "판독자가 수정한 검사(이 비교는 영상을 새로 측정하므로 수정이 반영되지 않음): {dates}",
  },
} as const satisfies Catalogue;
