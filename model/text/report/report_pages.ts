// Long because it holds the words of ten pages in both languages, and nothing else.
import type { Catalogue } from "@/model/text.ts";
import { reportPageText } from "@/model/text/report/report_page_names.ts";

/** Titles of the pages (D2 §2). */
export const pageTitle = {
  ...reportPageText,
  4: { en: "Main Page", ko: "주요 결과" },
} as const satisfies Catalogue;

/** Words on the pages beyond those of the Main Page. */
export const pageText = {
  regionsDeep: { en: "White matter, deep structures and ventricles", ko: "백질, 심부 구조, 뇌실" },
  regionsCortex: { en: "Cerebral cortex by lobe", ko: "엽별 대뇌 피질" },
  asymmetry: { en: "Asym. %", ko: "비대칭 %" },
  thicknessColumn: { en: "Thickness mm", ko: "두께 mm" },
  regionsLegend: {
    en:
      "Volumes in mL. Percentile of the total, adjusted for age, sex and ICV. Asymmetry: 100 × (left − right) / mean " +
      "of both sides. Thickness: mean left / right. Rail: dot total, whisker 80 % interval, upper tick left, lower tick " +
      "right, shaded beyond the thresholds. An interval alone: the method’s error is too large for a band. For " +
      "fluid-filled spaces (ventricles), high percentiles are marked. Dash: no norm or no measurement.",
    ko:
      "부피는 mL입니다. 백분위는 나이, 성별, ICV로 보정한 전체 부피의 값입니다. 비대칭은 100 × (좌측 − 우측) / 양쪽 평균, " +
      "두께는 좌측 / 우측의 평균입니다. 막대의 점은 전체, 가로선은 측정 오차에 따른 80 % 구간, 위쪽 눈금은 좌측, 아래쪽 " +
      "눈금은 우측, 음영은 기준을 벗어난 범위입니다. 오차가 커서 판정할 수 없는 영역은 구간만 제시합니다. 뇌실처럼 액체로 찬 " +
      "공간은 백분위가 높을 때 표시합니다. 규준이 없거나 측정하지 않은 값은 줄표로 나타냅니다.",
  },

  wmhStrip: {
    en:
      "FLAIR from below to above, where the hyperintensities are: periventricular amber, deep magenta. The patient's left " +
      "is on the right of the picture.",
    ko:
      "고신호가 있는 위치의 FLAIR 영상을 아래에서 위로 배열했습니다. 뇌실 주위는 호박색, 심부는 자홍색이며, 환자의 왼쪽이 그림의 " +
      "오른쪽입니다.",
  },
  wmhPictureAlt: {
    en: "Axial FLAIR slice {n} of {count} with the hyperintensities in colour",
    ko: "고신호를 색으로 표시한 축상면 FLAIR 영상, {count}장 중 {n}번째",
  },
  wmhVolumes: { en: "Volumes", ko: "부피" },
  measure: { en: "Measure", ko: "측정 항목" },
  value: { en: "Value", ko: "값" },
  wmhTotal: { en: "Total, mL", ko: "전체, mL" },
  wmhDeep: { en: "Deep, mL", ko: "심부, mL" },
  wmhPeri: {
    en: "Periventricular (within 10 mm of the lateral ventricles), mL",
    ko: "뇌실 주위(측뇌실에서 10 mm 이내), mL",
  },
  wmhWhiteMatter: { en: "Cerebral white matter with its WMH, mL", ko: "고신호를 포함한 대뇌 백질, mL" },
  wmhRatio: {
    en: "WMH / cerebral white matter with its WMH, %",
    ko: "백질 고신호 / 고신호를 포함한 대뇌 백질, %",
  },
  wmhCount: { en: "Lesions counted", ko: "병변 수" },
  lesionList: { en: "Lesions by size", ko: "크기순 병변" },
  lesionNumber: { en: "No.", ko: "번호" },
  lesionPlace: { en: "Place", ko: "위치" },
  lesionVolume: { en: "mL", ko: "mL" },
  lesionCentre: { en: "Centre, mm", ko: "중심, mm" },
  lesionBoth: { en: "Periventricular and deep", ko: "뇌실 주위와 심부" },
  lesionDeep: { en: "Deep", ko: "심부" },
  lesionPeri: { en: "Periventricular", ko: "뇌실 주위" },
  lesionAt: { en: "{place} · {kind}", ko: "{place} · {kind}" },
  lesionBothShort: { en: "both", ko: "양쪽" },
  lesionDeepShort: { en: "deep", ko: "심부" },
  lesionPeriShort: { en: "PV", ko: "뇌실 주위" },
  lesionNote: {
    en:
      "PV: periventricular. Centre in the scanner's coordinates: R right, L left, A anterior, P posterior, S superior, I " +
      "inferior.",
    ko: "중심은 장비 좌표입니다. R 우, L 좌, A 앞, P 뒤, S 위, I 아래.",
  },
  lesionNoteMore: {
    en:
      "The {shown} largest of {count}. PV: periventricular. Centre in the scanner's coordinates: R right, L left, A anterior, P posterior, S " +
      "superior, I inferior.",
    ko: "{count}개 중 큰 {shown}개입니다. 중심은 장비 좌표입니다. R 우, L 좌, A 앞, P 뒤, S 위, I 아래.",
  },
  wmhPercentile: { en: "Percentile", ko: "백분위" },
  wmhNoPercentile: { en: "no norms for FLAIR volumes", ko: "FLAIR 부피에 대한 규준 없음" },
  fazekas: { en: "Fazekas equivalent, derived from the volume", ko: "부피로 환산한 Fazekas 상당 등급" },
  fazekasNone: { en: "not graded: low confidence", ko: "등급 없음: 신뢰도 낮음" },
  fazekasScale: { en: "Total volume on the scale of the equivalent", ko: "환산 등급 위의 전체 부피" },
  fazekasGrade: { en: "Grade {grade}", ko: "{grade}등급" },
  fazekasNote: {
    en:
      "The equivalent follows from the total volume alone. Its cut-offs, 3.4, 9.6 and 17.1 mL, were found with another " +
      "segmentation in 596 people with memory complaints of one hospital (Joo 2022) and not checked with this one. The " +
      "Fazekas scale itself is graded by eye from the pattern on the images.",
    ko:
      "환산 등급은 전체 부피만으로 정합니다. 경계 3.4, 9.6, 17.1 mL는 한 병원에서 기억력 저하를 호소한 596명을 다른 분할 " +
      "방법으로 측정해 정한 값이며(Joo 2022), 이 제품으로 확인한 값이 아닙니다. Fazekas 척도 자체는 영상에서 형태를 눈으로 보고 " +
      "매깁니다.",
  },
  fazekasAlt: {
    en: "{volume} mL corresponds to grade {grade} of 0 to 3",
    ko: "{volume} mL는 0~3등급 중 {grade}등급에 해당",
  },
  wmhLowNote: {
    en:
      "Low confidence: measured without a T1w series, less than 3 mL, or on images of grade C. Check the overlay.",
    ko:
      "신뢰도 낮음: T1w 시리즈 없이 측정했거나 3 mL 미만이거나 영상이 C등급입니다. 영상의 표시를 확인하세요.",
  },
  wmhMinimalNote: {
    en: "Below 3 mL hyperintensities cannot be told from noise.",
    ko: "3 mL 미만의 고신호는 잡음과 구별할 수 없습니다.",
  },
  wmhNotMeasured: { en: "Not measured", ko: "측정하지 않음" },

  icvPictures: {
    en:
      "What was measured: brain tissue light blue, ventricles purple; the blue outline bounds the intracranial space, which " +
      "is the ICV (analyses of earlier versions have none).",
    ko:
      "측정 범위: 뇌 조직은 하늘색, 뇌실은 보라색이며, 파란 윤곽 안쪽이 두개강내 용적(ICV)입니다(이전 버전의 분석에는 윤곽이 " +
      "없습니다).",
  },
  icvPictureAlt: {
    en: "{plane} slice with the measured brain in colour",
    ko: "측정한 뇌를 색으로 표시한 {plane} 영상",
  },
  icvVolume: { en: "Intracranial volume (ICV), mL", ko: "두개강내 용적(ICV), mL" },
  icvPercentile: {
    en: "Percentile of the ICV among people of the same sex",
    ko: "같은 성별에서 ICV의 백분위",
  },
  icvBrain: { en: "Brain without ventricles, mL", ko: "뇌실을 뺀 뇌, mL" },
  icvRatio: { en: "Brain / ICV, %", ko: "뇌 / ICV, %" },
  icvRatioBand: { en: "Brain / ICV of the norms at this age, 5–95 %", ko: "이 나이 규준의 뇌 / ICV, 5–95 %" },
  icvBell: { en: "Intracranial volume (mL)", ko: "두개강내 용적 (mL)" },
  icvBellSubject: { en: "{sex}, adults", ko: "{sex}, 성인" },
  icvCurve: { en: "Brain / ICV (%)", ko: "뇌 / ICV (%)" },
  icvPatient: { en: "Patient {value}", ko: "환자 {value}" },
  icvBellAlt: {
    en: "The ICV of {value} mL is at the percentile {percentile} of the same sex",
    ko: "ICV {value} mL는 같은 성별의 백분위 {percentile}",
  },
  icvNote: {
    en:
      "The intracranial volume is the space inside the dura. It stays nearly the same through adult life and is " +
      "used to compare brains of heads of different size. It is neither good nor bad to have a small or a large one.",
    ko:
      "두개강내 용적은 경막 안쪽 공간의 부피입니다. 성인기 내내 거의 변하지 않아 머리 크기가 다른 사람의 뇌를 비교하는 " +
      "기준으로 씁니다. 크거나 작은 것 자체에는 좋고 나쁨이 없습니다.",
  },

  coverTitle: { en: "Quantitative analysis of brain MRI", ko: "뇌 MRI 정량 분석" },
  coverPatient: { en: "Patient and study", ko: "환자와 검사" },
  coverSeries: { en: "Analysed series", ko: "분석한 시리즈" },
  coverQuality: { en: "Quality of the analysis", ko: "분석 품질" },
  coverContents: { en: "Contents", ko: "차례" },
  coverPage: { en: "Page", ko: "쪽" },
  coverType: { en: "Type", ko: "종류" },
  coverReasons: { en: "Reasons", ko: "이유" },
  noOpinion: { en: "No opinion was written.", ko: "작성된 소견이 없습니다." },
  anonymous: { en: "Anonymous: who was examined is left out.", ko: "익명: 환자 정보를 뺐습니다." },

  scoreLead: { en: "Deviation from the reference", ko: "규준에서 벗어난 정도" },
  scoreLow: { en: "more tissue", ko: "조직이 많음" },
  scoreHigh: { en: "less tissue", ko: "조직이 적음" },
  scoreText: {
    en:
      "The score says how far four measures of the brain together lie from those of healthy people of the same age, sex " +
      "and ICV: 50 is the middle of the reference, and {score} of 100 healthy people deviate less in this direction; " +
      "with the error of the method, {low} to {high} of 100 (80 %). " +
      "It is a deviation from the reference and does not tell its cause.",
    ko:
      "이 점수는 네 가지 뇌 측정값이 나이, 성별, ICV가 같은 건강한 사람들의 값에서 함께 얼마나 벗어나 있는지를 나타냅니다. " +
      "50이 규준의 가운데이며, 건강한 사람 100명 중 {score}명은 이 방향으로 덜 벗어나 있습니다(측정 오차를 고려한 80 % 구간 " +
      "{low}~{high}명). " +
      "규준에서 벗어난 정도일 뿐, 그 원인을 말하지는 않습니다.",
  },
  scoreNone: {
    en: "Without norms for this patient there is no score.",
    ko: "이 환자에 맞는 규준이 없어 점수를 제시하지 않습니다.",
  },
  scoreParts: { en: "What the score is made of", ko: "점수를 이루는 값" },
  scoreAxis: {
    en: "Deviation in standard deviations; shaded: 90 % of healthy people",
    ko: "표준편차로 나타낸 편차. 음영: 건강한 사람의 90 %",
  },
  scoreDeviation: { en: "Deviation", ko: "편차" },
  scorePart: { en: "Part of the deviation", ko: "편차 기여" },
  scoreBand: { en: "Tissue measured together: {band}", ko: "네 값을 종합한 조직량: {band}" },
  scoreAlt: {
    en: "Score {score} of 100, 80 % interval {low} to {high}; 50 is the middle of the reference",
    ko: "100점 중 {score}점, 80 % 구간 {low}~{high}. 50이 규준의 가운데",
  },
  scorePartsAlt: { en: "Deviation of each measure: {list}", ko: "측정값별 편차: {list}" },
  scoreMethod: {
    en:
      "Mean of the z scores of left + right hippocampus, entorhinal cortex, cerebral cortex and inferior lateral " +
      "ventricles (the sign of the tissue turned, so that less tissue and more fluid count up), divided by the spread " +
      "of such a mean for parts that correlate with 0.4 among themselves (an assumption), and read from the normal " +
      "distribution, 0 to 100. The mean deviation of the method is taken out of each part; the arc is the 80 % interval, " +
      "with the errors of the parts taken as independent.",
    ko:
      "좌측 + 우측 해마, 내후각피질, 대뇌 피질, 측뇌실 하각의 z 점수 평균(조직은 부호를 바꾸어, 조직이 적고 뇌척수액이 " +
      "많을수록 커지게 함)을, 서로 상관이 0.4라고 가정한 평균의 표준편차로 나누고 정규분포에서 0~100으로 읽은 값입니다. 각 값에서 " +
      "방법의 평균 편차를 뺐으며, 호는 각 값의 오차가 서로 독립이라고 본 80 % 구간입니다.",
  },

  checkLead: {
    en:
      "Each dot shows where a part of your brain lies among 100 healthy people of your age, sex and head size (for the " +
      "thickness: of your age and sex): 50 is the middle. The line through it shows how exact the measurement is.",
    ko:
      "각 점은 나이, 성별, 머리 크기가 같은 건강한 사람 100명 가운데(두께는 나이와 성별이 같은 사람 가운데) 뇌의 각 부분이 " +
      "어디쯤인지를 보여 줍니다. 50이 가운데입니다. 점을 지나는 선은 측정이 얼마나 정확한지를 나타냅니다.",
  },
  checkLeadPlain: {
    en:
      "The parts of your brain and how large they are. They cannot be compared with other people here: see the box above.",
    ko: "뇌의 각 부분과 그 크기입니다. 여기서는 다른 사람과 비교할 수 없습니다. 이유는 위의 상자를 보십시오.",
  },
  checkPart: { en: "Part of the brain", ko: "뇌의 부분" },
  checkWhat: { en: "What it does", ko: "하는 일" },
  checkSize: { en: "Size", ko: "크기" },
  checkWords: { en: "Result", ko: "결과" },
  checkUsual: { en: "Within the usual range", ko: "보통 범위" },
  checkUnsure: { en: "Not distinguishable from usual", ko: "보통 범위와 구별되지 않음" },
  checkDoubt: { en: "To be checked on the images", ko: "영상에서 확인 필요" },
  checkMaybeSmaller: { en: "Possibly smaller than usual", ko: "보통보다 작을 수 있음" },
  checkMaybeLarger: { en: "Possibly larger than usual", ko: "보통보다 클 수 있음" },
  checkMaybeThinner: { en: "Possibly thinner than usual", ko: "보통보다 얇을 수 있음" },
  checkSmaller: { en: "Smaller than usual", ko: "보통보다 작음" },
  checkMuchSmaller: { en: "Clearly smaller than usual", ko: "보통보다 뚜렷이 작음" },
  checkLarger: { en: "Larger than usual", ko: "보통보다 큼" },
  checkMuchLarger: { en: "Clearly larger than usual", ko: "보통보다 뚜렷이 큼" },
  checkThinner: { en: "Thinner than usual", ko: "보통보다 얇음" },
  checkMuchThinner: { en: "Clearly thinner than usual", ko: "보통보다 뚜렷이 얇음" },
  checkBrain: { en: "The whole brain without its fluid-filled spaces", ko: "액체로 찬 공간을 뺀 뇌 전체" },
  checkCortex: {
    en: "The outer layer: thinking, speaking, seeing, moving",
    ko: "뇌의 바깥층. 생각, 언어, 시각, 운동",
  },
  checkWhiteMatter: { en: "The connections between the parts of the brain", ko: "뇌의 각 부분을 잇는 연결" },
  checkHippocampus: { en: "Forms new memories and helps to find the way", ko: "새로운 기억과 길 찾기" },
  checkAmygdala: { en: "Feelings and their memory", ko: "감정과 감정의 기억" },
  checkThalamus: { en: "Passes on what the senses report", ko: "감각 정보의 전달" },
  checkVentricles: {
    en: "Spaces filled with fluid; they grow with age",
    ko: "액체로 찬 공간. 나이가 들면 커짐",
  },
  checkThickness: { en: "How thick the outer layer is", ko: "뇌 바깥층의 두께" },
  checkNote: {
    en:
      "One measurement says little by itself: brains differ from person to person, and 10 of 100 healthy people lie " +
      "below 5 or above 95 in any one part. Talk about the result with your doctor.",
    ko:
      "한 가지 값만으로 알 수 있는 것은 많지 않습니다. 뇌는 사람마다 다르며, 어느 한 부분이 5보다 작거나 95보다 큰 사람은 " +
      "건강한 사람 100명 중 10명입니다. 결과는 담당 의사와 상의하세요.",
  },
  checkNotePlain: {
    en:
      "One measurement says little by itself: brains differ from person to person. Talk about the result with your doctor.",
    ko:
      "한 가지 값만으로 알 수 있는 것은 많지 않습니다. 뇌는 사람마다 다릅니다. 결과는 담당 의사와 상의하세요.",
  },
  checkAlt: { en: "Percentile {percentile}", ko: "백분위 {percentile}" },

  mtaPicture: { en: "Coronal slice through both hippocampi", ko: "양쪽 해마를 지나는 관상면 영상" },
  mtaPictureAlt: {
    en:
      "Coronal T1w slice around the hippocampi with the regions in colour; the patient's left is on the right",
    ko: "해마 주위의 관상면 T1 강조 영상에 영역을 색으로 표시. 환자의 왼쪽이 그림의 오른쪽",
  },
  mtaVolumes: { en: "Hippocampus and inferior lateral ventricle", ko: "해마와 측뇌실 하각" },
  mtaHippocampus: { en: "Hippocampus, mL", ko: "해마, mL" },
  mtaPercentile: { en: "Percentile of the hippocampus", ko: "해마의 백분위" },
  mtaHorn: { en: "Inferior lateral ventricle, mL", ko: "측뇌실 하각, mL" },
  mtaOccupancy: { en: "Occupancy H / (H + ILV)", ko: "점유율 H / (H + ILV)" },
  mtaAsymmetry: { en: "Asymmetry of the hippocampi, %", ko: "해마 비대칭, %" },
  mtaGrade: { en: "MTA grade (0–4), read by a physician", ko: "MTA 등급(0–4), 의사 판독" },
  mtaEntered: { en: "Entered by {name}, {at}", ko: "{name} 입력, {at}" },
  mtaMissing: { en: "Not entered", ko: "입력하지 않음" },
  mtaCutoff: {
    en: "At {age} years grades from {cutoff} are above the usual (below 75 years: 2; from 75 years: 3).",
    ko: "{age}세에는 {cutoff}등급부터 통상 범위를 넘습니다(75세 미만 2등급, 75세 이상 3등급).",
  },
  mtaNoCutoff: { en: "No cut-off for this age.", ko: "이 나이의 경계값이 없습니다." },
  mtaAbove: { en: "above the usual", ko: "통상 범위 초과" },
  mtaUsual: { en: "usual", ko: "통상 범위" },
  mtaNote: {
    en:
      "The MTA grade is a visual rating on the coronal images by a physician (Scheltens 1992). It is not computed from " +
      "the volumes beside it. Occupancy: share of the hippocampus in hippocampus and inferior lateral ventricle, from 0 " +
      "to 1; there are no norms for it here.",
    ko:
      "MTA 등급은 의사가 관상면 영상을 눈으로 보고 매기는 값이며(Scheltens 1992), 함께 제시한 부피에서 계산하지 않습니다. " +
      "점유율은 해마와 측뇌실 하각을 합한 부피에서 해마가 차지하는 비율(0~1)이며, 이에 대한 규준은 없습니다.",
  },
  mtaLeftCurve: { en: "Left hippocampus (mL)", ko: "좌측 해마 (mL)" },
  mtaRightCurve: { en: "Right hippocampus (mL)", ko: "우측 해마 (mL)" },

  visits: { en: "Studies, measured together", ko: "함께 측정한 검사" },
  visitsTogether: {
    en:
      "Measured on all studies together, so that they can be compared: the volumes differ a little from those of the study alone on the other pages.",
    ko:
      "비교할 수 있도록 모든 검사를 함께 측정한 값입니다. 다른 쪽에 있는, 이 검사만 측정한 부피와 조금 다릅니다.",
  },
  visitDate: { en: "Study date", ko: "검사일" },
  visitBrain: { en: "Brain", ko: "뇌" },
  visitCortex: { en: "Cortex", ko: "대뇌 피질" },
  visitWhiteMatter: { en: "White matter", ko: "대뇌 백질" },
  visitHippocampus: { en: "Hippocampus", ko: "해마" },
  visitVentricles: { en: "Lateral ventr.", ko: "측뇌실" },
  visitThickness: { en: "Thickness mm", ko: "두께 mm" },
  visitOther: { en: "* other scanner or protocol", ko: "* 장비 또는 촬영 조건 다름" },
  visitBanner: {
    en:
      "Studies marked * were acquired with another scanner or protocol than the first ({fields}): differences may come from that.",
    ko:
      "*로 표시한 검사는 첫 검사와 장비 또는 촬영 조건이 다릅니다({fields}). 값의 차이가 그 때문일 수 있습니다.",
  },
  change: { en: "Change over {years} years", ko: "{years}년 동안의 변화" },
  changeFirst: { en: "First", ko: "처음" },
  changeLast: { en: "Last", ko: "마지막" },
  changeYear: { en: "Change, % a year", ko: "변화, 연 %" },
  changeNorm: { en: "Norms, % a year", ko: "규준, 연 %" },
  changeWithin: { en: "within measurement error", ko: "측정 오차 범위 내" },
  changeShort: { en: "less than half a year", ko: "반년 미만" },
  changeOther: { en: "other protocol: not compared", ko: "촬영 조건이 달라 비교하지 않음" },
  changeNote: {
    en:
      "Volumes in mL. Annual change: slope of the line through all studies, only from half a year between the first and the " +
      "last, and only beyond measurement error (over the whole time 1 % brain, cortex and white matter, 2 % hippocampus and " +
      "thickness, 3 % ventricles). Norms: change of the middle of the norms a year at this age; they come from people " +
      "examined once. Curves: 5th to 95th percentile; full dot this study, open dots the others.",
    ko:
      "부피는 mL입니다. 연간 변화는 모든 검사를 지나는 직선의 기울기이며, 첫 검사와 마지막 검사의 간격이 반년 이상이고 " +
      "측정 오차(전체 기간에 뇌, 피질, 백질 1 %, 해마와 두께 2 %, 뇌실 3 %)를 넘을 때만 제시합니다. 규준은 이 나이에서 규준 " +
      "중앙값의 연간 변화로, 한 번씩 촬영한 사람들에게서 얻은 값입니다. 곡선은 5~95백분위, 채운 점은 이번 검사, 빈 점은 다른 " +
      "검사입니다.",
  },
} as const satisfies Catalogue;

