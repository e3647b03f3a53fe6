import { type FormEvent, useEffect, useRef, useState } from "react";
import { AppError, type ErrorCode, type ErrorDetails } from "@/model/errors.ts";
import type { ToastCode } from "@/model/notice_codes.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { loginText } from "@/model/text/account/login.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { call } from "@/client/api/http.ts";
import { Button } from "@/components/Button.tsx";
import { LanguageChoice } from "@/components/page/LanguageChoice.tsx";
import { browserApi } from "@/client/browser_api.ts";
import { chooseLanguage, useLanguage, useText } from "@/client/page/language.ts";
import { SESSION_ENDED, SIGNING_IN } from "@/client/live/live_updates.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";
import { messageOf } from "@/client/notices/messages.ts";
import { informInModal, presentError, presentToast } from "@/client/notices/present_error.ts";

const FIELD =
  "mt-1.5 w-full h-11 rounded-md border bg-white px-3 text-[15px] text-ink placeholder:text-ink-faint";
const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

type Field = "email" | "password";

interface LoginFormProps {
  /** path of the page on this site to open after sign-in, validated by the route */
  next: string;
  /** name of the hospital's identity provider; `null` without one */
  provider: string | null;
  /**
   * whether user names of the hospital's directory, which are not e-mail addresses, are accepted
   */
  hasDirectory: boolean;
  /** error of a preceding attempt to sign in at the identity provider; `null` without one */
  refusal: ErrorCode | null;
}

/** State of the sign-in form and its requests. */
function useSignIn({ next, hasDirectory }: Pick<LoginFormProps, "next" | "hasDirectory">) {
  const language = useLanguage(), refusals = useText(refusalText);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ at: readonly Field[]; words: string } | null>(null);
  const [needsCode, setNeedsCode] = useState(false), code = useRef<HTMLInputElement>(null);
  const email = useRef<HTMLInputElement>(null), password = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (needsCode) code.current?.focus();
  }, [needsCode]);
  useEffect(() => {
    const why = sessionStorage.getItem(SESSION_ENDED);
    if (why === null) return;
    sessionStorage.removeItem(SESSION_ENDED);
    if (why === "out") presentToast("session.signed_out");
    else informInModal("token.expired");
  }, []);
  /**
   * Shows an error as a toast (D1 §8). The fields stay marked until the next attempt,
   * and repeat the text for screen readers.
   */
  const refuse = (
    code: ToastCode | ErrorCode,
    words: string,
    at: readonly Field[],
    details: ErrorDetails = {},
  ) => {
    presentToast(code, details);
    setProblem({ at, words });
    const field = at[0] === "email" && at.length === 1 ? email.current : password.current;
    field?.focus();
    if (at.length > 1) field?.select();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const credentials = {
      email: email.current!.value.trim(),
      password: password.current!.value,
      ...(needsCode ? { code: code.current!.value } : {}),
    };
    if (hasDirectory ? credentials.email === "" : !looksLikeEmail(credentials.email)) {
      return refuse("login.check_email", refusals("checkEmail"), ["email"]);
    }
    if (credentials.password === "") {
      return refuse("login.check_password", refusals("checkPassword"), ["password"]);
    }
    setProblem(null);
    setBusy(true);
    localStorage.setItem(SIGNING_IN, String(Date.now()));
    try {
      await call(browserApi, "/api/v1/auth/login", { method: "POST", json: credentials })
        .finally(() => localStorage.removeItem(SIGNING_IN));
      location.assign(next);
    } catch (error) {
      setBusy(false);
      if (error instanceof AppError && error.code === "auth.code_needed") return setNeedsCode(true);
      if (error instanceof AppError && error.code === "auth.code_wrong") {
        presentToast(error.code);
        return code.current?.select();
      }
      if (error instanceof AppError && error.code.startsWith("auth.")) {
        const { code, details } = error;
        return refuse(code, messageOf(code, details, language), ["email", "password"], details);
      }
      presentError(error);
    }
  };
  const isWrong = (field: Field) => problem?.at.includes(field) ?? false;
  return { isBusy, problem, needsCode, email, password, code, isWrong, submit };
}

type SignIn = ReturnType<typeof useSignIn>;

const borderOf = (isWrong: boolean) => isWrong ? "border-red-600" : "border-line-strong";

