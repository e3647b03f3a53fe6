import type { Catalogue } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Texts of the dialog Label Setting, for the labels of studies (D1 §2 and §5). */
export const labelsText = {
  title: { en: "Label Setting", ko: "라벨 설정" },
  labelList: { en: "Label List", ko: "라벨 목록" },
  patientLabels: { en: "Patient Labels", ko: "환자 라벨" },
  patientsLabels: { en: "Patient Labels ({n} {n|study|studies})", ko: "환자 라벨(검사 {n}건)" },
  newLabel: { en: "New label", ko: "새 라벨" },
  add: { en: "Add", ko: "추가" },
  attach: { en: "Add {label} to the patient", ko: "{label} 라벨을 환자에게 추가" },
  attachAll: { en: "Add {label} to all {n} studies", ko: "{label} 라벨을 검사 {n}건 모두에 추가" },
  removeAll: {
    en: "Remove {label} from all {n} studies",
    ko: "검사 {n}건 모두에서 {label} 라벨 제거",
  },
  remove: { en: "Remove {label} from the patient", ko: "환자에게서 {label} 라벨 제거" },
  some: { en: "{n} of {total}", ko: "{total}건 중 {n}건" },
  edit: { en: "Rename {label}", ko: "{label} 이름 변경" },
  editing: { en: "Name of the label {label}", ko: "{label} 라벨의 이름" },
  confirm: { en: "Confirm", ko: "확인" },
  cancel: { en: "Cancel", ko: "취소" },
  save: { en: "Save", ko: "저장" },
  delete: { en: "Delete {label}", ko: "{label} 삭제" },
  empty: { en: "No labels yet", ko: "아직 라벨이 없습니다" },
  emptyPatient: {
    en: "No labels. Choose from the list on the left.",
    ko: "라벨이 없습니다. 왼쪽 목록에서 선택하세요.",
  },
  required: refusalText.required,
  max_length: refusalText.labelTooLong,
  duplicate: errorText["label.duplicate"],
  failedToLoad: { en: "The labels could not be loaded.", ko: "라벨을 불러오지 못했습니다." },
} as const satisfies Catalogue;
