import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page Check-up. */
export const checkupPageText = {
  checkLead: {
    en:
      "Each dot shows how a part of your brain compares with 100 healthy people of your age, sex and head size (for " +
      "thickness: of your age and sex); 50 is the median. The line through the dot shows how precise the measurement is.",
    ko:
      "각 점은 뇌의 각 부위를 나이, 성별, 머리 크기가 같은 건강한 사람 100명과(두께는 나이와 성별이 같은 사람과) 비교했을 때 작은 쪽에서 몇 번째에 해당하는지 보여 줍니다. 50이 중간입니다. 점을 지나는 선은 측정이 얼마나 정확한지를 나타냅니다.",
  },
  checkLeadPlain: {
    en:
      "The table shows the sizes of the parts of your brain. They cannot be compared with those of other people here; the box above explains why.",
    ko: "뇌의 각 부위와 그 크기입니다. 위의 상자에 적힌 이유로 다른 사람과 비교할 수 없습니다.",
  },
  checkPart: { en: "Part of the brain", ko: "뇌 부위" },
  checkWhat: { en: "Description", ko: "기능" },
  checkSize: { en: "Size", ko: "크기" },
  checkWords: { en: "Result", ko: "결과" },
  checkUsual: { en: "Within the expected range", ko: "예상 범위 내" },
  checkLower: { en: "In the lower part of the expected range", ko: "예상 범위 안에서 낮은 편" },
  checkUpper: { en: "In the upper part of the expected range", ko: "예상 범위 안에서 높은 편" },
  checkUnsure: {
    en: "Not clearly outside the expected range",
    ko: "예상 범위와 구별되지 않음",
  },
  checkDoubt: { en: "To be checked on the images", ko: "영상에서 확인 필요" },
  checkMaybeSmaller: { en: "Possibly smaller than expected", ko: "예상보다 작을 수 있음" },
  checkMaybeLarger: { en: "Possibly larger than expected", ko: "예상보다 클 수 있음" },
  checkMaybeThinner: { en: "Possibly thinner than expected", ko: "예상보다 얇을 수 있음" },
  checkSmaller: { en: "Smaller than expected", ko: "예상보다 작음" },
  checkLarger: { en: "Larger than expected", ko: "예상보다 큼" },
  checkThinner: { en: "Thinner than expected", ko: "예상보다 얇음" },
  checkBrain: {
    en: "The whole brain without its fluid-filled spaces",
    ko: "뇌실을 제외한 뇌 전체",
  },
  checkCortex: {
    en: "The outer layer, used for thinking, speaking, seeing and moving",
    ko: "뇌의 바깥층. 생각, 언어, 시각, 운동을 담당",
  },
  checkWhiteMatter: {
    en: "The connections between the parts of the brain",
    ko: "뇌의 각 부위를 잇는 신경섬유",
  },
  checkHippocampus: {
    en: "Forms new memories and helps you find your way",
    ko: "새로운 기억의 형성과 길 찾기를 담당",
  },
  checkAmygdala: { en: "Emotions and emotional memory", ko: "감정과 정서 기억을 담당" },
  checkThalamus: { en: "Relays information from the senses", ko: "감각 정보를 전달" },
  checkVentricles: {
    en: "Spaces filled with fluid; they become larger with age",
    ko: "뇌척수액으로 채워진 공간. 나이가 들면 커짐",
  },
  checkThickness: { en: "The thickness of the outer layer", ko: "뇌 바깥층의 두께" },
  checkNote: {
    en:
      "A single value says little: brains differ from person to person, and for any one part of the brain, 10 of 100 healthy people have a value below 5 or above 95. Please discuss the result with your doctor.",
    ko:
      "한 가지 값만으로 알 수 있는 것은 많지 않습니다. 뇌는 사람마다 다르며, 건강한 사람도 100명 중 10명은 어느 한 부위의 값이 5보다 작거나 95보다 큽니다. 결과는 담당 의사와 상의하십시오.",
  },
  checkNotePlain: {
    en:
      "A single value says little: brains differ from person to person. Please discuss the result with your doctor.",
    ko:
      "한 가지 값만으로 알 수 있는 것은 많지 않습니다. 뇌는 사람마다 다릅니다. 결과는 담당 의사와 상의하십시오.",
  },
  checkAlt: { en: "Percentile: {percentile}", ko: "백분위 {percentile}" },
} as const satisfies Catalogue;
