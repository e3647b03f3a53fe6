import { type FormEvent, useState } from "react";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import type { FactorState, NewFactor } from "@/model/schema/accounts/second_factor.ts";
import { secondFactorText } from "@/model/text/account/second_factor.ts";
import { logout } from "@/client/api/accounts/auth.ts";
import { beginFactor, confirmFactor, endFactor } from "@/client/api/accounts/second_factor.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";

interface SecondFactorProps {
  state: FactorState;
  /** whether the account has a password on this site, which the form then requires */
  hasPassword: boolean;
  /** path on this site to open afterwards */
  next: string;
}

function Heading() {
  const text = useText(secondFactorText);
  return (
    <div className="flex items-center justify-between gap-3">
      <h1 className="text-xl font-semibold text-ink">{text("title")}</h1>
      <HelpButton of="codes" />
    </div>
  );
}

/** Sets up or removes one-time codes. */
export default function SecondFactor({ state, hasPassword, next }: SecondFactorProps) {
  const language = useLanguage(), text = useText(secondFactorText);
  const [begun, setBegun] = useState<NewFactor | null>(null),
    [codes, setCodes] = useState<string[] | null>(null);
  const [value, setValue] = useState(""), [problem, setProblem] = useState<ErrorCode | null>(null);
  const [isBusy, setBusy] = useState(false);
  const asksPassword = !state.is_on && begun === null;
  const send = async () => {
    if (state.is_on) {
      await endFactor(browserApi, value);
      location.assign(next);
    } else if (begun === null) setBegun(await beginFactor(browserApi, value));
    else setCodes((await confirmFactor(browserApi, value)).recovery_codes);
    setValue("");
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await send();
    } catch (error) {
      if (error instanceof AppError && /^(auth|password)\./.test(error.code)) {
        setProblem(error.code);
      } else presentError(error);
    } finally {
      setBusy(false);
    }
  };
  const leave = async () => {
    try {
      await logout(browserApi);
      location.assign("/login");
    } catch (error) {
      presentError(error);
    }
  };
  if (codes !== null) return <RecoveryCodes codes={codes} next={next} />;
  const canGoBack = state.is_on || !state.is_required;
  return (
    <form method="post" noValidate onSubmit={submit} aria-busy={isBusy}>
      <Heading />
      <p className="mt-2 text-sm text-ink-soft">
        {state.is_on ? text("isOn", { n: state.recovery_codes_left }) : text("why")}{" "}
        {state.is_required && text("required")}
      </p>
      {begun && (
        <div className="mt-4">
          <p className="text-sm text-ink-soft">{text("scan")}</p>
          <QrPicture rows={begun.qr} label={text("picture")} />
          <code className="mt-2 block break-all text-[13px] text-ink">{begun.secret}</code>
        </div>
      )}
      {(!asksPassword || hasPassword) && !(state.is_on && state.is_required) && (
        <label className="mt-4 block text-sm font-medium text-ink-soft">
          {text(asksPassword ? "password" : "code")}
          <input
            key={asksPassword ? "password" : "code"}
            type={asksPassword ? "password" : "text"}
            name={asksPassword ? "password" : "code"}
            autoComplete={asksPassword ? "current-password" : "one-time-code"}
            autoFocus
            spellCheck={false}
            value={value}
            aria-invalid={problem !== null}
            aria-describedby={problem === null ? undefined : "factor-problem"}
            onChange={({ currentTarget }) => setValue(currentTarget.value)}
            className={`${INPUT} mt-1 w-full`}
          />
        </label>
      )}
      {problem !== null && (
        <p id="factor-problem" role="alert" className="mt-1 text-[13px] text-red-700">
          {messageOf(problem, {}, language)}
        </p>
      )}
      <div className="mt-6 flex justify-between gap-3">
        {canGoBack
          ? <Button kind="quiet" onClick={() => location.assign(next)}>{text("back")}</Button>
          : <Button kind="quiet" onClick={() => void leave()}>{text("signOut")}</Button>}
        {!(state.is_on && state.is_required) && (
          <Button kind="primary" type="submit" disabled={isBusy}>
            {text(state.is_on ? "turnOff" : begun === null ? "setUp" : "confirm")}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Draws a QR code from rows of 0 and 1. */
function QrPicture({ rows, label }: { rows: readonly string[]; label: string }) {
  const path = rows.flatMap((row, y) =>
    [...row].flatMap((cell, x) => cell === "1" ? [`M${x} ${y}h1v1h-1z`] : [])
  ).join("");
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="mt-3 w-48 h-48 bg-white"
    >
      <path d={path} />
    </svg>
  );
}

function RecoveryCodes({ codes, next }: { codes: readonly string[]; next: string }) {
  const text = useText(secondFactorText);
  return (
    <div>
      <Heading />
      <p className="mt-2 text-sm text-ink-soft">{text("recovery")}</p>
      <ul className="mt-4 grid grid-cols-2 gap-2 text-[13px] tabular text-ink" data-recovery-codes>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="mt-6 flex justify-end">
        <Button kind="primary" onClick={() => location.assign(next)}>{text("done")}</Button>
      </div>
    </div>
  );
}
