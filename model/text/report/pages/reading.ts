import type { Catalogue } from "@/model/text.ts";

/** Texts of the Reading Materials, the report page that explains terms and values. */
export const readingText = {
  definitions: { en: "Definitions", ko: "용어" },
  formulas: { en: "Formulas", ko: "계산식" },
  limits: { en: "Limits", ko: "한계" },
  citations: { en: "Sources", ko: "출처" },
  methodError: { en: "Method error", ko: "측정 방법의 오차" },
} as const satisfies Catalogue;

/** Describes the data on which the error of the method was measured, for each kind of data. */
export const methodErrorSourceText = {
  published: {
    en:
      "scans with FreeSurfer 6 reference segmentation, first version of the engine ({scanners} scanners, n\u00a0=\u00a0{heads})",
    ko:
      "FreeSurfer 6 참조 분할이 있는 영상, 엔진의 첫 버전(장비 {scanners}대, n\u00a0=\u00a0{heads})",
  },
  labelled: {
    en:
      "scans with FreeSurfer 6 reference segmentation, current engine ({scanners} scanners, n\u00a0=\u00a0{heads})",
    ko:
      "FreeSurfer 6 참조 분할이 있는 영상, 엔진의 현재 버전(장비 {scanners}대, n\u00a0=\u00a0{heads})",
  },
  "second opinion": {
    en:
      "scans segmented with the second network, current engine ({scanners} scanners, n\u00a0=\u00a0{heads})",
    ko: "보조 신경망으로 분할한 영상, 엔진의 현재 버전(장비 {scanners}대, n\u00a0=\u00a0{heads})",
  },
} as const satisfies Catalogue;

const wmhDefinition = {
  en:
    "White matter hyperintensities (WMH): bright areas of the white matter on FLAIR, periventricular (within 10\u00a0mm of the lateral ventricles) or deep.",
  ko:
    "백질 고신호(WMH): FLAIR 영상에서 밝게 보이는 백질 부위. 측뇌실에서 10\u00a0mm 이내는 뇌실주위, 나머지는 심부로 나눕니다.",
};

const misleading = {
  en:
    "Motion, tumors, hemorrhage, surgery and large lesions can cause segmentation errors. Always check the overlay.",
  ko:
    "움직임, 종양, 출혈, 수술, 큰 병변이 있으면 분할이 잘못될 수 있습니다. 오버레이를 반드시 확인하십시오.",
};

const noDiagnosis = {
  en: "The figures describe size. They are not a diagnosis and do not indicate a cause.",
  ko: "수치는 크기만을 나타냅니다. 진단이 아니며 원인을 알려 주지 않습니다.",
};

