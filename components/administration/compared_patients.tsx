// Confirmation of an HL7 message that may be about another person than the records.
import type { MessageConfirmation } from "@/model/schema/connections/connections.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { CELL } from "@/components/administration/connection_parts.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";

type Text = ReturnType<typeof useText<typeof connectionText>>;

const sexIn = (text: Text, sex: string | null): string =>
  sex === "male" || sex === "female" ? text(`sex_${sex}`) : sex || "-";

/** Columns of the comparison: each recorded identity, then that of the message. */
function columnsOf({ recorded, given }: MessageConfirmation, text: Text) {
  const id = given.prior_id === ""
    ? given.patient_id
    : text("mergedInto", { prior: given.prior_id, id: given.patient_id });
  return [
    ...recorded.map((one) => ({ ...one, head: text("asRecorded") })),
    { ...given, patient_id: id, studies: null, orders: null, head: text("inMessage") },
  ];
}

/** The identities of a message side by side; the message is applied only by its own button. */
export function ComparedPatients(
  { confirmation, onApply, onClose }: {
    confirmation: MessageConfirmation;
    onApply: () => void;
    onClose: () => void;
  },
) {
  const text = useText(connectionText), common = useText(commonText);
  const columns = columnsOf(confirmation, text);
  const rows: [string, (column: (typeof columns)[number]) => string][] = [
    [text("patientId"), ({ patient_id }) => patient_id || "-"],
    [text("patientName"), ({ name }) => name || "-"],
    [text("birthDate"), ({ birth_date }) => birth_date ?? "-"],
    [text("patientSex"), ({ sex }) => sexIn(text, sex)],
    [text("studyCount"), ({ studies }) => studies === null ? "" : String(studies)],
    [text("orderCount"), ({ orders }) => orders === null ? "" : String(orders)],
  ];
  return (
    <Dialog
      title={text("compareTitle")}
      width="w-[760px]"
      closeLabel={common("close")}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>{text("cancel")}</Button>
          <Button kind="danger" onClick={onApply}>{text("confirmAndApply")}</Button>
        </>
      }
    >
      <p className="mb-3">{text("compareExplained", { id: confirmation.given.patient_id })}</p>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={text("compareTitle")}>
        <table className="w-full text-[13px] text-ink">
          <thead>
            <tr className="border-b border-line text-ink-soft">
              <td className={CELL} />
              {columns.map(({ head }, at) => (
                <th key={at} scope="col" className={`${CELL} font-semibold`}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, valueOf]) => (
              <tr key={label} className="border-b border-line last:border-b-0">
                <th scope="row" className={`${CELL} font-semibold text-ink-soft`}>{label}</th>
                {columns.map((column, at) => (
                  <td key={at} className={`${CELL} tabular break-words`}>{valueOf(column)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
