import { existsSync } from "node:fs";

/** Oldest supported Deno version; must equal the version in README and CI. */
export const MIN_DENO_VERSION = "2.9.6";

/**
 * Reason why this version of Deno cannot run the program; `null` if it can.
 *
 * @param version Version of the running Deno, e.g. `2.9.6` or `2.10.0-rc.1+abc`.
 */
export function runtimeProblem(version: string): string | null {
  const parts = (text: string) => text.split(/[-+]/)[0]!.split(".").map(Number);
  const have = parts(version), need = parts(MIN_DENO_VERSION);
  for (let i = 0; i < need.length; i++) {
    const difference = (have[i] ?? 0) - (need[i] ?? 0);
    if (difference > 0) return null;
    if (difference < 0) {
      return `Sulcus requires Deno ${MIN_DENO_VERSION} or newer; this is Deno ${version}. ` +
        `Update with "deno upgrade", or start with "npx -y deno@${MIN_DENO_VERSION} task start".`;
    }
  }
  return null;
}

/** Ends the process with one line for a too old Deno. Call it before other modules are loaded. */
export function checkRuntime(): void {
  const problem = runtimeProblem(Deno.version.deno);
  if (problem === null) return;
  Deno.stderr.writeSync(new TextEncoder().encode(problem + "\n"));
  Deno.exit(1);
}

// First step of `deno task start`, before anything is installed, built or loaded.
if (import.meta.main) {
  checkRuntime();
  const packages = new URL("../../node_modules", import.meta.url);
  if (!existsSync(packages)) {
    Deno.stdout.writeSync(new TextEncoder().encode("Installing the packages\n"));
  }
}
