// Page about the OWASP ASVS, generated from docs/asvs.json.

/** A requirement of the OWASP ASVS, and how the product meets it. */
export interface AsvsRequirement {
  number: string;
  state: "yes" | "no" | "not applicable";
  how: string;
}

interface AsvsChapter {
  title: string;
  requirements: AsvsRequirement[];
}

/** Chapters of ASVS levels 1 and 2, in the order of the standard. */
export const readAsvs = (): AsvsChapter[] =>
  JSON.parse(Deno.readTextFileSync(new URL("../../../docs/asvs.json", import.meta.url))).chapters;

/** Page about the OWASP ASVS as Markdown. */
export function asvsPage(): string {
  const chapters = readAsvs(), all = chapters.flatMap(({ requirements }) => requirements);
  const count = (state: AsvsRequirement["state"]) =>
    all.filter((requirement) => requirement.state === state).length;
  const tables = chapters.map(({ title, requirements }) =>
    `## ${title}\n\n| Number | State | How |\n| --- | --- | --- |\n${
      requirements.map(({ number, state, how }) =>
        `| ${number} | ${state === "not applicable" ? "–" : state} | ${how} |`
      ).join("\n")
    }`
  );
  return `# OWASP ASVS 4.0.3, level 2, item by item

Made from \`docs/asvs.json\`. All ${all.length} requirements of levels 1 and 2, by their numbers
([the standard's text](https://github.com/OWASP/ASVS/tree/v4.0.3/4.0)). **yes**: it is so, and the test that is named fails
without it, or the text says where to look; **–**: does not apply, with the reason; **no**: it is not so, and what is there
instead. A test looks for every number and for every test that is named (\`tests/supply/asvs_test.ts\`).

${count("yes")} yes, ${count("not applicable")} –, ${count("no")} no.

${tables.join("\n\n")}
`;
}
