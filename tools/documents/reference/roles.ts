// Page about roles and permissions, generated from model/accounts/roles.ts and model/api/.
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { type Action, ACTIONS, ROLES } from "@/model/accounts/roles.ts";

const MEANINGS: Record<Action, string> = {
  own: "own account, sign-in, settings, filters, password; licence; about",
  look: "worklist, images, results, reports",
  export: "printed reports, tables and DICOM objects that leave the site",
  upload: "uploads",
  analyse: "starts analyses",
  edit: "patients, labels, what is entered for a report",
  sign: "signs the text of a report, and withdraws a signature",
  delete: "deletes studies, whoever has uploaded them: into the bin",
  restore:
    "takes out of the bin what one has deleted oneself; an administrator takes out everything",
  groupSettings: "settings, name and logo of the hospital",
  purge: "deletes out of the bin before its time",
  audit: "reads, checks and exports the audit log",
  status: "how the server is, and who must wait to sign in",
  administer: "accounts, roles, delays of sign-in, norms of the site",
};

/** Page about roles and permissions as Markdown. */
export function rolesPage(): string {
  const head = (first: string) =>
    `| ${first} | ${ROLES.join(" | ")} |\n| --- | ${ROLES.map(() => ":-:").join(" | ")} |\n`;
  const marks = (action: Action) =>
    ROLES.map((role) => ACTIONS[action].includes(role as never) ? "yes" : "–").join(" | ");
  const actions = (Object.keys(ACTIONS) as Action[]).map((action) =>
    `| ${MEANINGS[action]} | ${marks(action)} |`
  );
  const calls = Object.entries(ENDPOINTS).map(([call, { may: action }]) =>
    `| \`${call.replaceAll("|", "\\|")}\` | ${
      action === "public" ? ROLES.map(() => "yes").join(" | ") : marks(action)
    } |`
  );
  return `# Roles

Made from \`model/accounts/roles.ts\` and \`model/api/\`; the server answers and pages are drawn by the same table, and
\`tests/api/accounts/access_test.ts\` asks every call as every role. A call that is not in the table is refused.

${head("What")}${actions.join("\n")}

The settings of a person and of the hospital are saved by one call: the hospital's among them are refused to whoever may
not change them.

## Every call

${head("Call")}${calls.join("\n")}
`;
}
