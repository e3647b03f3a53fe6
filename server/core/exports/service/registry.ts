// Files for research registries: all analysed studies, without identity and in random order.
import { open } from "node:fs/promises";
import { isPassing } from "@/model/errors.ts";
import { soundAge } from "@/model/patient/plausible.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { isoImageDate } from "@/server/core/database/image_date.ts";
import { acquisitionOf } from "@/model/registry/acquisition.ts";
import { CellCounts, COARSEST, MIN_PERSONS, type RegistryPlace } from "@/model/registry/cells.ts";
import {
  registryColumns,
  registryHead,
  registryObject,
  registryRow,
  type RegistryStudy,
  shownCell,
} from "@/model/registry/columns.ts";
import { textProblem } from "@/model/registry/identity_search.ts";
import type {
  RegistryFigures,
  RegistryPreview,
  RegistryRequest,
} from "@/model/schema/report/registry.ts";
import type { JobKind } from "@/server/core/jobs/runner.ts";
import { hospitalName } from "@/server/core/accounts/service/my_page.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readStudies } from "@/server/core/exports/service/excel.ts";
import { exportJob, newestExport, startExport } from "@/server/core/exports/service/exports.ts";
import { writeCsv } from "@/server/core/exports/service/workbook.ts";
import {
  countSigned,
  identityOfStudy,
  listPeople,
  listPlaces,
  readPlaces,
  type StoredPlace,
} from "@/server/core/exports/storage/registry.ts";
import { readScannerNames } from "@/server/core/norms/service/acceptance_studies.ts";
import {
  appliedFrom,
  NO_RULES,
  readRules,
  type ScannerRules,
} from "@/server/core/norms/service/applied_norms.ts";
import { type Caller, type ServiceContext } from "@/server/core/site/service/context.ts";
import { demoPids } from "@/server/core/site/service/demo_patients.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/** Name of the job that writes a registry file. */
export const REGISTRY_JOB = "registry";
/** Working time in ms after which the job yields to the event loop. */
const MAX_SLICE_MS = 8;
const PLACES_PER_BATCH = 2000, STUDIES_PER_BATCH = 20, JSON_PIECE = 1 << 16;

const ENGINE = /^sulcus-engine \d[\w.+-]{0,30}$/;

function placeOf(stored: StoredPlace): RegistryPlace {
  const { patient_id, study_date, patient_sex } = stored,
    engine = stored.t1_engine ?? stored.flair_engine;
  return {
    ...acquisitionOf(
      stored.t1_scanner ?? stored.flair_scanner,
      stored.t1_protocol ?? stored.flair_protocol,
    ),
    // different people with one ID count as one person, which errs on the side of withholding more
    person: patient_id.trim().toLowerCase(),
    age: soundAge(stored),
    sex: patient_sex,
    year: study_date === null ? null : Number(study_date.slice(0, 4)) || null,
    engine: engine !== null && ENGINE.test(engine) ? engine : null,
  };
}

/** Whether the percentiles of a study are withheld because of its scanner. */
function isStopped(stored: StoredPlace, rules: ScannerRules): boolean {
  const acquisition = {
    scanner: stored.t1_scanner,
    protocol: stored.t1_protocol,
    imageDate: isoImageDate(stored.image_date),
    receivedAt: stored.received_at,
  };
  const result = {
    results: null,
    engineVersion: stored.t1_engine,
    localNormId: null,
    localNormAt: null,
  };
  const { method } = appliedFrom([], { ...result, acquisition }, rules);
  return method?.isStopped === true;
}

/** Yields to the event loop, so that waiting requests are answered. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** Numbers of all studies, and how many people share the attributes of each study in a file. */
async function countCells(
  db: Database,
  kind: RegistryFigures,
  signal?: AbortSignal,
): Promise<{ pids: number[]; counts: CellCounts; levels: Uint8Array }> {
  const pids: number[] = [], counts = new CellCounts();
  const demo = await demoPids(db);
  // only percentiles reveal which scanners are stopped or refused
  const rules = kind === "percentiles" ? await readRules(db) : NO_RULES;
  const hasRules = rules.stops.length > 0 || rules.tests.length > 0;
  let since = performance.now();
  for (;;) {
    const afterPid = pids.at(-1) ?? 0;
    const batch = await listPlaces(db, { afterPid, limit: PLACES_PER_BATCH, demoPids: demo });
    for (const stored of batch) {
      pids.push(stored.pid);
      counts.add(placeOf(stored));
      if (hasRules && isStopped(stored, rules)) counts.withhold(pids.length - 1);
      if (performance.now() - since < MAX_SLICE_MS) continue;
      signal?.throwIfAborted();
      await pause();
      since = performance.now();
    }
    if (batch.length < PLACES_PER_BATCH) break;
  }
  return { pids, counts, levels: counts.levels() };
}

/** Random order of `count` studies, so that a row's position does not reveal the arrival time. */
function randomOrder(count: number): number[] {
  const keys = new Float64Array(count);
  // one call of `getRandomValues` fills at most 65,536 bytes
  for (let at = 0; at < count; at += 8192) {
    const part = new BigUint64Array(Math.min(8192, count - at));
    crypto.getRandomValues(part);
    part.forEach((bits, n) => keys[at + n] = Number(bits));
  }
  return Array.from({ length: count }, (_, n) => n).sort((a, b) => keys[a]! - keys[b]!);
}

const statusOf = (status: string | null): string | null =>
  status === "completed" || status === "failed" ? status : null;

