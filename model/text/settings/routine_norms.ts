import type { Catalogue } from "@/model/text.ts";

/** Texts of the settings' section with norms derived from routine studies. */
export const routineText = {
  title: { en: "Routine studies compared with the norms", ko: "규준과 일상 진료 검사 비교" },
  hint: {
    en:
      "If there are no healthy controls, the norms can be adjusted to the healthy subgroup estimated from at least {min} routine studies with the same scanner and protocol. Each patient's most recent reliable study is used. The estimate is recomputed every month.",
    ko:
      "건강한 대조군이 없어도, 같은 장비와 프로토콜로 촬영한 일상 진료 검사가 {min}건 이상이면 그중 건강군을 추정해 규준을 보정할 수 있습니다. 환자마다 신뢰할 수 있는 최근 검사 1건을 사용하며 매월 다시 계산합니다.",
  },
  compute: { en: "Compute from routine studies", ko: "일상 진료 검사로 계산" },
  computing: { en: "Computing…", ko: "계산 중…" },
  computedAt: { en: "Computed on {date}", ko: "{date} 계산" },
  never: { en: "Not computed yet.", ko: "아직 계산하지 않았습니다." },
  group: { en: "Scanner and protocol", ko: "장비와 프로토콜" },
  noProtocol: { en: "protocol not stated in the image header", ko: "헤더에 프로토콜 정보 없음" },
  counted: { en: "{n} {n|patient|patients}, {engine}", ko: "환자 {n}명, {engine}" },
  pooled: {
    en: "Pooled with {n} {n|patient|patients} from {sites} other {sites|site|sites}.",
    ko: "다른 {sites}개 기관의 환자 {n}명과 합산했습니다.",
  },
  estimated: {
    en: "{n} {n|measure|measures} can be adjusted; {refused} cannot.",
    ko: "측정값 {n}개는 보정할 수 있고, {refused}개는 보정할 수 없습니다.",
  },
  moved: {
    en:
      "{n} {n|measure is|measures are} now outside the interval of the norms in use. Check the scanner.",
    ko: "측정값 {n}개가 적용 중인 규준의 구간을 벗어났습니다. 장비를 점검하세요.",
  },
  propose: { en: "Propose from routine studies", ko: "일상 진료 검사 기반 규준 제안" },
  export: { en: "Export aggregate data", ko: "집계 자료 내보내기" },
  import: { en: "Import aggregate data from another site", ko: "다른 기관의 집계 자료 가져오기" },
  removePools: { en: "Delete aggregate data from other sites", ko: "다른 기관의 집계 자료 삭제" },
  plotOf: { en: "Region shown in the plot", ko: "그래프에 표시할 영역" },
  plot: {
    en: "{name}: z scores of {n} routine studies",
    ko: "{name}: 일상 진료 검사 {n}건의 z 점수",
  },
  plotHint: {
    en:
      "z scores of the routine studies. Dashed line: published norms. Solid line: estimated healthy subgroup.",
    ko: "일상 진료 검사의 z 점수. 점선: 공개 규준, 실선: 추정한 건강군",
  },
  region: { en: "Region", ko: "영역" },
  n: { en: "Number (n)", ko: "수(n)" },
  offset: { en: "Mean z score (90\u00a0% interval)", ko: "평균 z 점수(90\u00a0% 구간)" },
  scale: { en: "SD of z scores (90\u00a0% interval)", ko: "표준편차(90\u00a0% 구간)" },
  healthy: { en: "Healthy subgroup", ko: "건강군" },
  verdict: { en: "Assessment", ko: "판정" },
  usable: { en: "can be adjusted", ko: "보정 가능" },
  too_few: { en: "fewer than {min} studies", ko: "검사 {min}건 미만" },
  ambiguous: {
    en: "two different estimates of the healthy subgroup are possible",
    ko: "건강군을 두 가지로 추정할 수 있음",
  },
  few_healthy: { en: "healthy subgroup too small", ko: "건강군 인원이 너무 적음" },
  implausible: {
    en: "offset larger than is typical between scanners",
    ko: "장비 간 차이로 보기에는 오프셋이 너무 큼",
  },
  misfit: { en: "distribution does not fit the model", ko: "분포가 모형과 맞지 않음" },
  imprecise: { en: "estimate too uncertain", ko: "추정값의 불확실성이 큼" },
} as const satisfies Catalogue;
