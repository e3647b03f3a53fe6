import type { Sample } from "@/server/wire/metrics.ts";
import { currentTrace, withSpan, withTrace } from "@/server/core/database/trace.ts";
import { withRequestSpan } from "@/server/core/http/request_span.ts";
import { siteMetrics } from "@/server/core/site/service/site_metrics.ts";
import type * as z from "zod/mini";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import type { Language } from "@/model/text.ts";
import type { Log } from "@/model/site/log.ts";
import { ConnectionsWorker } from "@/server/core/connections/service/connections.ts";
import { cachedValue, createApi } from "@/server/core/http/app.ts";
import { roomFor } from "@/server/core/http/room.ts";
import { canStore } from "@/server/core/site/service/status.ts";
import { DiskReserve } from "@/server/core/site/service/disk_reserve.ts";
import { audited } from "@/server/core/http/audited.ts";
import { shownCases } from "@/server/core/http/shown_cases.ts";
import type { Gate } from "@/server/gate/link/tasks.ts";
import { CatchUp, type CatchUpTask } from "@/server/core/jobs/catch_up.ts";
import { JobRunner } from "@/server/core/jobs/runner.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { analysisJob } from "@/server/core/analyses/service/analysis_job.ts";
import { isSessionOpen, verifyToken } from "@/server/core/accounts/service/auth.ts";
import type { DemoSource, ServiceContext } from "@/server/core/site/service/context.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import type { SyslogForm } from "@/server/core/site/service/audit/syslog.ts";
import { watchAudit } from "@/server/core/site/service/audit/audit_watch.ts";
import { EXCEL_JOB, excelJob } from "@/server/core/exports/service/excel.ts";
import { REGISTRY_JOB, registryJob } from "@/server/core/exports/service/registry.ts";
import { EventHub } from "@/server/core/site/service/events.ts";
import { removeOldExports } from "@/server/core/exports/service/exports.ts";
import { MissingFindings } from "@/server/core/analyses/service/missing_findings.ts";
import { removeLeftovers } from "@/server/core/site/service/leftovers.ts";
import { watchDrift } from "@/server/core/norms/service/charts/drift_job.ts";
import { watchRoutineNorms } from "@/server/core/norms/service/routine_job.ts";
import { watchRetention } from "@/server/core/site/service/retention.ts";
import { watchLicense } from "@/server/core/site/service/license.ts";
import { Peers } from "@/server/core/site/service/peers.ts";
import {
  FLAIR_CHANGE_JOB,
  flairChangeJob,
  watchFlairs,
} from "@/server/core/analyses/service/flair_change.ts";
import { longitudinalJob, watchVisits } from "@/server/core/analyses/service/longitudinal.ts";
import { LONGITUDINAL_JOB } from "@/server/core/analyses/service/queue_visits.ts";
import { REPORT_JOB, reportJob } from "@/server/core/reports/service/report_job.ts";
import { ContextSharing } from "@/server/core/studies/service/context/context_sharing.ts";
import type { HubSettings } from "@/server/core/studies/service/context/hub_settings.ts";
import { headersCatchUp } from "@/server/core/studies/service/headers/series_headers.ts";
import { watchUploads } from "@/server/core/studies/service/upload_session.ts";
import { createAdministrator } from "@/server/core/accounts/service/users.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { pruneChanges } from "@/server/core/studies/storage/worklist_changes.ts";
import { worklistIndex } from "@/server/core/studies/storage/worklist_index.ts";
import { API } from "@/server/core/api.ts";
import {
  type DataPlace,
  openSiteData,
  type SiteData,
} from "@/server/core/site/service/site_data.ts";

export { API } from "@/server/core/api.ts";
export { openData, openSite } from "@/server/core/site/service/site_data.ts";

/** Number of short jobs (tables and reports) that may run at the same time. */
const MAX_SHORT_JOBS = 2;

interface CoreConfig extends DataPlace {
  /** syslog target of the audit log, `tls://host:port` or `tcp://host:port`; `null`: none */
  syslog?: string | null;
  /** form in which entries of the audit log are sent to syslog */
  syslogForm?: SyslogForm;
  /** number of threads per analysis (one runs at a time); 0: analyses stay in the queue */
  workers: number;
  /** lease of an analysis, after which another core may take it over; 30 s by default */
  leaseMs?: number;
  /** disk usage in percent for a warning, and for refusing uploads; 80 and 95 by default */
  diskLimits?: { warn: number; error: number };
  /**
   * maximum number of expensive calls per user and minute, 120 by default; 0: unlimited
   * ten times as many viewer files are allowed
   */
  callsPerMinute?: number;
  /** settings of the hospital's sign-in; absent: only the site's own accounts */
  identity?: IdentitySettings;
  /**
   * hours for which finished exports and reports are kept (24 by default)
   * and parts of unfinished uploads (36 by default)
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
   * socket of the converter process, see server/core/dicom/convert/converter.ts
   * absent: a worker of this process converts
   */
  converter?: string | null;
  /**
   * socket of the reader process, see server/core/dicom/worker/reader_process.ts
   * absent: worker threads of this process read the files
   */
  reader?: string | null;
  /**
   * network access for DICOM and HL7, and this site's AE title; absent: nothing is sent or received
   */
  gate?: { ask: Gate; aeTitle: string; reach?: readonly string[] } | null;
  /**
   * true: the caller calls {@link Core.catchUp} when the server's port is open
   * by default the core does so when the core is created
   */
  isServedFirst?: boolean;
  /**
   * true: a process that runs jobs while other processes serve the site
   * such a process writes no audit entries and needs no copy of the key that authenticates entries
   */
  isWorker?: boolean;
  /** source of demo patients for a new site; none by default */
  demo?: DemoSource;
  /** hub of context sharing; absent: none */
  contextHub?: HubSettings | null;
  log?: Log;
}

