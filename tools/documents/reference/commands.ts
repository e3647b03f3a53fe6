// Page about the commands, generated from their usage texts.
import { USAGE as ADMIN_USAGE } from "@/server/commands/admin/admin.ts";
import { USAGE as ANALYZE_USAGE } from "@/server/commands/analyze.ts";
import { USAGE as VISITS_USAGE } from "@/server/commands/analyze_visits.ts";
import { SITE_USAGE } from "@/server/commands/help.ts";
import { RECOMPUTE_USAGE, REHEARSE_USAGE } from "@/server/commands/operate/rehearse.ts";

const block = (text: string) => `\`\`\`text\n${text}\n\`\`\``;

/** Page about the commands as Markdown; a release shows the commands of an installed site. */
export function commandsPage(): string {
  return `# Commands

Made from the texts that the commands print. They run as the user \`sulcus\`, also while the site runs; exit code 0: done, 1: refused, 2:
wrong call.

## Site

${block(SITE_USAGE)}

## Administrators

${block(ADMIN_USAGE)}

## Before and after an upgrade

${block(`${REHEARSE_USAGE}\n\n${RECOMPUTE_USAGE}`)}

## Files without a site

${block(`${ANALYZE_USAGE}\n\n${VISITS_USAGE}`)}
`;
}
