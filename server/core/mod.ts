import type { Sample } from "@/server/wire/metrics.ts";
import { currentTrace, withSpan, withTrace } from "@/server/core/database/trace.ts";
import { withRequestSpan } from "@/server/core/http/request_span.ts";
import { siteMetrics } from "@/server/core/site/service/site_metrics.ts";
import type * as z from "zod/mini";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import { AppError } from "@/model/errors.ts";
import type { Language } from "@/model/text.ts";
import type { Log } from "@/model/site/log.ts";
import { ConnectionsWorker } from "@/server/core/connections/service/connections.ts";
import { cachedValue, createApi, type Routes } from "@/server/core/http/app.ts";
import { aboutRoutes } from "@/server/core/site/routes/about.ts";
import { analysisRoutes } from "@/server/core/analyses/routes/analyses.ts";
import { auditRoutes } from "@/server/core/site/routes/audit.ts";
import { roomFor } from "@/server/core/http/room.ts";
import { canStore } from "@/server/core/site/service/status.ts";
import { DiskReserve } from "@/server/core/site/service/disk_reserve.ts";
import { audited } from "@/server/core/http/audited.ts";
import { authRoutes } from "@/server/core/accounts/routes/auth.ts";
import { binRoutes } from "@/server/core/studies/routes/bin.ts";
import { secondFactorRoutes } from "@/server/core/accounts/routes/second_factor.ts";
import { accountRoutes } from "@/server/core/accounts/routes/users.ts";
import { callLimits } from "@/server/core/http/call_limits.ts";
import { pacsRoutes } from "@/server/core/connections/routes/pacs.ts";
import { fhirRoutes } from "@/server/core/connections/routes/fhir.ts";
import { connectionRoutes } from "@/server/core/connections/routes/connections.ts";
import { dicomwebRoutes } from "@/server/core/connections/routes/dicomweb.ts";
import { wadoUriRoutes } from "@/server/core/connections/routes/wado_uri.ts";
import { dicomRoutes } from "@/server/core/exports/routes/dicom.ts";
import { excelRoutes } from "@/server/core/exports/routes/excel.ts";
import { registryRoutes } from "@/server/core/exports/routes/registry.ts";
import { filterRoutes } from "@/server/core/studies/routes/filters.ts";
import { listViewRoutes } from "@/server/core/studies/routes/list_view.ts";
import { labelRoutes } from "@/server/core/studies/routes/labels.ts";
import { licenseRoutes } from "@/server/core/site/routes/license.ts";
import { lesionChangeRoutes } from "@/server/core/reading/routes/lesion_changes.ts";
import { measurementRoutes } from "@/server/core/reading/routes/measurements.ts";
import { hangingRoutes } from "@/server/core/reading/routes/hanging.ts";
import { seriesRoutes } from "@/server/core/reading/routes/series.ts";
import { strokeRoutes } from "@/server/core/reading/routes/strokes.ts";
import { keyImageRoutes } from "@/server/core/reading/routes/key_images.ts";
import { myPageRoutes } from "@/server/core/accounts/routes/my_page.ts";
import { acceptanceRoutes, stopRoutes } from "@/server/core/norms/routes/acceptance.ts";
import { driftRoutes, normRoutes, routineNormRoutes } from "@/server/core/norms/routes/norms.ts";
import { launchRoutes } from "@/server/core/studies/routes/launch.ts";
import { patientRoutes } from "@/server/core/studies/routes/patients.ts";
import { reportRoutes } from "@/server/core/reports/routes/report.ts";
import { reportTextRoutes } from "@/server/core/reports/routes/report_text.ts";
import { reportJobRoutes } from "@/server/core/reports/routes/report_job.ts";
import { settingsRoutes } from "@/server/core/settings/routes/settings.ts";
import { documentRoutes } from "@/server/core/site/routes/documents.ts";
import { demoRoutes } from "@/server/core/site/routes/demo.ts";
import { signInRoutes } from "@/server/core/accounts/routes/sign_ins.ts";
import { statusRoutes } from "@/server/core/site/routes/status.ts";
import { uploadRoutes } from "@/server/core/studies/routes/upload.ts";
import { userRoutes } from "@/server/core/accounts/routes/user.ts";
import { viewerFileRoutes } from "@/server/core/analyses/routes/viewer_files.ts";
import type { Gate } from "@/server/gate/link/tasks.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import { JobRunner } from "@/server/core/jobs/runner.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { analysisJob } from "@/server/core/analyses/service/analysis_job.ts";
import { isSessionOpen, verifyToken } from "@/server/core/accounts/service/auth.ts";
import type { DemoSource, ServiceContext } from "@/server/core/site/service/context.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import { setAuditFolder } from "@/server/core/site/service/audit/audit_key.ts";
import { watchAudit } from "@/server/core/site/service/audit/audit_watch.ts";
import { EXCEL_JOB, excelJob } from "@/server/core/exports/service/excel.ts";
import { REGISTRY_JOB, registryJob } from "@/server/core/exports/service/registry.ts";
import { EventHub } from "@/server/core/site/service/events.ts";
import { removeOldExports } from "@/server/core/exports/service/exports.ts";
import { findingsCatchUp } from "@/server/core/analyses/service/finding.ts";
import { removeLeftovers } from "@/server/core/site/service/leftovers.ts";
import { watchDrift } from "@/server/core/norms/service/drift_job.ts";
import { watchRoutineNorms } from "@/server/core/norms/service/routine_job.ts";
import { watchRetention } from "@/server/core/site/service/retention.ts";
import { watchLicense } from "@/server/core/site/service/license.ts";
import { Peers } from "@/server/core/site/service/peers.ts";
import {
  FLAIR_CHANGE_JOB,
  flairChangeJob,
  watchFlairs,
} from "@/server/core/analyses/service/flair_change.ts";
import {
  LONGITUDINAL_JOB,
  longitudinalJob,
  watchVisits,
} from "@/server/core/analyses/service/longitudinal.ts";
import { REPORT_JOB, reportJob } from "@/server/core/reports/service/report_job.ts";
import { headersCatchUp } from "@/server/core/studies/service/headers/series_headers.ts";
import { watchUploads } from "@/server/core/studies/service/upload_session.ts";
import { createAdministrator } from "@/server/core/accounts/service/users.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { isPostgres, openPostgres } from "@/server/core/database/postgres.ts";
import { openStoreKey } from "@/server/core/blobs/store_key.ts";
import { SharedBlobs } from "@/server/core/blobs/shared_blobs.ts";
import { pruneChanges } from "@/server/core/studies/storage/worklist_changes.ts";
import { worklistIndex } from "@/server/core/studies/storage/worklist_index.ts";

