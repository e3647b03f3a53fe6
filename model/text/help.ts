import type { Catalogue } from "@/model/text.ts";

/** Help text of each page: its tasks, in their usual order. */
export const helpText = {
  title: { en: "Help: {page}", ko: "도움말: {page}" },
  worklist: { en: "Worklist", ko: "워크리스트" },
  viewer: { en: "Viewer", ko: "뷰어" },
  report: { en: "Report", ko: "리포트" },
  status: { en: "Server status", ko: "서버 상태" },
  login: { en: "Sign in", ko: "로그인" },
  password: { en: "Choose a password", ko: "비밀번호 설정" },
  codes: { en: "One-time codes", ko: "일회용 코드" },
  worklist1: {
    en:
      "To upload images, drop a folder, a ZIP archive or a whole CD onto the page. Uploads continue in the background; their progress is shown under Activity at the top of the page.",
    ko:
      "업로드: 폴더, ZIP 파일 또는 CD를 끌어다 놓으세요. 업로드는 다른 작업을 하는 동안에도 계속되며 화면 위쪽에 진행 상황이 표시됩니다.",
  },
  worklist2: {
    en: "To open a study, double-click its row, or click Viewer or Report at the end of the row.",
    ko: "검사를 열려면 행을 두 번 클릭하거나 행 끝의 뷰어 또는 리포트 버튼을 누르세요.",
  },
  worklist3: {
    en:
      "To find a study, type part of a patient ID or name. Use the buttons above the list to show only waiting, failed or new studies.",
    ko:
      "검색: ID나 이름의 일부를 입력하세요. 목록 위의 버튼을 누르면 대기 중이거나 실패했거나 새로 들어온 검사만 볼 수 있습니다.",
  },
  worklist4: {
    en:
      "The Main deviation column shows the region furthest from the norms, white matter hyperintensities and the change since the previous study.",
    ko:
      "주요 편차에는 규준과 차이가 가장 큰 영역, 백질 고신호, 이전 검사 이후의 변화가 표시됩니다.",
  },
  worklist5: {
    en:
      "Select rows to label, analyze, export or delete them together. Press ? for keyboard shortcuts.",
    ko:
      "여러 행을 선택하면 라벨 지정, 분석, 내보내기, 삭제를 한꺼번에 할 수 있습니다. 단축키를 보려면 ? 키를 누르세요.",
  },
  viewer1: {
    en:
      "Scroll through the slices with the mouse wheel; drag with the right mouse button to adjust brightness and contrast.",
    ko: "휠로 단면을 넘기고, 마우스 오른쪽 버튼을 누른 채 끌어 밝기와 대비를 조정하세요.",
  },
  viewer2: {
    en: "The tabs show volumes, thickness and lesions, each as a color overlay on the images.",
    ko: "탭을 선택하면 부피, 두께, 병변이 각각 영상 위에 색으로 표시됩니다.",
  },
  viewer3: {
    en:
      "Click a region in the list at the side to see where it is on the images. Press ? for keyboard shortcuts.",
    ko: "옆의 목록에서 영역을 클릭하면 영상에 위치가 표시됩니다. 단축키를 보려면 ? 키를 누르세요.",
  },
  report1: {
    en:
      "Select the pages on the left, and the language and anonymization at the top. Then print the report or save it as a PDF file.",
    ko: "왼쪽에서 페이지를, 위쪽에서 언어와 익명화를 선택한 뒤 인쇄하거나 PDF로 저장하세요.",
  },
  report2: {
    en: "Each percentile has an 80\u00a0% interval, which reflects measurement error.",
    ko: "각 백분위에는 측정 오차를 반영한 80\u00a0% 구간이 함께 표시됩니다.",
  },
  report3: {
    en:
      "Segmentation quality shows how reliable the values are. With segmentation quality C, no percentiles are given.",
    ko:
      "분할 품질은 수치를 얼마나 신뢰할 수 있는지 나타냅니다. 분할 품질이 C이면 백분위를 제시하지 않습니다.",
  },
  status1: {
    en: "This page shows the server's current activity, its disk usage and failed jobs.",
    ko: "서버에서 진행 중인 작업, 디스크 사용량, 실패한 작업을 볼 수 있습니다.",
  },
  status2: {
    en:
      "The audit log records who viewed or changed which data. It can be searched, exported and verified.",
    ko:
      "감사 로그에는 누가 어떤 데이터를 열람하거나 변경했는지 기록됩니다. 검색, 내보내기, 검증을 할 수 있습니다.",
  },
  login1: {
    en:
      "Sign in with the email address and password of your own account. The hospital administrator creates accounts.",
    ko: "본인 계정의 이메일 주소와 비밀번호로 로그인하세요. 계정은 병원 관리자가 만듭니다.",
  },
  login2: {
    en:
      "After several failed attempts, sign-in is blocked for a few minutes. The administrator can reset a forgotten password.",
    ko:
      "비밀번호를 여러 번 틀리면 몇 분 동안 로그인할 수 없습니다. 비밀번호를 잊었으면 관리자에게 재설정을 요청하세요.",
  },
  login3: {
    en:
      "Each account can have only one session at a time: signing in here ends your session elsewhere.",
    ko:
      "한 계정으로는 한 곳에서만 로그인할 수 있습니다. 여기서 로그인하면 다른 곳에서는 로그아웃됩니다.",
  },
  login4: {
    en:
      "If your account uses one-time codes, enter the code from your authenticator app or one of your recovery codes.",
    ko: "일회용 코드를 사용하는 계정이라면 인증 앱의 코드나 복구 코드를 입력하세요.",
  },
  password1: {
    en: "Your current password is temporary. Choose a new password that only you know.",
    ko: "현재 비밀번호는 임시 비밀번호입니다. 본인만 아는 새 비밀번호로 바꾸세요.",
  },
  password2: {
    en: "The current password is the one you just signed in with.",
    ko: "현재 비밀번호는 방금 로그인할 때 입력한 비밀번호입니다.",
  },
  password3: {
    en:
      "Common passwords are not accepted. Several words with a number and a special character between them are easy to remember.",
    ko:
      "흔한 비밀번호는 사용할 수 없습니다. 여러 단어 사이에 숫자와 기호를 넣으면 기억하기 쉽습니다.",
  },
  codes1: {
    en:
      "Install an authenticator app on your phone and scan the QR code with it. Any app that generates one-time codes will work.",
    ko:
      "휴대전화에 인증 앱을 설치하고 QR 코드를 스캔하세요. 일회용 코드를 지원하는 앱이면 모두 사용할 수 있습니다.",
  },
  codes2: {
    en:
      "A code is valid for 30 seconds. If it is rejected, wait for the next one, and check that the phone's clock is correct.",
    ko:
      "코드는 30초 동안 유효합니다. 코드가 맞지 않는다고 나오면 다음 코드를 입력하고, 휴대전화의 시각이 정확한지 확인하세요.",
  },
  codes3: {
    en:
      "Keep the recovery codes: each lets you sign in once without the phone. If you have neither the phone nor a recovery code, contact the administrator.",
    ko:
      "복구 코드를 보관하세요. 복구 코드 하나로 휴대전화 없이 한 번 로그인할 수 있습니다. 휴대전화와 복구 코드가 모두 없으면 관리자에게 문의하세요.",
  },
  manual: { en: "More about this page in the manual", ko: "사용 설명서에서 자세히 보기" },
  reading: { en: "What the values mean", ko: "수치 해석 안내" },
} as const satisfies Catalogue;

/** Pages with a help section in the manual. */
export const HELP_PAGES = ["worklist", "viewer", "report", "status"] as const;
/** Subjects with a help text: pages with a manual section, and pages shown while signing in. */
export type HelpSubject = (typeof HELP_PAGES)[number] | "login" | "password" | "codes";

/**
 * Section of the manual for each page, by the first part of the page's URL path.
 * The key of the worklist page is `index`.
 */
export const SECTION_OF_PAGE: Readonly<Record<string, string>> = {
  IHEInvokeImageDisplay: "status",
  index: "worklist",
  login: "sign-in",
  password: "sign-in",
  "second-factor": "status",
  viewer: "viewer",
  report: "report",
  status: "status",
  acceptance: "status",
  "reading-studies": "status",
  reading: "status",
  bench: "bench",
  help: "about",
};