/** Cancellation, failures and progress of writing a registry file. */
export interface RegistryRun {
  signal?: AbortSignal;
  /** array to which the numbers of studies that could not be written are added */
  failed: number[];
  /** called with the progress, 0..1 */
  tell?: (fraction: number) => Promise<void>;
  log?: ServiceContext["log"];
}

/** Returns a function that gives a study's text, or the reason why the text is withheld. */
async function textsOf(db: Database) {
  const people = await listPeople(db), hospital = await hospitalName(db);
  return async (pid: number, signed: string) => {
    const { names, identifiers, institutions } = await identityOfStudy(db, pid);
    const phrases = [...institutions, hospital];
    const identity = { names: [...names, ...people], identifiers, phrases };
    const problem = textProblem(signed, identity);
    return { text: problem === null ? signed : null, textWithheld: problem };
  };
}

/** Yields each study in its de-identified form, in random order. */
async function* studiesOf(
  db: Database,
  { has_texts, figures: kind }: RegistryRequest,
  { signal, failed, tell, log }: RegistryRun,
): AsyncGenerator<RegistryStudy> {
  const { pids, counts, levels } = await countCells(db, kind, signal),
    order = randomOrder(pids.length);
  const textOf = has_texts ? await textsOf(db) : null;
  for (let at = 0; at < order.length; at += STUDIES_PER_BATCH) {
    const batch = order.slice(at, at + STUDIES_PER_BATCH), chosen = batch.map((n) => pids[n]!);
    const studies = await readStudies(db, chosen);
    const places = new Map((await readPlaces(db, chosen)).map((place) => [place.pid, place]));
    for (const n of batch) {
      signal?.throwIfAborted();
      const pid = pids[n]!, study = studies.get(pid), place = places.get(pid);
      try {
        if (!study || !place) throw new Error("the study was deleted");
        const { row, results, flair, norms, signed } = study;
        const text = textOf && signed && !signed.is_outdated
          ? await textOf(pid, signed.text)
          : { text: null, textWithheld: null };
        const method = norms?.method,
          figures = measureStudy({ patient: row, t1: results, flair, method });
        yield {
          cell: shownCell(counts.cellOf(n, placeOf(place), levels), figures, kind),
          figures,
          t1Status: statusOf(row.t1_analysis_status),
          flairStatus: statusOf(row.t2_analysis_status),
          ...text,
        };
      } catch (error) {
        // a temporary error, such as a full disk, fails the whole file; the job is run again later
        if (isPassing(error)) throw error;
        log?.("error", "Cannot write a study for a registry", { pid, error: String(error) });
        failed.push(pid);
      }
    }
    await tell?.(Math.min(1, (at + STUDIES_PER_BATCH) / order.length));
    await pause();
  }
}

/** Writes a JSON document with one study per line, and syncs the file to disk. */
async function writeJson(
  path: string,
  { figures }: RegistryRequest,
  objects: AsyncIterable<unknown>,
): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    const head = { format: "sulcus-registry", version: 1, figures, min_persons: MIN_PERSONS };
    let piece = JSON.stringify(head).replace(/}$/, ',"studies":['), between = "\n";
    for await (const object of objects) {
      piece += between + JSON.stringify(object);
      between = ",\n";
      if (piece.length < JSON_PIECE) continue;
      await file.writeFile(piece);
      piece = "";
    }
    await file.writeFile(`${piece}\n]}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes a registry file. Memory holds a few numbers per study, and one batch of studies. */
export async function writeRegistry(
  db: Database,
  path: string,
  request: RegistryRequest,
  run: RegistryRun,
): Promise<void> {
  const columns = registryColumns(request.figures, request.has_texts);
  const studies = studiesOf(db, request, run);
  async function* each<T>(of: (study: RegistryStudy) => T): AsyncGenerator<T> {
    for await (const study of studies) yield of(study);
  }
  if (request.format === "json") {
    return await writeJson(path, request, each((study) => registryObject(columns, study)));
  }
  await writeCsv(path, registryHead(columns), each((study) => registryRow(columns, study)));
}

/** Counts of studies and people in a registry file. @throws {AppError} `access.forbidden`. */
export async function previewRegistry(
  services: ServiceContext,
  caller: Caller,
): Promise<RegistryPreview> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const { counts, levels } = await countCells(db, "volumes"),
    byLevel = Array<number>(COARSEST + 1).fill(0);
  for (const level of levels) byLevel[level]!++;
  const newest = await newestExport(services, "registry", caller);
  return {
    studies: counts.studies,
    persons: counts.persons,
    min_persons: MIN_PERSONS,
    levels: byLevel,
    texts: await countSigned(db),
    current: newest && { id: newest.exportId, progress: newest.progress },
  };
}

/** Queues a registry file. @throws {AppError} `access.forbidden`, `storage.full`. */
export async function startRegistry(
  services: ServiceContext,
  request: RegistryRequest,
  caller: Caller,
): Promise<{ id: string }> {
  await checkMaintenance(services.db, caller);
  const made = { ...request, kind: "registry" as const };
  return { id: await startExport(services, REGISTRY_JOB, made, caller) };
}

/** The job that writes a registry file. */
export const registryJob = (services: ServiceContext): JobKind =>
  exportJob(services, {
    say: (id, percent, status) => ({ event: "registry", id, percent, status }),
    async write({ request }, { path, signal, failed, tell }) {
      if (request.kind !== "registry") return;
      const { db, log } = services;
      await readScannerNames(services);
      await writeRegistry(db, path, request, { signal, failed, tell, log });
    },
  });
