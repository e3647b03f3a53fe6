// Sections of the dossier, generated from docs/dossier and from the tree.
import design from "@/docs/dossier/design.json" with { type: "json" };
import eclair from "@/docs/dossier/eclair.json" with { type: "json" };
import product from "@/docs/dossier/product.json" with { type: "json" };
import { readManual } from "@/model/site/manual.ts";
import { VERSION } from "@/server/core/site/service/status.ts";
import { baseOf, readAnomalies, resultOf } from "@/tools/dossier/anomalies.ts";
import type { Block, Text } from "@/tools/dossier/blocks.ts";
import { readFigures, withFigures } from "@/tools/dossier/figures.ts";
import {
  type Control,
  controlsOf,
  hasPatch,
  patchOf,
  type ProofState,
  proofStateOf,
  readHazards,
  readProofs,
  ROOT,
  unprovenControls,
} from "@/tools/dossier/hazards.ts";
import {
  countProofs,
  countRequirements,
  countTests,
  readBenches,
  readRun,
} from "@/tools/dossier/verification.ts";
import { makeSbom, readAdvisories } from "@/tools/supply/sbom.ts";

/** Inputs of a dossier besides the tree: commit, date and test reports. */
export interface Build {
  commit: string;
  /** date of the dossier, YYYY-MM-DD */
  date: string;
  /** JUnit reports of a run of the test suite on this commit */
  junit: string[];
}

const slug = (text: string) =>
  text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
const section = (text: string, isOnNewPage = false): Block => ({
  kind: "heading",
  level: 1,
  text,
  id: slug(text),
  isOnNewPage,
});
const part = (text: string): Block => ({ kind: "heading", level: 2, text, id: slug(text) });
const paragraph = (text: Text): Block => ({ kind: "paragraph", text });
const list = (items: Text[]): Block => ({ kind: "list", items });
const linked = (path: string): Text => `[${path}](${path})`;

const PROOF_WORDS: Record<ProofState, string> = {
  proven: "proven",
  earlier: "proven before a later change of source or test",
  survived: "NOT PROVEN: the test passes without it",
  none: "not yet proven",
};

const productSections = (fill: (text: string) => string): Block[] => [
  section("Purpose, users and limits"),
  paragraph(fill(product.status)),
  part("Intended purpose"),
  paragraph(fill(product.purpose)),
  part("Users"),
  list(product.users.map(fill)),
  part("Patients and environment"),
  list([product.patients, product.environment].map(fill)),
  part("Not to be used for"),
  list(product.contraindications.map(fill)),
  part("Known limits"),
  paragraph("Figures are read from the documents of this build; see [accuracy](docs/accuracy.md)."),
  list(product.limits.map(fill)),
];

const controlText = ({ does, source, test }: Control): Text =>
  `${does} ${linked(source)}. Test: ${linked(test.file)}, “${test.name}”.`;

/** First section of a dossier: controls without a current proof; empty if all are proven. */
export function renewalSection(unproven = unprovenControls()): Block[] {
  if (unproven.length === 0) return [];
  return [
    section("Proofs to be renewed"),
    paragraph(
      "This is no dossier of a release: these controls are not proven in their present state " +
        "(`tests/mutations/run.ts --write`).",
    ),
    list(unproven.map(({ id, state }) => `${id}: ${PROOF_WORDS[state]}`)),
  ];
}

