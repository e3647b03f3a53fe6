import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { Log } from "@/model/site/log.ts";
import type { Gate } from "@/server/gate/link/tasks.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import { type Core, createCore, openSite } from "@/server/core/mod.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import type { HubSettings } from "@/server/core/studies/service/context/hub_settings.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import type { DemoSource } from "@/server/core/site/service/context.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { pauseAfter } from "@/tests/sites/until.ts";

export const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";

/** A core in a temporary folder with a signed-in user, called directly, not through a port. */
export interface TestCore {
  core: Core;
  /** client without a session */
  open: Api;
  /** client with the session of the administrator */
  api: Api;
  dataDir: string;
  events: { event: ServerEvent; audience: Audience }[];
}

interface CoreOptions {
  demo?: DemoSource;
  workers?: number;
  /** disk usage in percent for a warning, and for a full disk */
  diskLimits?: { warn: number; error: number };
  callsPerMinute?: number;
  binDays?: number;
  /** DICOM and HL7 gateway, which accesses the network */
  gate?: { ask: Gate; aeTitle: string; reach?: readonly string[] };
  /** folder of the audit log's key and anchors */
  auditDir?: string;
  /** key with which stored files are encrypted */
  storageKey?: Uint8Array;
  identity?: IdentitySettings;
  contextHub?: HubSettings;
  log?: Log;
}

/** PostgreSQL URLs by data folder of the core. */
const urls = new Map<string, string | null>();

/** Registers a test with a new core, once for each kind of database. */
export function coreTest(
  name: string,
  body: (test: TestCore) => Promise<void>,
  options: CoreOptions = {},
): void {
  databaseTest(name, (database) => withCore(body, options, database));
}

/** Stores the database of a site with this data folder, for {@link openBeside}. */
export const nameSite = (dataDir: string, url: string | null): void => void urls.set(dataDir, url);

/** Opens a running core's database a second time. The caller closes it. */
export const openBeside = (dataDir: string): Promise<Database> =>
  openSite({ dataDir, databaseUrl: urls.get(dataDir) });

/** PostgreSQL URL of a running core; `null` for SQLite. */
export const siteOf = (dataDir: string): string | null => urls.get(dataDir) ?? null;

export async function withCore(
  body: (test: TestCore) => Promise<void>,
  options: CoreOptions = {},
  database?: TestDatabase,
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  urls.set(dataDir, database?.url ?? null);
  const db = await openBeside(dataDir);
  await addQuickUser(db, {
    email: EMAIL,
    password: PASSWORD,
    name: "Administrator",
    isMaintenance: true,
  });
  // networks are off: they do not know the folds of phantoms, and only take time
  await db.insertInto("settings").values(
    ["second_opinion", "deep_structures"].map((key) => ({ scope: "group", key, value: "false" })),
  ).execute();
  await db.destroy();
  const core = await createCore({ dataDir, databaseUrl: database?.url, workers: 0, ...options });
  try {
    const events: TestCore["events"] = [];
    core.subscribe((event, audience) => void events.push({ event, audience }));
    const open: Api = { send: core.fetch, origin: "http://core" };
    const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
    await body({ core, dataDir, open, api: { ...open, token: access_token }, events });
  } finally {
    await core.close();
    urls.delete(dataDir);
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Signs in another physician. */
export async function colleague(open: Api, dataDir: string): Promise<Api> {
  const credentials = { email: "other@hospital.test", password: "correct-horse-8" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Other" });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** Hashes of the blobs on disk. @throws if files are still staged. */
export function blobsOnDisk(dataDir: string): string[] {
  const names = (path: string) => [...Deno.readDirSync(path)].map((entry) => entry.name);
  const root = `${dataDir}/blobs`, staged = names(`${root}/incoming`);
  if (staged.length > 0) throw new Error(`${staged.length} files are still staged`);
  return names(root).filter((first) => first !== "incoming").flatMap((first) =>
    names(`${root}/${first}`).flatMap((second) => names(`${root}/${first}/${second}`))
  ).sort();
}

/** Waits until no analysis runs. */
export async function allAnalysed(api: Api, timeoutMs = 1_200_000): Promise<void> {
  const start = Date.now();
  while (Date.now() - start < timeoutMs) {
    const { patients } = await listPatients(api, { page_size: 200 });
    if (
      !patients.some((p) => isAnalyzing(p.t1_analysis_status) || isAnalyzing(p.t2_analysis_status))
    ) return;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(Date.now() - start)));
  }
  throw new Error(`Analyses did not end in ${timeoutMs} ms`);
}
