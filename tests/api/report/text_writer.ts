// Signs in a core of its own and writes versions of a study's text until this process is killed.
// Arguments: data folder, address of the PostgreSQL database or "", study, email, password. It
// prints each version that was acknowledged.
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import {
  getReportText,
  saveReportText,
  signReportText,
  withdrawSignature,
} from "@/client/api/report/report_text.ts";
import { createCore } from "@/server/core/mod.ts";

/** Long, so that a part of a version is not mistaken for the whole. */
export const textOf = (version: number): string =>
  `Version ${version}: ${"left hippocampus small for age ".repeat(80)}end of ${version}`;

/** Every third version is signed, and the next one withdraws the signature. */
export const stateOf = (version: number): "draft" | "signed" | "withdrawn" =>
  version % 3 === 0 ? "signed" : version % 3 === 1 && version > 1 ? "withdrawn" : "draft";

/** Writes until this process ends. */
async function write(
  dataDir: string,
  databaseUrl: string | null,
  pid: number,
  credentials: { email: string; password: string },
): Promise<void> {
  const core = await createCore({ dataDir, databaseUrl, workers: 0 });
  const open: Api = { send: core.fetch, origin: "http://core" };
  const { access_token } = await login(open, credentials);
  const api = { ...open, token: access_token };
  let { version: based_on, results } = await getReportText(api, pid);
  for (;;) {
    const version = based_on + 1, state = stateOf(version);
    const put = { based_on, language: "en" as const, text: textOf(version) };
    if (state === "draft") await saveReportText(api, pid, put);
    else if (state === "signed") await signReportText(api, pid, { ...put, results });
    else await withdrawSignature(api, pid, { based_on, language: "en" });
    Deno.stdout.writeSync(new TextEncoder().encode(`${version}\n`));
    based_on = version;
    ({ results } = await getReportText(api, pid));
  }
}

if (import.meta.main) {
  const [dataDir, databaseUrl, pid, email, password] = Deno.args as [
    string,
    string,
    string,
    string,
    string,
  ];
  await write(dataDir, databaseUrl || null, Number(pid), { email, password });
}