/** Lane of table and report jobs: both kinds may run at the same time. */
const MAX_SHORT_JOBS = 2;

/** All routes of the API. */
export const API: readonly Routes[] = [
  callLimits,
  authRoutes,
  userRoutes,
  licenseRoutes,
  statusRoutes,
  launchRoutes,
  patientRoutes,
  uploadRoutes,
  analysisRoutes,
  viewerFileRoutes,
  lesionChangeRoutes,
  measurementRoutes,
  seriesRoutes,
  hangingRoutes,
  strokeRoutes,
  keyImageRoutes,
  reportRoutes,
  reportTextRoutes,
  dicomRoutes,
  reportJobRoutes,
  labelRoutes,
  filterRoutes,
  listViewRoutes,
  excelRoutes,
  registryRoutes,
  settingsRoutes,
  normRoutes,
  routineNormRoutes,
  driftRoutes,
  acceptanceRoutes,
  stopRoutes,
  myPageRoutes,
  aboutRoutes,
  documentRoutes,
  auditRoutes,
  signInRoutes,
  demoRoutes,
  accountRoutes,
  binRoutes,
  connectionRoutes,
  pacsRoutes,
  fhirRoutes,
  secondFactorRoutes,
  dicomwebRoutes,
  wadoUriRoutes,
];

