// Work besides simple uploads while a site is killed: strokes, reports, uploads in parts, one-time
// codes.
import { createHash } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { login } from "@/client/api/accounts/auth.ts";
import { beginFactor, confirmFactor, endFactor } from "@/client/api/accounts/second_factor.ts";
import { resetAccountFactor } from "@/client/api/accounts/users.ts";
import { type Api, callJson } from "@/client/api/http.ts";
import { addStroke, listStrokes } from "@/client/api/reading/strokes.ts";
import { getReports, getReportsProgress, startReports } from "@/client/api/report/report_job.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { getUploadState } from "@/client/api/studies/upload.ts";
import { uploadResponse } from "@/model/schema/studies/upload.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { LEFT, voxelAt } from "@/tests/sites/read_study.ts";
import type { Ledger } from "@/tests/endurance/crash/load.ts";

/** A second user, who enables and removes one-time codes. */
export const COLLEAGUE = { email: "colleague@hospital.test", password: "correct-horse-8" };
/** user id of the second account */
const COLLEAGUE_ID = 2;
const PART_FILES = 10;

/** Acknowledged work of these kinds, kept across kills. */
export class ReadingLedger {
  /** acknowledged strokes, and number of sent strokes */
  readonly strokes = { acknowledged: new Set<number>(), sent: 0 };
  /** ids of acknowledged reports */
  readonly reports: string[] = [];
  /** an upload in parts, with the names of acknowledged files */
  upload: { id: string; name: string; received: Set<string> } | null = null;
  /** state of the second user's one-time codes; `maybe`: a change without response */
  factor: { state: "on" | "off" | "maybe"; codes: string[] } = { state: "off", codes: [] };

  /** @param pid A study with results. */
  constructor(readonly pid: number) {}
}

/** Loops that do this work repeatedly. */
export const readingLoops = (
  api: Api,
  ledger: Ledger,
  round: number,
): ((n: number) => Promise<void>)[] => {
  const { reading } = ledger;
  if (reading === null) return [];
  return [
    () => paintOnce(api, reading, ledger),
    () => askForReport(api, reading, ledger, round),
    (n) => sendPart(api, reading, ledger, `PARTS-${round}-${n}`),
    () => changeFactor(api, reading, ledger),
  ];
};

/** Voxels of the hippocampus in sequence; each stroke removes one. */
const voxelOf = (n: number) =>
  voxelAt(22 + n % 15, 20 + Math.floor(n / 15) % 15, 15 + Math.floor(n / 225));

