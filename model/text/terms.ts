// Terminology: one word for each concept in all texts that users see (pages, reports, manual …).
// Enforced by tests/terms_test.ts, which finds synonyms in the texts.

/** A concept: its word in each language, and synonyms that must not be used. */
export interface Term {
  en: string;
  ko: string;
  /** regular expression, matched case-insensitively, of synonyms that must not be used */
  not: { en?: string; ko?: string };
}

export const TERMS: readonly Term[] = [
  // spreadsheet heads say “MRI examination”, since readers of a table may not know this product
  { en: "study", ko: "검사", not: { en: String.raw`\bexams?\b` } },
  { en: "series", ko: "시리즈", not: { ko: "영상군" } },
  { en: "slice", ko: "단면", not: { ko: "절편(?! 두께)" } },
  { en: "image", ko: "영상", not: { ko: "그림(?!자)" } },
  // Korean has two words for pixel: 화소 for images, 픽셀 for the screen
  { en: "pixel (of an image)", ko: "화소", not: { ko: "픽셀(?:값| 간격| 형식)" } },
  { en: "previous study", ko: "이전 검사", not: { en: "study before", ko: "바로 전 검사" } },
  { en: "analyze", ko: "분석", not: { en: String.raw`analys(?:e|ed|ing)\b` } },
  { en: "analyze again", ko: "다시 분석", not: { en: String.raw`re-?analy[sz]e`, ko: "재분석" } },
  { en: "volume", ko: "부피", not: { ko: "(?<!두개강내 )용적" } },
  {
    en: "intracranial volume (ICV)",
    ko: "두개강내 용적(ICV)",
    not: { ko: "두개강 내|두개내|두개강내용적" },
  },
  { en: "cortical thickness", ko: "피질 두께", not: { ko: "피질의 두께" } },
  {
    en: "white matter hyperintensity (WMH)",
    ko: "백질 고신호(WMH)",
    not: { ko: "백질 고강도|고신호강도" },
  },
  { en: "deep (white matter lesion)", ko: "심부", not: { ko: "깊은 백질" } },
  { en: "diameter", ko: "직경", not: { ko: "지름" } },
  { en: "age", ko: "나이", not: { ko: "연령(?!대)" } },
  { en: "healthy people", ko: "건강한 사람", not: { ko: "건강인" } },
  { en: "published (accuracy, norms)", ko: "공개된", not: { ko: "발표된 정확도" } },
  { en: "periventricular (PV)", ko: "뇌실주위", not: { ko: "뇌실 주위" } },
  { en: "deep and periventricular", ko: "뇌실주위+심부", not: { ko: "· 양쪽" } },
  { en: "resolved (lesion)", ko: "소실", not: { en: String.raw`\bgone\b` } },
  {
    en: "enlarging, shrinking (lesion)",
    ko: "커짐, 작아짐",
    not: { ko: "(?:증가|감소) 병변|병변 (?:증가|감소)" },
  },
  { en: "uncertain (change)", ko: "불확실", not: { ko: "의심" } },
  {
    en: "reject (a lesion)",
    ko: "제외",
    not: { en: String.raw`\b(?:confirms?|confirmed) (?:or|and) refuse` },
  },
  { en: "reader, physician", ko: "판독자", not: { en: "radiographic reader", ko: "판독의" } },
  {
    en: "read-only (role)",
    ko: "열람자",
    not: { en: String.raw`\breaders? (?:looks?|may look)\b` },
  },
  {
    en: "percentile",
    ko: "백분위",
    not: { en: String.raw`\bpct\b`, ko: String.raw`[\d}]백분위(?!수)` },
  },
  {
    en: "80 % interval",
    ko: "80 % 구간",
    not: { en: String.raw`\bwith (?:about )?\d+.%(?! intervals?)`, ko: "%의 확률로" },
  },
  {
    en: "expected range",
    ko: "예상 범위",
    not: {
      en: String.raw`\busual\b|normal range|\babnormal`,
      ko: "통상 범위|보통 범위|정상 범위|비정상",
    },
  },
  {
    en: "not clearly outside the expected range",
    ko: "예상 범위와 구별되지 않음",
    not: { en: "not distinguishable" },
  },
  // 판정 heads the column that compares results with norms; 표시 names the marks in its cells
  { en: "comparison with norms (column)", ko: "판정", not: {} },
  { en: "mark", ko: "표시", not: { en: String.raw`\bbands?\b` } },
  { en: "threshold", ko: "기준값", not: { ko: "임계값" } },
  { en: "cut-off (MTA, Fazekas)", ko: "경계값", not: { en: "cutoffs?", ko: "절단값" } },
  { en: "norms", ko: "규준", not: { en: "normative (?:data|database)", ko: "정상 데이터|노름" } },
  {
    en: "median of the norms",
    ko: "규준 중앙값",
    not: { en: "the middle of the|is the middle", ko: "규준의 가운데" },
  },
  { en: "segmentation", ko: "분할", not: { ko: "영역 분할|영역 구분" } },
  { en: "parcellation", ko: "영역 구획", not: {} },
  { en: "layout", ko: "화면 배치", not: { ko: "화면 분할" } },
  {
    en: "segmentation quality",
    ko: "분할 품질",
    not: {
      en: "quality grade|quality of the analysis|quality of the segmentation",
      ko: "분석 품질|품질 등급|[ABC]등급",
    },
  },
  {
    en: "reference segmentation",
    ko: "참조 분할",
    not: {
      en: String.raw`\btruth\b|known labels|labell?ed heads|\bheads (?:with|that)`,
      ko: String.raw`정답|참값|머리 \d+개`,
    },
  },
  { en: "second network", ko: "보조 신경망", not: { en: "second opinion", ko: "두 번째 신경망" } },
  { en: "comment", ko: "소견", not: { en: String.raw`\bopinions?\b` } },
  {
    en: "main deviation",
    ko: "주요 편차",
    not: { en: String.raw`(?<!clinical )\bfindings?\b(?! the way)` },
  },
  {
    en: "unreliable (small volume)",
    ko: "신뢰도 낮음",
    not: { en: String.raw`\bminimal\b`, ko: "미미" },
  },
  { en: "label (of a study)", ko: "라벨", not: { ko: "레이블|꼬리표" } },
  {
    en: "delete (data), remove (from a list), clear (input)",
    ko: "삭제, 제거, 지우기",
    // texts say "delete" for data that cannot be restored, never "remove"
    not: { en: String.raw`\bremove\b[^.]*\? (?:This cannot be undone|Its)` },
  },
  { en: "regulatory label", ko: "제품 표시사항", not: {} },
  { en: "ROI", ko: "관심영역", not: { en: String.raw`region \((?:ellipse|rectangle|outline)` } },
  { en: "healthy subgroup", ko: "건강군", not: { ko: "정상군" } },
  { en: "T2w-FLAIR", ko: "T2w-FLAIR", not: { ko: String.raw`T2w FLAIR|T2w\(FLAIR` } },
  {
    en: "interpret (results)",
    ko: "해석",
    // Korean uses 판독 for reading images and 해석 for interpreting figures
    not: { ko: "수치 판독|결과는 의사가 영상과 함께 판독|소견과 함께 판독" },
  },
  { en: "transfer syntax", ko: "전송 구문", not: { ko: "전송 문법|전송구문" } },
  { en: "dynamic (series)", ko: "역동적", not: { ko: "다이나믹|다이내믹" } },
  { en: "perfusion", ko: "관류", not: { ko: "퍼퓨전" } },
  { en: "PACS", ko: "PACS", not: { en: String.raw`(?<!ZIP )\barchives?\b`, ko: "보관소" } },
  { en: "key image", ko: "키 이미지", not: { ko: "주요 영상" } },
  { en: "scan–rescan", ko: "재촬영", not: { en: "repeated scans", ko: "반복 촬영" } },
  { en: "synthetic (patient)", ko: "가상 환자", not: { en: "made-up" } },
  { en: "report", ko: "리포트", not: { ko: "보고서" } },
  { en: "worklist", ko: "워크리스트", not: { ko: "작업 목록|환자 목록" } },
  { en: "download", ko: "다운로드", not: { ko: "내려받" } },
  { en: "cerebrospinal fluid (CSF)", ko: "뇌척수액", not: { ko: "(?<!척)수액|체액" } },
  { en: "putamen", ko: "피각", not: { ko: "조가비핵" } },
  { en: "pallidum", ko: "담창구", not: { ko: "창백핵" } },
  { en: "ventral diencephalon", ko: "복측 간뇌", not: { ko: "사이뇌" } },
  { en: "cortex", ko: "피질", not: { ko: "겉질" } },
  { en: "white matter", ko: "백질", not: { ko: "백색질" } },
  { en: "lateral ventricle", ko: "측뇌실", not: { ko: "가쪽뇌실" } },
  {
    en: "temporal horn",
    ko: "측뇌실 측두각",
    not: { en: "inferior horn|inferior lateral ventricle", ko: "하각" },
  },
  {
    en: "anterior part of the corpus callosum",
    ko: "뇌량 전방부",
    not: { ko: "뇌량 전부|뇌량 후부" },
  },
  { en: "possible (of a percentile)", ko: "가능성", not: {} },
];