/** The API in this process. */
export interface Core {
  /** Handles an API call; never rejects for a bad request. */
  fetch(request: Request): Promise<Response>;
  /**
   * Starts the work that is postponed at start, in slices between requests:
   * comparisons, findings, search for unreferenced files.
   */
  catchUp(): void;
  /** The value of a response that was serialised with this schema; `undefined` for any other. */
  cachedValue(answer: Response, schema: z.ZodMiniType): unknown;
  /** Subscribes to all events, each with the recipients; the returned function unsubscribes. */
  subscribe(listener: (event: ServerEvent, audience: Audience) => void): () => void;
  /** Owner of an access token or a single-use socket ticket; `null` for an invalid one. */
  verifyToken(token: string): Promise<{ uid: number; sid: string } | null>;
  /** Creates a single-use ticket for a WebSocket, so that addresses contain no long-lived token. */
  hasTickets: true;
  /** Whether a session is neither ended nor expired. */
  isSessionOpen(sid: string): Promise<boolean>;
  /**
   * Account created at the first start.
   * `password` is set only if it was generated: show the password once and do not store it.
   */
  administrator: { email: string; password: string | null } | null;
  /** Metrics of this process and the site, see docs/site/monitoring.md. */
  metrics(): Promise<Sample[]>;
  /** Claims no further analyses, and waits for the running analyses to end. */
  drain(): Promise<void>;
  /** Aborts running analyses (restarted at the next start) and closes the database. */
  close(): Promise<void>;
}

/** Writes the request id into each log line, also for jobs that a request started. */
function tracedLog(log: Log): Log {
  return (level, message, fields) => {
    const trace = currentTrace();
    log(level, message, trace === null ? fields : { ...fields, trace });
  };
}

/** Reader of received DICOM files, which has access to the folders in which they arrive. */
async function openReader(dataDir: string, log: Log, socket: CoreConfig["reader"]) {
  // the staging folder may be a link to another file system
  const staging = `${await Deno.realPath(`${dataDir}/blobs`)}/incoming`;
  const inbox = `${await Deno.realPath(dataDir)}/inbox`;
  return { reader: new DicomReader({ folders: [staging, inbox], log, socket }), inbox };
}

/** Handlers of the queued jobs, by kind. */
const jobHandlers = (services: ServiceContext) => ({
  [ANALYSIS_JOB]: analysisJob(services),
  [LONGITUDINAL_JOB]: longitudinalJob(services),
  [FLAIR_CHANGE_JOB]: flairChangeJob(services),
  [EXCEL_JOB]: excelJob(services),
  [REGISTRY_JOB]: registryJob(services),
  [REPORT_JOB]: reportJob(services),
});

/** The API of the core; `reserve` keeps free disk space for API calls. */
const apiOf = (services: ServiceContext, reserve: DiskReserve) =>
  createApi(services, API, [
    (context, next) =>
      withTrace(context.var.requestId, () => withRequestSpan(withSpan)(context, next)),
    roomFor(reserve),
    shownCases(services),
    audited(services),
  ]);

/** Receiving and sending of studies, which the first caller of `start` starts. */
function connectionsOf(services: ServiceContext) {
  const worker = services.gate ? new ConnectionsWorker(services, services.gate.inbox) : null;
  let starting: Promise<void> | undefined;
  return {
    start: async () => await (starting ??= worker?.start()),
    close: async () => await worker?.close(),
  };
}

