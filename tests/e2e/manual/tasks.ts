// Performs the tasks of the manual (docs/manual): each step by the names of the controls in its
// text, in its language. For a test, and for the manual's pictures.
import type { Page } from "@playwright/test";
import { controlsOf, type Manual } from "@/model/site/manual.ts";
import { EVIDENCE_TASKS } from "@/tests/e2e/manual/evidence_tasks.ts";
import { LIST_TASKS } from "@/tests/e2e/manual/list_tasks.ts";
import { READING_TASKS } from "@/tests/e2e/manual/reading_tasks.ts";
import { SERVER_TASKS } from "@/tests/e2e/manual/server_tasks.ts";
import { SETTINGS_TASKS } from "@/tests/e2e/manual/settings_tasks.ts";
import type { Tasks, Walk } from "@/tests/e2e/manual/steps.ts";

export { EVIDENCE_TASKS };

/** Steps of every task. A task starts where the previous one ended, or opens its own page. */
export const TASKS: Tasks = { ...LIST_TASKS, ...READING_TASKS, ...SETTINGS_TASKS, ...SERVER_TASKS };

/** Tasks of a manual in order, with their steps. */
export function tasksOf({ sections }: Manual): { id: string; steps: string[] }[] {
  const tasks: { id: string; steps: string[] }[] = [];
  for (const { kind, name, text } of sections.flatMap(({ lines }) => lines)) {
    if (kind === "heading" && name) tasks.push({ id: name, steps: [] });
    else if (kind === "step") tasks.at(-1)?.steps.push(text);
  }
  return tasks;
}

/** Tasks about norms, which need a site with controls (`tests/sites/control_site.ts`). */
export const NORM_TASKS: readonly string[] = ["do-controls", "do-norms"];

/** Performs a manual; signing out is last. @throws an error that names the failed step. */
export async function walkManual(
  page: Page,
  manual: Manual,
  walk: Walk,
  isWanted: (id: string) => boolean,
) {
  const tasks = tasksOf(manual).filter(({ id }) => isWanted(id));
  const last = tasks.filter(({ id }) => id === "do-sign-out");
  for (const { id, steps } of [...tasks.filter((task) => !last.includes(task)), ...last]) {
    for (const [n, text] of steps.entries()) {
      try {
        await TASKS[id]![n]!(page, controlsOf(text), walk);
      } catch (cause) {
        throw new Error(`The manual's step cannot be done: ${id}, ${n + 1}. ${text}: ${cause}`, {
          cause,
        });
      }
    }
  }
}