/**
 * Wording that tests refuse in all user-visible texts:
 * British spellings, words used in place of a noun, Korean particles in brackets.
 */
export const REFUSED_WORDING: Readonly<Record<"en" | "ko", string>> = {
  en: [
    String.raw`\blicen[c]es?\b`,
    String.raw`\btumour|h[a]emorrhag|\bcolour|\bcentre|\bgrey\b|labelled`,
    String
      .raw`\b(?:general|normal|organ|anonym|summar|standard|minim|maxim|optim|synchron)is(?:e|ed|es|ing|ation)\b`,
    String.raw`\b(?:author|visual|recogn|local|categor|priorit|initial)is(?:e|ed|es|ing|ation)\b`,
    String.raw`behaviour|neighbour|\bfibre|modelling|labelling|cancell(?:ed|ing)`,
    String.raw`\banew\b|by itself|by themselves|whoever|for good\b|\bpress removes`,
    String.raw`\b(?:lies|lie)\b|\bstands?\b(?! for)`,
    // refuses a decimal without a leading zero, and an interval that looks like an arrow
    String.raw`(?<![\d\w])\.\d|–>|<\d+–`,
  ].join("|"),
  ko: [
    String.raw`을\(를\)|를\(을\)|이\(가\)|은\(는\)|\(으\)로|와\(과\)|과\(와\)`,
    // Korean has no space between a word and an opening bracket
    String.raw`[가-힣] \(`,
    "–>",
  ].join("|"),
};

/** Finds a percent sign that is not preceded by a no-break space. */
export const PERCENT_WITHOUT_SPACE = /[\d}](?: |)%/;

/** Finds a unit without a no-break space before it, and a degree sign after a space. */
export const UNIT_WITHOUT_SPACE =
  /[\d}](?: |)(?:mL|mm[²³]?|cm|[kMG]B|ms|s|min|T)(?![\p{Script=Latin}])|[\d}]\s+°/u;
