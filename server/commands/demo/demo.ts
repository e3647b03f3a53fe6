// Demo site with synthetic patients: starts the server, then uploads phantoms through the API.
import { AppError } from "@/model/errors.ts";
import type { Api } from "@/client/api/http.ts";
import { login, logout } from "@/client/api/accounts/auth.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { getSettings, saveSettings } from "@/client/api/site/settings.ts";
import { addUser, allUsers, resetPassword } from "@/server/core/accounts/service/users.ts";
import { openSite } from "@/server/core/mod.ts";
import { DEMO_PATIENTS, makeDemoFiles } from "@/server/commands/demo/demo_patients.ts";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";

const EMAIL = "demo@localhost", PASSWORD = "sulcus-demo-1";
/**
 * Account that uploads the patients: a second login of the demo user would end the first session.
 */
const LOADER = "loader@localhost";
const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

const environment = {
  ...Deno.env.toObject(),
  SULCUS_DATA_DIR: Deno.env.get("SULCUS_DATA_DIR") ?? "./data/demo",
  SULCUS_ADMIN_EMAIL: EMAIL,
  SULCUS_ADMIN_PASSWORD: PASSWORD,
};
const checked = readEnvironment(environment, navigator.hardwareConcurrency);
if ("problems" in checked) {
  for (const problem of checked.problems) print(problem);
  Deno.exit(2);
}

const site = checked.environment;

/**
 * Value of `--patients`: number of synthetic studies without images, for trying a long worklist.
 */
function countOf(args: readonly string[]): number {
  if (args.length === 0) return 0;
  const count = args[0] === "--patients" && /^[1-9]\d{0,5}$/.test(args[1] ?? "")
    ? Number(args[1])
    : 0;
  if (count === 0 || args.length > 2) {
    print("deno task demo [--patients N], N from 1 to 999999");
    Deno.exit(2);
  }
  return count;
}

/**
 * Adds synthetic studies before the server starts, because the server reads the settings only once.
 */
async function fill(count: number): Promise<void> {
  const started = performance.now(), db = await openSite(site);
  try {
    const added = await fillPatients(db, environment.SULCUS_DATA_DIR, count, true);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    print(`Added ${added} synthetic studies in ${seconds} s (results without images).`);
  } finally {
    await db.destroy();
  }
}

/** Starts the server; resolves with the server's address once the server responds. */
function startServer(): { url: Promise<string>; ended: Promise<Deno.CommandStatus> } {
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../../../main.ts", import.meta.url).href, "start"],
    env: environment,
    stdout: "piped",
  }).spawn();
  Deno.addSignalListener("SIGTERM", () => server.kill("SIGTERM"));
  const ready = Promise.withResolvers<string>();
  (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of server.stdout) {
      Deno.stdout.writeSync(chunk);
      text = (text + decoder.decode(chunk, { stream: true })).slice(-2000);
      const url = text.match(/Sulcus serves (https?:\/\/\S+)/)?.[1];
      if (url) ready.resolve(url);
    }
  })();
  server.status.then((status) =>
    ready.reject(new Error(`The server ended with code ${status.code}`))
  );
  ready.promise.catch(() => {});
  return { url: ready.promise, ended: server.status };
}

/** Uploads all demo patients that are missing on the site. */
async function loadPatients(url: string): Promise<void> {
  const password = crypto.randomUUID();
  const db = await openSite(site);
  try {
    const hasLoader = (await allUsers(db)).some((user) => user.email === LOADER);
    if (hasLoader) await resetPassword(db, LOADER, password);
    else await addUser(db, { email: LOADER, name: "Loader", password });
  } finally {
    await db.destroy();
  }
  // making a patient can take longer than the server keeps an idle connection
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const visitor: Api = { send: (request) => fetch(request, { client }), origin: url };
  const { access_token } = await login(visitor, { email: LOADER, password });
  const api: Api = { ...visitor, token: access_token };
  // no second network: it was not trained on the random folds of phantoms
  const { individual, group, version } = await getSettings(api);
  await saveSettings(
    api,
    { individual, group: { general: { ...group.general, second_opinion: false } } },
    version,
  );
  for (const patient of DEMO_PATIENTS) {
    const { total } = await listPatients(api, { search_string: patient.patientId });
    if (total > 0) continue;
    print(`Creating ${patient.patientId} (${patient.note}) …`);
    const { success, failed } = await uploadFiles(api, makeDemoFiles(patient));
    if (success === 0) {
      print(`Cannot load ${patient.patientId}: ${failed[0]?.code} ${failed[0]?.reason ?? ""}`);
    }
  }
  await logout(api);
  print("All demo patients have been uploaded; the worklist shows the progress of their analysis.");
}

const count = countOf(Deno.args);
if (count > 0) await fill(count);
const server = startServer();
try {
  const url = await server.url;
  print(
    `\n  Demo with synthetic patients\n  Sign in with  ${EMAIL}\n  Password      ${PASSWORD}\n`,
  );
  await loadPatients(url);
} catch (error) {
  print(error instanceof AppError ? `Cannot load the patients: ${error.code}` : String(error));
}
Deno.exit((await server.ended).code);
