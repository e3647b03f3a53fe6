// docs/licences.json: each network, npm package and Rust crate of the product with its licence.

/** A third-party part of the product, or a network trained with third-party material. */
export interface Licence {
  name: string;
  version: string;
  licence: string;
  link: string;
}

/** Lists of parts, each sorted by name and version. */
export interface LicenceLists {
  networks: Licence[];
  packages: Licence[];
  crates: Licence[];
}

export const LICENCES_FILE: URL = new URL("../../docs/licences.json", import.meta.url);

export const readLicences = (): LicenceLists => JSON.parse(Deno.readTextFileSync(LICENCES_FILE));

const sorted = (rows: readonly Licence[]) =>
  rows.toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));

/** Formats the lists as JSON, one entry per line. */
export function licencesText(lists: LicenceLists): string {
  const parts = Object.entries(lists).map(([list, rows]: [string, Licence[]]) =>
    `  "${list}": [\n${sorted(rows).map((row) => `    ${JSON.stringify(row)}`).join(",\n")}\n  ]`
  );
  return `{\n${parts.join(",\n")}\n}\n`;
}