async function paintOnce(api: Api, ledger: ReadingLedger, all: Ledger): Promise<void> {
  if (ledger.strokes.sent >= 2000) {
    return void await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const runs = [voxelOf(ledger.strokes.sent++), 1];
  const { stroke_id } = await addStroke(api, ledger.pid, { series: "t1", runs, value: 0 });
  ledger.strokes.acknowledged.add(stroke_id!);
  all.writes++;
}

async function askForReport(
  api: Api,
  ledger: ReadingLedger,
  all: Ledger,
  round: number,
): Promise<void> {
  // only one report per round, because each is read at the end
  if (ledger.reports.length > round) {
    return void await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { uuid } = await startReports(api, { pid_list: [ledger.pid] });
  ledger.reports.push(uuid);
  all.writes++;
}

/** Sends the next part of an upload; the last part completes the study. */
async function sendPart(api: Api, ledger: ReadingLedger, all: Ledger, name: string): Promise<void> {
  const upload = ledger.upload ??= {
    id: crypto.randomUUID().replaceAll("-", ""),
    name,
    received: new Set(),
  };
  const files = phantomSeries("short", upload.name);
  const rest = files.filter(({ fileName }) => !upload.received.has(fileName)),
    part = rest.slice(0, PART_FILES);
  const body = new FormData();
  for (const { fileName, bytes } of part) body.append("dicom_files", new Blob([bytes]), fileName);
  const isLast = rest.length <= PART_FILES;
  const query = { upload_id: upload.id, is_last: isLast ? "1" : "0", file_count: files.length };
  if (isLast) all.unanswered++;
  const answer = await callJson(api, uploadResponse, "/api/v1/patients", {
    method: "POST",
    query,
    body,
  });
  all.writes++;
  if (!isLast) { for (const { fileName } of part) upload.received.add(fileName); }
  else {
    all.unanswered--;
    ledger.upload = null;
    const hashes = files.map(({ bytes }) => createHash("sha256").update(bytes).digest("hex"))
      .sort();
    if (answer.pid_list[0] !== undefined) {
      all.studies.set(answer.pid_list[0], { hashes, isDeleted: "no" });
    }
  }
}

/** Enables one-time codes, or removes them with a recovery code. */
async function changeFactor(api: Api, ledger: ReadingLedger, all: Ledger): Promise<void> {
  const { factor } = ledger;
  if (factor.state === "on" && factor.codes.length < 2) {
    // the response with the recovery codes was lost, so an administrator resets the factor
    await resetAccountFactor(api, COLLEAGUE_ID);
    factor.state = "off";
  }
  const open: Api = { send: api.send, origin: api.origin }, isOn = factor.state === "on";
  const code = isOn ? factor.codes.pop() : undefined;
  const { access_token } = await login(open, { ...COLLEAGUE, ...(code ? { code } : {}) });
  const colleague = { ...open, token: access_token };
  if (isOn) {
    const last = factor.codes.pop()!;
    factor.state = "maybe";
    await endFactor(colleague, last);
    factor.state = "off";
  } else {
    const { secret } = await beginFactor(colleague, COLLEAGUE.password);
    factor.codes = [];
    factor.state = "maybe";
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    factor.codes = (await confirmFactor(colleague, totp.generate())).recovery_codes;
    factor.state = "on";
  }
  all.writes++;
  await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Checks whether one-time codes are required; after an unanswered change, either is correct. */
async function compareFactor(open: Api, ledger: ReadingLedger): Promise<string[]> {
  const { factor } = ledger;
  const code = await login(open, COLLEAGUE).then(() => "in", ({ code }: { code: string }) => code);
  const isOn = code === "auth.code_needed";
  if (code !== "in" && !isOn) return [`the colleague is answered ${code}`];
  const problems = factor.state !== "maybe" && isOn !== (factor.state === "on")
    ? [`codes are asked for: ${isOn}, acknowledged ${factor.state}`]
    : [];
  factor.state = isOn ? "on" : "off";
  return problems;
}

/** Compares a restarted site with this acknowledged work. */
export async function compareReading(
  api: Api,
  ledger: ReadingLedger,
  all: Ledger,
): Promise<string[]> {
  const problems = await compareFactor({ send: api.send, origin: api.origin }, ledger);
  const { strokes } = await listStrokes(api, ledger.pid),
    kept = new Set(strokes.map(({ id }) => id));
  const lost = [...ledger.strokes.acknowledged].filter((id) => !kept.has(id)).length;
  if (lost > 0 || kept.size > ledger.strokes.sent) {
    problems.push(`${lost} strokes are lost, ${kept.size} there`);
  }
  const { t1_result } = await getPatient(api, ledger.pid);
  const left = t1_result!.find(({ part_index }) => part_index[0] === LEFT)!.volume_left!;
  if (Math.abs(left - (2.7 - strokes.length / 1000)) > 0.0051) {
    problems.push(`${left} mL do not follow from ${strokes.length} strokes`);
  }
  let isUnderWay = false;
  for (const uuid of ledger.reports) {
    const status = await getReportsProgress(api, uuid).then(
      ({ status }) => status,
      ({ code }) => code,
    );
    if (!["queued", "running", "done"].includes(status)) {
      problems.push(`report ${uuid} is ${status}`);
    }
    isUnderWay ||= status === "queued" || status === "running";
  }
  all.kills["a report"] = (all.kills["a report"] ?? 0) + Number(isUnderWay);
  if (ledger.upload !== null) {
    const { received } = await getUploadState(api, ledger.upload.id), there = new Set(received);
    const gone = [...ledger.upload.received].filter((name) => !there.has(name)).length;
    if (gone > 0 && there.size > 0) problems.push(`${gone} files of an upload are lost`);
    // no files: the last part was stored, but its response was lost
    if (there.size === 0) ledger.upload = null;
    else ledger.upload.received = there;
  }
  return problems;
}

/** Waits for every report and reads it. */
export async function readReports(api: Api, { reports }: ReadingLedger): Promise<string[]> {
  const problems: string[] = [];
  for (const uuid of reports) {
    let answer = await getReports(api, uuid);
    while ("progress" in answer) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      answer = await getReports(api, uuid);
    }
    const start = new TextDecoder().decode((await answer.file.bytes()).subarray(0, 5));
    if (start !== "%PDF-") problems.push(`report ${uuid} begins with ${start}`);
  }
  return problems;
}
