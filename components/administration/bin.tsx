// Deleted studies with user, time and reason of the deletion, and a button to restore each.
// This page is loaded on demand.
import { queryKeys } from "@/model/query_keys.ts";
import type { BinList } from "@/model/schema/studies/bin.ts";
import { binText } from "@/model/text/account/accounts.ts";
import { statusText } from "@/model/text/site/status.ts";
import { getBin, purgeStudy, restoreStudy } from "@/client/api/studies/bin.ts";
import { browserApi } from "@/client/browser_api.ts";
import { dayIn, secondIn } from "@/model/time/site_time.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";
import { CELL, Head, useStatusList } from "@/components/administration/use_list.tsx";

type DeletedStudy = BinList["studies"][number];

/** Columns of the table of deleted studies; the last column contains buttons. */
const COLUMNS = [
  "number",
  "patientId",
  "patient",
  "studyDate",
  "deleted",
  "deletedBy",
  "reason",
  "goneAt",
] as const;

function Bin() {
  const text = useText(binText), status = useText(statusText), canPurge = useMay("purge");
  const { data, missing, isBusy, change } = useStatusList(
    queryKeys.bin,
    (signal) => getBin(browserApi, signal),
  );
  if (!data) return missing;
  const purge = async ({ pid, patient_id }: DeletedStudy) => {
    if (!await confirmInModal("study.delete", { studies: patient_id, lines: [] })) return;
    await change(() => purgeStudy(browserApi, pid));
  };
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-soft">{text("explained", { n: data.days })}</p>
      <section className="rounded-xl border border-line bg-white overflow-hidden">
        {data.studies.length === 0
          ? <p className="px-5 py-10 text-center text-sm text-ink-soft">{text("empty")}</p>
          : (
            <table className="w-full text-[13px]" aria-label={status("bin")}>
              <Head names={COLUMNS.map((name) => text(name))} />
              <tbody>
                {data.studies.map((study) => (
                  <tr key={study.pid} className="border-b border-line last:border-b-0 text-ink">
                    <DeletedStudyCells study={study} />
                    <td className={`${CELL} text-right whitespace-nowrap`}>
                      <Button
                        size="small"
                        disabled={isBusy}
                        onClick={() =>
                          void change(() =>
                            restoreStudy(browserApi, study.pid)
                          )}
                      >
                        {text("restore")}
                      </Button>{" "}
                      {canPurge && (
                        <Button
                          size="small"
                          kind="danger"
                          disabled={isBusy}
                          onClick={() => void purge(study)}
                        >
                          {text("purge")}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </section>
    </div>
  );
}

function DeletedStudyCells({ study }: { study: DeletedStudy }) {
  const timeZone = useTimeZone();
  return (
    <>
      <td className={`${CELL} tabular`}>{study.pid}</td>
      <td className={`${CELL} tabular whole-words`}>
        <bdi>{study.patient_id}</bdi>
      </td>
      <td className={CELL}>
        <bdi>{study.patient_name}</bdi>
      </td>
      <td className={`${CELL} tabular whitespace-nowrap`}>{study.study_date ?? "-"}</td>
      <td className={`${CELL} tabular whitespace-nowrap`}>
        {secondIn(timeZone, Date.parse(study.deleted_at))}
      </td>
      <td className={CELL}>
        <bdi>{study.deleted_by ?? "-"}</bdi>
      </td>
      <td className={`${CELL} break-words`}>
        <bdi>{study.reason ?? "-"}</bdi>
      </td>
      <td className={`${CELL} tabular whitespace-nowrap`}>
        {dayIn(timeZone, Date.parse(study.gone_at))}
      </td>
    </>
  );
}

export default withQueries(Bin);