function PasswordBox({ signIn }: { signIn: SignIn }) {
  const text = useText(loginText), [isShown, setShown] = useState(false);
  const { password, isWrong } = signIn;
  return (
    <>
      <label className="mt-4 block text-sm font-medium text-ink-soft" htmlFor="password">
        {text("password")}
      </label>
      <div className="relative">
        <input
          ref={password}
          id="password"
          name="password"
          type={isShown ? "text" : "password"}
          autoComplete="current-password"
          aria-invalid={isWrong("password")}
          aria-describedby={isWrong("password") ? "login-problem" : undefined}
          className={`${FIELD} ${borderOf(isWrong("password"))} pr-12`}
        />
        <button
          type="button"
          aria-label={text(isShown ? "hidePassword" : "showPassword")}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute right-1.5 bottom-1.5 w-8 h-8 rounded grid place-items-center text-ink-faint hover:bg-canvas hover:text-ink"
        >
          <svg
            viewBox="0 0 20 20"
            className="w-5 h-5"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path d="M2 10s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S2 10 2 10z" strokeWidth="1.4" />
            <circle cx="10" cy="10" r="2.4" strokeWidth="1.4" />
            {isShown && <path d="M3.5 3.5l13 13" strokeWidth="1.4" strokeLinecap="round" />}
          </svg>
        </button>
      </div>
    </>
  );
}

function CodeBox({ signIn: { code } }: { signIn: SignIn }) {
  const text = useText(loginText);
  return (
    <>
      <label className="mt-4 block text-sm font-medium text-ink-soft" htmlFor="code">
        {text("code")}
      </label>
      <input
        ref={code}
        id="code"
        name="code"
        type="text"
        autoComplete="one-time-code"
        spellCheck={false}
        aria-describedby="code-hint"
        className={`${FIELD} border-line-strong tabular`}
      />
      <p id="code-hint" className="mt-1 text-[13px] text-ink-soft">{text("codeHint")}</p>
    </>
  );
}

/** Starts the sign-in at the hospital's identity provider. */
function ProviderLink({ name, next }: { name: string; next: string }) {
  const text = useText(loginText);
  return (
    <>
      <a
        href={`/sign-in/oidc?next=${encodeURIComponent(next)}`}
        className="mt-6 flex h-11 items-center justify-center rounded-md border border-brand-600 px-4 text-sm font-medium text-brand-700 hover:bg-brand-50"
      >
        {text("signInWith", { name })}
      </a>
      <p className="mt-5 text-center text-[13px] text-ink-faint">{text("or")}</p>
    </>
  );
}

/** Form with which a user signs in. */
export default function LoginForm({ next, provider, hasDirectory, refusal }: LoginFormProps) {
  const language = useLanguage(), text = useText(loginText), common = useText(commonText);
  const signIn = useSignIn({ next, hasDirectory });
  const { isBusy, problem, needsCode, email, isWrong, submit } = signIn;

  return (
    <>
      <div className="flex justify-end gap-2 mb-4">
        <HelpButton of="login" />
        <LanguageChoice label={common("language")} language={language} onChoose={chooseLanguage} />
      </div>
      <h1 className="text-2xl font-semibold text-ink">{text("title")}</h1>
      {refusal !== null && (
        <p
          role="alert"
          className="mt-4 rounded-md border border-red-600 px-3 py-2 text-sm text-red-700"
        >
          {messageOf(refusal, {}, language)}
        </p>
      )}
      {provider !== null && <ProviderLink name={provider} next={next} />}
      {/* method post: a browser without scripts must not put the password into the URL */}
      <form method="post" noValidate onSubmit={submit} className="mt-6" aria-busy={isBusy}>
        <label className="block text-sm font-medium text-ink-soft" htmlFor="email">
          {text(hasDirectory ? "account" : "email")}
        </label>
        <input
          ref={email}
          id="email"
          name="email"
          type={hasDirectory ? "text" : "email"}
          autoComplete="username"
          autoFocus
          spellCheck={false}
          aria-invalid={isWrong("email")}
          aria-describedby={isWrong("email") ? "login-problem" : undefined}
          className={`${FIELD} ${borderOf(isWrong("email"))}`}
        />
        <PasswordBox signIn={signIn} />
        {needsCode && <CodeBox signIn={signIn} />}
        <p id="login-problem" className="visually-hidden">{problem?.words}</p>
        <Button kind="primary" type="submit" disabled={isBusy} className="mt-6 w-full h-11">
          {isBusy && <span className="spinner spinner-light" aria-hidden="true" />}
          {text(isBusy ? "signingIn" : "signIn")}
        </Button>
      </form>
      <div className="mt-4 text-center">
        <Button kind="quiet" size="small" onClick={() => informInModal("login.forgot_password")}>
          {text("forgotPassword")}
        </Button>
      </div>
    </>
  );
}
