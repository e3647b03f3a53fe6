// Page about the settings: every variable that the program reads, with its default and its range.
import { NUMBER_SETTINGS, type NumberSetting } from "@/server/commands/start/number_settings.ts";
import { type Setting, SETTINGS } from "@/tools/documents/reference/setting_table.ts";

/** Variables of the system and of the runtime that the program follows. */
const OTHERS = [
  ["TZ", "the system's", "time zone", "zone of the site: reports, days of the licence"],
  [
    "DENO_CERT",
    "none",
    "PEM file",
    "the hospital's own authority, for a core, a provider, syslog, alarms, DICOMweb and FHIR",
  ],
];

/** Default and range of a numeric setting. */
const numberOf = (name: string): NumberSetting | undefined =>
  (NUMBER_SETTINGS as Record<string, NumberSetting>)[name];

function cellsOf(name: string, setting: Setting): string[] {
  const number = numberOf(name);
  const fallback = setting.fallback ?? (number ? String(number.fallback) : undefined);
  const words = fallback === undefined ? "none" : setting.isWords ? fallback : `\`${fallback}\``;
  const required = setting.requiredWith
    ? `**required** with \`${setting.requiredWith}\``
    : words + (setting.needs ? `; needs \`${setting.needs}\`` : "");
  const value = number ? `${number.low} to ${number.high}` : setting.value ?? "text";
  return [`\`${name}\``, required, value, setting.meaning];
}

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (rows: readonly string[]) =>
  `| Name | Default | Value | Meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}`;

/** Page about the settings as Markdown. */
export function settingsPage(): string {
  const groups = Object.entries(SETTINGS).map(([title, settings]) =>
    `## ${title}\n\n${
      table(Object.entries(settings).map(([name, setting]) => row(cellsOf(name, setting))))
    }`
  );
  return `# Settings

Made from the program's own table. How to set them: [settings](../site/settings.md). Files must be readable by the user \`sulcus\`.

${groups.join("\n\n")}

## Of the system

${table(OTHERS.map(([name, ...cells]) => row([`\`${name}\``, ...cells])))}
`;
}
