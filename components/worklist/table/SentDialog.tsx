// Deliveries of a study's results by system; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { asAppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { SentResults } from "@/model/schema/connections/connections.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { getSentResults, repeatResults } from "@/client/api/connections/connections.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useMay } from "@/client/page/user.ts";
import { storedFailureWords } from "@/client/tray/failure_words.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { useAction } from "@/components/use_action.ts";

const CELL = "px-2 py-1.5 text-left align-top";
type Sent = SentResults["results"][number];
type Key = keyof typeof connectionText;

interface SentDialogProps {
  row: PatientRow;
  onClose: () => void;
}

export default function SentDialog({ row, onClose }: SentDialogProps) {
  const text = useText(connectionText), common = useText(commonText), language = useLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.sentResults(row.pid),
    queryFn: ({ signal }) => getSentResults(browserApi, row.pid, signal),
  });
  const patient = nameText(row.patient_name, language) || row.patient_id;
  return (
    <Dialog
      title={`${text("outbox")}: ${patient}`}
      closeLabel={common("close")}
      onClose={onClose}
      width="w-[760px]"
      footer={<Button data-autofocus onClick={onClose}>{common("close")}</Button>}
    >
      {data
        ? <Results results={data.results} onRepeated={() => void refetch()} />
        : error
        ? <p role="alert">{messageOf(asAppError(error).code, {}, language)}</p>
        : <p role="status">{common("loading")}…</p>}
    </Dialog>
  );
}

function Results({ results, onRepeated }: { results: readonly Sent[]; onRepeated: () => void }) {
  const text = useText(connectionText), language = useLanguage(), timeZone = useTimeZone();
  const mayRepeat = useMay("administer"), { isBusy, act } = useAction();
  const again = (id: number) =>
    act(async () => {
      await repeatResults(browserApi, [id]);
      onRepeated();
    });
  return (
    <table className="w-full text-[13px]" aria-label={text("outbox")}>
      <thead>
        <tr className="border-b border-line text-ink-soft">
          {(["time", "to", "result", "state"] as const).map((head) => (
            <th key={head} scope="col" className={`${CELL} font-semibold`}>{text(head)}</th>
          ))}
          <td className={CELL} />
        </tr>
      </thead>
      <tbody>
        {results.map((one) => (
          <tr key={one.id} className="border-b border-line last:border-b-0 text-ink">
            <td className={`${CELL} tabular`}>
              {minuteIn(timeZone, Date.parse(one.sent_at ?? one.created_at))}
            </td>
            <td className={`${CELL} break-words`}>{one.peer}</td>
            <td className={CELL}>{text(`result_${one.kind}` as Key)}</td>
            <td className={`${CELL} break-words`}>
              {text(`state_${one.state}`)}
              {one.committed_at && `, ${text("committed")}`}
              {one.last_error && (
                <span className="block text-ink-soft">
                  {storedFailureWords(one.last_error, language)}
                </span>
              )}
            </td>
            <td className={`${CELL} text-right whitespace-nowrap`}>
              {mayRepeat && one.state !== "waiting" && one.state !== "sending" && (
                <Button
                  size="small"
                  disabled={isBusy}
                  onClick={() => void again(one.id)}
                >
                  {text("sendAgain")}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
