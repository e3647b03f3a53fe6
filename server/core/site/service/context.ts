import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { Language } from "@/model/text.ts";
import type { ContextSharing } from "@/server/core/studies/service/context/context_sharing.ts";
import type { Gate } from "@/server/gate/link/tasks.ts";
import type { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Log } from "@/model/site/log.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";

/** A demo patient: image files as in an upload. */
export interface DemoPatient {
  files: readonly { fileName: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** Generates demo patients one after another, without blocking requests. */
export interface DemoSource {
  count: number;
  make(place: number): Promise<DemoPatient>;
}

/** Objects and settings that all services use; created once by server/core/mod.ts. */
export interface ServiceContext {
  db: Database;
  blobs: BlobStore;
  log: Log;
  /** Publishes an event to an audience; without an audience to all signed-in users. */
  publish(event: ServerEvent, audience?: Audience): void;
  /** Makes the job runner look for jobs, after one was queued. */
  wakeJobs(): void;
  /** Computes missing findings of the studies in a worklist, after the response. */
  missingFindings: {
    /** @returns studies for which an event will announce the finding */
    request(pids: readonly number[]): number[];
  };
  /** Cancels a job. @returns false if it has ended already. */
  cancelJob(id: number): Promise<boolean>;
  /** the site's data folder; its file system is the one for which disk usage is reported */
  dataDir: string;
  /** key that encrypts stored files and exports; absent: not encrypted */
  storageKey?: Uint8Array | null;
  /** disk usage in percent from which a warning is shown, and from which uploads are refused */
  diskLimits?: { warn: number; error: number };
  /** settings of the hospital's sign-in; absent: accounts exist only at this site */
  identity?: IdentitySettings;
  /**
   * hours for which finished exports and reports are kept (default 24),
   * and parts of unfinished uploads (default 36)
   */
  keepHours?: { exports: number; uploads: number };
  /** days for which deleted studies stay in the bin (default 30); 0: deleted immediately */
  binDays?: number;
  /** maximum number of expensive calls per user and minute; 0: unlimited */
  callsPerMinute?: number;
  /** default language of reports; absent: English */
  language?: Language;
  /** socket of the converter process; absent: series are converted by a worker of this process */
  converter?: string | null;
  /** reads and renders received DICOM files outside this thread; absent: this thread does */
  reader?: DicomReader;
  /** network connections for DICOM, DICOMweb, HL7 and FHIR; absent: nothing is sent or received */
  gate?: GateLink | null;
  /** synchronises the displayed patient with other applications; absent: no hub is configured */
  contextSharing?: ContextSharing | null;
  /** renders reports for requests that wait for them */
  pdf: PdfRenderer;
  /** generates demo patients; absent: the site offers none */
  demo?: DemoSource;
  /** Settings with which analyses run. */
  engine: {
    /** number of threads of an analysis */
    threads: number;
  };
}

/** Network gate for DICOM, and its folder for received objects. */
interface GateLink {
  ask: Gate;
  /** AE title of this site */
  aeTitle: string;
  inbox: string;
  /**
   * local or link-local networks to which connections are allowed;
   * absent: the gate process decides alone
   */
  reach?: readonly string[];
}

/** The user who makes a request. */
export interface Caller {
  uid: number;
  sid: string;
  /** role of the user at the site; without a role every permission is refused */
  role?: Role;
  /** whether the password was generated: other calls are refused until the user changes it */
  mustChangePassword?: boolean;
  /** whether one-time codes are required but not set up: other calls are refused until then */
  mustEnrol?: boolean;
  /** SHA-256 of the call's access token */
  tokenHash?: string;
}

/** Caller for reports that no user requested; they are made with the site's settings. */
export const SITE: Caller = { uid: 0, sid: "" };

/** A time as the API represents it, ISO 8601 in UTC. */
export const nowIso = (): string => new Date().toISOString();
