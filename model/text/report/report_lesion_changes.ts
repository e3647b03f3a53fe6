import type { Catalogue } from "@/model/text.ts";

/** The report's Longitudinal page of FLAIR studies: volumes of each, and lesions that changed. */
export const lesionChangeText = {
  title: { en: "White matter hyperintensities at each study, mL", ko: "검사별 백질 고신호, mL" },
  total: { en: "Total", ko: "전체" },
  count: { en: "Lesions", ko: "병변 수" },
  ofWhiteMatter: { en: "of WM, %", ko: "백질 대비 %" },
  changes: { en: "Lesions that changed since {date}", ko: "{date} 이후 변화한 병변" },
  summary: {
    en:
      "New {new} · enlarging {enlarging} · shrinking {shrinking} · gone {gone}; confirmed by a reader {confirmed}, not yet judged {open}",
    ko:
      "신규 {new} · 증가 {enlarging} · 감소 {shrinking} · 소실 {gone}. 판독자 확인 {confirmed}, 미판정 {open}",
  },
  none: {
    en: "No lesion was found that changed. Changes below about 30 mm³ are often missed.",
    ko: "변화한 병변이 검출되지 않았습니다. 약 30 mm³ 미만의 변화는 놓칠 수 있습니다.",
  },
  failed: {
    en: "The FLAIR of this study and of {date} could not be brought together: lesions were not compared.",
    ko: "이 검사와 {date} 검사의 FLAIR를 정합할 수 없어 병변을 비교하지 않았습니다.",
  },
  waiting: {
    en: "The lesions have not been compared with those of {date} yet.",
    ko: "{date} 검사와의 병변 비교가 아직 끝나지 않았습니다.",
  },
  number: { en: "No.", ko: "번호" },
  kind: { en: "Change", ko: "변화" },
  before: { en: "Before, mL", ko: "이전 mL" },
  after: { en: "Now, mL", ko: "현재 mL" },
  changed: { en: "Changed, mL", ko: "변화 mL" },
  place: { en: "Place", ko: "위치" },
  verdict: { en: "Reader", ko: "판독자" },
  new: { en: "New", ko: "신규" },
  enlarging: { en: "Enlarging", ko: "증가" },
  shrinking: { en: "Shrinking", ko: "감소" },
  gone: { en: "Gone", ko: "소실" },
  possible: { en: "{kind} (possible)", ko: "{kind}(의심)" },
  confirmed: { en: "Confirmed, {who}", ko: "확인, {who}" },
  open: { en: "Not judged", ko: "미판정" },
  refused: {
    en: "Found, and refused by a reader: {n} more.",
    ko: "검출 후 판독자가 제외한 병변이 {n}개 더 있습니다.",
  },
  more: { en: "Not listed: {n} more.", ko: "그 밖의 {n}개는 표에 싣지 않았습니다." },
  placeNote: {
    en:
      "Places without a region are in the scanner's coordinates, mm: R right, L left, A anterior, P posterior, S superior, I inferior.",
    ko: "영역을 알 수 없는 위치는 장비 좌표(mm)입니다. R 우, L 좌, A 앞, P 뒤, S 위, I 아래.",
  },
  otherProtocol: {
    en:
      "* The FLAIR of {dates} was acquired with another scanner or protocol than this study's ({fields}): volumes cannot be compared with it, and differences between lesions may come from that.",
    ko:
      "* {dates} FLAIR는 이 검사와 장비 또는 촬영 조건이 다릅니다({fields}). 부피를 서로 비교할 수 없으며, 병변의 차이도 그 때문일 수 있습니다.",
  },
  method: {
    en:
      "Both FLAIR series were brought to the space halfway between them and to one contrast, and subtracted. Changes of 12 mm³ or more are listed; “possible” means hardly brighter than normal white matter. Found by the program: a reader confirms or refuses each.",
    ko:
      "두 FLAIR를 중간 공간으로 정합하고 대조도를 맞추어 차감했습니다. 12 mm³ 이상의 변화만 표시하며, ‘의심’은 정상 백질보다 뚜렷하게 밝지 않은 변화입니다. 프로그램이 검출한 결과이며 판독자가 각각 확인하거나 제외합니다.",
  },
} as const satisfies Catalogue;
