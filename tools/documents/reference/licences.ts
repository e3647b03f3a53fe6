// Page about the licences, generated from docs/licences.json.
import { type Licence, readLicences } from "@/tools/documents/licence_list.ts";

const table = (rows: readonly Licence[], what: string) =>
  [`| ${what} | Version | Licence | Source |`, "| --- | --- | --- | --- |"].concat(
    rows.map(({ name, version, licence, link }) =>
      `| ${name} | ${version} | ${licence} | ${link} |`
    ),
  ).join("\n");

/** Page about the licences as Markdown. */
export function licencesPage(): string {
  const { networks, packages, crates } = readLicences();
  return `# Open-source licences

Made from \`docs/licences.json\`, which \`deno task licences\` writes from deno.lock and wasm/Cargo.lock. Texts of licences: the
folder \`licences\` of a release.

- Fonts: Noto Sans of [these scripts](../../report/pdf/fonts/README.md), SIL Open Font License 1.1.
- Atlas and norms: [their sources](../../server/core/engine/atlas/README.md).
- Passwords that are refused because they are common: SecLists, MIT, https://github.com/danielmiessler/SecLists.
- @hyzyla/pdfium holds PDFium as WebAssembly: BSD-3-Clause and Apache-2.0, https://pdfium.googlesource.com/pdfium/.
- @cornerstonejs/codec-charls holds CharLS and @cornerstonejs/codec-openjpeg OpenJPEG: tools/release/licences.
- Packages of the tests alone: tests/package.json.

## Networks

Their weights are part of the product: [deep structures](../../server/core/engine/models/deep_structures.md),
[deep structures of any contrast](../../server/core/engine/models/any_contrast.md),
[second opinion](../../server/core/engine/models/meshnet_50/README.md).

${table(networks, "Network")}

## npm packages

${table(packages, "Package")}

## Rust crates

${table(crates, "Package")}
`;
}
