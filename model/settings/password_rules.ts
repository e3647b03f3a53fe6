/** Minimum password length (D1 §5). */
const MIN_PASSWORD_LENGTH = 8;

/**
 * Reason why a password is refused; `null` if accepted.
 * A password needs at least 8 characters, a number and a special character (D1 §5).
 */
export function passwordProblem(password: string): string | null {
  if (password.length < MIN_PASSWORD_LENGTH) return `at least ${MIN_PASSWORD_LENGTH} characters`;
  if (password.length > 256) return "at most 256 characters";
  if (!/\d/.test(password)) return "at least one number";
  if (!/[^\p{L}\p{N}\s]/u.test(password)) return "at least one special character";
  return null;
}