interface CoreConfig {
  /**
   * folder of `core.sqlite` and `blobs/`; `null`: in-memory database and temporary folder (tests)
   */
  dataDir: string | null;
  /**
   * folder of the audit log's key and anchors,
   * shared by all cores of one database; default: `audit` in `dataDir`
   */
  auditDir?: string | null;
  /** syslog target of the audit log, `tls://host:port` or `tcp://host:port`; `null`: none */
  syslog?: string | null;
  /** key that encrypts stored files; `null`: not encrypted */
  storageKey?: Uint8Array | null;
  /**
   * PostgreSQL instead of `core.sqlite`:
   * several cores may use it, with shared `blobs/` and `exports/`
   */
  databaseUrl?: string | null;
  /** number of threads per analysis (one runs at a time); 0: analyses stay in the queue */
  workers: number;
  /** lease of an analysis, after which another core may take it over; 30 s by default */
  leaseMs?: number;
  /** disk usage in percent for a warning, and for refusing uploads; 80 and 95 by default */
  diskLimits?: { warn: number; error: number };
  /**
   * maximum number of expensive calls per user and minute, 120 by default, and ten times as many
   * viewer files; 0: unlimited
   */
  callsPerMinute?: number;
  /** settings of the hospital's sign-in; absent: only the site's own accounts */
  identity?: IdentitySettings;
  /**
   * hours that finished exports and reports,
   * and parts of unfinished uploads, are kept; 24 and 36 by default
   */
  keepHours?: { exports: number; uploads: number };
  /** days that deleted studies stay in the bin, 30 by default; 0: deleted permanently at once */
  binDays?: number;
  /** default language of reports; English if absent */
  language?: Language;
  /** e-mail address of the administrator created at the first start */
  adminEmail?: string;
  /** the administrator's password at the first start; generated when absent */
  adminPassword?: string;
  /**
   * socket of the converter process, see server/core/dicom/convert/converter.ts; absent: a worker
   * of this process converts
   */
  converter?: string | null;
  /**
   * socket of the reader process, see server/core/dicom/worker/reader_process.ts;
   * absent: workers of this process read
   */
  reader?: string | null;
  /**
   * network access for DICOM and HL7, and this site's AE title; absent: nothing is sent or received
   */
  gate?: { ask: Gate; aeTitle: string; reach?: readonly string[] } | null;
  /**
   * true: the caller calls {@link Core.catchUp} when its port is open;
   * by default the core calls it when it is created
   */
  isServedFirst?: boolean;
  /** source of demo patients for a new site; none by default */
  demo?: DemoSource;
  log?: Log;
}

/** The API in this process. */
export interface Core {
  /** Handles an API call; never rejects for a bad request. */
  fetch(request: Request): Promise<Response>;
  /**
   * Starts the work that is postponed at start, in slices between requests:
   * comparisons, findings, search for leftovers.
   */
  catchUp(): void;
  /** The value of a response that was serialised with this schema; `undefined` for any other. */
  cachedValue(answer: Response, schema: z.ZodMiniType): unknown;
  /** Subscribes to all events with their recipients; the returned function unsubscribes. */
  subscribe(listener: (event: ServerEvent, audience: Audience) => void): () => void;
  /** Owner of an access token or a single-use socket ticket; `null` when it is invalid. */
  verifyToken(token: string): Promise<{ uid: number; sid: string } | null>;
  /** Creates a single-use ticket for a WebSocket, so that addresses contain no long-lived token. */
  hasTickets: true;
  /** Whether a session is neither ended nor expired. */
  isSessionOpen(sid: string): Promise<boolean>;
  /**
   * Account created at the first start;
   * `password` only if it was generated: show it once and do not store it.
   */
  administrator: { email: string; password: string | null } | null;
  /** Metrics of this process and its site, see docs/site/monitoring.md. */
  metrics(): Promise<Sample[]>;
  /** Claims no further analyses, and waits for the running ones to end. */
  drain(): Promise<void>;
  /** Aborts running analyses (restarted at the next start) and closes the database. */
  close(): Promise<void>;
}

