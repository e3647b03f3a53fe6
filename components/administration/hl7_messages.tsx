// HL7 messages of the hospital information system, and patient merges from these messages.
import {
  type Connections as Page,
  type Hl7MessageRow,
  MAX_ORDERS,
  type PatientMergeRow,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { browserApi } from "@/client/browser_api.ts";
import { dropMessage, repeatMessage, undoMerge } from "@/client/api/connections/connections.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { Button } from "@/components/Button.tsx";
import { CELL, Section, Table } from "@/components/administration/connection_parts.tsx";
import { useAction } from "@/components/use_action.ts";

type Text = ReturnType<typeof useText<typeof connectionText>>;
type Key = keyof typeof connectionText;
interface Props {
  page: Page;
  reload: () => Promise<void>;
}

/** Text for the reason why a message waits or failed; an unknown code is shown unchanged. */
const reasonIn = (text: Text, reason: string): string => {
  const key = `message_${reason}`;
  return Object.hasOwn(connectionText, key) ? text(key as Key) : reason;
};

function patientOf({ patient_id, prior_id }: Hl7MessageRow, text: Text): string {
  if (prior_id !== "") return text("mergedInto", { prior: prior_id, id: patient_id });
  return patient_id || "-";
}

/** Table of HL7 messages; waiting and failed messages come first. */
export function Messages({ page, reload }: Props) {
  const text = useText(connectionText), timeZone = useTimeZone();
  const { isBusy, act } = useAction(reload);
  const drop = async ({ id }: Hl7MessageRow) => {
    if (await confirmInModal("message.drop", {})) await act(() => dropMessage(browserApi, id));
  };
  const heads = [
    text("time"),
    text("sender"),
    text("message"),
    text("patientId"),
    text("state"),
    "",
  ];
  return (
    <Section title={text("messages")}>
      <p className="mb-2 text-sm text-ink-soft">{text("messagesExplained")}</p>
      {page.counts.orders >= MAX_ORDERS && (
        <p role="status" className="mb-2 text-sm text-red-700">
          {text("ordersLimited", { n: MAX_ORDERS })}
        </p>
      )}
      {page.messages.length === 0
        ? <p className="text-sm text-ink-soft">{text("noMessages")}</p>
        : (
          <Table label={text("messages")} heads={heads}>
            {page.messages.map((one) => (
              <tr key={one.id} className="border-b border-line last:border-b-0 text-ink">
                <td className={`${CELL} tabular`}>
                  {minuteIn(timeZone, Date.parse(one.received_at))}
                </td>
                <td className={CELL}>{one.system}</td>
                <td className={`${CELL} whitespace-nowrap`} title={one.control_id}>
                  {one.event.replace("^", " ")}
                </td>
                <td className={`${CELL} break-all`}>{patientOf(one, text)}</td>
                <td className={`${CELL} max-w-[320px] break-words`}>
                  <span className={one.state === "failed" ? "text-red-700" : ""}>
                    {text(`state_${one.state}`)}
                  </span>
                  {one.reason !== null && (
                    <span className="block text-ink-soft">{reasonIn(text, one.reason)}</span>
                  )}
                </td>
                <td className={`${CELL} whitespace-nowrap text-right`}>
                  {one.state === "failed" && (
                    <>
                      <Button
                        size="small"
                        disabled={isBusy}
                        onClick={() =>
                          void act(() => repeatMessage(browserApi, one.id))}
                      >
                        {text("applyAgain")}
                      </Button>
                      {" "}
                    </>
                  )}
                  {(one.state === "failed" || one.state === "waiting") && (
                    <Button
                      size="small"
                      kind="danger"
                      disabled={isBusy}
                      onClick={() => void drop(one)}
                    >
                      {text("drop")}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
    </Section>
  );
}

/** Table of patient merges, newest first. */
export function Merges({ page, reload }: Props) {
  const text = useText(connectionText), timeZone = useTimeZone();
  const { isBusy, act } = useAction(reload);
  const undo = async ({ id, prior_id, pids }: PatientMergeRow) => {
    if (await confirmInModal("merge.undo", { patient: prior_id, n: pids.length })) {
      await act(() => undoMerge(browserApi, id));
    }
  };
  const minute = (at: string) => minuteIn(timeZone, Date.parse(at));
  return (
    <Section title={text("merges")}>
      {page.merges.length === 0
        ? <p className="text-sm text-ink-soft">{text("noMerges")}</p>
        : (
          <Table
            label={text("merges")}
            heads={[text("time"), text("patientId"), text("moved"), text("state"), ""]}
          >
            {page.merges.map((one) => (
              <tr key={one.id} className="border-b border-line last:border-b-0 text-ink">
                <td className={`${CELL} tabular`}>{minute(one.merged_at)}</td>
                <td className={`${CELL} break-all`}>
                  {text("mergedInto", { prior: one.prior_id, id: one.patient_id })}
                </td>
                <td className={`${CELL} tabular break-words`}>{one.pids.join(", ") || "-"}</td>
                <td className={CELL}>
                  {text(`state_${one.state}`)}
                  <span className="block text-ink-soft">
                    {one.undo_until !== null
                      ? text("undoUntil", { time: minute(one.undo_until) })
                      : one.refusal !== null
                      ? text(`refusal_${one.refusal}`)
                      : ""}
                  </span>
                </td>
                <td className={`${CELL} text-right`}>
                  {one.undo_until !== null && (
                    <Button
                      size="small"
                      disabled={isBusy}
                      onClick={() => void undo(one)}
                    >
                      {text("undo")}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
    </Section>
  );
}
