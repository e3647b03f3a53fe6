// deno task endurance SUITE [--json FILE] [suite's own arguments]: long runs that look for lost data and growth, not for speed
const SUITES = ["crash", "soak", "restart", "attack", "database", "faults"];
const [suite, ...rest] = Deno.args;
if (!suite || !SUITES.includes(suite)) {
  Deno.stderr.writeSync(new TextEncoder().encode(`deno task endurance ${SUITES.join("|")} [--json FILE]\n`));
  Deno.exit(2);
}
const run = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", new URL(`./${suite}.ts`, import.meta.url).href, ...rest],
});
Deno.exit((await run.spawn().status).code);