/** Size of a file; 0 when it does not exist. */
function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

/** Opens the database of a data folder, creating both if necessary. */
export function openData(dataDir: string | null, auditDir?: string | null): Database {
  if (dataDir === null) return openDatabase(":memory:");
  makeFolders(dataDir);
  const path = `${dataDir}/core.sqlite`, folder = auditDir ?? `${dataDir}/audit`;
  if (sizeOf(path) === 0 && sizeOf(`${folder}/anchors`) > 0) {
    // a new database would make all stored files appear unreferenced
    const help = `Restore a backup, or move ${folder} and ${dataDir}/blobs away to begin anew`;
    throw new AppError(
      "internal",
      `Cannot open the database ${path}: it is empty or gone. ${help}`,
    );
  }
  const db = openDatabase(path);
  setAuditFolder(db, folder);
  return db;
}

/**
 * Opens the database of a site: {@link openData}, or PostgreSQL.
 * @throws Error when PostgreSQL cannot be reached or used.
 */
export async function openSite(
  { dataDir, auditDir, databaseUrl, log }: Pick<
    CoreConfig,
    "dataDir" | "auditDir" | "databaseUrl" | "log"
  >,
): Promise<Database> {
  if (!databaseUrl) return openData(dataDir, auditDir);
  const db = await openPostgres(databaseUrl, log);
  if (dataDir !== null) setAuditFolder(db, auditDir ?? `${dataDir}/audit`);
  return db;
}

/**
 * Creates the core on a data folder: migrates, creates the administrator at the first start,
 * resumes unfinished analyses. Work that grows with the number of studies is postponed until it
 * serves. Only one process at a time may run a core on a data folder; several may on one PostgreSQL
 * database, each with its own data folder but shared `blobs/` and `exports/`.
 *
 * @throws when the folder cannot be written,
 * the database cannot be reached, or belongs to a newer version.
 */
