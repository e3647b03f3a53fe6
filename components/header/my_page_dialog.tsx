// The My Page dialog; loaded on demand.
import { useEffect, useId, useRef, useState } from "react";
import { AppError, asAppError, type ErrorCode } from "@/model/errors.ts";
import {
  changesPassword,
  logoProblem,
  type MyPageField,
  type MyPageForm,
  myPageFormOf,
  type MyPageProblem,
  myPageProblems,
} from "@/model/settings/my_page_form.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { MAX_NAME_LENGTH, type MyPage } from "@/model/schema/accounts/my_page.ts";
import { secondFactorText } from "@/model/text/account/second_factor.ts";
import { myPageText } from "@/model/text/settings/my_page.ts";
import { changePassword } from "@/client/api/site/license.ts";
import { getMyPage, saveMyPage } from "@/client/api/accounts/my_page.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useUser } from "@/client/page/user.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT, Problem } from "@/components/fields.tsx";
import { EditDialog } from "@/components/dialog/EditDialog.tsx";

const EMPTY: MyPageForm = { name: "", hospitalName: "", current: "", next: "", confirmation: "" };
const PASSWORDS = ["current", "next", "confirmation"] as const;
const CODES: Partial<Record<MyPageProblem, ErrorCode>> = {
  policy: "password.policy",
  unchanged: "password.unchanged",
  mismatch: "password.mismatch",
};
/** Maps the field in a server error to a field of the form. */
const FIELDS: Partial<Record<ErrorCode, MyPageField>> = {
  "password.incorrect": "current",
  "password.policy": "next",
  "password.unchanged": "next",
  "password.common": "next",
};

/** A selected logo file with an address for the preview; `null` deletes the logo. */
type NewLogo = { file: File; address: string } | null | undefined;

/** State of My Page: stored values, changes and validation errors. */
function useMyPage(id: string, onClose: () => void) {
  const language = useLanguage(), text = useText(myPageText);
  const [stored, setStored] = useState<MyPage | null>(null),
    [failure, setFailure] = useState<AppError | null>(null);
  const [form, setForm] = useState(EMPTY), [logo, setLogo] = useState<NewLogo>();
  const [left, setLeft] = useState<ReadonlySet<MyPageField>>(new Set());
  const [refused, setRefused] = useState<Partial<Record<MyPageField | "logo", string>>>({});
  const [isSaving, setSaving] = useState(false);

  const load = async () => {
    setFailure(null);
    try {
      const page = await getMyPage(browserApi);
      setStored(page);
      setForm(myPageFormOf(page));
    } catch (error) {
      setFailure(asAppError(error));
    }
  };
  useEffect(() => void load(), []);
  useEffect(() => () => void (logo && URL.revokeObjectURL(logo.address)), [logo]);

  const savesNames = logo !== undefined || !changesPassword(form) ||
    form.name !== stored?.name || form.hospitalName !== stored.hospital_name;
  const problems = myPageProblems(form, savesNames);
  const problemOf = (field: MyPageField): string | null => {
    const problem = problems[field];
    if (refused[field]) return refused[field];
    if (!problem || !left.has(field)) return null;
    const code = CODES[problem];
    if (code) return messageOf(code, {}, language);
    return text(problem === "tooLong" ? "tooLong" : "required", { maxLength: MAX_NAME_LENGTH });
  };
  const isChanged = stored !== null &&
    (logo !== undefined || JSON.stringify(form) !== JSON.stringify(myPageFormOf(stored)));
  const change = (field: MyPageField, value: string) => {
    setForm({ ...form, [field]: value });
    setRefused({ ...refused, [field]: undefined });
  };
  const leave = (field: MyPageField) => setLeft(new Set([...left, field]));
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const problem = logoProblem(new Uint8Array(await file.slice(0, 8).arrayBuffer()), file.size);
    setRefused({ ...refused, logo: problem ? messageOf(problem, {}, language) : undefined });
    if (problem === null) setLogo({ file, address: URL.createObjectURL(file) });
  };
  const close = async () => {
    const leaves = !isChanged || await confirmInModal("changes.discard");
    if (leaves) onClose();
  };
  const failed = (error: unknown) => {
    const { code } = asAppError(error);
    const field = FIELDS[code] ?? (code.startsWith("logo.") ? "logo" : undefined);
    if (field) {
      presentToast(code);
      return setRefused({ [field]: messageOf(code, {}, language) });
    }
    // rate limit, ended session, network failure: each has a more specific text than "failed"
    if (code.startsWith("auth.") || code.startsWith("token.") || code === "network.offline") {
      return presentError(error);
    }
    presentToast("settings.failed");
  };
  const save = async () => {
    const wrong = (Object.keys(EMPTY) as MyPageField[]).filter((field) => problems[field]);
    if (wrong[0]) {
      setLeft(new Set([...left, ...wrong]));
      // D1 §8: a validation error is also shown in a toast
      const code = wrong.map((field) => CODES[problems[field]!]).find((each) => each !== undefined);
      if (code) presentToast(code);
      return document.getElementById(`${id}${wrong[0]}`)?.focus();
    }
    setSaving(true);
    try {
      if (changesPassword(form)) {
        await changePassword(browserApi, {
          current_password: form.current,
          new_password: form.next,
        });
        presentToast("password.changed");
        // the password fields are cleared, so that a retry does not change the password again
        setForm((now) => ({ ...now, current: "", next: "", confirmation: "" }));
      }
      const { name, hospitalName } = form;
      const isSame = name === stored!.name && hospitalName === stored!.hospital_name &&
        logo === undefined;
      if (!isSame) {
        await saveMyPage(browserApi, {
          name,
          hospital_name: hospitalName,
          logo: logo === null ? null : logo?.file,
        });
        presentToast("settings.updated");
        await Promise.all(
          [queryKeys.settings, queryKeys.reports, queryKeys.user].map((queryKey) =>
            queryClient.invalidateQueries({ queryKey })
          ),
        );
      }
      onClose();
    } catch (error) {
      failed(error);
    } finally {
      setSaving(false);
    }
  };
  return {
    stored,
    failure,
    form,
    isSaving,
    isChanged,
    problemOf,
    logoProblem: refused.logo ?? null,
    /** address of the displayed logo; `null` without one */
    logoAddress: logo === null ? null : logo?.address ?? stored?.logo_url ?? null,
    load,
    change,
    leave,
    chooseLogo: choose,
    removeLogo: () => setLogo(stored?.logo_url ? null : undefined),
    close,
    save,
  };
}

