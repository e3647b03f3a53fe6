import type { MeasureKey } from "@/model/regions/measures.ts";
import type { Measure } from "@/model/norms/norms.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";

/** Names of the measures in tables of norms. */
export const placeText = {
  left: { en: "{name}, left", ko: "{name}, 좌측" },
  right: { en: "{name}, right", ko: "{name}, 우측" },
  cortex: { en: "Cerebral cortex", ko: "대뇌 피질" },
  white_matter: { en: "Cerebral white matter", ko: "대뇌 백질" },
  brain: { en: "Brain without ventricles", ko: "뇌(뇌실 제외)" },
  icv: { en: "Intracranial volume", ko: "두개강내 용적" },
  thickness: { en: "Cerebral cortex", ko: "대뇌 피질" },
  thicknessOf: { en: "{name}, thickness", ko: "{name}, 두께" },
} as const satisfies Catalogue;

/** Name of a measure for display: "Hippocampus, left", "Cerebral cortex, thickness". */
export function measureText(measure: Measure, key: MeasureKey, language: Language): string {
  const sided = (name: string, side: string | undefined) =>
    side === "left" || side === "right" ? textIn(placeText[side], language, { name }) : name;
  const nameOf = (): string => {
    const [first, second] = /^\d/.test(key) ? key.split("+").map(Number) : [];
    const region = first === undefined ? null : regionOf(first);
    if (region) {
      const side = second !== undefined
        ? undefined
        : region.hemisphere === "L"
        ? "left"
        : region.hemisphere === "R"
        ? "right"
        : undefined;
      return sided(partName(region.part, language), side);
    }
    const [, name = key, side] = /^(.+?)(?:_(left|right))?$/.exec(key) ?? [];
    const text = name in placeText
      ? placeText[name as keyof typeof placeText]
      : REGION_GROUP_TEXT[name as keyof typeof REGION_GROUP_TEXT];
    return sided(text ? textIn(text, language) : name, side);
  };
  return measure === "thickness"
    ? textIn(placeText.thicknessOf, language, { name: nameOf() })
    : nameOf();
}

