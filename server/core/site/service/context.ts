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

/** A demo patient: files in the form of an upload. */
export interface DemoPatient {
  files: readonly { fileName: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** Generates demo patients one by one, without blocking requests. */
export interface DemoSource {
  count: number;
  make(place: number): Promise<DemoPatient>;
}

/** Dependencies of all services; created once by server/core/mod.ts. */
export interface ServiceContext {
  db: Database;
  blobs: BlobStore;
  log: Log;
  /** Publishes an event; without an audience, to all signed-in users. */
  publish(event: ServerEvent, audience?: Audience): void;
  /** Wakes the job runner after a job was queued. */
  wakeJobs(): void;
  /** Computes missing findings of listed studies after the answer. */
  missingFindings: {
    /** @returns the studies whose finding will be announced */
    request(pids: readonly number[]): number[];
  };
  /** Cancels a job. @returns false for a finished job. */
  cancelJob(id: number): Promise<boolean>;
  /** the site's data folder, of which the file system's disk usage is reported */
  dataDir: string;
  /** key that encrypts stored files and exports; absent: not encrypted */
  storageKey?: Uint8Array | null;
  /** disk usage in percent for a warning, and for refusing uploads */
  diskLimits?: { warn: number; error: number };
  /** settings of the hospital's sign-in; absent: only the site's own accounts */
  identity?: IdentitySettings;
  /**
   * hours for which finished exports and reports are kept (24 by default)
   * and parts of unfinished uploads (36 by default)
   */
  keepHours?: { exports: number; uploads: number };
  /** days that deleted studies stay in the bin, 30 by default; 0: deleted permanently at once */
  binDays?: number;
  /** maximum number of expensive calls per user and minute; 0: unlimited */
  callsPerMinute?: number;
  /** default language of reports; English if absent */
  language?: Language;
  /** socket of the converter process; absent: a worker of this process converts */
  converter?: string | null;
  /** reads and renders received DICOM files outside this thread; absent: on this thread */
  reader?: DicomReader;
  /** network access for DICOM, DICOMweb, HL7 and FHIR; absent: nothing is sent or received */
  gate?: GateLink | null;
  /** context sharing with other applications; absent: no hub is configured */
  contextSharing?: ContextSharing | null;
  /** renders reports within requests */
  pdf: PdfRenderer;
  /** generates demo patients, where enabled */
  demo?: DemoSource;
  /** Settings for running analyses. */
  engine: {
    /** number of threads per analysis */
    threads: number;
  };
}

/** The gate, and the gate's folder for received objects. */
interface GateLink {
  ask: Gate;
  /** AE title of this site */
  aeTitle: string;
  inbox: string;
  /**
   * local or link-local networks in which remote systems are allowed
   * absent: the gate decides alone
   */
  reach?: readonly string[];
}

/** The user who makes a call. */
export interface Caller {
  uid: number;
  sid: string;
  /** role at the site; without a role every permission is refused */
  role?: Role;
  /** whether the password was generated: other calls are refused until the user changes it */
  mustChangePassword?: boolean;
  /** whether one-time codes are required but not set up: other calls are refused until then */
  mustEnrol?: boolean;
  /** SHA-256 of the call's access token */
  tokenHash?: string;
}

/** Caller of reports without a user, which have the settings of the site. */
export const SITE: Caller = { uid: 0, sid: "" };

/** An instant in the format of the API. */
export const nowIso = (): string => new Date().toISOString();
