import {
  checkCertificate,
  checkClock,
  checkDatabase,
  checkDicomPort,
  checkFolder,
  checkMemory,
  checkPort,
  type Finding,
} from "@/server/commands/doctor/checks.ts";
import {
  checkNamedFiles,
  checkNamedFolders,
  unitFolders,
} from "@/server/commands/doctor/named_paths.ts";
import { checkPeers } from "@/server/commands/doctor/peers.ts";
import { checkSignIn } from "@/server/commands/doctor/sign_in.ts";
import { checkStoredFiles } from "@/server/commands/doctor/stored_files.ts";
import { environmentOrExit } from "@/server/commands/start/environment.ts";
import { print } from "@/server/commands/output.ts";

const SIGNS = { good: "ok  ", warning: "look", bad: "BAD " } as const;

/**
 * Checks all requirements of a site on its machine, with advice for each.
 * @returns exit code: 1 for a failed check.
 */
export async function doctor(): Promise<number> {
  // invalid settings end the process at this point, with one line for each
  const environment = environmentOrExit();
  const isEdge = environment.coreUrl !== null;
  const findings: Finding[] = [
    await checkPort(environment),
    ...checkDicomPort(environment),
    ...await checkFolder(environment),
    ...await checkNamedFolders(environment, await unitFolders()),
    ...await checkNamedFiles(Deno.env.toObject()),
    checkMemory(),
    await checkClock(environment),
    ...(isEdge ? [] : [await checkDatabase(environment), await checkStoredFiles(environment)]),
    ...(isEdge ? [] : await checkPeers(environment)),
    ...(isEdge ? [] : await checkSignIn(environment.identity)),
    await checkCertificate(Deno.env.get("SULCUS_TLS_CERT")),
  ];
  for (const { name, state, text, advice } of findings) {
    print(`${SIGNS[state]}  ${name.padEnd(12)} ${text}`);
    if (advice !== undefined) print(`      ${"".padEnd(12)} ${advice}`);
  }
  const count = (state: Finding["state"]) => findings.filter((each) => each.state === state).length;
  print(`${count("bad")} failed, ${count("warning")} with warnings, ${count("good")} passed`);
  return count("bad") > 0 ? 1 : 0;
}