type MyPageState = ReturnType<typeof useMyPage>;

interface FieldProps {
  page: MyPageState;
  id: string;
  name: MyPageField;
  autoComplete: string;
  isFirst?: boolean;
}

function Field({ page, id, name, autoComplete, isFirst = false }: FieldProps) {
  const text = useText(myPageText), { form, stored } = page;
  const problem = page.problemOf(name), isSecret = PASSWORDS.some((each) => each === name);
  return (
    <div>
      <label htmlFor={`${id}${name}`} className="block mb-1 text-[13px] font-medium text-ink">
        {text(name)}
      </label>
      <input
        id={`${id}${name}`}
        type={isSecret ? "password" : "text"}
        autoComplete={autoComplete}
        value={form[name]}
        readOnly={stored === null}
        aria-required={!isSecret || changesPassword(form)}
        aria-invalid={problem !== null}
        aria-describedby={`${id}${name}-problem`}
        data-autofocus={isFirst || undefined}
        onChange={(event) => page.change(name, event.currentTarget.value)}
        onBlur={() => page.leave(name)}
        className={`${INPUT} w-full ${problem ? "border-red-700" : ""}`}
      />
      <Problem id={`${id}${name}-problem`} text={problem} />
    </div>
  );
}

/** The logo for reports, with a button that replaces it. */
function LogoBox({ page }: { page: MyPageState }) {
  const text = useText(myPageText), picker = useRef<HTMLInputElement>(null);
  const { stored, logoAddress: address } = page;
  return (
    <div>
      <p className="mb-1 text-[13px] font-medium text-ink">{text("logo")}</p>
      <div className="flex items-center gap-4">
        <div className="w-[180px] h-[72px] shrink-0 grid place-items-center rounded-md border border-line bg-white p-2">
          {address
            ? (
              <img
                src={address}
                alt={text("logo")}
                className="max-w-full max-h-[54px] object-contain"
              />
            )
            : <span className="text-[13px] text-ink-faint">{text("noLogo")}</span>}
        </div>
        <div className="flex flex-col gap-1.5">
          <div className="flex gap-2">
            <Button size="small" disabled={stored === null} onClick={() => picker.current?.click()}>
              {text("chooseLogo")}
            </Button>
            {address && (
              <Button
                size="small"
                kind="quiet"
                onClick={page.removeLogo}
              >
                {text("removeLogo")}
              </Button>
            )}
          </div>
          <p className="text-xs text-ink-soft">{text("logoHint")}</p>
        </div>
        <input
          ref={picker}
          type="file"
          hidden
          accept="image/png,image/jpeg"
          aria-label={text("logo")}
          onChange={(event) => {
            void page.chooseLogo(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
      <Problem text={page.logoProblem} />
    </div>
  );
}

/** My Page: name, hospital, logo and password of the signed-in user. */
export default function MyPageDialog({ onClose }: { onClose: () => void }) {
  const language = useLanguage(), text = useText(myPageText), factor = useText(secondFactorText);
  const user = useUser(), id = useId();
  const page = useMyPage(id, onClose);
  const { stored, failure, isChanged, isSaving } = page;
  return (
    <EditDialog
      language={language}
      text={text}
      width="w-[560px]"
      failure={failure && messageOf(failure.code, failure.details, language)}
      isSaving={isSaving}
      canSave={isChanged}
      onLoad={page.load}
      onClose={page.close}
      onSave={page.save}
    >
      <form
        noValidate
        aria-busy={stored === null}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isSaving) void page.save();
        }}
        className="flex flex-col gap-4 pt-2"
      >
        <Field page={page} id={id} name="name" autoComplete="name" isFirst />
        <div className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <Field page={page} id={id} name="hospitalName" autoComplete="organization" />
          <LogoBox page={page} />
          <p className="text-xs text-ink-soft">{text("hospitalHint")}</p>
        </div>
        <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <legend className="px-1 text-[13px] font-semibold text-ink">{text("password")}</legend>
          <p className="text-xs text-ink-soft">{text("passwordHint")}</p>
          <Field page={page} id={id} name="current" autoComplete="current-password" />
          <div className="grid grid-cols-2 gap-3">
            <Field page={page} id={id} name="next" autoComplete="new-password" />
            <Field page={page} id={id} name="confirmation" autoComplete="new-password" />
          </div>
          {user?.source !== "oidc" && (
            <a
              href="/second-factor"
              className="mt-2 inline-block text-[13px] text-brand-700 hover:underline"
            >
              {factor("title")}
            </a>
          )}
        </fieldset>
        <button type="submit" hidden />
      </form>
    </EditDialog>
  );
}
