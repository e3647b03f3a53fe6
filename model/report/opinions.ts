import { normalForm } from "@/model/normal_form.ts";
import type { Language } from "@/model/text.ts";

/** Maximum length of an opinion's text (D1 §9). */
export const MAX_OPINION_LENGTH = 350;

/** Default text of a standard opinion, and the key by which suggestions refer to it. */
interface Opinion {
  key: OpinionKey;
  name: Record<Language, string>;
  message: Record<Language, string>;
  id: Record<Language, number>;
}

const TEXTS = {
  usual: {
    name: { en: "Within the expected range", ko: "예상 범위 내" },
    message: {
      en:
        "The hippocampus, cerebral cortex and lateral ventricles are within the range expected for age, sex and intracranial volume (5th to 95th percentile), even allowing for measurement error, and no other volume on the Main Page is clearly outside it. Please interpret these results together with the images and clinical findings.",
      ko:
        "해마, 대뇌 피질, 측뇌실의 부피는 측정 오차를 고려해도 나이, 성별, 두개강내 용적에 따른 예상 범위(5~95백분위수)에 있으며, " +
        "주요 결과의 다른 부피 중 이 범위를 확실히 벗어난 값은 없습니다. 영상 및 임상 소견과 함께 해석하십시오.",
    },
  },
  hippocampus: {
    name: { en: "Hippocampal volume low", ko: "해마 부피 작음" },
    message: {
      en: "The volume of the hippocampus is low for age, sex and intracranial volume. " +
        "Medial temporal atrophy should be considered; correlation with the images, cognitive testing and " +
        "follow-up is suggested.",
      ko: "해마 부피가 나이, 성별, 두개강내 용적에 비해 작습니다. " +
        "내측 측두엽 위축 가능성을 고려하고 영상, 인지기능 검사 및 추적 검사와 함께 판단하십시오.",
    },
  },
  cortex: {
    name: { en: "Cortical volume low", ko: "대뇌 피질 부피 작음" },
    message: {
      en: "The volume of the cerebral cortex is low for age, sex and intracranial volume. " +
        "The distribution over the lobes is given in the table of regions. Correlation with the images and " +
        "clinical findings is suggested.",
      ko: "대뇌 피질 부피가 나이, 성별, 두개강내 용적에 비해 작습니다. " +
        "엽별 분포는 영역별 표를 참고하십시오. 영상 및 임상 소견과 함께 판단하십시오.",
    },
  },
  ventricles: {
    name: { en: "Ventricles large", ko: "뇌실 부피 큼" },
    message: {
      en: "The lateral ventricles are large for age, sex and intracranial volume. " +
        "Causes other than atrophy, such as disturbed circulation of cerebrospinal fluid, should be considered " +
        "on the images.",
      ko: "측뇌실이 나이, 성별, 두개강내 용적에 비해 큽니다. " +
        "위축 이외에 뇌척수액 순환 장애 등의 원인을 영상에서 확인하십시오.",
    },
  },
  wmh: {
    name: { en: "White matter hyperintensities", ko: "백질 고신호" },
    message: {
      en: "White matter hyperintensities were measured; the deep and periventricular volumes are " +
        "given in the report. Correlation with vascular risk factors is suggested.",
      ko: "백질 고신호가 측정되었습니다. 심부 및 뇌실주위 부피는 리포트를 참고하십시오. " +
        "혈관성 위험 인자와 함께 판단하십시오.",
    },
  },
  no_norms: {
    name: { en: "Comparison with norms not possible", ko: "규준과 비교할 수 없음" },
    message: {
      en:
        "The norms cannot be applied to this study: the segmentation is not reliable, age or sex is missing, the age is outside the range of the norms, or the scanner's results have changed. Volumes are given without percentiles. Please review the images.",
      ko:
        "분할을 신뢰할 수 없거나, 나이 또는 성별을 알 수 없거나, 나이가 규준 범위를 벗어났거나, 장비의 결과가 변하여 이 검사에 규준을 적용할 수 없습니다. " +
        "백분위 없이 부피만 제시합니다. 영상을 직접 판독하십시오.",
    },
  },
  no_wmh: {
    name: { en: "No clear WMH detected", ko: "뚜렷한 백질 고신호 검출 안 됨" },
    message: {
      en:
        "No clear white matter hyperintensities were detected. Please interpret this result together with the images and clinical findings.",
      ko: "뚜렷한 백질 고신호는 검출되지 않았습니다. 영상 및 임상 소견과 함께 해석하십시오.",
    },
  },
  uncertain: {
    name: { en: "Not clearly outside the expected range", ko: "예상 범위와 구별되지 않음" },
    message: {
      en:
        "No measure is clearly outside the range expected for age, sex and intracranial volume, but a deviation cannot be excluded because of measurement error; the intervals are given in the table. Please interpret these results together with the images and clinical findings.",
      ko:
        "나이, 성별, 두개강내 용적을 고려한 예상 범위를 확실히 벗어난 측정값은 없으나, 측정 오차를 고려하면 벗어났을 가능성을 배제할 수 " +
        "없습니다. 구간은 표를 참고하고 영상 및 임상 소견과 함께 해석하십시오.",
    },
  },
  possible: {
    name: { en: "Possibly outside the expected range", ko: "예상 범위를 벗어났을 가능성" },
    message: {
      en:
        "The volume of the hippocampus or the cerebral cortex is possibly low, or the lateral ventricles are possibly large, for age, sex and intracranial volume; because of measurement error, this is not certain. The values are given in the table. Correlation with the images, clinical findings and follow-up is suggested.",
      ko:
        "해마나 대뇌 피질의 부피가 작거나 측뇌실이 클 가능성이 있습니다(나이, 성별, 두개강내 용적 기준). 측정 오차 때문에 " +
        "확실하지 않으며 해당 값은 표를 참고하십시오. 영상, 임상 소견 및 추적 검사와 함께 판단하십시오.",
    },
  },
  other: {
    name: {
      en: "Another measure outside the expected range",
      ko: "그 밖의 측정값이 예상 범위를 벗어남",
    },
    message: {
      en:
        "Hippocampus, cerebral cortex and lateral ventricles are not clearly outside the range expected for age, sex and " +
        "intracranial volume, but at least one other measure, lobe, change or left–right difference is (see the tables). " +
        "Correlation with the images, clinical findings and follow-up is suggested.",
      ko:
        "해마, 대뇌 피질, 측뇌실은 나이, 성별, 두개강내 용적에 따른 예상 범위를 벗어났다고 확실히 말할 수 없으나 다른 측정값, 대뇌엽, 변화 " +
        "또는 좌우 차이가 이 범위를 벗어났습니다. 해당 값은 표를 참고하고, 영상, 임상 소견 및 추적 검사와 함께 판단하십시오.",
    },
  },
  flair_alone: {
    name: { en: "FLAIR series alone", ko: "FLAIR 단독 검사" },
    message: {
      en:
        "Only the FLAIR series was analyzed: confidence in the volume of white matter hyperintensities is low, and without a T1w series, brain regions cannot be compared with norms. Please review the images.",
      ko:
        "FLAIR 시리즈만 분석했습니다. 백질 고신호 부피는 신뢰도가 낮으며, T1w 시리즈가 없어 뇌 영역을 규준과 비교할 수 없습니다. " +
        "영상을 직접 판독하십시오.",
    },
  },
} as const;

