import type { SavedFilter } from "@/model/schema/worklist/filters.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { SortKey } from "@/model/schema/studies/study.ts";
import type { FilterCriteria } from "@/model/worklist/filter_form.ts";
import {
  criteriaOfQuery,
  savedQueryOf,
  type WorklistQuery,
} from "@/model/worklist/worklist_query.ts";
import { isReadable, namedNumber, viewerBlocks } from "@/model/worklist/worklist_row.ts";
import { log } from "@/client/log.ts";
import { goTo } from "@/client/tray/tray.ts";
import { presentToast } from "@/client/notices/present_error.ts";

/** The list state with changed criteria; removed criteria are deleted from the query. */
export const filteredBy =
  (next: FilterCriteria, saved: SavedFilter | null = null) => (wanted: WorklistQuery) => {
    const none = Object.fromEntries(
      Object.keys(criteriaOfQuery(wanted)).map((key) => [key, undefined]),
    );
    return { ...none, ...next, page_idx: 1, ...saved === null ? {} : savedQueryOf(saved) };
  };

/** The list state sorted by a column; for the current sort column, the direction is reversed. */
export const sortedBy =
  (key: SortKey) => ({ sort_key, sort_direction }: WorklistQuery): Partial<WorklistQuery> => ({
    sort_key: key,
    sort_direction: sort_key === key && sort_direction === "asc" ? "desc" : "asc",
    page_idx: 1,
  });

/** Opens a study in the viewer, or shows why it cannot be opened. */
export function openStudy(row: PatientRow): void {
  // D1 §8: no message in this case
  if (!(row.pid > 0)) return log(`Cannot open study ${row.pid}: no such number`);
  if (isReadable(row)) goTo(`/viewer/${row.pid}`);
  else for (const code of viewerBlocks(row)) presentToast(code, { pid: namedNumber(row.pid, row) });
}

export const openReport = (row: PatientRow): void => goTo(`/report/${row.pid}`);
