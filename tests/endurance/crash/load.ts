import { createHash } from "node:crypto";
import { type ExchangeLedger, exchangeLoops } from "@/tests/endurance/crash/exchange.ts";
import {
  compareReading,
  type ReadingLedger,
  readingLoops,
} from "@/tests/endurance/crash/reading.ts";
import { getBin, restoreStudy } from "@/client/api/studies/bin.ts";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import {
  deletePatient,
  getPatient,
  listPatients,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import type { PatientUpdate } from "@/model/schema/studies/patients.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";

/** A counter in the site: its last acknowledged value, and the last value sent. */
interface Counter {
  acknowledged: number;
  sent: number;
}

/** An acknowledged study. */
interface KnownStudy {
  /** hashes of the sent files */
  hashes: string[];
  /** `maybe`: the deletion was sent, but not answered */
  isDeleted: "no" | "maybe" | "yes";
}

/** Acknowledged work of a site, kept across kills. */
export class Ledger {
  readonly studies = new Map<number, KnownStudy>();
  readonly edits: Counter = { acknowledged: 0, sent: 0 };
  readonly labels: Counter = { acknowledged: 0, sent: 0 };
  /** number of uploads without response */
  unanswered = 0;
  /** number of acknowledged writes */
  writes = 0;
  /** ledger of readings and corrections; `null`: none */
  reading: ReadingLedger | null = null;
  /** ledger of the exchange with other systems; `null`: none */
  exchange: ExchangeLedger | null = null;
  /** number of kills by the kind of work they interrupted */
  readonly kills: Record<string, number> = {};
}

const FIRST: PatientUpdate = {
  patient_id: "FIRST",
  patient_name: "EDIT 0",
  patient_sex: "female",
  patient_birthdate: "1950-03-01",
  study_date: "2026-01-05",
};

/** API client of a site that signs in again if a read finds that the session has ended. */
export async function signIn(url: string): Promise<Api> {
  const open: Api = { send: (request) => fetch(request), origin: url };
  const tokenOf = async () =>
    (await login(open, { email: EMAIL, password: PASSWORD })).access_token;
  const api: Api = {
    ...open,
    token: await tokenOf(),
    send: async (request) => {
      const again = request.method === "GET" ? request.clone() : null;
      const answer = await fetch(request);
      if (answer.status !== 401 || again === null) return answer;
      await answer.body?.cancel();
      api.token = await tokenOf();
      again.headers.set("authorization", `Bearer ${api.token}`);
      return await fetch(again);
    },
  };
  return api;
}

/** Uploads a series, which is analysed automatically. */
async function upload(api: Api, ledger: Ledger, name: string): Promise<void> {
  const files = phantomSeries("short", name);
  ledger.unanswered++;
  const { pid_list } = await uploadFiles(api, files);
  ledger.unanswered--;
  ledger.writes++;
  const hashes = files.map(({ bytes }) => createHash("sha256").update(bytes).digest("hex")).sort();
  ledger.studies.set(pid_list[0]!, { hashes, isDeleted: "no" });
}

/** One of this number of deleted studies is restored from the bin. */
const RESTORED_OF = 3;

/** Deletes the oldest study except the first, if there are at least three. */
async function deleteOldest(api: Api, ledger: Ledger, first: number): Promise<void> {
  const kept = [first, ledger.reading?.pid];
  const open = [...ledger.studies].filter(([pid, { isDeleted }]) =>
    isDeleted === "no" && !kept.includes(pid)
  );
  if (open.length < 3) return;
  const [pid, study] = open[0]!;
  study.isDeleted = "maybe";
  try {
    await deletePatient(api, pid);
    study.isDeleted = "yes";
    ledger.writes++;
    if (pid % RESTORED_OF !== 0) return;
    study.isDeleted = "maybe";
    await restoreStudy(api, pid);
    study.isDeleted = "no";
    ledger.writes++;
  } catch (error) {
    // a certain result: the study is being analysed and was not deleted
    if ((error as { code?: string }).code === "study.being_analyzed") study.isDeleted = "no";
    else throw error;
  }
}

async function count(
  ledger: Ledger,
  counter: Counter,
  write: (n: number) => Promise<unknown>,
): Promise<void> {
  const n = ++counter.sent;
  await write(n);
  counter.acknowledged = n;
  ledger.writes++;
}

/**
 * Uploads, deletes, edits and saves labels concurrently until the server has ended or `isOver`.
 * @param isPassing Returns whether a call with this error code is repeated.
 * @returns unexpected error codes.
 */
export async function load(
  api: Api,
  ledger: Ledger,
  round: number,
  isOver: () => boolean,
  isPassing: (code: string) => boolean = (code) => code === "study.being_analyzed",
): Promise<string[]> {
  const first = Math.min(...ledger.studies.keys()), wrong: string[] = [];
  const loop = async (work: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver(); n++) {
      try {
        await work(n);
      } catch (error) {
        const code = (error as { code?: string }).code ?? String(error);
        if (code === "network.offline") return;
        // for example, an edit of a study under analysis
        if (isPassing(code)) await new Promise((resolve) => setTimeout(resolve, 50));
        else if (!isOver()) return void wrong.push(`${code} ${error}`);
      }
    }
  };
  await Promise.all([
    loop(async (n) => {
      // only the first upload, because analyses would take longer than all other work
      if (ledger.reading !== null && n > 0) {
        return void await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await upload(api, ledger, `CRASH-${round}-${n}`);
      await deleteOldest(api, ledger, first);
    }),
    loop(() =>
      count(
        ledger,
        ledger.edits,
        (n) => updatePatient(api, first, { ...FIRST, patient_name: `EDIT ${n}` }),
      )
    ),
    loop(() =>
      count(ledger, ledger.labels, async (n) => {
        const [label] = (await getLabels(api)).labels;
        await saveLabels(api, [{
          id: label?.id ?? -1,
          label_name: `LABEL ${n}`,
          patients: [first],
        }]);
      })
    ),
    ...readingLoops(api, ledger, round).map(loop),
    ...exchangeLoops(api, ledger, round).map(loop),
  ]);
  return wrong;
}

const within = (value: number, { acknowledged, sent }: Counter) =>
  value >= acknowledged && value <= sent;

/** Compares a restarted site with the acknowledged work. @returns problems. */
export async function compare(api: Api, ledger: Ledger): Promise<string[]> {
  const problems: string[] = [], first = Math.min(...ledger.studies.keys());
  const { patients } = await listPatients(api, { page_size: 200 });
  const there = new Set(patients.map(({ pid }) => pid));
  const binned = new Set((await getBin(api)).studies.map(({ pid }) => pid));
  for (const [pid, study] of ledger.studies) {
    if (study.isDeleted === "no" && !there.has(pid)) problems.push(`study ${pid} is lost`);
    if (study.isDeleted === "yes" && there.has(pid)) problems.push(`study ${pid} is back`);
    if (there.has(pid) === binned.has(pid)) {
      problems.push(`study ${pid} is in the list and the bin, or in none`);
    }
    if (study.isDeleted === "maybe") study.isDeleted = there.has(pid) ? "no" : "yes";
  }
  const isOurs = ledger.exchange?.isOurs ?? (() => false);
  const unknown = patients.filter((one) => !ledger.studies.has(one.pid) && !isOurs(one)).length;
  if (unknown > ledger.unanswered) problems.push(`${unknown} studies that nobody sent`);
  const name = (await getPatient(api, first)).patient_name;
  const edit = name.startsWith("EDIT ") ? Number(name.slice(5)) : 0;
  if (!within(edit, ledger.edits)) {
    problems.push(`edit ${edit}, acknowledged ${ledger.edits.acknowledged}`);
  }
  const [label] = (await getLabels(api)).labels, saved = Number(label?.label_name.slice(6) ?? 0);
  if (!within(saved, ledger.labels)) {
    problems.push(`label ${saved}, acknowledged ${ledger.labels.acknowledged}`);
  }
  return ledger.reading === null
    ? problems
    : [...problems, ...await compareReading(api, ledger.reading, ledger)];
}

/** Adds the study that is edited and labelled. */
export async function begin(api: Api, ledger: Ledger): Promise<void> {
  await upload(api, ledger, "FIRST");
}
