import { signal } from "@preact/signals-react";
import type { QueryClient } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import type { ServerEvent } from "@/model/schema/events.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/patients.ts";

type StudyAnalysis = Extract<ServerEvent, { event: "study_analysis" }>;

type StudyEditing = Extract<ServerEvent, { event: "study_editing" }>;

/** Shows in every cached worklist page who edits a record, or that nobody does any more. */
export function applyStudyEditing(client: QueryClient, { pid, uid, user }: StudyEditing): void {
  const editing = { editing_user: user, editing_uid: user === null ? null : uid };
  client.setQueriesData<PatientListResponse>(
    { queryKey: [...queryKeys.patients, "list"] },
    (list) =>
      list && list.patients.some((row) => row.pid === pid)
        ? { ...list, patients: list.patients.map((row) => row.pid === pid ? { ...row, ...editing } : row) }
        : list,
  );
}

/** A row after an analysis event of its study. */
export function rowAfter(row: PatientRow, event: StudyAnalysis): PatientRow {
  const percent = event.status === "processing" ? event.percent ?? 0 : null;
  return event.series === "t1"
    ? { ...row, t1_analysis_status: event.status, t1_analysis_percent: percent }
    : { ...row, t2_analysis_status: event.status, t2_analysis_percent: percent };
}

/** Stage that the engine runs now, by `pid/series`; told by events only, never stored. */
export const runningStages = signal<Readonly<Record<string, string>>>({});

/**
 * Brings every cached worklist page up to date with an analysis event. When an analysis ends, the row has more
 * new fields than the event tells (date, reason of a failure), so it is also asked again.
 */
export function applyStudyAnalysis(client: QueryClient, event: StudyAnalysis): void {
  const key = `${event.pid}/${event.series}`;
  const { [key]: _before, ...others } = runningStages.value;
  runningStages.value = event.status === "processing" && event.stage
    ? { ...others, [key]: event.stage }
    : others;
  client.setQueriesData<PatientListResponse>(
    { queryKey: [...queryKeys.patients, "list"] },
    (list) =>
      list && list.patients.some((row) => row.pid === event.pid)
        ? {
          ...list,
          patients: list.patients.map((row) => row.pid === event.pid ? rowAfter(row, event) : row),
        }
        : list,
  );
  if (event.status !== "processing" && event.status !== "waiting") {
    void client.invalidateQueries({ queryKey: queryKeys.patients });
  }
}
