// Writes model/regions/regions.json and model/norms/norms.json from tools/tables/*.csv, one row a
// line. Run: deno task tables

/** Parses a comma-separated table with a header line; the project's tables use no quoting. */
function parseTable(text: string): Record<string, string>[] {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const keys = head!.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    if (cells.length !== keys.length) throw new Error(`Cannot read table row: ${line}`);
    return Object.fromEntries(keys.map((key, i) => [key, cells[i]!]));
  });
}

/** Writes some columns of a table as JSON; all columns other than text become numbers. */
function writeTable(
  { from, to, source, columns, texts }: {
    from: string;
    to: string;
    source: string;
    columns: readonly string[];
    texts: readonly string[];
  },
): void {
  const rows = parseTable(Deno.readTextFileSync(new URL(`../tables/${from}`, import.meta.url)));
  const cellOf = (row: Record<string, string>, column: string) =>
    JSON.stringify(texts.includes(column) ? row[column] : Number(row[column]));
  const lines = rows.map((row) =>
    `    [${columns.map((column) => cellOf(row, column)).join(", ")}]`
  );
  Deno.writeTextFileSync(
    new URL(`../../model/${to}`, import.meta.url),
    `{\n  "source": ${JSON.stringify(source)},\n  "columns": [${
      columns.map((column) => JSON.stringify(column)).join(", ")
    }],\n  "rows": [\n${lines.join(",\n")}\n  ]\n}\n`,
  );
}

writeTable({
  from: "regions.csv",
  to: "regions/regions.json",
  source: "FreeSurfer / Desikan-Killiany ids, names and colours",
  columns: [
    "label",
    "name",
    "abbreviation",
    "hemisphere",
    "group",
    "part",
    "freesurfer_id",
    "red",
    "green",
    "blue",
  ],
  texts: ["name", "abbreviation", "hemisphere", "group", "part"],
});

writeTable({
  from: "norms.csv",
  to: "norms/norms.json",
  source:
    "NOMIS: Potvin O, Dieumegarde L, Duchesne S, bioRxiv 2021.01.25.428063, BSD-3; folded at Siemens, 3 T, 1 mm",
  columns: [
    "key",
    "measure",
    "log10",
    "b0",
    "age",
    "age2",
    "age3",
    "icv",
    "icv2",
    "icv3",
    "age_icv",
    "age_male",
    "icv_male",
    "male",
    "sd",
  ],
  texts: ["key", "measure"],
});
