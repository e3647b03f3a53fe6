import { passwordProblem } from "@/model/settings/password_rules.ts";
import { MAX_LOGO_BYTES, MAX_NAME_LENGTH, type MyPage } from "@/model/schema/accounts/my_page.ts";

/** Values of the My Page form while the user edits it. */
export interface MyPageForm {
  name: string;
  hospitalName: string;
  current: string;
  next: string;
  confirmation: string;
}
export type MyPageField = keyof MyPageForm;
/** Validation error of a field. */
export type MyPageProblem = "required" | "tooLong" | "policy" | "unchanged" | "mismatch";

export const myPageFormOf = ({ name, hospital_name }: MyPage): MyPageForm => ({
  name,
  hospitalName: hospital_name,
  current: "",
  next: "",
  confirmation: "",
});

/** Whether the user has entered a new password: then all three password fields are required. */
export const changesPassword = ({ current, next, confirmation }: MyPageForm): boolean =>
  current !== "" || next !== "" || confirmation !== "";

/**
 * Validation errors by field (D1 §5).
 *
 * @param savesNames Whether to validate the names too, which are skipped if only the password
 * changes: a hospital without a name must be able to set a new password.
 */
export function myPageProblems(
  form: MyPageForm,
  savesNames: boolean,
): Partial<Record<MyPageField, MyPageProblem>> {
  const problems: Partial<Record<MyPageField, MyPageProblem>> = {};
  for (const field of savesNames ? ["name", "hospitalName"] as const : []) {
    const length = [...form[field].trim()].length;
    if (length === 0) problems[field] = "required";
    else if (length > MAX_NAME_LENGTH) problems[field] = "tooLong";
  }
  if (!changesPassword(form)) return problems;
  for (const field of ["current", "next", "confirmation"] as const) {
    if (form[field] === "") problems[field] = "required";
  }
  if (form.next !== "" && passwordProblem(form.next) !== null) problems.next = "policy";
  else if (form.next !== "" && form.next === form.current) problems.next = "unchanged";
  if (form.confirmation !== "" && form.confirmation !== form.next) {
    problems.confirmation = "mismatch";
  }
  return problems;
}

/** Reason why a file cannot be the logo, from the first bytes and the size of the file. */
export function logoProblem(
  start: Uint8Array,
  sizeBytes: number,
): "logo.format" | "logo.too_large" | null {
  const starts = (...bytes: number[]) => bytes.every((byte, n) => start[n] === byte);
  if (!starts(0x89, 0x50, 0x4e, 0x47) && !starts(0xff, 0xd8, 0xff)) return "logo.format";
  return sizeBytes > MAX_LOGO_BYTES ? "logo.too_large" : null;
}
