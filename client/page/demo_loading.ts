// Follows the loading of synthetic demo patients until all are loaded, for every part of the page.
import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { Language } from "@/model/text.ts";
import { getDemo, loadDemo } from "@/client/api/site/demo.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";

/** Polling interval of the loading progress, ms. */
const LOOK_MS = 1500;

let isFollowed = false;

/** Text of the error that ended the loading of demo patients. */
export const demoFailure = (code: string, language: Language): string =>
  messageOf((isErrorCode(code) ? code : "internal") satisfies ErrorCode, {}, language);

/**
 * Mirrors the server's loading state in `queryKeys.demo` until loading ends; runs once per page.
 * An early end with some patients loaded is reported as a toast,
 * because the panel that would show the error is then no longer on the page.
 */
export async function followDemo(language: Language): Promise<void> {
  if (isFollowed) return;
  isFollowed = true;
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const state = await getDemo(browserApi), { failure, total, pid_list: { length: n } } = state;
      queryClient.setQueryData(queryKeys.demo, state);
      if (state.is_loading) continue;
      if (failure !== null && n > 0) {
        presentToast("demo.failed", { n, total, reason: demoFailure(failure, language) });
      }
      return;
    }
  } catch (error) {
    presentError(error);
  } finally {
    isFollowed = false;
  }
}

/** Starts loading the missing demo patients, and shows the progress until all are loaded. */
export async function loadDemoPatients(language: Language): Promise<void> {
  try {
    queryClient.setQueryData(queryKeys.demo, await loadDemo(browserApi));
  } catch (error) {
    return presentError(error);
  }
  await followDemo(language);
}
