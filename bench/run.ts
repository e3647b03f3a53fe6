// deno task bench SUITE [--json FILE] [suite's own arguments]
const SUITES = ["kernels", "viewer", "engine", "server", "worklist", "upload", "sign_in", "report"];
const [suite, ...rest] = Deno.args;
if (!suite || !SUITES.includes(suite)) {
  Deno.stderr.writeSync(new TextEncoder().encode(`deno task bench ${SUITES.join("|")} [--json FILE]\n`));
  Deno.exit(2);
}
const run = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", new URL(`./${suite}.ts`, import.meta.url).href, ...rest],
});
Deno.exit((await run.spawn().status).code);
