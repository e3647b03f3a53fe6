/**
 * Generates the requirements page from docs/requirements.json and the tags of the tests (tags.ts).
 * `deno task coverage` lists the faults: requirements without a test and tags without a
 * requirement.
 */
import { readTags, type Tag } from "@/tools/coverage/tags.ts";

const REQUIREMENTS = new URL("../../docs/requirements.json", import.meta.url);

/** A requirement of the site: a sentence of D1 or D2 by its section, or one of this project (S). */
export interface Requirement {
  id: string;
  says: string;
  /** aspects of the requirement that tests do not prove */
  note?: string;
  /** reason why the requirement has no test, or the evidence that replaces a test */
  instead?: string;
}

interface Section {
  title: string;
  requirements: Requirement[];
}

/** Reads all requirements, section by section. */
export const readRequirements = async (): Promise<Section[]> =>
  JSON.parse(await Deno.readTextFile(REQUIREMENTS)).sections;

/** Faults in the requirements and in the tags of tests, one per line. */
export function problemsOf(sections: readonly Section[], tags: readonly Tag[]): string[] {
  const allRequirements = sections.flatMap(({ requirements }) => requirements),
    ids = allRequirements.map(({ id }) => id);
  const requirementIds = new Set(ids), covered = new Set(tags.flatMap((tag) => tag.ids));
  return [
    ...ids.filter((id, at) => ids.indexOf(id) < at).map((id) =>
      `${id} stands twice in docs/requirements.json`
    ),
    ...allRequirements.filter(({ id, instead }) => !covered.has(id) && !instead).map((
      { id, says },
    ) => `no test covers ${id}: ${says}`),
    ...allRequirements.filter(({ id, instead }) => covered.has(id) && instead).map(({ id }) =>
      `${id} has a test: "instead" is no longer true`
    ),
    ...tags.flatMap((tag) =>
      tag.ids.filter((id) => !requirementIds.has(id)).map((id) =>
        `${tag.path}:${tag.line}: there is no requirement ${id}`
      )
    ),
  ];
}

const cell = (text: string) =>
  text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");

function proofOf({ id, note, instead }: Requirement, tags: readonly Tag[]): string {
  const tagsByPath = Map.groupBy(tags.filter((tag) => tag.ids.includes(id)), ({ path }) => path);
  const tests = [...tagsByPath].map(([path, some]) => {
    const names = [...new Set(some.flatMap(({ test }) => test === null ? [] : `"${cell(test)}"`))];
    return names.length === 0 ? `\`${path}\`` : `\`${path}\`: ${names.join(", ")}`;
  });
  return [...tests, ...note ? [note] : [], ...instead ? [`no test: ${instead}`] : []].join("; ");
}

/**
 * Requirements page as Markdown. Its tables are not aligned,
 * so that a new test changes only its own lines.
 */
export function documentOf(sections: readonly Section[], tags: readonly Tag[]): string {
  const allRequirements = sections.flatMap(({ requirements }) => requirements);
  const without = allRequirements.filter(({ instead }) => instead).length;
  const lines = [
    "# Requirements and the tests that cover them",
    "",
    `${allRequirements.length} requirements: the hospital's two documents, D1 (worklist side) and D2 (viewer and report side), by section,`,
    `and what we ask of ourselves (S). Made from docs/requirements.json and the tags of the tests.`,
    `${without} of them have no test, with the reason. A tag \`// covers: ID\` above a test,`,
    "a step or a file's imports makes a line here; `deno task ok` fails when a requirement has none.",
  ];
  for (const { title, requirements } of sections) {
    lines.push("", `## ${title}`, "", "| Id | Says | Covered by |", "| --- | --- | --- |");
    for (const requirement of requirements) {
      lines.push(
        `| ${requirement.id} | ${cell(requirement.says)} | ${proofOf(requirement, tags)} |`,
      );
    }
  }
  return lines.join("\n") + "\n";
}

if (import.meta.main) {
  const problems = problemsOf(await readRequirements(), await readTags());
  problems.forEach((problem) => console.error(problem));
  if (problems.length > 0) Deno.exit(1);
}
