import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page ICV (intracranial volume). */
export const icvPageText = {
  icvPictures: {
    en:
      "Brain tissue (light blue) and ventricles (purple) as measured. The blue outline encloses the intracranial space; its volume is the ICV.",
    ko:
      "측정 범위: 뇌 조직은 하늘색, 뇌실은 보라색이며, 파란 윤곽 안쪽이 두개강내 용적(ICV)입니다.",
  },
  icvPicturesPlain: {
    en:
      "Brain tissue (light blue) and ventricles (purple) as measured. This result is from an earlier version, which did not store the outline of the intracranial space.",
    ko:
      "측정 범위: 뇌 조직은 하늘색, 뇌실은 보라색입니다. 이전 버전에서 분석한 결과이므로 두개강의 윤곽이 없습니다.",
  },
  icvPictureAlt: {
    en: "{plane} slice with the measured brain in color",
    ko: "측정한 뇌 영역을 색으로 표시한 {plane} 영상",
  },
  icvVolume: { en: "Intracranial volume (ICV), mL", ko: "두개강내 용적(ICV), mL" },
  icvPercentile: {
    en: "ICV percentile among people of the same sex",
    ko: "같은 성별 기준 ICV 백분위",
  },
  icvBrain: { en: "Brain without ventricles, mL", ko: "뇌(뇌실 제외), mL" },
  icvRatio: { en: "Brain / ICV, %", ko: "뇌 / ICV, %" },
  icvRatioBand: {
    en: "Norms for brain / ICV at this age (5th–95th percentile), %",
    ko: "같은 나이 규준의 뇌 / ICV(5~95백분위수), %",
  },
  icvBell: { en: "Intracranial volume (mL)", ko: "두개강내 용적(mL)" },
  icvBellSubject: { en: "{sex}, adults", ko: "{sex}, 성인" },
  icvCurve: { en: "Brain / ICV (%)", ko: "뇌 / ICV(%)" },
  icvPatient: { en: "Patient {value}", ko: "환자 {value}" },
  icvBellAlt: {
    en: "ICV {value}\u00a0mL: percentile {percentile} among people of the same sex",
    ko: "ICV {value}\u00a0mL: 같은 성별 기준 백분위 {percentile}",
  },
  icvNote: {
    en:
      "The intracranial volume is the volume of the space inside the dura. It remains nearly constant throughout adult life and is used to compare brains in heads of different sizes. A small or large ICV is neither good nor bad.",
    ko:
      "두개강내 용적은 경막 안쪽 공간의 부피입니다. 성인기 내내 거의 변하지 않아 머리 크기가 다른 사람의 뇌를 비교하는 기준으로 씁니다. ICV가 크거나 작은 것 자체가 좋거나 나쁜 것은 아닙니다.",
  },
} as const satisfies Catalogue;
