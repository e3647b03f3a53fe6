import type { Catalogue } from "@/model/text.ts";

/** Texts of the introduction on a site without patients, and of its demo patients. */
export const firstRunText = {
  users: { en: "1. Create accounts", ko: "1. 사용자 계정 만들기" },
  usersText: {
    en:
      "Each user signs in with their own account. The account's role determines what they can do.",
    ko: "사용자마다 자신의 계정으로 로그인합니다. 할 수 있는 작업은 계정의 역할에 따라 정해집니다.",
  },
  addUser: { en: "Add accounts", ko: "계정 추가" },
  upload: { en: "2. Upload a brain MRI", ko: "2. 뇌 MRI 업로드" },
  uploadText: {
    en:
      "Upload DICOM files with a T1w series, a FLAIR series or both. The analysis starts automatically.",
    ko:
      "T1w 시리즈, FLAIR 시리즈 또는 둘 다 있는 DICOM 파일을 업로드하세요. 분석은 자동으로 시작됩니다.",
  },
  demo: { en: "3. Or start with the demo", ko: "3. 데모로 먼저 살펴보기" },
  demoText: {
    en:
      "Five synthetic patients, labeled “Demo”. They are not real and can be removed with one click.",
    ko:
      "‘Demo’ 라벨이 붙은 가상 환자 5명입니다. 실제 환자가 아니며 클릭 한 번으로 삭제할 수 있습니다.",
  },
  load: { en: "Load demo patients", ko: "데모 환자 불러오기" },
  loadRest: { en: "Load the remaining demo patients", ko: "나머지 데모 환자 불러오기" },
  loading: {
    en: "Creating demo patient {n} of {total}…",
    ko: "데모 환자 {total}명 중 {n}번째를 만드는 중…",
  },
  remove: { en: "Delete demo patients", ko: "데모 환자 삭제" },
} as const satisfies Catalogue;