/** Paragraphs of the report page Reading Materials, in printing order. */
export const readingList = {
  definitions: [
    {
      en:
        "Intracranial volume (ICV): the space inside the dura. Volumes are compared between people with the same ICV, so head size has no influence.",
      ko:
        "두개강내 용적(ICV): 경막 안쪽 공간의 부피. 머리 크기의 영향을 없애기 위해 ICV가 같은 사람끼리 부피를 비교합니다.",
    },
    {
      en:
        "Percentile: how many of 100 healthy people of the same age, sex and ICV (for thickness: the same age and sex) have a smaller value; 50 is the median.",
      ko:
        "백분위: 나이, 성별, ICV가 같은 건강한 사람 100명 중 환자보다 값이 작은 사람의 수. 50이 중앙값입니다. 두께는 나이와 성별이 같은 사람과 비교합니다.",
    },
    {
      en:
        "80\u00a0% interval: contains the error-free percentile in 80 of 100 cases. It is calculated from the error of the method within and between scanners, measured on {heads} scans with reference segmentation.",
      ko:
        "80\u00a0% 구간: 오차 없이 측정했을 때의 백분위가 100번 중 80번은 들어가는 범위. 참조 분할이 있는 영상 {heads}건에서 구한 측정 방법의 오차(같은 장비 안에서의 오차와 장비 사이의 오차)로 계산합니다.",
    },
    {
      en:
        "Marks: tissue is low if its percentile is below a threshold of this report ({thresholds}); a CSF space is high if its percentile is above 100 minus a threshold. A mark is shown if this is at least 80\u00a0% certain, and in brackets (“possibly”) if it is at least 50\u00a0% certain. ▽ ▼ ▼▼ low, △ ▲ ▲▲ high (the further, the more thresholds passed), ○ neither, ≈ not clearly outside the expected range, ! check the segmentation. Regions with too large a measurement error have no mark.",
      ko:
        "표시: 조직의 백분위가 이 리포트의 기준값({thresholds})보다 낮거나, 뇌척수액 공간의 백분위가 100에서 기준값을 뺀 값보다 높다는 것이 80\u00a0% 이상 확실할 때 붙입니다. 50\u00a0% 이상 80\u00a0% 미만이면 괄호 안에 ‘가능성’으로 표시합니다. ▽ ▼ ▼▼ 낮음, △ ▲ ▲▲ 높음(넘어선 기준값이 많을수록 오른쪽 기호), ○ 낮지도 높지도 않음, ≈ 예상 범위와 구별되지 않음, ! 분할 확인 필요. 측정 오차가 너무 큰 영역에는 표시하지 않습니다.",
    },
    wmhDefinition,
    {
      en:
        "Cortical thickness: mean distance between the inner and the outer border of the cerebral cortex.",
      ko: "피질 두께: 대뇌 피질의 안쪽 경계와 바깥쪽 경계 사이의 평균 거리.",
    },
    {
      en:
        "Segmentation quality: A is good; B is usable, but check the overlay first; C is not reliable, and no percentiles are given.",
      ko:
        "분할 품질: A 좋음, B 사용 가능하나 오버레이를 먼저 확인, C 신뢰할 수 없음. C이면 백분위를 제시하지 않습니다.",
    },
  ],
  formulas: [
    {
      en: "% ICV = 100 × volume / ICV. Asymmetry = 100 × (left − right) / mean of both sides.",
      ko: "% ICV = 100 × 부피 / ICV. 비대칭 = 100 × (좌측 − 우측) / 양측 평균.",
    },
    {
      en:
        "z = (value − expected value) / standard deviation, both from a regression on age, sex and ICV (for ventricles, of the log10 volume). Percentile = 100 × Φ(z). The value is first divided by the method’s mean ratio to the reference value.",
      ko:
        "z = (값 − 기대값) / 표준편차. 기대값과 표준편차는 나이, 성별, ICV에 대한 회귀식으로 구합니다(뇌실은 부피의 log10). 백분위 = 100 × Φ(z). 값은 이 방법의 값과 참조 분할의 값 사이의 평균 비율로 먼저 나눕니다.",
    },
    {
      en:
        "Totals: the left and right sides are combined with an assumed correlation of 0.8, and the regions of a lobe with 0.15 (as the norms of the whole cortex imply); for their errors, the correlations are 0.5 and 0. A mark without “possibly” is at least 80\u00a0% certain, assuming that 5\u00a0% of the people examined are patients.",
      ko:
        "좌우 합은 양측의 상관을 0.8로, 엽의 값은 그 엽에 속한 영역 사이의 상관을 0.15로(전체 피질의 규준에서 유도한 값) 가정하여 구하며, 오차의 상관은 각각 0.5와 0으로 봅니다. ‘가능성’이 붙지 않은 표시는 검사받는 사람의 5\u00a0%가 환자라고 가정할 때 80\u00a0% 이상 확실하면 제시합니다.",
    },
    {
      en:
        "ICV among people of the same sex: mean 1,596\u00a0mL (male), 1,409\u00a0mL (female), standard deviation 126\u00a0mL.",
      ko:
        "성별에 따른 ICV: 남성 평균 1,596\u00a0mL, 여성 평균 1,409\u00a0mL, 표준편차 126\u00a0mL.",
    },
    {
      en:
        "WMH / white matter = 100 × total WMH / cerebral white matter including WMH. Fazekas equivalent (cut-offs of Joo 2022, determined with another segmentation): 0 below 3.4\u00a0mL, 1 from 3.4, 2 from 9.6, 3 from 17.1\u00a0mL.",
      ko:
        "백질 고신호 / 백질 = 100 × 전체 백질 고신호 / 백질 고신호를 포함한 대뇌 백질. 부피로 환산한 Fazekas 등급(다른 분할 방법으로 정한 Joo 2022의 경계값): 3.4\u00a0mL 미만 0등급, 3.4\u00a0mL 이상 1등급, 9.6\u00a0mL 이상 2등급, 17.1\u00a0mL 이상 3등급.",
    },
    {
      en:
        "Atrophy Score = 100 × Φ(mean z of the four parts / 0.74), 0.74 = √((1 + 3 × 0.4) / 4). The correlation of 0.4 between the parts is an assumption; it does not come from the norms.",
      ko:
        "위축 점수 = 100 × Φ(네 측정값의 평균 z / 0.74), 0.74 = √((1 + 3 × 0.4) / 4). 측정값 사이의 상관 0.4는 가정한 값이며 규준에는 없습니다.",
    },
    {
      en:
        "MTA: grade ≥ 2 (< 75 years) or ≥ 3 (≥ 75 years) is above the age cut-off, as is common in practice; some authors use a cut-off for each decade (Claus 2017).",
      ko:
        "MTA: 임상에서 흔히 쓰는 대로 75세 미만은 2등급, 75세 이상은 3등급부터 나이별 경계값을 넘는 것으로 봅니다. 10년 단위로 경계값을 두는 저자도 있습니다(Claus 2017).",
    },
    {
      en: "Hippocampal occupancy (HOC) = hippocampus / (hippocampus + temporal horn) of one side.",
      ko: "해마 점유율(HOC) = 해마 / (해마 + 측뇌실 측두각), 같은 쪽의 부피로 계산.",
    },
  ],
  limits: [
    {
      en:
        "The norms cover ages {min} to {max} and require the sex. Otherwise no percentiles or curves are given.",
      ko:
        "규준은 나이가 {min}~{max}세이고 성별을 아는 경우에만 적용합니다. 그 밖에는 백분위와 곡선을 제시하지 않습니다.",
    },
    {
      en:
        "The norms were measured with another segmentation method (FreeSurfer 6) on 1\u00a0mm images at 3\u00a0T. Other scanners and sequences, and the method used here, can shift volumes by a few percent.",
      ko:
        "규준은 다른 분할 방법(FreeSurfer 6)으로 3\u00a0T, 1\u00a0mm 영상에서 측정한 값입니다. 장비와 촬영 조건, 이 제품의 분할 방법에 따라 부피가 몇 퍼센트 다를 수 있습니다.",
    },
    misleading,
    noDiagnosis,
  ],
} as const;

