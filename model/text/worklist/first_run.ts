import type { Catalogue } from "@/model/text.ts";

/** Introduction on a site without patients, and demo patients. */
export const firstRunText = {
  users: { en: "1. Give everybody an account", ko: "1. 사용자 계정 만들기" },
  usersText: {
    en: "Each physician signs in with an account of their own, with a role that says what they may do.",
    ko: "의료진은 각자 자신의 계정으로 로그인하며, 역할에 따라 할 수 있는 일이 정해집니다.",
  },
  addUser: { en: "Add accounts", ko: "계정 추가" },
  upload: { en: "2. Upload a brain MRI", ko: "2. 뇌 MRI 업로드" },
  uploadText: {
    en: "DICOM files with a T1w series, a FLAIR series, or both. The analysis starts by itself.",
    ko: "T1w 또는 FLAIR 시리즈가 있는 DICOM 파일이면 됩니다. 분석은 자동으로 시작됩니다.",
  },
  demo: { en: "3. Or look around first", ko: "3. 먼저 둘러보기" },
  demoText: {
    en: "Five made-up patients, labelled “Demo”. Nobody is behind them, and one press removes them again.",
    ko: "‘Demo’ 라벨이 붙은 가상의 환자 5명입니다. 실제 환자가 아니며 한 번에 지울 수 있습니다.",
  },
  load: { en: "Load demo patients", ko: "데모 환자 불러오기" },
  loadRest: { en: "Load the rest of the demo", ko: "나머지 데모 환자 불러오기" },
  loading: { en: "Making demo patient {n} of {total}…", ko: "데모 환자 {total}명 중 {n}번째를 만드는 중…" },
  remove: { en: "Remove demo patients", ko: "데모 환자 지우기" },
} as const satisfies Catalogue;