function hazardSections(fill: (text: string) => string): Block[] {
  const hazards = readHazards(), proofs = readProofs();
  return [
    section("Hazards and controls", true),
    paragraph(
      `${hazards.length} hazards, ${
        controlsOf(hazards).length
      } controls (ISO 14971). The severity is that of the harm without ` +
        "a physician who looks at the images; the probability is a judgement with the controls in place, and no measured rate. " +
        "Each control names the test that fails when it is removed. The list is the makers' own; residual risks were not yet " +
        "judged by a physician or an assessor.",
    ),
    {
      kind: "table",
      head: ["Id", "Hazard and cause", "Harm", "Severity", "Probability, why", "Controls"],
      widths: [26, 130, 90, 44, 110, "*"],
      rows: hazards.map((hazard) => [
        hazard.id,
        `${hazard.title}. ${hazard.cause}`,
        hazard.harm,
        hazard.severity,
        `${hazard.probability}: ${fill(hazard.rationale)}`,
        hazard.controls.map((control) =>
          `${controlText(control)} (${PROOF_WORDS[proofStateOf(control, proofs)]})`
        ).join(" · "),
      ]),
    },
    section("Proof of the controls", true),
    paragraph(
      "A patch removes the control in a copy of the tree, its named test is run alone and must fail, and must pass when the " +
        `patch is taken back: ${
          linked("tests/mutations/run.ts")
        }, a step of \`deno task test:long\`. ` +
        "A control without a patch is not yet proven: its test exists by its name, and it has not been shown that it fails.",
    ),
    {
      kind: "table",
      head: ["Control", "Patch", "Result", "Date"],
      widths: [130, 220, "*", 60],
      rows: controlsOf(hazards).map((control) => {
        const proof = proofs.find((each) => each.control === control.id);
        return [
          control.id,
          hasPatch(control) ? linked(patchOf(control)) : "–",
          PROOF_WORDS[proofStateOf(control, proofs)],
          proof?.date ?? "–",
        ];
      }),
    },
  ];
}

function soupSection(): Block[] {
  const { components } = makeSbom(), advisories = readAdvisories(), evaluated = readAnomalies();
  const rows = components.map((component) => {
    const base = baseOf(component), known = advisories.filter((each) => each.component === base);
    const states = Object.entries(Object.groupBy(known, ({ state }) => state)).map((
      [state, some],
    ) => `${state.replaceAll("_", " ")}: ${some!.map(({ id }) => id).join(", ")}`);
    const licence = component.licenses?.map((each) =>
      "expression" in each ? each.expression : each.license.id
    ).join(", ");
    return [
      component.name,
      component.version ?? "–",
      component.type,
      licence ?? "–",
      [...states, resultOf(evaluated, base)].join("; "),
    ];
  });
  return [
    section("Software of others (SOUP)", true),
    paragraph(
      `${rows.length} components, from the lock files by ${
        linked("tools/supply/sbom.ts")
      }. Advisories are those of ${linked("tools/supply/advisories.json")}, anomalies those of ${
        linked("docs/dossier/anomalies.json")
      }: found by searches by subject in a copy of the public issue lists that ends in September 2026, and in the ` +
        "changelogs of the packages. Not every thread was read. A new version of a component fails a test until its list has been read again.",
    ),
    {
      kind: "table",
      head: ["Component", "Version", "Kind", "Licence", "Known anomalies"],
      widths: [190, 70, 80, 110, "*"],
      rows,
    },
    part("Why components were not evaluated one by one"),
    list(
      evaluated.rules.map(({ name, why, components }) => `${name} (${components.length}): ${why}`),
    ),
    part("Anomalies that could concern this use"),
    paragraph(
      "“Controlled” names the file that controls it; “No” says why it concerns nothing here.",
    ),
    anomalyTable(),
  ];
}

/** Table with one row for each anomaly of the evaluated components. */
function anomalyTable(): Block {
  const shownIds = new Set<unknown>();
  return {
    kind: "table",
    head: ["Component", "Anomaly", "What happens", "Concerns this product"],
    widths: [120, 130, 220, "*"],
    rows: Object.entries(readAnomalies().components).flatMap(([ref, { anomalies }]) =>
      anomalies.filter(({ id }) => !shownIds.has(id) && shownIds.add(id)).map((
        { id, link, says, concerns, why, control },
      ) => [
        decodeURIComponent(ref.replace(/^(pkg:\w+\/|file:)/, "")),
        `[${id}](${link})`,
        says,
        [
          concerns === "no" ? `No. ${why}` : `Controlled. ${why}`,
          ...control ? [linked(control)] : [],
        ]
          .join(" "),
      ])
    ),
  };
}

