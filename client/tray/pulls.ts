// Shows in the tray the server's retrievals from archives; session storage keeps their ids.
import type { Pull } from "@/model/schema/connections/pacs.ts";
import { getPulls } from "@/client/api/connections/pacs.ts";
import { browserApi } from "@/client/browser_api.ts";
import { KEPT_PULLS } from "@/client/tray/kept.ts";
import { putTask, removeTask, type TrayTask } from "@/client/tray/tray.ts";

const LOOK_MS = 2000;
/** Delay after a failed poll, ms; the server continues the retrieval regardless. */
const AGAIN_MS = 10_000;

function kept(): number[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEPT_PULLS) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "number") : [];
  } catch {
    return [];
  }
}
function keep(ids: readonly number[]): void {
  if (ids.length === 0) sessionStorage.removeItem(KEPT_PULLS);
  else sessionStorage.setItem(KEPT_PULLS, JSON.stringify(ids));
}

/** A retrieval request as shown in the tray. */
function taskOf(
  { id, state, arrived, expected, study_date, description, failure }: Pull,
): TrayTask {
  const isOver = state === "done" || state === "failed";
  const percent = expected > 0 ? Math.min(99, Math.floor(100 * arrived / expected)) : null;
  return {
    id: `pull-${id}`,
    kind: "pull",
    count: 1,
    what: [study_date, description].filter(Boolean).join(" · "),
    percent: isOver ? 100 : percent,
    state,
    ...(failure ? { failure } : {}),
    forget: () => {
      keep(kept().filter((one) => one !== id));
      removeTask(`pull-${id}`);
    },
  };
}

let timer: ReturnType<typeof setTimeout> | undefined;

async function look(): Promise<void> {
  const ids = kept();
  if (ids.length === 0) return;
  let waitMs = LOOK_MS;
  try {
    const pulls = (await getPulls(browserApi)).filter(({ id }) => ids.includes(id));
    for (const pull of pulls) putTask(taskOf(pull));
    const open = pulls.filter(({ state }) => state === "running" || state === "waiting");
    keep(open.map(({ id }) => id));
    if (open.length === 0) return;
  } catch {
    waitMs = AGAIN_MS;
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(), waitMs);
}

/** Shows retrieval requests in the tray until they end. */
export function followPulls(ids: readonly number[]): void {
  keep([...new Set([...kept(), ...ids])]);
  void look();
}

/** Resumes tracking the retrievals of the previous page in this tab. */
export const resumePulls = (): void => void look();