/** Texts of the settings' section on control subjects and local norms. */
export const normsText = {
  intro: {
    en:
      "Results from healthy volunteers scanned here show how well the published norms fit your scanners. Once there are at least {min} controls, one administrator can propose adjusted norms and another can accept them.",
    ko:
      "이 기관에서 촬영한 건강한 자원자의 결과로 공개 규준이 이 기관의 장비에 얼마나 잘 맞는지 확인합니다. 대조군이 {min}명 이상이면 관리자 한 명이 보정한 규준을 제안하고 다른 관리자가 승인할 수 있습니다.",
  },
  controls: { en: "Controls", ko: "대조군" },
  controlCount: { en: "Controls ({n})", ko: "대조군({n}명)" },
  noControls: {
    en: "No study is marked as a control yet.",
    ko: "대조군으로 지정된 검사가 없습니다.",
  },
  searchControl: { en: "Patient ID or name", ko: "환자 ID 또는 이름" },
  search: { en: "Search", ko: "검색" },
  noStudy: { en: "No matching studies.", ko: "일치하는 검사가 없습니다." },
  byLabel: { en: "All studies with a particular label", ko: "특정 라벨이 붙은 모든 검사" },
  chooseLabel: { en: "Choose a label", ko: "라벨 선택" },
  mark: { en: "Mark as control", ko: "대조군으로 지정" },
  markNumber: { en: "Mark as control: study {pid}", ko: "대조군으로 지정: {pid}번 검사" },
  unmark: { en: "Remove", ko: "해제" },
  unmarkNumber: {
    en: "Remove study {pid} from the controls",
    ko: "{pid}번 검사의 대조군 지정 해제",
  },
  marked: {
    en: "{n} {n|study|studies} marked as {n|a control|controls}.",
    ko: "검사 {n}건을 대조군으로 지정했습니다.",
  },
  excluded: { en: "Not marked: {list}", ko: "지정할 수 없음: {list}" },
  not_analyzed: { en: "no completed T1w analysis", ko: "완료된 T1w 분석 없음" },
  age_unknown: { en: "age unknown", ko: "나이를 알 수 없음" },
  sex_unknown: { en: "sex unknown", ko: "성별을 알 수 없음" },
  age_outside_norms: { en: "age not between 18 and 100 years", ko: "18~100세를 벗어남" },
  quality: { en: "segmentation quality C or not rated", ko: "분할 품질 C 또는 평가 없음" },
  deleted: { en: "deleted", ko: "삭제됨" },
  number: { en: "No.", ko: "번호" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  studyDate: { en: "Study date", ko: "검사일" },
  ageSex: { en: "Age / sex", ko: "나이/성별" },
  scanner: { en: "Scanner", ko: "장비" },
  unknownScanner: { en: "scanner not stated in the image header", ko: "헤더에 장비 정보 없음" },
  site: { en: "the whole site", ko: "기관 전체" },
  siteTitle: { en: "Whole site", ko: "기관 전체" },
  summary: { en: "Controls compared with the norms", ko: "규준과 대조군 비교" },
  summaryHint: {
    en:
      "Mean and SD of the controls' z scores with 95\u00a0% intervals. If the norms fit, the mean is 0 and the SD is 1.",
    ko:
      "대조군 z 점수의 평균과 표준편차(95\u00a0% 구간). 규준이 맞으면 평균은 0, 표준편차는 1입니다.",
  },
  noneCounted: { en: "No controls to compare.", ko: "비교할 대조군이 없습니다." },
  counted: { en: "{n} {n|control|controls}, {engine}", ko: "대조군 {n}명, {engine}" },
  otherEngine: {
    en:
      "{n} {n|control|controls} excluded: analyzed with another engine version. Analyze these studies again to include them.",
    ko: "{n}명 제외: 다른 버전으로 분석되었습니다. 다시 분석하세요.",
  },
  region: { en: "Region", ko: "영역" },
  n: { en: "Number (n)", ko: "수(n)" },
  mean: { en: "Mean z score (95\u00a0% interval)", ko: "평균 z 점수(95\u00a0% 구간)" },
  sd: { en: "SD of z scores (95\u00a0% interval)", ko: "z 점수의 표준편차(95\u00a0% 구간)" },
  verdict: { en: "Assessment", ko: "판정" },
  too_few: { en: "fewer than {min} controls", ko: "{min}명 미만" },
  agrees: { en: "consistent with the norms", ko: "규준과 일치" },
  shifted: { en: "offset from the norms", ko: "규준에서 한쪽으로 치우침" },
  wider: { en: "wider spread than in the norms", ko: "분포가 규준보다 넓음" },
  narrower: { en: "narrower spread than in the norms", ko: "분포가 규준보다 좁음" },
  propose: { en: "Propose norms", ko: "규준 제안" },
  norms: { en: "This site's norms", ko: "기관 규준" },
  noNorms: {
    en: "No norms have been proposed. The published norms are used.",
    ko: "제안된 규준이 없습니다. 공개 규준을 사용합니다.",
  },
  proposed: { en: "Proposed on {date} by {user}", ko: "{date} {user} 제안" },
  accepted: { en: "In use since {date}, accepted by {user}", ko: "{date}부터 적용, {user} 승인" },
  revoked: { en: "Revoked on {date} by {user}", ko: "{date} {user} 철회" },
  madeFrom: { en: "{n} {n|control|controls}, {engine}", ko: "대조군 {n}명, {engine}" },
  madeFromRoutine: {
    en: "{n} routine studies from {sites} {sites|site|sites}, {engine}",
    ko: "{sites}개 기관 일상 진료 검사 {n}건, {engine}",
  },
  madeFromTable: { en: "Imported table: {title}", ko: "가져온 표: {title}" },
  oldEngine: {
    en:
      "These norms were made with an earlier engine version. They are not applied to new results, which are measured with {engine}. Propose new norms.",
    ko:
      "이전 분석 버전으로 만든 규준입니다. 새 결과는 {engine} 버전으로 측정하므로 적용되지 않습니다. 새 규준을 제안하세요.",
  },
  ownProposal: {
    en: "Another administrator must accept this proposal.",
    ko: "다른 관리자의 승인이 필요합니다.",
  },
  accept: { en: "Accept", ko: "승인" },
  undo: { en: "Revoke", ko: "철회" },
  changes: { en: "Preview changes", ko: "변경될 결과 보기" },
  changesTitle: { en: "Stored results that would change", ko: "변경될 저장 결과" },
  noChanges: { en: "No stored result would change.", ko: "변경될 저장 결과가 없습니다." },
  otherResults: {
    en: "{n} results from other engine versions would not change.",
    ko: "다른 엔진 버전의 결과 {n}건은 그대로 유지됩니다.",
  },
  changed: { en: "{n} {n|measure changes|measures change}", ko: "측정값 {n}개 변경" },
  more: { en: "Show more", ko: "더 보기" },
  recompute: { en: "Recompute stored results", ko: "저장된 결과 다시 계산" },
  recomputed: {
    en: "{n} {n|study now uses|studies now use} these norms.",
    ko: "검사 {n}건에 이 규준을 적용했습니다.",
  },
  bandFirm: { en: "beyond percentile {p}", ko: "백분위 기준값({p})을 벗어남" },
  bandPossible: {
    en: "possibly beyond percentile {p}",
    ko: "백분위 기준값({p})을 벗어났을 가능성",
  },
  usual: { en: "expected range", ko: "예상 범위" },
  unsure: { en: "not clearly outside the expected range", ko: "예상 범위와 구별되지 않음" },
  loading: { en: "Loading…", ko: "불러오는 중…" },
  failedToLoad: { en: "The norms could not be loaded.", ko: "규준을 불러오지 못했습니다." },
} as const satisfies Catalogue;