/** What two acquisitions can differ in. */
export const protocolFieldText = {
  scanner: { en: "scanner", ko: "장비" },
  coil: { en: "coil", ko: "코일" },
  field_strength: { en: "field strength", ko: "자기장 세기" },
  repetition_time: { en: "repetition time", ko: "반복 시간" },
  echo_time: { en: "echo time", ko: "에코 시간" },
  inversion_time: { en: "inversion time", ko: "반전 시간" },
  flip_angle: { en: "flip angle", ko: "숙임각" },
  voxel_size: { en: "voxel size", ko: "복셀 크기" },
} as const satisfies Catalogue;

/** Reading Materials: what the words and numbers mean. */
export const readingText = {
  definitions: { en: "Definitions", ko: "용어" },
  formulas: { en: "Formulas", ko: "계산식" },
  limits: { en: "Limits", ko: "한계" },
  citations: { en: "Sources", ko: "출처" },
  methodError: { en: "Error of the method", ko: "방법의 오차" },
} as const satisfies Catalogue;

/** Paragraphs of the Reading Materials, in this order. */
export const readingList = {
  definitions: [
    {
      en:
        "Intracranial volume (ICV): the space inside the dura. Volumes are compared among people with the same ICV, so that head size does not matter.",
      ko:
        "두개강내 용적(ICV): 경막 안쪽 공간의 부피. 머리 크기의 영향을 없애기 위해 ICV가 같은 사람끼리 부피를 비교합니다.",
    },
    {
      en:
        "Percentile: of 100 healthy people of the same age, sex and ICV, so many have a smaller value. 50 is the middle. Of thickness: by age and sex.",
      ko:
        "백분위: 나이, 성별, ICV가 같은 건강한 사람 100명 중 이보다 값이 작은 사람의 수. 50이 가운데입니다. 두께의 백분위는 나이와 성별로 구합니다.",
    },
    {
      en:
        "Interval: the percentile that a measurement without error would give lies in it with 80 %. It follows from the method's error on {heads} labelled heads, within and between scanners.",
      ko:
        "구간: 오차 없이 측정했다면 나왔을 백분위가 100번 중 80번은 들어가는 범위. 정답 라벨이 있는 영상 {heads}건에서 구한 방법의 오차(같은 장비 안에서의 오차와 장비 사이의 오차)로 계산합니다.",
    },
    {
      en:
        "Bands: tissue is marked below the thresholds of this report ({thresholds}), fluid-filled spaces above 100 minus them, when that holds with 80 %; “possibly”, in brackets, from 50 %. ▽ ▼ ▼▼ low, △ ▲ ▲▲ high, ○ neither, ≈ not distinguishable from usual, ! check the segmentation. Regions whose error is too large have no band.",
      ko:
        "판정: 조직은 이 리포트의 기준({thresholds})보다 낮을 때, 액체로 찬 공간은 100에서 기준을 뺀 값보다 높을 때, 80 % 이상 확실하면 표시합니다. 50 % 이상이면 괄호 안에 ‘가능성’으로 표시합니다. ▽ ▼ ▼▼ 낮음, △ ▲ ▲▲ 높음, ○ 해당 없음, ≈ 통상 범위와 구별되지 않음, ! 분할 확인 필요. 오차가 큰 영역은 판정하지 않습니다.",
    },
    {
      en:
        "White matter hyperintensities (WMH): bright areas of the white matter on FLAIR; periventricular within 10 mm of the lateral ventricles, otherwise deep.",
      ko:
        "백질 고신호(WMH): FLAIR 영상에서 밝게 보이는 백질 부위. 측뇌실에서 10 mm 이내는 뇌실 주위, 나머지는 심부로 나눕니다.",
    },
    {
      en: "Cortical thickness: mean distance between the inner and the outer border of the cerebral cortex.",
      ko: "대뇌 피질 두께: 대뇌 피질의 안쪽 경계와 바깥쪽 경계 사이의 평균 거리.",
    },
    {
      en:
        "Quality: A good, B usable, look at the overlay first, C not reliable; with C no percentiles are given.",
      ko:
        "품질: A 좋음, B 사용 가능하나 영역 표시를 먼저 확인, C 신뢰할 수 없음. C이면 백분위를 제시하지 않습니다.",
    },
  ],
  formulas: [
    {
      en: "% ICV = 100 × volume / ICV. Asymmetry = 100 × (left − right) / mean of both sides.",
      ko: "% ICV = 100 × 부피 / ICV. 비대칭 = 100 × (좌측 − 우측) / 양쪽 평균.",
    },
    {
      en:
        "z = (value − expected value) / spread, both from a regression on age, sex and ICV (ventricles: of log10 of the volume). Percentile = 100 × Φ(z). The value is first divided by the method’s mean ratio to the truth.",
      ko:
        "z = (값 − 기대값) / 표준편차. 기대값과 표준편차는 나이, 성별, ICV에 대한 회귀식으로 구합니다(뇌실은 부피의 log10). 백분위 = 100 × Φ(z). 값은 먼저 방법의 평균 비(참값 대비)로 나눕니다.",
    },
    {
      en:
        "Left + right: both sides are combined with a correlation of 0.8 between them, the regions of a lobe with 0.15 (as the norms of the whole cortex imply); their errors with 0.5 and 0. A firm band holds with 80 % among people of whom 5 % are patients.",
      ko:
        "좌측 + 우측은 양쪽의 상관을 0.8로, 한 엽의 영역들은 0.15로(전체 피질의 규준과 일치) 합치며, 오차의 상관은 각각 0.5와 0으로 봅니다. 확정 판정은 5 %가 환자인 집단에서 80 % 이상 성립할 때 합니다.",
    },
    {
      en: "ICV among people of the same sex: mean 1596 mL (male), 1409 mL (female), spread 126 mL.",
      ko: "같은 성별의 ICV: 평균 남 1596 mL, 여 1409 mL, 표준편차 126 mL.",
    },
    {
      en:
        "WMH / white matter = 100 × total WMH / cerebral white matter with its WMH. Fazekas equivalent (cut-offs of Joo 2022, found with another segmentation): 0 below 3.4 mL, 1 from 3.4, 2 from 9.6, 3 from 17.1 mL.",
      ko:
        "백질 고신호 / 백질 = 100 × 전체 백질 고신호 / 고신호를 포함한 대뇌 백질. Fazekas 상당 등급(다른 분할 방법으로 정한 Joo 2022의 경계): 3.4 mL 미만 0, 3.4 이상 1, 9.6 이상 2, 17.1 mL 이상 3.",
    },
    {
      en:
        "Atrophy Score: 100 × Φ(mean z of the four parts / 0.74), 0.74 = √((1 + 3 × 0.4) / 4). The correlation of 0.4 among the parts is an assumption: the norms do not give it.",
      ko:
        "위축 점수 = 100 × Φ(네 값의 평균 z / 0.74), 0.74 = √((1 + 3 × 0.4) / 4). 값 사이의 상관 0.4는 규준에 없는 가정값입니다.",
    },
    {
      en:
        "MTA: grades from 2 (below 75 years) or 3 (from 75 years) count as above the usual, as is common in practice; some authors draw the line by decade (Claus 2017).",
      ko:
        "MTA: 임상에서 흔히 쓰는 대로 75세 미만은 2등급, 75세 이상은 3등급부터 통상 범위를 넘는 것으로 봅니다. 10년 단위로 나누는 저자도 있습니다(Claus 2017).",
    },
    {
      en: "Occupancy = hippocampus / (hippocampus + inferior lateral ventricle) of one side.",
      ko: "점유율 = 한쪽의 해마 / (해마 + 측뇌실 하각).",
    },
  ],
  limits: [
    {
      en:
        "The norms hold for {min} to {max} years and known sex. Otherwise percentiles and curves are left out.",
      ko:
        "규준은 {min}~{max}세이고 성별을 아는 경우에만 적용합니다. 그 밖에는 백분위와 곡선을 제시하지 않습니다.",
    },
    {
      en:
        "The norms were measured with another segmentation (FreeSurfer 6) on 3 T images of 1 mm. Other scanners, sequences and this segmentation shift volumes by a few percent.",
      ko:
        "규준은 다른 분할 방법(FreeSurfer 6)과 1 mm, 3 T 영상으로 측정한 값입니다. 장비와 촬영 조건, 이 제품의 분할 방법에 따라 부피가 몇 퍼센트 다를 수 있습니다.",
    },
    {
      en:
        "Motion, tumours, bleeding, surgery and large lesions can mislead the segmentation. Always look at the overlay.",
      ko: "움직임, 종양, 출혈, 수술, 큰 병변은 분할을 그르칠 수 있습니다. 영역 표시를 반드시 확인하세요.",
    },
    {
      en: "The figures describe size. They are no diagnosis and say nothing about a cause.",
      ko: "이 수치는 크기를 나타낼 뿐, 진단이 아니며 원인을 말하지 않습니다.",
    },
  ],
} as const;

/** Cited in the Reading Materials beside the norms. */
export const CITATIONS = [
  "Desikan RS, et al. NeuroImage 2006;31:968–980 (regions of the cortex)",
  "Fischl B. NeuroImage 2012;62:774–781 (labels)",
  "Scheltens P, et al. J Neurol Neurosurg Psychiatry 1992;55:967–972 (MTA)",
  "Claus JJ, et al. Eur Radiol 2017;27:3147–3155 (MTA and age)",
  "Fazekas F, et al. AJR Am J Roentgenol 1987;149:351–356 (visual scale)",
  "Joo L, et al. PLoS ONE 2022;17(9):e0274562 (volume cut-offs of the equivalent)",
] as const;
