import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page Hospital-MTA (medial temporal atrophy). */
export const mtaPageText = {
  mtaPicture: {
    en: "Coronal slice through both hippocampi, without and with color",
    ko: "양측 해마를 지나는 관상면 영상(색을 입히지 않은 영상과 입힌 영상)",
  },
  mtaPictureAlt: {
    en:
      "Coronal T1w slice at the level of the hippocampi, with the regions in color; the patient's left is on the right",
    ko: "해마 주위의 관상면 T1 강조 영상에 영역을 색으로 표시. 환자의 좌측이 영상의 오른쪽",
  },
  mtaPlainAlt: {
    en: "The same coronal T1w slice without color; the patient's left is on the right",
    ko: "색을 입히지 않은 같은 관상면 T1 강조 영상. 환자의 좌측이 영상의 오른쪽",
  },
  mtaVolumes: { en: "Hippocampus and temporal horn", ko: "해마와 측뇌실 측두각" },
  mtaHippocampus: { en: "Hippocampus, mL", ko: "해마, mL" },
  mtaPercentile: { en: "Hippocampal volume percentile", ko: "해마의 백분위" },
  mtaHorn: { en: "Temporal horn, mL", ko: "측뇌실 측두각, mL" },
  mtaOccupancy: { en: "Hippocampal occupancy (HOC)", ko: "해마 점유율(HOC)" },
  mtaAsymmetry: { en: "Asymmetry of the hippocampi, %", ko: "해마 비대칭, %" },
  mtaGrade: { en: "MTA grade (0–4), rated by a physician", ko: "MTA 등급(0~4), 의사 판독" },
  mtaEntered: { en: "Entered by {name}, {at}", ko: "{name} 입력, {at}" },
  mtaEnteredUnnamed: { en: "Entered {at}", ko: "{at} 입력" },
  mtaMissing: { en: "Not entered", ko: "입력하지 않음" },
  mtaCutoff: {
    en:
      "At age {age}, a grade of {cutoff} or higher is above the age cut-off (under 75 years: 2; from 75 years: 3).",
    ko: "{age}세는 {cutoff}등급부터 나이별 경계값을 넘습니다(75세 미만 2등급, 75세 이상 3등급).",
  },
  mtaNoCutoff: { en: "No cut-off for this age.", ko: "이 나이에 적용할 경계값이 없습니다." },
  mtaAbove: { en: "above the age cut-off", ko: "나이별 경계값 초과" },
  mtaUsual: { en: "below the age cut-off", ko: "나이별 경계값 미만" },
  mtaNote: {
    en:
      "The MTA grade is a physician's visual rating of the coronal images (Scheltens 1992). It is not computed from " +
      "the volumes beside it. Hippocampal occupancy (HOC) = hippocampus / (hippocampus + temporal horn), from 0 " +
      "to 1; it has no norms here.",
    ko:
      "MTA 등급은 의사가 관상면 영상을 눈으로 보고 매기는 값이며(Scheltens 1992), 함께 제시한 부피로 계산한 값이 아닙니다. 해마 점유율(HOC)은 해마 / (해마 + 측뇌실 측두각)이고 0~1의 값을 가지며, 규준은 없습니다.",
  },
  mtaLeftCurve: { en: "Left hippocampus (mL)", ko: "좌측 해마(mL)" },
  mtaRightCurve: { en: "Right hippocampus (mL)", ko: "우측 해마(mL)" },
} as const satisfies Catalogue;
