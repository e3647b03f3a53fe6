// Scanners with withheld percentiles, and the decisions of two administrators about each scanner.
import { useEffect, useState } from "react";
import { movedText } from "@/model/drift/chart_text.ts";
import type { ScannerStop, StopAgreement, StopDecision } from "@/model/schema/report/stops.ts";
import { MAX_STOP_REASON } from "@/model/schema/report/stops.ts";
import { stopsText } from "@/model/text/settings/stops.ts";
import { agreeToStop, getStops, proposeStop, undoStop } from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { useAction } from "@/components/use_action.ts";
import { INPUT } from "@/components/fields.tsx";

export function StopList() {
  const text = useText(stopsText);
  const [stops, setStops] = useState<readonly ScannerStop[] | null>(null);
  const load = () => getStops(browserApi).then(({ stops }) => setStops(stops), presentError);
  useEffect(() => void load(), []);
  const { isBusy, act } = useAction(load);
  return (
    <section className="mt-6">
      <h2 className="font-semibold text-ink">{text("title")}</h2>
      <p className="mb-2 text-[13px] text-ink-soft">{text("hint")}</p>
      {stops?.length === 0 && <p className="text-[13px]">{text("none")}</p>}
      <ul className="flex flex-col gap-2">
        {stops?.map((stop) => <StopItem key={stop.id} stop={stop} isBusy={isBusy} onAct={act} />)}
      </ul>
    </section>
  );
}

interface StopItemProps {
  stop: ScannerStop;
  isBusy: boolean;
  onAct: (action: () => Promise<void>) => Promise<void>;
}

function StopItem({ stop, isBusy, onAct }: StopItemProps) {
  const text = useText(stopsText), language = useLanguage();
  const { id, scanner, protocol, state, is_own } = stop;
  const list = movedText(stop.moved, language);
  const undo = async () => {
    if (state === "proposed" || await confirmInModal("stop.undo", { scanner })) {
      await onAct(() => undoStop(browserApi, id));
    }
  };
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line bg-white px-3 py-2 text-[13px]">
      <p className="font-medium text-ink">{`${scanner} · ${protocol}`}</p>
      <p>
        {`${stop.since === null ? text("all") : text("since", { date: stop.since })} · ${
          text("stopped", { date: stop.stopped_at.slice(0, 10) })
        }`}
      </p>
      <p>{text("charts", { list })}</p>
      {state !== "stopped" && <p className="font-medium text-ink">{decisionOf(stop, text)}</p>}
      {state === "stopped" && (
        <DecisionForm
          scanner={scanner}
          isBusy={isBusy}
          onPropose={(decision, reason) =>
            void onAct(() => proposeStop(browserApi, id, { decision, reason }))}
        />
      )}
      {state === "proposed" && is_own && <p>{text("own")}</p>}
      {state !== "stopped" && (
        <div className="flex gap-2">
          {state === "proposed" && !is_own && (
            <Button
              size="small"
              kind="primary"
              disabled={isBusy}
              onClick={() => void onAct(() => agreeToStop(browserApi, id, proposalOf(stop)))}
            >
              {text("agree")}
            </Button>
          )}
          <Button size="small" disabled={isBusy} onClick={() => void undo()}>
            {text("undo")}
          </Button>
        </div>
      )}
    </li>
  );
}

/** The proposal about a stopped scanner as this person has read it. */
const proposalOf = ({ decision, proposed_at, changed_at }: ScannerStop): StopAgreement => ({
  decision: decision!,
  proposed_at: proposed_at!,
  changed_at,
});

/** Text of the decision: proposed by one administrator, or confirmed by two. */
function decisionOf(
  stop: ScannerStop,
  text: (key: keyof typeof stopsText, values?: Record<string, string>) => string,
): string {
  const { state, decision, reason } = stop;
  const key = state === "proposed"
    ? decision === "release" ? "proposedRelease" : "proposedConfirm"
    : state === "released"
    ? "released"
    : "confirmed";
  return text(key, {
    user: stop.proposed_by ?? "–",
    second: stop.decided_by ?? "–",
    date: (stop.decided_at ?? stop.proposed_at ?? "").slice(0, 10),
    reason,
  });
}

interface DecisionFormProps {
  scanner: string;
  isBusy: boolean;
  onPropose: (decision: StopDecision, reason: string) => void;
}

function DecisionForm({ scanner, isBusy, onPropose }: DecisionFormProps) {
  const text = useText(stopsText), [reason, setReason] = useState("");
  const isEmpty = reason.trim() === "";
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        value={reason}
        maxLength={MAX_STOP_REASON}
        aria-label={text("reasonOf", { scanner })}
        placeholder={text("reason")}
        onChange={(event) => setReason(event.currentTarget.value)}
        className={`${INPUT} flex-1 basis-[260px] min-w-0`}
      />
      {(["release", "confirm"] as const).map((decision) => (
        <Button
          key={decision}
          size="small"
          disabled={isBusy || isEmpty}
          onClick={() => onPropose(decision, reason.trim())}
        >
          {text(decision)}
        </Button>
      ))}
    </div>
  );
}