export type OpinionKey = keyof typeof TEXTS;

/** All standard opinions. Their ids never change, because stored edits refer to ids. */
export const OPINIONS: readonly Opinion[] = (Object.keys(TEXTS) as OpinionKey[]).map((key, n) => ({
  key,
  ...TEXTS[key],
  id: { en: 10 * n + 11, ko: 10 * n + 12 },
}));

const ids = new Set(OPINIONS.flatMap(({ id }) => Object.values(id)));
export const isOpinionId = (id: number): boolean => ids.has(id);

/** Key in place of an opinion's key, for a report without an opinion. */
export const NO_OPINION = "none";
export const isOpinionKey = (key: string): key is OpinionKey => Object.hasOwn(TEXTS, key);

/** Number of characters of a text, normalised to NFC. */
export const messageLength = (message: string): number => [...normalForm(message, "NFC")].length;

/** A user's edit of an opinion's text. */
export interface OpinionEdit {
  opinion_id: number;
  message: string;
}

/** Text of an opinion: the user's edit, or the default. */
export function opinionText(
  key: OpinionKey,
  language: Language,
  edits: readonly OpinionEdit[],
): OpinionEdit {
  const { id, message } = OPINIONS.find((opinion) => opinion.key === key)!;
  return edits.find((edit) => edit.opinion_id === id[language]) ??
    { opinion_id: id[language], message: message[language] };
}
