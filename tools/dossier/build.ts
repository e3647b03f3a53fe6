/**
 * deno task dossier [--out FOLDER] [--junit FILE ...]: writes the technical file of this tree as
 * HTML and PDF into ./dossier: purpose, limits, hazards with controls and tests, software of
 * others, classes, architecture, verification, change plan, tasks and ECLAIR's questions. Its
 * sources are docs/dossier and the tree itself; it needs no network. `--junit` adds the results of
 * a run of the suite (`deno test --junit-path`).
 */
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "@/server/core/site/service/status.ts";
import { problemsOf, readHazards, ROOT, unprovenControls } from "@/tools/dossier/hazards.ts";
import { htmlOf } from "@/tools/dossier/html.ts";
import { pdfOf } from "@/tools/dossier/pdf.ts";
import { makeDossier } from "@/tools/dossier/sections.ts";

/** Commit of the tree, with a mark if files differ from it; `unknown` outside of a repository. */
async function commitOf(): Promise<string> {
  const args = ["describe", "--always", "--abbrev=8", "--dirty", "--exclude=*"];
  const output = await new Deno.Command("git", { args, cwd: ROOT }).output().catch(() => null);
  return output?.success ? new TextDecoder().decode(output.stdout).trim() : "unknown";
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      out: { type: "string", default: "dossier" },
      junit: { type: "string", multiple: true, default: [] },
    },
  });
  const problems = problemsOf(readHazards());
  if (problems.length > 0) {
    throw new Error(`Cannot build the dossier: ${problems.join("; ")}`);
  }
  for (const { id, state } of unprovenControls()) {
    Deno.stdout.writeSync(new TextEncoder().encode(`Proof to be renewed: ${id} (${state})\n`));
  }
  const out = resolve(values.out), title = `Sulcus ${VERSION}: technical file`;
  const blocks = await makeDossier({
    commit: await commitOf(),
    date: new Date().toISOString().slice(0, 10),
    junit: values.junit,
  });
  await Deno.mkdir(out, { recursive: true });
  await Deno.writeTextFile(`${out}/index.html`, htmlOf(title, blocks, `${relative(out, ROOT)}/`));
  await Deno.writeFile(`${out}/sulcus-technical-file.pdf`, await pdfOf(title, blocks));
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${out}: index.html, sulcus-technical-file.pdf\n`),
  );
}
