// Page about files for registries, generated from model/registry/.
import { acquisitionLists } from "@/model/registry/acquisition.ts";
import { MIN_PERSONS } from "@/model/registry/cells.ts";
import { registryColumns } from "@/model/registry/columns.ts";

/** Page about files for registries as Markdown. */
export function registryPage(): string {
  const rows = (["volumes", "percentiles"] as const).flatMap((figures) =>
    registryColumns(figures, true).map(({ category, key, meaning }) =>
      `| \`${category}.${key}\` | ${meaning} |`
    )
  );
  const { manufacturers, models } = acquisitionLists();
  return `# Files for registries

Made from \`model/registry/\`. An administrator makes them under **Server status**, **Registry export**, or with
\`sulcus registry-export\`. CSV has one study in each row and these columns; JSON has the same keys by category:
\`{"format":"sulcus-registry","version":1,"figures":…,"min_persons":${MIN_PERSONS},"studies":[{"study":{…},"results":{…},…}]}\`.
The categories are those of the ACR's registry Assess-AI: study metadata, results, demographics, report text.

- All studies with an ended analysis, in random order, without demo patients. No key leads from a row to its study.
- No name, number, UID or date: the year alone. Text of the image headers is not copied; manufacturers and models are those
  of a fixed list (${manufacturers.join(", ")}; ${models.join(", ")}).
- Age group, sex, year, engine and scanner of a row are shared by at least ${MIN_PERSONS} people of the file. Otherwise
  \`study.detail_withheld\` says how much is left: 1: without model and voxels; 2: wide age group, sex and manufacturer; 3: wide
  age group and sex; 4: none.
- No row tells the state of its scanner. In a file of percentiles, studies of a stopped scanner have level 4.
- Volumes and percentiles together would give the age to a year. A file has one or the other, and no percentiles for ages
  below 18, above 89, or unknown.
- Texts are left out unless they are asked for. A signed text is withheld as a whole if it contains a name of the record or
  its headers, of a user or of an author, in any script; an identifier; a date; five digits in a row; an address. Other
  people and circumstances are not recognised: read the texts before they leave the site.
- What remains: whoever has the same measurements from another source can find a row by them.

| Column | Meaning |
| --- | --- |
${[...new Set(rows)].join("\n")}
`;
}
