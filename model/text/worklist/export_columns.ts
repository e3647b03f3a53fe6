import type { Catalogue } from "@/model/text.ts";

/** Heads of the spreadsheet columns that describe a whole study. */
export const exportFieldText = {
  number: {
    en: "MRI examination number assigned by the Sulcus software",
    ko: "Sulcus 소프트웨어가 부여한 MRI 검사 번호",
  },
  patient_id: { en: "Patient ID", ko: "환자 ID" },
  name: { en: "Patient name", ko: "환자 이름" },
  sex: { en: "Sex", ko: "성별" },
  age: { en: "Age at the MRI examination (years)", ko: "MRI 검사 당시 만 나이(세)" },
  birth_date: { en: "Birth date", ko: "생년월일" },
  study_date: { en: "MRI examination date", ko: "MRI 검사일" },
  labels: {
    en: "Labels (tags) that users assigned to the examination",
    ko: "사용자가 검사에 붙인 라벨(태그)",
  },
  t1_status: { en: "T1w analysis status", ko: "T1w 분석 상태" },
  t1_analysed: { en: "T1w analysis date and time", ko: "T1w 분석 일시" },
  t2_status: { en: "FLAIR analysis status", ko: "FLAIR 분석 상태" },
  t2_analysed: { en: "FLAIR analysis date and time", ko: "FLAIR 분석 일시" },
  t1_grade: {
    en: "T1w segmentation quality, graded by the software (A best, B, C worst)",
    ko: "T1w 분할(segmentation) 품질, 소프트웨어 평가(A 최상, B 중간, C 최하)",
  },
  t2_grade: {
    en: "FLAIR segmentation quality, graded by the software (A best, B, C worst)",
    ko: "FLAIR 분할(segmentation) 품질, 소프트웨어 평가(A 최상, B 중간, C 최하)",
  },
  thickness_absent: {
    en: "Reason why cortical thickness was not measured",
    ko: "피질 두께를 산출하지 못한 사유",
  },
  icv: { en: "Intracranial volume, ICV (mL)", ko: "두개강내 용적, ICV(mL)" },
  evans_index: {
    en: "Evans index (maximum width across both frontal horns / maximum inner width of the skull)",
    ko: "에반스 지수(양측 측뇌실 전각 최대 너비 / 두개골 내판 사이 최대 너비)",
  },
  evans_index_low: {
    en:
      "Evans index, lowest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko: "에반스 지수, 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최솟값",
  },
  evans_index_high: {
    en:
      "Evans index, highest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko: "에반스 지수, 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최댓값",
  },
  frontal_horns: {
    en: "Maximum width across both frontal horns, lateral wall to lateral wall (mm)",
    ko: "양측 측뇌실 전각의 최대 너비, 좌우 외측벽 사이(mm)",
  },
  frontal_horns_low: {
    en:
      "Maximum width across both frontal horns (mm), lowest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko:
      "양측 측뇌실 전각의 최대 너비(mm), 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최솟값",
  },
  frontal_horns_high: {
    en:
      "Maximum width across both frontal horns (mm), highest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko:
      "양측 측뇌실 전각의 최대 너비(mm), 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최댓값",
  },
  third_ventricle: {
    en: "Maximum width of the third ventricle (mm)",
    ko: "제3뇌실의 최대 너비(mm)",
  },
  third_ventricle_low: {
    en:
      "Maximum width of the third ventricle (mm), lowest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko:
      "제3뇌실의 최대 너비(mm), 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최솟값",
  },
  third_ventricle_high: {
    en:
      "Maximum width of the third ventricle (mm), highest value when recalculated with head orientation varied by ±3° and borders of structures by ±0.5 mm",
    ko:
      "제3뇌실의 최대 너비(mm), 머리 방향(±3°)과 구조물 경계(±0.5 mm)를 바꾸어 다시 계산했을 때의 최댓값",
  },
  callosal_angle: { en: "Callosal angle (°)", ko: "뇌량각(°)" },
  callosal_angle_low: {
    en: "Callosal angle (°), lowest value when recalculated with head orientation varied by ±3°",
    ko: "뇌량각(°), 머리 방향(±3°)을 바꾸어 다시 계산했을 때의 최솟값",
  },
  callosal_angle_high: {
    en: "Callosal angle (°), highest value when recalculated with head orientation varied by ±3°",
    ko: "뇌량각(°), 머리 방향(±3°)을 바꾸어 다시 계산했을 때의 최댓값",
  },
  norms: {
    en: "Name of the reference data set (healthy people) used for the percentiles",
    ko: "백분위 산출에 사용한 기준 자료(건강한 사람의 규준)의 이름",
  },
  white_matter: {
    en:
      "Volume of cerebral white matter, left + right, including white matter hyperintensities (mL)",
    ko: "양측 대뇌 백질의 총부피, 백질 고신호 포함(mL)",
  },
  wmh: {
    en: "Volume of white matter hyperintensities (WMH) on FLAIR (mL)",
    ko: "FLAIR에서 측정한 백질 고신호(WMH) 부피(mL)",
  },
  wmh_icv: {
    en: "Volume of WMH on FLAIR (% of intracranial volume)",
    ko: "FLAIR에서 측정한 WMH 부피(두개강내 용적 대비 %)",
  },
  wmh_white_matter: {
    en: "Volume of WMH on FLAIR (% of cerebral white matter including WMH)",
    ko: "FLAIR에서 측정한 WMH 부피(WMH를 포함한 대뇌 백질 대비 %)",
  },
  wmh_deep: {
    en:
      "Volume of the part of the WMH more than 10 mm from the lateral ventricles (deep), on FLAIR (mL)",
    ko: "FLAIR에서 측정한 WMH 중 측뇌실에서 10 mm 넘게 떨어진 부분(심부)의 부피(mL)",
  },
  wmh_peri: {
    en:
      "Volume of the part of the WMH within 10 mm of the lateral ventricles (periventricular), on FLAIR (mL)",
    ko: "FLAIR에서 측정한 WMH 중 측뇌실에서 10 mm 이내인 부분(뇌실주위)의 부피(mL)",
  },
  lesions: {
    en:
      "Number of all FLAIR-hyperintense lesions (equivalent-sphere diameter at least 3 mm; the software searches the cerebrum only; user corrections included)",
    ko:
      "FLAIR 고신호 병변의 총수(같은 부피의 구로 환산한 직경 3 mm 이상, 소프트웨어는 대뇌만 탐색, 사용자 수정 반영)",
  },
  lesions_pv: {
    en:
      "Number of periventricular FLAIR-hyperintense lesions (touching a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko: "뇌실주위 FLAIR 고신호 병변의 수(측뇌실에 접함, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_pv_ml: {
    en:
      "Volume of all periventricular FLAIR-hyperintense lesions together (mL; touching a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko: "뇌실주위 FLAIR 고신호 병변의 총부피(mL; 측뇌실에 접함, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_jc: {
    en:
      "Number of cortical or juxtacortical FLAIR-hyperintense lesions (in or touching the cortex, not touching a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "피질 또는 피질 인접 FLAIR 고신호 병변의 수(피질에 있거나 접하고 측뇌실에는 접하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_jc_ml: {
    en:
      "Volume of all cortical or juxtacortical FLAIR-hyperintense lesions together (mL; in or touching the cortex, not touching a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "피질 또는 피질 인접 FLAIR 고신호 병변의 총부피(mL; 피질에 있거나 접하고 측뇌실에는 접하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_dwm: {
    en:
      "Number of deep white matter FLAIR-hyperintense lesions (touching neither the cortex nor a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "심부 백질 FLAIR 고신호 병변의 수(피질에도 측뇌실에도 접하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_dwm_ml: {
    en:
      "Volume of all deep white matter FLAIR-hyperintense lesions together (mL; touching neither the cortex nor a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "심부 백질 FLAIR 고신호 병변의 총부피(mL; 피질에도 측뇌실에도 접하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_it: {
    en:
      "Number of infratentorial FLAIR-hyperintense lesions (more than half of the lesion in the brain stem or cerebellum, where the software does not search; at least 3 mm in diameter; user corrections included)",
    ko:
      "천막하 FLAIR 고신호 병변의 수(병변 부피의 절반을 넘는 부분이 뇌간 또는 소뇌에 위치, 소프트웨어는 이곳을 탐색하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_it_ml: {
    en:
      "Volume of all infratentorial FLAIR-hyperintense lesions together (mL; more than half of the lesion in the brain stem or cerebellum, where the software does not search; at least 3 mm in diameter; user corrections included)",
    ko:
      "천막하 FLAIR 고신호 병변의 총부피(mL; 병변 부피의 절반을 넘는 부분이 뇌간 또는 소뇌에 위치, 소프트웨어는 이곳을 탐색하지 않음, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_dgm: {
    en:
      "Number of deep gray matter FLAIR-hyperintense lesions (more than half of the lesion in deep gray matter, even if it touches a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "심부 회백질 FLAIR 고신호 병변의 수(병변 부피의 절반을 넘는 부분이 심부 회백질에 위치하며 측뇌실에 접해도 여기에만 집계, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_dgm_ml: {
    en:
      "Volume of all deep gray matter FLAIR-hyperintense lesions together (mL; more than half of the lesion in deep gray matter, even if it touches a lateral ventricle; at least 3 mm in diameter; user corrections included)",
    ko:
      "심부 회백질 FLAIR 고신호 병변의 총부피(mL; 병변 부피의 절반을 넘는 부분이 심부 회백질에 위치하며 측뇌실에 접해도 여기에만 집계, 직경 3 mm 이상, 사용자 수정 반영)",
  },
  lesions_since: {
    en: "Date of the previous MRI examination used for the lesion comparison",
    ko: "병변 비교에 사용한 이전 MRI 검사일",
  },
  lesions_new: {
    en:
      "Number of FLAIR-hyperintense lesions that are new since the previous MRI examination (at least 3 mm in diameter; rated certain by the software or confirmed by a reader; changes rejected by a reader are not counted)",
    ko:
      "이전 MRI 검사 이후 새로 생긴 FLAIR 고신호 병변의 수(직경 3 mm 이상. 소프트웨어가 확실한 변화로 분류했거나 판독자가 실제 변화로 확인한 병변만 세고, 판독자가 제외한 변화는 세지 않음)",
  },
  lesions_enlarging: {
    en:
      "Number of FLAIR-hyperintense lesions that have enlarged since the previous MRI examination (at least 3 mm in diameter on one of the two examinations; rated certain by the software or confirmed by a reader; changes rejected by a reader are not counted)",
    ko:
      "이전 MRI 검사 이후 커진 FLAIR 고신호 병변의 수(두 검사 중 적어도 한 검사에서 직경 3 mm 이상. 소프트웨어가 확실한 변화로 분류했거나 판독자가 실제 변화로 확인한 병변만 세고, 판독자가 제외한 변화는 세지 않음)",
  },
  lesions_shrinking: {
    en:
      "Number of FLAIR-hyperintense lesions that have shrunk since the previous MRI examination (at least 3 mm in diameter on one of the two examinations; rated certain by the software or confirmed by a reader; changes rejected by a reader are not counted)",
    ko:
      "이전 MRI 검사 이후 작아진 FLAIR 고신호 병변의 수(두 검사 중 적어도 한 검사에서 직경 3 mm 이상. 소프트웨어가 확실한 변화로 분류했거나 판독자가 실제 변화로 확인한 병변만 세고, 판독자가 제외한 변화는 세지 않음)",
  },
  lesions_gone: {
    en:
      "Number of FLAIR-hyperintense lesions that have resolved since the previous MRI examination (at least 3 mm in diameter on the previous examination; rated certain by the software or confirmed by a reader; changes rejected by a reader are not counted)",
    ko:
      "이전 MRI 검사 이후 소실된 FLAIR 고신호 병변의 수(이전 검사에서 직경 3 mm 이상. 소프트웨어가 확실한 변화로 분류했거나 판독자가 실제 변화로 확인한 병변만 세고, 판독자가 제외한 변화는 세지 않음)",
  },
  lesions_possible: {
    en:
      "Number of uncertain lesion changes found by the software that no reader has confirmed or rejected (not included in the numbers of new, enlarging, shrinking and resolved lesions)",
    ko:
      "소프트웨어가 불확실한 변화로 분류했고 판독자가 아직 확인도 제외도 하지 않은 병변 변화의 수(새로 생긴·커진·작아진·소실된 병변 수에 포함하지 않음)",
  },
  lesions_confirmed: {
    en:
      "Number of all lesion changes confirmed as real by a reader (already included in the numbers of new, enlarging, shrinking and resolved lesions)",
    ko:
      "판독자가 실제 변화로 확인한 모든 병변 변화의 수(새로 생긴·커진·작아진·소실된 병변 수에 이미 포함됨)",
  },
  conclusion: {
    en: "Conclusion of the report as signed by a physician",
    ko: "의사가 서명한 결론의 전문",
  },
  conclusion_signed: {
    en: "Physician who signed the conclusion, with date and time",
    ko: "결론에 서명한 의사와 서명 일시",
  },
} as const satisfies Catalogue;

/** Explanations of the study columns, for the sheet of a workbook that explains its columns. */
export const exportMeaningText = {
  number: {
    en: "Number of the examination in the worklist of Sulcus",
    ko: "Sulcus 워크리스트의 검사 번호",
  },
  patient_id: {
    en: "Patient ID as recorded in the images or as edited; always stored as text",
    ko: "영상에 기록된 값 또는 편집한 값. 항상 텍스트로 저장",
  },
  name: { en: "Patient name as shown in the worklist", ko: "워크리스트에 표시된 이름" },
  sex: { en: "M (male) or F (female)", ko: "M(남) 또는 F(여)" },
  age: { en: "Age in full years on the day of the MRI examination", ko: "MRI 검사일 기준 만 나이" },
  birth_date: { en: "Birth date of the patient", ko: "환자의 생년월일" },
  study_date: { en: "Day on which the images were taken", ko: "영상을 촬영한 날짜" },
  labels: {
    en: "Labels of the examination, separated by commas",
    ko: "검사에 붙은 라벨. 쉼표로 구분",
  },
  t1_status: {
    en:
      "Status of the T1w analysis: not analyzed, waiting, on hold, processing, completed, failed or no response",
    ko: "T1w 시리즈의 분석 상태: 미분석, 대기 중, 보류 중, 분석 중, 완료, 실패, 응답 없음",
  },
  t1_analysed: {
    en: "Time at which the analysis finished, in the hospital's time zone",
    ko: "분석 완료 시각(기관 시간대)",
  },
  t2_status: {
    en:
      "Status of the FLAIR analysis: not analyzed, waiting, on hold, processing, completed, failed or no response",
    ko: "FLAIR 시리즈의 분석 상태: 미분석, 대기 중, 보류 중, 분석 중, 완료, 실패, 응답 없음",
  },
  t2_analysed: {
    en: "Time at which the analysis finished, in the hospital's time zone",
    ko: "분석 완료 시각(기관 시간대)",
  },
  t1_grade: {
    en: "Segmentation quality: A, B or C; if C, no percentiles are given",
    ko: "분할 품질 A, B, C(C이면 백분위 없음)",
  },
  t2_grade: { en: "Segmentation quality: A, B or C", ko: "분할 품질 A, B, C" },
  thickness_absent: {
    en: "Reason why cortical thickness was not measured",
    ko: "피질 두께를 산출하지 못한 사유",
  },
  icv: {
    en: "Volume of the space inside the dura: brain and cerebrospinal fluid",
    ko: "경막 안쪽 공간(뇌와 뇌척수액)의 부피",
  },
  evans_index: {
    en:
      "Maximum width of the frontal horns divided by the maximum inner width of the skull on the same slice, aligned with AC–PC (Evans 1942)",
    ko: "AC–PC에 맞춘 같은 단면의 측뇌실 전각 최대 너비 / 두개 내면 최대 너비(Evans 1942)",
  },
  evans_index_low: {
    en:
      "Lower limit of the uncertainty interval: the smallest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 하한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 작은 값이며, 분할 오차는 포함하지 않음",
  },
  evans_index_high: {
    en:
      "Upper limit of the uncertainty interval: the largest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 상한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 큰 값이며, 분할 오차는 포함하지 않음",
  },
  frontal_horns: {
    en:
      "Maximum distance from the outer wall of the left frontal horn to the outer wall of the right one, on a slice aligned with AC–PC",
    ko: "AC–PC에 맞춘 단면에서 좌측 전각의 바깥벽부터 우측 전각의 바깥벽까지의 최대 거리",
  },
  frontal_horns_low: {
    en:
      "Lower limit of the uncertainty interval: the smallest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 하한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 작은 값이며, 분할 오차는 포함하지 않음",
  },
  frontal_horns_high: {
    en:
      "Upper limit of the uncertainty interval: the largest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 상한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 큰 값이며, 분할 오차는 포함하지 않음",
  },
  third_ventricle: {
    en: "Maximum width of the third ventricle on a slice aligned with AC–PC",
    ko: "AC–PC에 맞춘 단면의 제3뇌실 최대 너비",
  },
  third_ventricle_low: {
    en:
      "Lower limit of the uncertainty interval: the smallest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 하한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 작은 값이며, 분할 오차는 포함하지 않음",
  },
  third_ventricle_high: {
    en:
      "Upper limit of the uncertainty interval: the largest value obtained if the head is rotated by 3° and the borders are moved in or out by 0.5\u00a0mm; segmentation errors are not included",
    ko:
      "불확실성 구간의 상한값. 머리를 3° 회전하고 경계를 안쪽 또는 바깥쪽으로 0.5\u00a0mm 옮겨 다시 계산한 값 중 가장 큰 값이며, 분할 오차는 포함하지 않음",
  },
  callosal_angle: {
    en:
      "Angle between the superomedial walls of the two lateral ventricles on the coronal slice through the posterior commissure (Ishii 2008)",
    ko: "후교련을 지나는 관상면에서 양측 측뇌실 상내측 벽 사이의 각(Ishii 2008)",
  },
  callosal_angle_low: {
    en:
      "Lower limit of the uncertainty interval: the smallest value obtained if the head is rotated by 3°; segmentation errors are not included",
    ko: "불확실성 구간의 하한값. 머리를 3° 회전했을 때 가장 작은 값이며, 분할 오차는 포함하지 않음",
  },
  callosal_angle_high: {
    en:
      "Upper limit of the uncertainty interval: the largest value obtained if the head is rotated by 3°; segmentation errors are not included",
    ko: "불확실성 구간의 상한값. 머리를 3° 회전했을 때 가장 큰 값이며, 분할 오차는 포함하지 않음",
  },
  norms: {
    en:
      "Name of the reference data set (healthy people) from which the percentiles were calculated",
    ko: "백분위를 산출한 건강한 사람의 자료(규준)의 이름",
  },
  white_matter: {
    en: "Volume of the cerebral white matter, including hyperintensities",
    ko: "백질 고신호를 포함한 대뇌 백질의 부피",
  },
  wmh: {
    en: "Volume of white matter hyperintensities, deep and periventricular together",
    ko: "심부와 뇌실주위를 합한 백질 고신호의 부피",
  },
  wmh_icv: {
    en: "WMH volume as a percentage of the intracranial volume",
    ko: "두개강내 용적 대비 백질 고신호 부피의 비율",
  },
  wmh_white_matter: {
    en: "WMH volume as a percentage of the cerebral white matter including WMH",
    ko: "대뇌 백질(백질 고신호 포함) 대비 백질 고신호 부피의 비율",
  },
  wmh_deep: {
    en: "Volume of white matter hyperintensities more than 10\u00a0mm from the lateral ventricles",
    ko: "측뇌실에서 10\u00a0mm 넘게 떨어진 백질 고신호의 부피",
  },
  wmh_peri: {
    en: "Volume of white matter hyperintensities within 10\u00a0mm of the lateral ventricles",
    ko: "측뇌실에서 10\u00a0mm 이내에 있는 백질 고신호의 부피",
  },
  lesions: {
    en:
      "Number of FLAIR-hyperintense lesions in all locations. The software finds them; if a user has corrected them, the corrected lesions are counted. The diameter is that of a sphere with the volume of the lesion. Each lesion is counted in one location only",
    ko:
      "모든 위치의 FLAIR 고신호 병변 수. 소프트웨어가 찾으며, 사용자가 수정한 경우에는 수정된 병변을 셈. 직경은 병변과 부피가 같은 구의 직경. 각 병변은 한 위치에만 집계",
  },
  lesions_pv: {
    en: "Number of counted lesions that touch a lateral ventricle",
    ko: "집계된 병변 중 측뇌실에 닿은 병변의 수",
  },
  lesions_pv_ml: {
    en: "Volume of counted lesions that touch a lateral ventricle",
    ko: "집계된 병변 중 측뇌실에 닿은 병변의 부피",
  },
  lesions_jc: {
    en: "Number of counted lesions that touch the cortex but no lateral ventricle",
    ko: "집계된 병변 중 피질에 닿고 측뇌실에는 닿지 않은 병변의 수",
  },
  lesions_jc_ml: {
    en: "Volume of counted lesions that touch the cortex but no lateral ventricle",
    ko: "집계된 병변 중 피질에 닿고 측뇌실에는 닿지 않은 병변의 부피",
  },
  lesions_dwm: {
    en:
      "Number of counted white matter lesions that touch neither the cortex nor a lateral ventricle",
    ko: "집계된 병변 중 피질과 측뇌실 어느 쪽에도 닿지 않은 백질 병변의 수",
  },
  lesions_dwm_ml: {
    en:
      "Volume of counted white matter lesions that touch neither the cortex nor a lateral ventricle",
    ko: "집계된 병변 중 피질과 측뇌실 어느 쪽에도 닿지 않은 백질 병변의 부피",
  },
  lesions_it: {
    en:
      "Number of counted lesions in the brain stem and cerebellum. The software searches only the cerebrum: without lesions marked there the cell says “not searched”, which does not mean 0",
    ko:
      "집계된 병변 중 뇌간과 소뇌에 있는 병변의 수. 소프트웨어는 대뇌에서만 탐색하므로, 이 부위에 표시된 병변이 없으면 셀에 ‘탐색하지 않음’이라고 적히며 이는 0개라는 뜻이 아님",
  },
  lesions_it_ml: {
    en:
      "Volume of counted lesions in the brain stem and cerebellum. The software searches only the cerebrum: without lesions marked there the cell says “not searched”, which does not mean 0",
    ko:
      "집계된 병변 중 뇌간과 소뇌에 있는 병변의 부피. 소프트웨어는 대뇌에서만 탐색하므로, 이 부위에 표시된 병변이 없으면 셀에 ‘탐색하지 않음’이라고 적히며 이는 0개라는 뜻이 아님",
  },
  lesions_dgm: {
    en: "Number of counted lesions that are mostly in deep gray matter",
    ko: "집계된 병변 중 주로 심부 회백질에 위치한 병변의 수",
  },
  lesions_dgm_ml: {
    en: "Volume of counted lesions that are mostly in deep gray matter",
    ko: "집계된 병변 중 주로 심부 회백질에 위치한 병변의 부피",
  },
  lesions_since: {
    en: "Date of the previous examination with which the lesions were compared",
    ko: "병변을 비교한 이전 검사의 날짜",
  },
  lesions_new: {
    en:
      "Number of lesions that are new since the previous examination: certain changes and changes confirmed by a reader; rejected changes are not counted",
    ko:
      "이전 검사 이후 새로 생긴 병변의 수. 확실한 변화와 판독자가 확인한 변화만 세고, 판독자가 제외한 변화는 세지 않음",
  },
  lesions_enlarging: {
    en:
      "Number of lesions that have become larger since the previous examination: certain changes and changes confirmed by a reader; rejected changes are not counted",
    ko:
      "이전 검사 이후 커진 병변의 수. 확실한 변화와 판독자가 확인한 변화만 세고, 판독자가 제외한 변화는 세지 않음",
  },
  lesions_shrinking: {
    en:
      "Number of lesions that have become smaller since the previous examination: certain changes and changes confirmed by a reader; rejected changes are not counted",
    ko:
      "이전 검사 이후 작아진 병변의 수. 확실한 변화와 판독자가 확인한 변화만 세고, 판독자가 제외한 변화는 세지 않음",
  },
  lesions_gone: {
    en:
      "Number of lesions that have disappeared since the previous examination: certain changes and changes confirmed by a reader; rejected changes are not counted",
    ko:
      "이전 검사 이후 소실된 병변의 수. 확실한 변화와 판독자가 확인한 변화만 세고, 판독자가 제외한 변화는 세지 않음",
  },
  lesions_possible: {
    en:
      "Number of uncertain changes that no reader has confirmed or rejected: the lesion is barely brighter than the surrounding white matter, the change does not agree with the measured volumes, or one of the examinations has segmentation quality C",
    ko:
      "판독자가 아직 확인도 제외도 하지 않은 불확실한 변화의 수. 불확실한 변화: 병변이 주변 백질보다 뚜렷하게 밝지 않음, 병변의 변화가 측정된 부피 변화와 일치하지 않음, 두 검사 중 하나의 분할 품질이 C임",
  },
  lesions_confirmed: {
    en:
      "Number of changes confirmed by a reader; they are included in the numbers of new, enlarging, shrinking and resolved lesions",
    ko: "판독자가 확인한 변화의 수. 새로 생긴·커진·작아진·소실된 병변 수에 포함됨",
  },
  conclusion: {
    en: "The conclusion signed by a physician; empty if none has been signed",
    ko: "의사가 서명한 결론. 서명된 결론이 없으면 빈칸",
  },
  conclusion_signed: {
    en:
      "Name of the physician who signed, time of signing, and whether the results have changed since then",
    ko: "서명자와 서명 시각, 이후 결과 변경 여부",
  },
  volume: { en: "Volume of the region", ko: "부피" },
  icv_percent: {
    en: "Volume as a percentage of the intracranial volume",
    ko: "두개강내 용적 대비 부피의 비율",
  },
  flair_volume: {
    en:
      "Volume measured on FLAIR by a neural network that works with any MR image weighting, for examinations without a T1w series",
    ko: "T1w 시리즈가 없는 검사에서, 영상 대조도와 관계없이 작동하는 신경망으로 FLAIR에서 측정",
  },
  flair_low: {
    en: "Lower limit of the 80\u00a0% interval of the true volume, given the measurement error",
    ko: "측정 오차를 고려할 때 실제 부피가 80\u00a0% 확률로 속하는 구간의 하한",
  },
  flair_high: {
    en: "Upper limit of the 80\u00a0% interval of the true volume, given the measurement error",
    ko: "측정 오차를 고려할 때 실제 부피가 80\u00a0% 확률로 속하는 구간의 상한",
  },
  thickness: { en: "Mean thickness of the cortex", ko: "평균 피질 두께" },
  percentile: {
    en:
      "Percentile among healthy people, adjusted for head size only if the head of the column names intracranial volume; empty if the measurement error is too large or the segmentation quality is C",
    ko:
      "건강한 사람 기준 백분위. 제목에 두개강내 용적이 있는 열만 머리 크기를 보정함. 측정 오차가 너무 크거나 분할 품질이 C이면 빈칸",
  },
  low: {
    en:
      "Lower limit of the 80\u00a0% interval of the patient's true percentile, given the measurement error; not the range of healthy people",
    ko: "측정 오차를 고려할 때 환자의 실제 백분위가 80\u00a0% 확률로 속하는 구간의 하한",
  },
  high: {
    en:
      "Upper limit of the 80\u00a0% interval of the patient's true percentile, given the measurement error; not the range of healthy people",
    ko: "측정 오차를 고려할 때 환자의 실제 백분위가 80\u00a0% 확률로 속하는 구간의 상한",
  },
  bandTissue: {
    en:
      "very low: at least 80\u00a0% certain to be below the 5th percentile. low: at least 80\u00a0% certain to be below the 25th percentile, but not certainly below the 5th percentile. possibly low, possibly very low: at least 50\u00a0% certain to be in this category, but below the calculated probability of 90\u00a0% that is required to call it at least 80\u00a0% certain. not clearly outside the expected range: a low value is less likely than not, but cannot be ruled out. expected range: at least 80\u00a0% certain to be at the 25th percentile or above (high values are not graded). check segmentation: the value, or the difference between the left and right sides, is so unusual that the segmentation may be wrong. not graded: the measurement error is too large for a category, and only the 80\u00a0% interval is given. not determined: the error is so large that even the 80\u00a0% interval says nothing. not determined: check segmentation: the borders of the region are probably wrong. Empty: there is nothing to compare with, or the segmentation quality is C. withheld: the results of the scanner have changed. Not graded, not determined and empty do not mean normal. Adjusted for head size only if the head of the column names intracranial volume",
    ko:
      "매우 낮음: 백분위가 5 미만일 확률이 80\u00a0% 이상임. 낮음: 백분위가 25 미만일 확률이 80\u00a0% 이상이지만 5 미만인지는 확실하지 않음. ‘가능성’이 붙은 결과: 해당 범주일 확률이 50\u00a0% 이상이지만, 80\u00a0% 이상 확실하다고 하는 데 필요한 계산상 확률 90\u00a0%에는 미치지 못함. 예상 범위와 구별되지 않음: 낮을 확률이 50\u00a0% 미만이지만 배제할 수 없음. 예상 범위: 백분위가 25 이상일 확률이 80\u00a0% 이상임(높은 값은 분류하지 않음). 분할 확인 필요: 값 또는 좌우 차이가 매우 드물어 분할이 잘못되었을 수 있음. 판정 없음: 측정 오차가 커서 범주를 정할 수 없고 80\u00a0% 구간만 제시함. 산출 불가: 측정 오차가 더 커서 80\u00a0% 구간도 의미가 없음. 산출 불가, 분할 확인 필요: 영역의 경계가 잘못되었을 가능성이 높음. 빈칸: 비교할 기준이 없거나 분할 품질이 C임. 제시 보류: 장비의 결과가 변함. 판정 없음, 산출 불가, 빈칸은 정상이라는 뜻이 아님. 제목에 두개강내 용적이 있는 열만 머리 크기를 보정함",
  },
  bandFluid: {
    en:
      "very high: at least 80\u00a0% certain to be above the 95th percentile. high: at least 80\u00a0% certain to be above the 75th percentile, but not certainly above the 95th percentile. possibly high, possibly very high: at least 50\u00a0% certain to be in this category, but below the calculated probability of 90\u00a0% that is required to call it at least 80\u00a0% certain. not clearly outside the expected range: a high value is less likely than not, but cannot be ruled out. expected range: at least 80\u00a0% certain to be at the 75th percentile or below (low values are not graded). check segmentation: the value, or the difference between the left and right sides, is so unusual that the segmentation may be wrong. not graded: the measurement error is too large for a category, and only the 80\u00a0% interval is given. not determined: the error is so large that even the 80\u00a0% interval says nothing. not determined: check segmentation: the borders of the region are probably wrong. Empty: there is nothing to compare with, or the segmentation quality is C. withheld: the results of the scanner have changed. Not graded, not determined and empty do not mean normal. Adjusted for head size only if the head of the column names intracranial volume",
    ko:
      "매우 높음: 백분위가 95 초과일 확률이 80\u00a0% 이상임. 높음: 백분위가 75 초과일 확률이 80\u00a0% 이상이지만 95 초과인지는 확실하지 않음. ‘가능성’이 붙은 결과: 해당 범주일 확률이 50\u00a0% 이상이지만, 80\u00a0% 이상 확실하다고 하는 데 필요한 계산상 확률 90\u00a0%에는 미치지 못함. 예상 범위와 구별되지 않음: 높을 확률이 50\u00a0% 미만이지만 배제할 수 없음. 예상 범위: 백분위가 75 이하일 확률이 80\u00a0% 이상임(낮은 값은 분류하지 않음). 분할 확인 필요: 값 또는 좌우 차이가 매우 드물어 분할이 잘못되었을 수 있음. 판정 없음: 측정 오차가 커서 범주를 정할 수 없고 80\u00a0% 구간만 제시함. 산출 불가: 측정 오차가 더 커서 80\u00a0% 구간도 의미가 없음. 산출 불가, 분할 확인 필요: 영역의 경계가 잘못되었을 가능성이 높음. 빈칸: 비교할 기준이 없거나 분할 품질이 C임. 제시 보류: 장비의 결과가 변함. 판정 없음, 산출 불가, 빈칸은 정상이라는 뜻이 아님. 제목에 두개강내 용적이 있는 열만 머리 크기를 보정함",
  },
} as const satisfies Catalogue;

/** Names of the states of an analysis, in exported tables. */
export const exportStatusText = {
  ready: { en: "not analyzed", ko: "미분석" },
  waiting: { en: "waiting", ko: "대기 중" },
  pending: { en: "on hold", ko: "보류 중" },
  processing: { en: "processing", ko: "분석 중" },
  completed: { en: "completed", ko: "완료" },
  failed: { en: "failed", ko: "실패" },
  no_response: { en: "no response", ko: "응답 없음" },
} as const satisfies Catalogue;

/**
 * Column heads of an atlas part's measures. A percent sign follows a plain, not a no-break space:
 * programs that read the table find a column by its exact head.
 */
export const exportHeadText = {
  provisional: { en: "provisional: scanner not accepted", ko: "잠정값: 백분위 사용 승인 전 장비" },
  withheld: { en: "withheld: scanner drift", ko: "제시 보류: 장비 변화" },
  unread: { en: "withheld: scanner not known yet", ko: "제시 보류: 촬영 장비 미확인" },
  refused: { en: "withheld: scanner refused", ko: "제시 보류: 백분위 사용이 거부된 장비" },
  left: { en: "left", ko: "좌측" },
  right: { en: "right", ko: "우측" },
  total: { en: "left + right", ko: "양측(합계)" },
  sided: { en: "{part}, {side}", ko: "{side} {part}" },
  volume: { en: "{part}: volume", ko: "{part} 부피" },
  thickness: { en: "{part}: cortical thickness", ko: "{part} 두께" },
  flair_volume: {
    en: "{part}, on FLAIR of examinations without T1w: volume",
    ko: "T1w가 없는 검사의 FLAIR에서 측정한 {part} 부피",
  },
  inMl: { en: "{measure} (mL)", ko: "{measure}(mL)" },
  inMm: { en: "{measure} (mm)", ko: "{measure}(mm)" },
  ofIcv: { en: "{measure} (% of intracranial volume)", ko: "{measure}(두개강내 용적 대비 %)" },
  lowEnd: {
    en: "{measure}, lower limit of the 80 % interval for measurement error",
    ko: "{measure}, 측정 오차를 반영한 80 % 구간의 하한값",
  },
  highEnd: {
    en: "{measure}, upper limit of the 80 % interval for measurement error",
    ko: "{measure}, 측정 오차를 반영한 80 % 구간의 상한값",
  },
  basisSex: { en: "age and sex", ko: "나이와 성별" },
  basisIcv: { en: "age, sex and intracranial volume (ICV)", ko: "나이, 성별, 두개강내 용적" },
  percentile: { en: "{measure} percentile for {basis}", ko: "{measure} 백분위({basis} 보정)" },
  bandTissue: {
    en:
      "{measure} category compared with healthy people of the same {basis} (very low: below 5th percentile; low: 5th to below 25th; expected range: 25th or above)",
    ko:
      "{measure}, 건강한 사람과 비교한 결과({basis} 보정. 매우 낮음: 백분위 5 미만, 낮음: 5 이상 25 미만, 예상 범위: 25 이상)",
  },
  bandFluid: {
    en:
      "{measure} category compared with healthy people of the same {basis} (very high: above 95th percentile; high: above 75th to 95th; expected range: 75th or below)",
    ko:
      "{measure}, 건강한 사람과 비교한 결과({basis} 보정. 매우 높음: 백분위 95 초과, 높음: 75 초과 95 이하, 예상 범위: 75 이하)",
  },
  cortex: { en: "Cerebral cortex", ko: "대뇌 피질" },
  frontal: { en: "Frontal lobe cortex", ko: "전두엽 피질" },
  parietal: { en: "Parietal lobe cortex", ko: "두정엽 피질" },
  temporal: { en: "Temporal lobe cortex", ko: "측두엽 피질" },
  occipital: { en: "Occipital lobe cortex", ko: "후두엽 피질" },
  cingulate: { en: "Cingulate cortex (whole)", ko: "대상회 전체 피질" },
  insula: { en: "Insular cortex", ko: "뇌섬엽 피질" },
  sheet: { en: "Worklist", ko: "워크리스트" },
  columnsSheet: { en: "Explanation of columns", ko: "열 설명" },
  columnHead: { en: "Column", ko: "열" },
  meaningHead: { en: "Meaning", ko: "의미" },
  unitHead: { en: "Unit", ko: "단위" },
  madeAt: { en: "Exported {time} ({zone})", ko: "{time} 내보냄({zone})" },
  percentUnit: { en: "0 to 100", ko: "0~100" },
  unitMl: { en: "mL", ko: "mL" },
  unitMm: { en: "mm", ko: "mm" },
  unitPercent: { en: "%", ko: "%" },
} as const satisfies Catalogue;