/**
 * Reading Materials of a report on FLAIR alone, without regions, percentiles, scores or grades.
 */
export const flairReadingList = {
  definitions: [
    {
      en: "Intracranial volume (ICV): the space inside the dura.",
      ko: "두개강내 용적(ICV): 경막 안쪽 공간의 부피.",
    },
    wmhDefinition,
    {
      en:
        "Segmentation quality: A is good; B is usable, but check the overlay first; C is not reliable.",
      ko: "분할 품질: A 좋음, B 사용 가능하나 오버레이를 먼저 확인, C 신뢰할 수 없음.",
    },
  ],
  formulas: [
    { en: "% ICV = 100 × volume / ICV.", ko: "% ICV = 100 × 부피 / ICV." },
    {
      en: "WMH / white matter = 100 × total WMH / cerebral white matter including WMH.",
      ko: "백질 고신호 / 백질 = 100 × 전체 백질 고신호 / 백질 고신호를 포함한 대뇌 백질.",
    },
  ],
  limits: [
    {
      en:
        "Without a T1w series, the volume of WMH is of low confidence. It is not compared with norms and has no Fazekas equivalent.",
      ko:
        "T1w 시리즈 없이 구한 백질 고신호의 부피는 신뢰도가 낮습니다. 규준과 비교하지 않으며, Fazekas 척도에 상응하는 등급도 제시하지 않습니다.",
    },
    misleading,
    noDiagnosis,
  ],
} as const;

/** Paragraphs added to the Reading Materials of a report that contains deep structures. */
export const structureReadingList = {
  definitions: [
    {
      en:
        "Deep structures on FLAIR: volumes measured directly on the FLAIR series by a network trained on synthetic images of many contrasts. " +
        "The interval contains the true total with a probability of about 80\u00a0%.",
      ko:
        "FLAIR에서 측정한 심부 구조: 다양한 대조도의 합성 영상으로 학습한 신경망이 FLAIR에서 직접 측정한 부피. 실제 전체 부피가 약 80\u00a0% 확률로 구간 안에 있습니다.",
    },
  ],
  formulas: [],
  limits: [
    {
      en:
        "The interval was estimated on six scans, three of them synthetic; lesions next to a structure can change its measured volume.",
      ko:
        "구간은 영상 6건(이 중 3건은 합성 영상)에서 추정했습니다. 구조에 인접한 병변이 측정된 부피에 영향을 줄 수 있습니다.",
    },
  ],
} as const;

/** References in the Reading Materials, printed in addition to those of the norms. */
export const CITATIONS = [
  "Desikan RS, et al. NeuroImage 2006;31:968–980 (regions of the cortex)",
  "Fischl B. NeuroImage 2012;62:774–781 (labels)",
  "Scheltens P, et al. J Neurol Neurosurg Psychiatry 1992;55:967–972 (MTA)",
  "Claus JJ, et al. Eur Radiol 2017;27:3147–3155 (MTA and age)",
  "Fazekas F, et al. AJR Am J Roentgenol 1987;149:351–356 (visual scale)",
  "Evans WA. Arch Neurol Psychiatry 1942;47:931–937 (Evans index)",
  "Turner B, et al. Neuroradiology 2001;43:608–614 (widths of the ventricles)",
  "Ishii K, et al. Eur Radiol 2008;18:2678–2683 (callosal angle)",
  "Joo L, et al. PLoS ONE 2022;17(9):e0274562 (volume cut-offs of the equivalent)",
] as const;
