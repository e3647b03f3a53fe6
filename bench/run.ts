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
/** Folder of each suite that is not next to this file. */
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
/** Suites that do not need a built site. */
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
  // immediate if the sources are unchanged; about ten seconds in a new clone
  const build = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../tools/build.ts", import.meta.url).href, "--if-changed"],
    cwd: new URL("..", import.meta.url),
  });
  const { code } = await build.spawn().status;
  if (code !== 0) Deno.exit(code);
}
// garbage collection on request, to distinguish live memory from garbage
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
