import { queryKeys } from "@/model/query_keys.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { getPatientRow } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import type { PageCache } from "@/client/live/live_updates.ts";
import { queryClient } from "@/client/page/query.ts";
import {
  addNewStudies,
  applyStudyAnalysis,
  applyStudyEditing,
  applyStudySent,
  countChange,
  fetchUntilStable,
  isOtherStatus,
  newStudies,
  refreshStudies,
  removeRow,
} from "@/client/live/worklist_cache.ts";

/** Worklist row of a study, without results. */
export const fetchRow = (pid: number) => fetchUntilStable(() => getPatientRow(browserApi, pid));

/** Effects of the server's events on the cached data of this page (D1 §4). */
function apply(event: ServerEvent): void {
  if (/^(study_|label_|resync$)/.test(event.event)) countChange();
  switch (event.event) {
    case "credit_update":
    case "credit_error":
      void queryClient.invalidateQueries({ queryKey: ["license"] });
      break;
    case "setting_update":
      void queryClient.invalidateQueries({ queryKey: queryKeys.settings });
      void queryClient.invalidateQueries({ queryKey: queryKeys.reports });
      break;
    case "study_create":
      addNewStudies(event.pid_list);
      void refreshStudies(queryClient, [], fetchRow);
      break;
    case "study_delete":
      // fetches the next page to fill the gap that a deleted row left;
      // not if that page would contain new studies and shift every row
      void refreshStudies(
        queryClient,
        removeRow(queryClient, event.pid) && newStudies.value.size === 0 ? null : [],
        fetchRow,
      );
      break;
    // a correction changes values in the list and in an open report
    case "study_reading":
    case "study_update":
      void refreshStudies(queryClient, [event.pid], fetchRow);
      break;
    case "study_orders":
      void refreshStudies(queryClient, null, fetchRow);
      break;
    case "study_finding":
      void refreshStudies(queryClient, event.pid_list, fetchRow);
      break;
    case "label_update":
      void queryClient.invalidateQueries({ queryKey: ["labels"] });
      void queryClient.invalidateQueries({ queryKey: ["filters"] });
      void refreshStudies(queryClient, event.pid_list, fetchRow);
      break;
    case "resync":
      void queryClient.invalidateQueries();
      break;
    case "study_editing":
      applyStudyEditing(queryClient, event);
      break;
    case "study_sent":
      void applyStudySent(queryClient, event.pid, fetchRow);
      break;
    case "study_analysis":
      if (isOtherStatus(event)) {
        void queryClient.invalidateQueries({ queryKey: queryKeys.listCounts });
      }
      if (applyStudyAnalysis(queryClient, event)) {
        void refreshStudies(queryClient, [event.pid], fetchRow);
      }
      break;
  }
}

/** Query cache of this page, updated by events of the socket. */
export const liveCache: PageCache = {
  apply,
  refresh: () => void queryClient.refetchQueries({ type: "active" }),
  cancel: () => void queryClient.cancelQueries(),
  clear: () => queryClient.clear(),
};
