import { type FormEvent, useId, useState } from "react";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import { passwordProblem } from "@/model/settings/password_rules.ts";
import { passwordText } from "@/model/text/account/first_password.ts";
import { myPageText } from "@/model/text/settings/my_page.ts";
import { logout } from "@/client/api/accounts/auth.ts";
import { changePassword } from "@/client/api/site/license.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";

const FIELDS = ["current", "next", "confirmation"] as const;
type Field = (typeof FIELDS)[number];

/** Where a refusal of the server belongs. */
const REFUSED: Partial<Record<ErrorCode, Field>> = {
  "password.incorrect": "current",
  "password.policy": "next",
  "password.unchanged": "next",
  "password.common": "next",
};

/** Problem of the form before it is sent; `null`: none. */
function problemOf(form: Record<Field, string>): { at: Field; code: ErrorCode } | null {
  if (form.current === "") return { at: "current", code: "password.incorrect" };
  if (passwordProblem(form.next) !== null) return { at: "next", code: "password.policy" };
  if (form.next === form.current) return { at: "next", code: "password.unchanged" };
  return form.next === form.confirmation ? null : { at: "confirmation", code: "password.mismatch" };
}

/** Changes a password that the site has made; nothing else is answered before. */
export default function FirstPassword({ next }: { next: string }) {
  const language = useLanguage(),
    text = useText(passwordText),
    field = useText(myPageText),
    id = useId();
  const [form, setForm] = useState<Record<Field, string>>({
    current: "",
    next: "",
    confirmation: "",
  });
  const [problem, setProblem] = useState<{ at: Field; code: ErrorCode } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const refuse = (found: { at: Field; code: ErrorCode }) => {
    setProblem(found);
    document.getElementById(`${id}${found.at}`)?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const problem = problemOf(form);
    if (problem !== null) return refuse(problem);
    setBusy(true);
    try {
      await changePassword(browserApi, { current_password: form.current, new_password: form.next });
      location.assign(next);
    } catch (error) {
      setBusy(false);
      const at = error instanceof AppError ? REFUSED[error.code] : undefined;
      if (at !== undefined) return refuse({ at, code: (error as AppError).code });
      presentError(error);
    }
  };
  const signOut = async () => {
    try {
      await logout(browserApi);
      location.assign("/login");
    } catch (error) {
      presentError(error);
    }
  };
  return (
    <form method="post" noValidate onSubmit={submit} aria-busy={isBusy}>
      <div className="flex items-center justify-between gap-3">
        <h1 className="text-xl font-semibold text-ink">{text("title")}</h1>
        <HelpButton of="password" />
      </div>
      <p className="mt-2 text-sm text-ink-soft">{text("why")}</p>
      {FIELDS.map((name) => {
        const isWrong = problem?.at === name;
        return (
          <div key={name} className="mt-4">
            <label className="block text-sm font-medium text-ink-soft" htmlFor={`${id}${name}`}>
              {field(name)}
            </label>
            <input
              id={`${id}${name}`}
              type="password"
              value={form[name]}
              autoComplete={name === "current" ? "current-password" : "new-password"}
              aria-invalid={isWrong}
              aria-describedby={isWrong ? `${id}problem` : undefined}
              onChange={(event) => {
                setForm({ ...form, [name]: event.currentTarget.value });
                setProblem(null);
              }}
              className={`${INPUT} mt-1 w-full`}
            />
            {isWrong && (
              <p id={`${id}problem`} role="alert" className="mt-1 text-[13px] text-red-700">
                {messageOf(problem.code, {}, language)}
              </p>
            )}
          </div>
        );
      })}
      <p className="mt-3 text-[13px] text-ink-soft">{text("rule")}</p>
      <div className="mt-6 flex justify-between gap-3">
        <Button kind="quiet" onClick={() => void signOut()}>{text("signOut")}</Button>
        <Button kind="primary" type="submit" disabled={isBusy}>{text("title")}</Button>
      </div>
    </form>
  );
}
