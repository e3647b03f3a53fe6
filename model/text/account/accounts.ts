import type { Role } from "@/model/accounts/roles.ts";
import type { Catalogue, Language } from "@/model/text.ts";

/** Names of the users' roles. */
export const roleText: Record<Role, Record<Language, string>> = {
  reader: { en: "Read-only", ko: "열람자" },
  physician: { en: "Physician", ko: "의사" },
  administrator: { en: "Administrator", ko: "관리자" },
  auditor: { en: "Auditor", ko: "감사자" },
};

/** Texts of the page Server for managing the site's accounts. */
export const accountsText = {
  explained: {
    en:
      "Read-only users can view and export results. Physicians can also upload, analyze, edit and delete studies. Administrators can also manage accounts. Auditors can view only the audit log, not the studies.",
    ko:
      "열람자는 결과를 보고 내보낼 수 있습니다. 의사는 업로드, 분석, 편집, 삭제도 할 수 있습니다. 관리자는 계정도 관리합니다. 감사자는 감사 로그만 볼 수 있으며 검사는 볼 수 없습니다.",
  },
  email: { en: "Email", ko: "이메일" },
  name: { en: "Name", ko: "이름" },
  role: { en: "Role", ko: "역할" },
  roleOf: { en: "Role for {email}", ko: "{email}의 역할" },
  state: { en: "Status", ko: "상태" },
  signIn: { en: "Sign-in method", ko: "로그인 방식" },
  active: { en: "Active", ko: "사용 중" },
  suspended: { en: "Suspended", ko: "정지" },
  waiting: { en: "Waiting for approval", ko: "승인 대기" },
  device: { en: "Device", ko: "장치" },
  local: { en: "Password", ko: "비밀번호" },
  oidc: { en: "OpenID Connect", ko: "OpenID Connect" },
  ldap: { en: "LDAP directory", ko: "디렉터리(LDAP)" },
  withCode: { en: "with one-time code", ko: "일회용 코드 사용" },
  suspend: { en: "Suspend", ko: "정지" },
  activate: { en: "Activate", ko: "활성화" },
  resetPassword: { en: "Reset password", ko: "비밀번호 재설정" },
  resetFactor: { en: "Reset one-time codes", ko: "일회용 코드 재설정" },
  add: { en: "Add user", ko: "사용자 추가" },
  password: {
    en: "One-time password for {email} (shown only once): {password}",
    ko: "{email}의 일회용 비밀번호(지금만 표시됩니다): {password}",
  },
} as const satisfies Catalogue;

/** Texts of the list of deleted studies that can still be restored. */
export const binText = {
  explained: {
    en: "Deleted studies are kept here for {n} days and are then permanently deleted.",
    ko: "삭제한 검사는 {n}일 동안 보관된 뒤 완전히 삭제됩니다.",
  },
  empty: { en: "There are no deleted studies.", ko: "삭제한 검사가 없습니다." },
  number: { en: "No.", ko: "번호" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  patient: { en: "Name", ko: "이름" },
  studyDate: { en: "Study date", ko: "검사일" },
  deleted: { en: "Deleted on", ko: "삭제 시각" },
  deletedBy: { en: "Deleted by", ko: "삭제한 사람" },
  reason: { en: "Reason", ko: "사유" },
  goneAt: { en: "Permanent deletion date", ko: "완전 삭제 예정일" },
  restore: { en: "Restore", ko: "복원" },
  purge: { en: "Delete permanently", ko: "완전 삭제" },
} as const satisfies Catalogue;