const classSection = (): Block[] => [
  section("Safety classes (IEC 62304)", true),
  paragraph(
    "Proposed by the makers: harm by a figure needs a physician who follows it against the images; after that control outside of " +
      "the software no serious injury is expected, hence class B at most. Items are folders that the linter keeps apart, see " +
      `${linked("tools/layers.ts")}.`,
  ),
  {
    kind: "table",
    head: ["Item", "Folders", "Class", "Why"],
    widths: [170, 200, 40, "*"],
    rows: design.classes.map(({ item, paths, class: name, why }) => [
      item,
      paths.map((path) => linked(path)).join(", "),
      name,
      why,
    ]),
  },
];

function architectureSection(): Block[] {
  const decisions = [...Deno.readDirSync(`${ROOT}/docs/adr`)].filter(({ isDirectory }) =>
    isDirectory
  ).map(({ name }) => name).sort().flatMap((folder) =>
    [...Deno.readDirSync(`${ROOT}/docs/adr/${folder}`)].map(({ name }) =>
      `docs/adr/${folder}/${name}`
    ).sort()
  );
  return [
    section("Architecture"),
    list(design.architecture.map(({ says, path }) => `${says}: ${linked(path)}`)),
    part("Decisions"),
    list(decisions.map((path) => {
      const title = Deno.readTextFileSync(`${ROOT}/${path}`).match(/^# (.+)$/m)?.[1] ?? path;
      return `[${title.replaceAll(/[[\]]/g, "")}](${path})`;
    })),
  ];
}

async function verificationSection({ commit, date, junit }: Build): Promise<Block[]> {
  const tests = await countTests(), { tested, reasoned } = await countRequirements();
  const proofs = countProofs(readHazards()), benches = await readBenches();
  const total = [...tests.values()].reduce((sum, count) => sum + count, 0);
  const run = junit.length === 0 ? null : await readRun(junit);
  return [
    section("Verification of this build", true),
    paragraph(`Sulcus ${VERSION}, commit \`${commit}\`, ${date}.`),
    paragraph(
      run
        ? `A run of the suite: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped.`
        : "No run of the suite was given to this dossier (`deno task dossier --junit FILE …`): the counts below are of tests that " +
          "exist, and do not say that they passed.",
    ),
    {
      kind: "table",
      head: ["What", "Count"],
      widths: [300, "*"],
      rows: [
        ["Tests in the source (one in a loop counts once)", String(total)],
        ...[...tests].map(([folder, count]) => [`of these in ${folder}`, String(count)]),
        [
          "Requirements with a test ([docs/requirements.json](docs/requirements.json))",
          String(tested),
        ],
        ["Requirements without one, each with its reason", String(reasoned)],
        ["Controls proven by removing them", String(proofs.proven)],
        ["Controls proven before a later change of source or test", String(proofs.earlier)],
        ["Controls whose test passes without them", String(proofs.survived)],
        ["Controls not yet proven", String(proofs.none)],
      ],
    },
    part("Benchmarks: newest kept results with bars"),
    paragraph("The newest file of each suite that has bars; a suite may have others beside it."),
    {
      kind: "table",
      head: ["Suite", "Results", "Commit", "Bars", "Missed"],
      widths: [70, 220, 70, 40, "*"],
      rows: benches.map(({ suite, file, commit, bars, missed }) => [
        suite,
        linked(file),
        commit.slice(0, 8),
        String(bars),
        missed.length === 0 ? "none" : missed.join("; "),
      ]),
    },
    part("Accuracy"),
    paragraph(
      "[Accuracy](docs/accuracy.md), with the notebook of figures, conditions and what missed its bar: " +
        "[figures](docs/accuracy/figures.md), [grade](docs/accuracy/grade.md), [follow-up](docs/accuracy/follow_up.md).",
    ),
  ];
}

const changeSection = (): Block[] => [
  section("Change plan", true),
  paragraph(
    "Which changes a release may bring, how each is verified, what the site sees of it, and how it is undone. Each release keeps its " +
      "engine, so that every result can be recomputed by the engine that made it.",
  ),
  {
    kind: "table",
    head: ["Change", "Within which limits", "Verified by", "At the site", "Undone by", "Where"],
    widths: [80, 130, 120, 130, 90, "*"],
    rows: design.changes.map(({ change, limits, verified, site, undone, paths }) => [
      change,
      limits,
      verified,
      site,
      undone,
      paths.map(linked).join(", "),
    ]),
  },
];

/**
 * Test files that perform the manual's tasks (tests/e2e/manual/tasks.ts): one for most tasks, one
 * for {@link NORM_TASKS}, and one for {@link EVIDENCE_TASKS}.
 */
const TASK_TEST = "tests/e2e/states_test.ts", NORM_TASK_TEST = "tests/e2e/settings/norms_test.ts";
const EVIDENCE_TASK_TEST = "tests/e2e/settings/evidence_manual_test.ts";
export const NORM_TASKS: readonly string[] = ["do-controls", "do-norms"];
export const EVIDENCE_TASKS: readonly string[] = ["do-accept", "do-drift", "do-stop", "do-study"];

/** Tasks of the manual with their titles and numbers of steps. */
export function manualTasks(): { id: string; title: string; steps: number }[] {
  const manual = readManual(Deno.readTextFileSync(`${ROOT}/docs/manual/en.md`));
  const tasks: { id: string; title: string; steps: number }[] = [];
  for (const { kind, name, text } of manual.sections.flatMap(({ lines }) => lines)) {
    if (kind === "heading" && name) tasks.push({ id: name, title: text, steps: 0 });
    else if (kind === "step") tasks.at(-1)!.steps++;
  }
  return tasks;
}

const taskSection = (): Block[] => [
  section("Usability: tasks of the manual (IEC 62366-1)", true),
  paragraph(
    "The tasks that the manual describes. A test does each of them step by step in a browser, in English and Korean, by the names " +
      "of the controls in the step. That shows that the manual and the pages agree; it is no study with users, and none has been made.",
  ),
  {
    kind: "table",
    head: ["Task", "Steps", "Executed by"],
    widths: [240, 50, "*"],
    rows: manualTasks().map(({ id, title, steps }) => [
      title,
      String(steps),
      linked(
        NORM_TASKS.includes(id)
          ? NORM_TASK_TEST
          : EVIDENCE_TASKS.includes(id)
          ? EVIDENCE_TASK_TEST
          : TASK_TEST,
      ),
    ]),
  },
];

const eclairSection = (fill: (text: string) => string): Block[] => [
  section("Ten questions (ECLAIR)", true),
  paragraph(eclair.source),
  ...eclair.answers.flatMap(({ question, answer }, n): Block[] => [
    part(`${n + 1}. ${question}`),
    paragraph(fill(answer)),
  ]),
];

/** All sections of the dossier. @throws {RangeError} for a figure that is missing at its source. */
export async function makeDossier(build: Build): Promise<Block[]> {
  const hazards = readHazards(), values = await readFigures();
  values.set("hazards", String(hazards.length));
  values.set("controls", String(controlsOf(hazards).length));
  values.set("proven", String(countProofs(hazards).proven));
  values.set("tasks", String(manualTasks().length));
  const fill = (text: string) => withFigures(text, values);
  return [
    ...renewalSection(),
    ...productSections(fill),
    ...eclairSection(fill),
    ...hazardSections(fill),
    ...soupSection(),
    ...classSection(),
    ...architectureSection(),
    ...await verificationSection(build),
    ...changeSection(),
    ...taskSection(),
  ];
}
