// deno task endurance SUITE [--json FILE] [suite's own arguments]: long runs that look for lost data and growth, not for speed
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
// not tests/deno.json, which is nearer: it has no import map
const flags = ["--config", fileURLToPath(placeOf("../../deno.json"))];
const run = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", ...flags, placeOf(`./${suite}.ts`), ...rest],
});
Deno.exit((await run.spawn().status).code);
