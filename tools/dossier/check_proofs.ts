// Refuses a release while the proof of a control is missing, has failed, or is older than the
// control's source, test or patch. A step of `deno task release`.
import { unprovenControls } from "@/tools/dossier/hazards.ts";

if (import.meta.main) {
  const unproven = unprovenControls();
  const lines = unproven.map(({ id, state }) => `Proof to be renewed: ${id} (${state})\n`);
  if (unproven.length > 0) {
    lines.push(
      "Cannot release: run deno run -A --config=deno.json tests/mutations/run.ts --write " +
        `${unproven.map(({ id }) => id).join(" ")}\n`,
    );
  }
  Deno.stderr.writeSync(new TextEncoder().encode(lines.join("")));
  Deno.exit(unproven.length > 0 ? 1 : 0);
}