/** Background work of the site other than jobs. */
function startWatchers(
  services: ServiceContext,
  events: EventHub,
  config: CoreConfig,
  missingFindings: CatchUpTask,
) {
  const connections = connectionsOf(services);
  const visits = watchVisits(services), flairs = watchFlairs(services);
  events.subscribe(visits.hear);
  events.subscribe(flairs.hear);
  const postponed = new CatchUp([
    { name: "prepare the worklist", run: () => worklistIndex(services.db).warm() },
    { name: "start the connections", run: connections.start },
    visits.catchUp,
    flairs.catchUp,
    missingFindings,
    headersCatchUp(services),
  ], services.log);
  const license = watchLicense(services), uploads = watchUploads(services);
  const auditWatch = config.isWorker
    ? null
    : watchAudit(services, config.syslog ?? null, undefined, config.syslogForm);
  const startedMs = Date.now();
  const routineNorms = watchRoutineNorms(services);
  // the withdrawal of a scanner's percentiles is an entry of the audit log
  const drift = config.isWorker ? null : watchDrift(services);
  let retention: ReturnType<typeof watchRetention> | undefined;
  let leftovers: ReturnType<typeof removeLeftovers> | undefined;
  return {
    connect: connections.start,
    /** Starts the work that grows with the number of studies. */
    catchUp() {
      if (leftovers) return;
      retention = watchRetention(services);
      leftovers = removeLeftovers(services, startedMs);
      postponed.begin();
    },
    /** Number of stored files that were checked for rows that refer to them. */
    checkedLeftovers: () => leftovers?.progress() ?? 0,
    /** Ends the background work that queues jobs or needs jobs. */
    async closeBeforeJobs() {
      await services.contextSharing?.close();
      await leftovers?.close();
      await postponed.close();
      await routineNorms.close();
      await drift?.close();
      await connections.close();
    },
    /** Ends the work that follows finished jobs. */
    async closeAfterJobs() {
      await visits.close();
      await flairs.close();
      await license.close();
      await uploads.close();
      await retention?.close();
      await auditWatch?.close();
    },
  };
}

type Publish = ServiceContext["publish"];

/** Publishes an event to several receivers. */
const publisherTo = (receivers: readonly Publish[]): Publish => (event, audience) => {
  for (const receive of receivers) receive(event, audience);
};

/** Services of the site that depend neither on its settings nor on its stored data. */
type Machinery = Pick<
  ServiceContext,
  "publish" | "wakeJobs" | "missingFindings" | "cancelJob" | "log" | "reader"
>;

function servicesOf(
  config: CoreConfig,
  { db, blobs, dataDir, storageKey }: SiteData,
  machinery: Machinery,
  inbox: string,
): ServiceContext {
  const { log, publish } = machinery, { contextHub } = config;
  return {
    ...machinery,
    contextSharing: contextHub ? new ContextSharing({ settings: contextHub, log, publish }) : null,
    db,
    blobs,
    dataDir,
    storageKey,
    diskLimits: config.diskLimits,
    callsPerMinute: config.callsPerMinute,
    binDays: config.binDays,
    keepHours: config.keepHours,
    identity: config.identity,
    converter: config.converter,
    ...config.demo ? { demo: config.demo } : {},
    gate: config.gate ? { ...config.gate, inbox } : null,
    language: config.language,
    pdf: new PdfRenderer(),
    engine: { threads: Math.max(1, config.workers) },
  };
}

/**
 * Creates the core on a data folder: migrates, creates the administrator at the first start,
 * resumes unfinished analyses. Work that grows with the number of studies is postponed until the
 * core serves requests. Only one process at a time may run a core on a data folder; several may on
 * one PostgreSQL database, each with a separate data folder but shared `blobs/` and `exports/`.
 *
 * @throws for a read-only folder, an unreachable database, or a database of a newer version.
 */
export async function createCore(config: CoreConfig): Promise<Core> {
  const log = tracedLog(config.log ?? (() => {})), data = await openSiteData(config, log);
  const { db, blobs, dataDir, isShared } = data;
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
  const peers = new Peers(db, log);
  const { reader, inbox } = await openReader(dataDir, log, config.reader);
  const publish = publisherTo([localEvents.publish, events.publish, peers.broadcast]);
  const missingFindings = new MissingFindings({ db, log, publish });
  const services = servicesOf(config, data, {
    log,
    reader,
    publish,
    wakeJobs: () => {
      runner.wake();
      peers.wakeJobs();
    },
    missingFindings,
    cancelJob: (id) => runner.cancel(id),
  }, inbox);
  const runner = new JobRunner(db, jobHandlers(services), {
    // slots for short jobs in addition to the single analysis
    workers: config.workers === 0 ? 0 : 1 + MAX_SHORT_JOBS,
    log,
    isShared,
    stopElsewhere: (id) => peers.stopJob(id),
    leaseMs: config.leaseMs,
    canStore: () => canStore(dataDir),
  });
  const reserve = new DiskReserve(dataDir, log), api = apiOf(services, reserve);
  await removeOldExports(services);
  await peers.open({
    deliver: events.publish,
    wakeJobs: () => runner.wake(),
    stopJob: (id) => runner.stop(id),
  });
  await runner.start();
  const watchers = startWatchers(services, localEvents, config, missingFindings.catchUp);
  const close = async () => {
    // closed first, because the postponed tasks wait for it
    await missingFindings.close();
    await watchers.closeBeforeJobs();
    await runner.close();
    services.pdf.close();
    reader.close();
    await watchers.closeAfterJobs();
    reserve.close();
    await peers.close();
    await data.close();
  };
  let closing: Promise<void> | null = null;
  const catchUp = () => {
    if (closing === null) watchers.catchUp();
  };
  if (!config.isServedFirst) {
    await watchers.connect();
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
    metrics: () => siteMetrics(services, watchers.checkedLeftovers()),
    drain: () => runner.drain(),
    close: () => closing ??= close(),
  };
}