export async function createCore(config: CoreConfig): Promise<Core> {
  const written: Log = config.log ?? (() => {});
  // log lines contain the id of the request, also those of jobs that a request queued
  const log: Log = (level, message, fields) => {
    const trace = currentTrace();
    written(level, message, trace === null ? fields : { ...fields, trace });
  };
  if (config.dataDir !== null) {
    await openStoreKey(`${config.dataDir}/blobs`, config.storageKey ?? null);
  }
  const db = await openSite(config), isShared = isPostgres(db);
  const dataDir = config.dataDir ?? await Deno.makeTempDir({ prefix: "sulcus-" });
  const storageKey = config.storageKey ?? null;
  const shared = isShared ? new SharedBlobs(`${dataDir}/blobs`, db, log, storageKey) : null;
  const blobs = shared ?? new DiskBlobs(`${dataDir}/blobs`, { key: storageKey });
  const undelivered = (error: unknown) =>
    log("error", "Cannot deliver event", { error: String(error) });
  // events of this process, and events of all processes on this database
  const localEvents = new EventHub(undelivered), events = new EventHub(undelivered);
  await blobs.sweepStaged();
  await pruneChanges(db);
  const administrator = await createAdministrator(db, {
    email: config.adminEmail,
    password: config.adminPassword,
  });
  const peers = new Peers(db, log), folder = await Deno.realPath(dataDir);
  // the staging folder may be a link to another file system
  const folders = [`${await Deno.realPath(`${dataDir}/blobs`)}/incoming`, `${folder}/inbox`];
  const reader = new DicomReader({ folders, log, socket: config.reader });
  const services: ServiceContext = {
    db,
    blobs,
    log,
    publish: (event, audience) => {
      localEvents.publish(event, audience);
      events.publish(event, audience);
      peers.broadcast(event, audience);
    },
    wakeJobs: () => {
      runner.wake();
      peers.wakeJobs();
    },
    cancelJob: (id) => runner.cancel(id),
    dataDir,
    storageKey,
    diskLimits: config.diskLimits,
    callsPerMinute: config.callsPerMinute,
    binDays: config.binDays,
    keepHours: config.keepHours,
    identity: config.identity,
    converter: config.converter,
    reader,
    ...config.demo ? { demo: config.demo } : {},
    gate: config.gate ? { ...config.gate, inbox: `${folder}/inbox` } : null,
    language: config.language,
    pdf: new PdfRenderer(),
    engine: { threads: Math.max(1, config.workers) },
  };
  const jobs = {
    [ANALYSIS_JOB]: analysisJob(services),
    [LONGITUDINAL_JOB]: longitudinalJob(services),
    [FLAIR_CHANGE_JOB]: flairChangeJob(services),
    [EXCEL_JOB]: excelJob(services),
    [REGISTRY_JOB]: registryJob(services),
    [REPORT_JOB]: reportJob(services),
  };
  const runner = new JobRunner(db, jobs, {
    // slots for short jobs in addition to the single analysis
    workers: config.workers === 0 ? 0 : 1 + MAX_SHORT_JOBS,
    log,
    isShared,
    stopElsewhere: (id) => peers.stopJob(id),
    leaseMs: config.leaseMs,
    canStore: () => canStore(dataDir),
  });
  const reserve = new DiskReserve(dataDir, log);
  const api = createApi(services, API, [
    (context, next) =>
      withTrace(context.var.requestId, () => withRequestSpan(withSpan)(context, next)),
    roomFor(reserve),
    audited(services),
  ]);
  await removeOldExports(services);
  await peers.open({
    deliver: events.publish,
    wakeJobs: () => runner.wake(),
    stopJob: (id) => runner.stop(id),
  });
  await runner.start();
  const connections = services.gate ? new ConnectionsWorker(services, services.gate.inbox) : null;
  let connecting: Promise<void> | undefined;
  const connect = async () => await (connecting ??= connections?.start());
  const visits = watchVisits(services), flairs = watchFlairs(services);
  localEvents.subscribe(visits.hear);
  localEvents.subscribe(flairs.hear);
  const later = new CatchUp([
    { name: "prepare the worklist", run: () => worklistIndex(db).warm() },
    { name: "start the connections", run: connect },
    visits.catchUp,
    flairs.catchUp,
    findingsCatchUp(services),
    headersCatchUp(services),
  ], log);
  const license = watchLicense(services), uploads = watchUploads(services);
  const auditWatch = watchAudit(services, config.syslog ?? null);
  const startedMs = Date.now();
  let retention: ReturnType<typeof watchRetention> | undefined;
  let leftovers: ReturnType<typeof removeLeftovers> | undefined;
  const routineNorms = watchRoutineNorms(services), drift = watchDrift(services);
  const catchUp = () => {
    if (leftovers || closing) return;
    retention = watchRetention(services);
    leftovers = removeLeftovers(services, startedMs);
    later.begin();
  };
  let closing: Promise<void> | null = null;
  const close = async () => {
    await leftovers?.close();
    await later.close();
    await routineNorms.close();
    await drift.close();
    await connections?.close();
    await runner.close();
    services.pdf.close();
    reader.close();
    await visits.close();
    await flairs.close();
    await license.close();
    await uploads.close();
    await retention?.close();
    await auditWatch.close();
    reserve.close();
    await peers.close();
    await shared?.close();
    await db.destroy();
    if (config.dataDir === null) await Deno.remove(dataDir, { recursive: true });
  };
  if (!config.isServedFirst) {
    await connect();
    catchUp();
  }
  return {
    fetch: async (request) => await api.fetch(request),
    catchUp,
    cachedValue,
    subscribe: events.subscribe,
    hasTickets: true,
    verifyToken: (token) => verifyToken(services, token),
    isSessionOpen: (sid) => isSessionOpen(services, sid),
    administrator,
    metrics: () => siteMetrics(services, leftovers?.progress() ?? 0),
    drain: () => runner.drain(),
    close: () => closing ??= close(),
  };
}
