// deno task bench SUITE [--json FILE] [suite's own arguments]
const SUITES = [
  "kernels",
  "viewer",
  "first_picture",
  "engine",
  "server",
  "worklist",
  "upload",
  "sign_in",
  "report",
  "pages",
  "sockets",
  "gate",
  "truth",
  "grade",
  "regions",
  "norms",
  "drift",
  "reading",
  "tasks",
  "alignment",
  "encryption",
  "lesion_change",
  "clients",
  "scale",
  "start",
  "workers",
];
/** Suites that do not lie beside this file. */
const FOLDERS: Readonly<Record<string, string>> = {
  scale: "growth",
  start: "growth",
  workers: "growth",
};
const [suite, ...rest] = Deno.args;
if (!suite || !SUITES.includes(suite)) {
  Deno.stderr.writeSync(
    new TextEncoder().encode(`deno task bench ${SUITES.join("|")} [--json FILE]\n`),
  );
  Deno.exit(2);
}
/** Suites that need no built page. */
const WITHOUT_PAGES: readonly string[] = [
  "kernels",
  "engine",
  "truth",
  "grade",
  "norms",
  "drift",
  "reading",
  "alignment",
  "encryption",
  "lesion_change",
];
if (!WITHOUT_PAGES.includes(suite)) {
  // at once where nothing has changed, some ten seconds in a fresh clone
  const build = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../tools/build.ts", import.meta.url).href, "--if-changed"],
    cwd: new URL("..", import.meta.url),
  });
  const { code } = await build.spawn().status;
  if (code !== 0) Deno.exit(code);
}
// memory that is alive can only be told from waste after a collection
const flags = suite === "worklist" ? ["--v8-flags=--expose-gc"] : [];
const run = new Deno.Command(Deno.execPath(), {
  args: [
    "run",
    "-A",
    ...flags,
    new URL(`./${FOLDERS[suite] ?? "."}/${suite}.ts`, import.meta.url).href,
    ...rest,
  ],
});
Deno.exit((await run.spawn().status).code);
