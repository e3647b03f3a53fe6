import { useEffect } from "react";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { onReconnect, onServerEvent } from "@/client/live/live_updates.ts";
import { informInModal } from "@/client/notices/present_error.ts";
import { useUser } from "@/client/page/user.ts";

/**
 * Reacts when another user deletes or changes the open study: a modal leads to the home page by a
 * full page load (D2 §2). Changes during a lost connection are detected on reconnect.
 *
 * @param opened State of the study on the page, for detecting a change.
 * @param onRead Receives the study after a correction and after a reconnect.
 */
export function useStudyEvents(
  pid: number,
  opened: Partial<Patient>,
  onRead?: (now: Patient) => void,
): void {
  const user = useUser();
  useEffect(() => {
    const inform = (isDeleted: boolean) =>
      isDeleted
        ? informInModal("study.deleted")
        : informInModal("study.updated", {}, () => location.assign("/"));
    // loaded on the first disconnect; if that fails, the next reconnect loads it again
    const ask = (isMissed: boolean) =>
      import("@/client/live/study_check.ts").then(({ findMissedChange }) =>
        findMissedChange(pid, opened, onRead)
      ).then((missed) => isMissed && missed && inform(missed === "deleted"), () => undefined);
    const stopHearing = onServerEvent((event) => {
      if (event.event === "study_reading" && event.pid === pid && onRead) void ask(false);
      if (event.event !== "study_delete" && event.event !== "study_update") return;
      if (event.pid === pid && event.uid !== user?.user_id) inform(event.event === "study_delete");
    });
    const stopAsking = onReconnect(() => void ask(true));
    return () => {
      stopHearing();
      stopAsking();
    };
  }, [pid, user, opened, onRead]);
}
