import type { Database } from "@/server/core/database/database.ts";
import { readAudit, verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { print, printError } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const AUDIT_USAGE = `${ADMIN} audit verify [--expect HASH]
${ADMIN} audit export`;

/** @returns exit code: 1 when entries are missing or changed, 2 for wrong usage. */
export async function audit(
  db: Database,
  { words: [, verb], options }: Arguments,
): Promise<number> {
  if (verb === "export") {
    for await (const rows of readAudit(db)) for (const row of rows) print(JSON.stringify(row));
    return 0;
  }
  if (verb !== "verify") return 2;
  const { count, hash, broken, proven, anchor, isAnchored, isExpectedFound } = await verifyAudit(
    db,
    options.get("expect"),
  );
  const provenLine = proven > 0
    ? `The last verified entry is ${proven}`
    : "None of the entries could be verified with this key";
  if (broken !== null) {
    printError(
      `The audit log is not intact: entry ${broken} is missing or was changed. ${provenLine}`,
    );
    return 1;
  }
  if (!isAnchored) {
    printError(
      `The records that anchor the audit log are missing or were changed: its newest entries may be missing. ${provenLine}`,
    );
    return 1;
  }
  if (isExpectedFound === false) {
    printError(
      "The audit log is consistent, but it does not contain the expected hash: the log has been rewritten",
    );
    return 1;
  }
  print(`The audit log is intact: ${count} entries
Last hash  ${hash || "-"}
Verified   ${proven > 0 ? `up to entry ${proven}` : "-"}
Anchored   ${anchor === null ? "-" : `up to entry ${anchor.seq}, ${anchor.at}`}
Keep the hash elsewhere: with --expect, it proves later that no entry so far has been changed.`);
  return 0;
}
