import { type FormEvent, useState } from "react";
import {
  type AcceptanceDecision,
  type AcceptanceDetails,
  MAX_REMARK_LENGTH,
  type PictureAnswer,
} from "@/model/schema/report/acceptance.ts";
import { needsRemark } from "@/model/acceptance/needs_remark.ts";
import { decisionText, reasonLines, USE_TEXT } from "@/model/acceptance/sheet_text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import {
  countersignAcceptance,
  revokeAcceptance,
  signAcceptance,
} from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";

interface SignaturesProps {
  details: AcceptanceDetails;
  isBusy: boolean;
  onAct: (action: () => Promise<void>) => Promise<void>;
}

/**
 * Decision with reasons, two forms for electronic signatures, and lines for signatures on paper.
 */
export function Signatures({ details, isBusy, onAct }: SignaturesProps) {
  const language = useLanguage(), text = useText(acceptanceText), maySign = useMay("administer");
  const { test, pictures, allowed, remark, is_own } = details;
  const { decision, state } = test;
  const undo = async () => {
    if (await confirmInModal("acceptance.undo", { id: test.id })) {
      await onAct(() => revokeAcceptance(browserApi, test.id));
    }
  };
  return (
    <div className="flex flex-col gap-2">
      {decision === null
        ? (
          <p className={state === "checking" && maySign ? "hidden print:block" : ""}>
            {text("undecided")}
          </p>
        )
        : <p className="font-medium text-ink">{decisionText(decision, language)}</p>}
      {reasonLines(details, language).map((line) => <p key={line}>{line}</p>)}
      {remark !== "" && <p>{`${text("remark")}: ${remark}`}</p>}
      {state === "checking" && allowed.length === 0 && (
        <p className="print:hidden">{text("checkFirst")}</p>
      )}
      {state === "checking" && maySign && allowed.length > 0 && (
        <SignForm
          allowed={allowed}
          answers={pictures.map(({ answer }) => answer)}
          isBusy={isBusy}
          onSign={(post) => void onAct(() => signAcceptance(browserApi, test.id, post))}
        />
      )}
      {state === "signed" && is_own && <p className="print:hidden">{text("ownSignature")}</p>}
      {maySign && (
        <div className="print:hidden flex gap-2">
          {state === "signed" && !is_own && (
            <Button
              size="small"
              kind="primary"
              disabled={isBusy}
              onClick={() => void onAct(() => countersignAcceptance(browserApi, test.id))}
            >
              {text("countersign")}
            </Button>
          )}
          {state !== "revoked" && (
            <Button
              size="small"
              disabled={isBusy}
              onClick={() => void undo()}
            >
              {text("undo")}
            </Button>
          )}
        </div>
      )}
      <div className="grid grid-cols-2 gap-6">
        <SignatureLine
          label={text("firstSignature")}
          user={test.signed_by}
          at={test.signed_at}
        />
        <SignatureLine
          label={text("secondSignature")}
          user={test.countersigned_by}
          at={test.countersigned_at}
        />
      </div>
    </div>
  );
}

function SignatureLine(
  { label, user, at }: { label: string; user: string | null; at: string | null },
) {
  const text = useText(acceptanceText);
  return (
    <div>
      <p className="min-h-[44px] border-b border-line-strong pt-5">
        {at !== null && text("byOn", { user: user ?? "–", date: at.slice(0, 10) })}
      </p>
      <p className="text-ink-soft">{label}</p>
    </div>
  );
}

interface SignFormProps {
  allowed: readonly AcceptanceDecision[];
  answers: readonly (PictureAnswer | null)[];
  isBusy: boolean;
  onSign: (post: { decision: AcceptanceDecision; remark: string }) => void;
}

function SignForm({ allowed, answers, isBusy, onSign }: SignFormProps) {
  const text = useText(acceptanceText);
  const [chosen, setChosen] = useState<AcceptanceDecision | null>(null),
    [remark, setRemark] = useState("");
  const isRemarkNeeded = chosen !== null && needsRemark(chosen, answers);
  const sign = (event: FormEvent) => {
    event.preventDefault();
    if (chosen) onSign({ decision: chosen, remark });
  };
  return (
    <form onSubmit={sign} className="print:hidden flex flex-col gap-2">
      <fieldset className="flex flex-wrap gap-4">
        <legend className="text-ink-soft">{text("use")}</legend>
        {allowed.map((decision) => (
          <label key={decision} className="inline-flex items-center gap-1.5">
            <input
              type="radio"
              name="acceptance-decision"
              checked={chosen === decision}
              onChange={() =>
                setChosen(decision)}
            />
            {text(USE_TEXT[decision])}
          </label>
        ))}
      </fieldset>
      <label className="flex flex-col">
        {text("remark")}
        <textarea
          value={remark}
          required={isRemarkNeeded}
          maxLength={MAX_REMARK_LENGTH}
          rows={2}
          onChange={(event) => setRemark(event.currentTarget.value)}
          className="rounded-md border border-line-strong bg-white px-3 py-1.5 text-ink"
        />
        {isRemarkNeeded && <span className="text-ink-soft">{text("remarkNeeded")}</span>}
      </label>
      <div>
        <Button
          type="submit"
          size="small"
          kind="primary"
          disabled={isBusy || chosen === null}
        >
          {text("sign")}
        </Button>
      </div>
    </form>
  );
}
