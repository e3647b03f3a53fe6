// HL7 messages of the hospital information system, and patient merges from these messages.
import { useState } from "react";
import {
  type Connections as Page,
  type Hl7MessageRow,
  MAX_ORDERS,
  type MessageConfirmation,
  type PatientMergeRow,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { browserApi } from "@/client/browser_api.ts";
import {
  dropMessage,
  getConfirmation,
  getMerges,
  getMessages,
  repeatMessage,
  undoMerge,
} from "@/client/api/connections/connections.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { Button } from "@/components/Button.tsx";
import { CELL, Section, Table } from "@/components/administration/connection_parts.tsx";
import { ComparedPatients } from "@/components/administration/compared_patients.tsx";
import { PageButtons, useListPages } from "@/components/administration/list_pages.tsx";
import { useAction } from "@/components/use_action.ts";

type Text = ReturnType<typeof useText<typeof connectionText>>;
type Key = keyof typeof connectionText;
interface Props {
  page: Page;
  reload: () => Promise<void>;
  refreshMs: number;
}

/** Text for the reason why a message waits or failed; an unknown code is shown unchanged. */
const reasonIn = (text: Text, reason: string): string => {
  const key = `message_${reason}`;
  return Object.hasOwn(connectionText, key) ? text(key as Key) : reason;
};

/** Advice for a message with uncertain patient IDs, by the reason. */
const DOUBTS: Readonly<Record<NonNullable<Hl7MessageRow["uncertain"]>["doubt"], Key>> = {
  authority: "message_id_uncertain",
  several_ids: "message_several_ids",
  two_authorities: "message_two_authorities",
};

function patientOf({ patient_id, prior_id, uncertain }: Hl7MessageRow, text: Text): string {
  if (uncertain) {
    const id = uncertain.ids.join(", "), prior = uncertain.prior_ids.join(", ");
    return prior === "" ? id : text("mergedInto", { prior, id });
  }
  if (prior_id !== "") return text("mergedInto", { prior: prior_id, id: patient_id });
  return patient_id || "-";
}

/** A message, with actions on one that waits or failed. */
function MessageRow(
  { message, isBusy, onRepeat, onDrop }: {
    message: Hl7MessageRow;
    isBusy: boolean;
    onRepeat: () => void;
    onDrop: () => void;
  },
) {
  const text = useText(connectionText), timeZone = useTimeZone();
  const { state, reason, uncertain, undone, control_id, needs_confirmation } = message;
  const reasonText = uncertain ? text(DOUBTS[uncertain.doubt]) : undone
    ? text("mergeUndoneBy", {
      name: undone.by || "-",
      time: minuteIn(timeZone, Date.parse(undone.at)),
    })
    : reason === null
    ? null
    : reasonIn(text, reason);
  return (
    <tr className="border-b border-line last:border-b-0 text-ink">
      <td className={`${CELL} tabular`}>{minuteIn(timeZone, Date.parse(message.received_at))}</td>
      <td className={CELL}>{message.system}</td>
      <td className={CELL}>
        <span className="whitespace-nowrap">{message.event.replace("^", " ")}</span>
        <span className="block text-xs break-all text-ink-soft">
          {text("controlId", { id: control_id })}
        </span>
      </td>
      <td className={`${CELL} break-all`}>{patientOf(message, text)}</td>
      <td className={`${CELL} max-w-[320px] break-words`}>
        <span className={state === "failed" ? "text-red-700" : ""}>{text(`state_${state}`)}</span>
        {reasonText !== null && <span className="block text-ink-soft">{reasonText}</span>}
      </td>
      <td className={`${CELL} whitespace-nowrap text-right`}>
        {state === "failed" && (
          <>
            <Button size="small" disabled={isBusy} onClick={onRepeat}>
              {text(needs_confirmation ? "compareAndApply" : "applyAgain")}
            </Button>
            {" "}
          </>
        )}
        {(state === "failed" || state === "waiting") && (
          <Button size="small" kind="danger" disabled={isBusy} onClick={onDrop}>
            {text("drop")}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** A message with the identities that a user compares before it is applied. */
interface Compared {
  id: number;
  confirmation: MessageConfirmation;
}

/** Table of HL7 messages; waiting and failed messages come first. */
export function Messages({ page, reload, refreshMs }: Props) {
  const text = useText(connectionText);
  const pages = useListPages<Hl7MessageRow>({
    name: "messages",
    first: { rows: page.messages, next: page.messages_next },
    read: async (after, signal) => {
      const { messages, next } = await getMessages(browserApi, { after }, signal);
      return { rows: messages, next };
    },
    reload,
    refreshMs,
  });
  const { isBusy, act } = useAction(pages.reload);
  const drop = async ({ id }: Hl7MessageRow) => {
    if (await confirmInModal("message.drop", {})) await act(() => dropMessage(browserApi, id));
  };
  const [compared, setCompared] = useState<Compared | null>(null);
  const repeat = ({ id, needs_confirmation }: Hl7MessageRow) =>
    act(async () => {
      if (!needs_confirmation) await repeatMessage(browserApi, id);
      else setCompared({ id, confirmation: await getConfirmation(browserApi, id) });
    });
  const confirm = async ({ id, confirmation }: Compared) => {
    setCompared(null);
    await act(() => repeatMessage(browserApi, id, confirmation.confirmed));
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
            {pages.rows.map((one) => (
              <MessageRow
                key={one.id}
                message={one}
                isBusy={isBusy}
                onRepeat={() => void repeat(one)}
                onDrop={() => void drop(one)}
              />
            ))}
          </Table>
        )}
      <PageButtons list={text("messages")} pages={pages} />
      {compared && (
        <ComparedPatients
          confirmation={compared.confirmation}
          onApply={() => void confirm(compared)}
          onClose={() => setCompared(null)}
        />
      )}
    </Section>
  );
}

/** A merge, with its undo while that is possible. */
function MergeRow(
  { merge, isBusy, onUndo }: { merge: PatientMergeRow; isBusy: boolean; onUndo: () => void },
) {
  const text = useText(connectionText), timeZone = useTimeZone();
  const minute = (at: string) => minuteIn(timeZone, Date.parse(at));
  const { undo_until, refusal } = merge;
  return (
    <tr className="border-b border-line last:border-b-0 text-ink">
      <td className={`${CELL} tabular`}>{minute(merge.merged_at)}</td>
      <td className={`${CELL} break-all`}>
        {text("mergedInto", { prior: merge.prior_id, id: merge.patient_id })}
      </td>
      <td className={`${CELL} tabular break-words`}>{merge.pids.join(", ") || "-"}</td>
      <td className={CELL}>
        {text(`state_${merge.state}`)}
        <span className="block text-ink-soft">
          {undo_until !== null
            ? text("undoUntil", { time: minute(undo_until) })
            : refusal !== null
            ? text(`refusal_${refusal}`)
            : ""}
        </span>
      </td>
      <td className={`${CELL} text-right`}>
        {undo_until !== null && (
          <Button size="small" disabled={isBusy} onClick={onUndo}>{text("undo")}</Button>
        )}
      </td>
    </tr>
  );
}

/** Table of patient merges, newest first. */
export function Merges({ page, reload, refreshMs }: Props) {
  const text = useText(connectionText);
  const pages = useListPages<PatientMergeRow>({
    name: "merges",
    first: { rows: page.merges, next: page.merges_next },
    read: async (after, signal) => {
      const { merges, next } = await getMerges(browserApi, { after }, signal);
      return { rows: merges, next };
    },
    reload,
    refreshMs,
  });
  const { isBusy, act } = useAction(pages.reload);
  const undo = async ({ id, prior_id, pids }: PatientMergeRow) => {
    if (await confirmInModal("merge.undo", { patient: prior_id, n: pids.length })) {
      await act(() => undoMerge(browserApi, id));
    }
  };
  return (
    <Section title={text("merges")}>
      {page.merges.length === 0
        ? <p className="text-sm text-ink-soft">{text("noMerges")}</p>
        : (
          <Table
            label={text("merges")}
            heads={[text("time"), text("patientId"), text("moved"), text("state"), ""]}
          >
            {pages.rows.map((one) => (
              <MergeRow
                key={one.id}
                merge={one}
                isBusy={isBusy}
                onUndo={() => void undo(one)}
              />
            ))}
          </Table>
        )}
      <PageButtons list={text("merges")} pages={pages} />
    </Section>
  );
}
