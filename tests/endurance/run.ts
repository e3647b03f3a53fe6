// deno task endurance SUITE [--json FILE] [suite's own arguments]: long runs that search for losses
// and leaks
import { fileURLToPath } from "node:url";

const SUITES = ["crash", "soak", "restart", "attack", "database", "faults", "paging"];
const [suite, ...rest] = Deno.args;
if (!suite || !SUITES.includes(suite)) {
  Deno.stderr.writeSync(
    new TextEncoder().encode(`deno task endurance ${SUITES.join("|")} [--json FILE]\n`),
  );
  Deno.exit(2);
}
const placeOf = (path: string) => new URL(path, import.meta.url).href;
// not the nearer tests/deno.json, which has no import map
const flags = ["--config", fileURLToPath(placeOf("../../deno.json"))];
const run = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", ...flags, placeOf(`./${suite}.ts`), ...rest],
});
Deno.exit((await run.spawn().status).code);
