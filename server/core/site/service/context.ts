import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { Language } from "@/model/text.ts";
import type { Gate } from "@/server/gate/link/tasks.ts";
import type { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Log } from "@/model/site/log.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";

/** A made-up patient: its files as an upload would bring them. */
export interface DemoPatient {
  files: readonly { fileName: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** Makes the patients, one after the other, without keeping others from being answered. */
export interface DemoSource {
  count: number;
  make(place: number): Promise<DemoPatient>;
}

/** Dependencies of every service; built once by server/core/mod.ts. */
export interface ServiceContext {
  db: Database;
  blobs: BlobStore;
  log: Log;
  /** Publishes an event; without an audience, to every signed-in user. */
  publish(event: ServerEvent, audience?: Audience): void;
  /** Wakes the job runner after something was queued. */
  wakeJobs(): void;
  /** Cancels a job. @returns false when it is over. */
  cancelJob(id: number): Promise<boolean>;
  /** folder on the file system with the site's data */
  dataDir: string;
  /** key of stored files and finished exports; without one they are not encrypted */
  storageKey?: Uint8Array | null;
  /** percent of its disk above which people are warned, and above which uploads are refused */
  diskLimits?: { warn: number; error: number };
  /** the hospital's sign-in; without it the site's own accounts are all there is */
  identity?: IdentitySettings;
  /**
   * hours that finished exports and reports, and parts of unfinished uploads, are kept; 24 and 36
   * by default
   */
  keepHours?: { exports: number; uploads: number };
  /** days that deleted studies stay in the bin, 30 by default; 0: they are gone at once */
  binDays?: number;
  /** costly calls of one user in a minute; 0: no limit */
  callsPerMinute?: number;
  /** of the site: reports are in it until their reader chooses another; English by default */
  language?: Language;
  /** socket of the process that converts series; without one a worker of this process does */
  converter?: string | null;
  /**
   * reads DICOM files that came from outside, and draws them, beside this thread; without one this
   * thread does
   */
  reader?: DicomReader;
  /**
   * access to the network for DICOM, DICOMweb, HL7 and FHIR; without one nothing is sent or
   * received
   */
  gate?: GateLink | null;
  /** makes reports that a caller waits for */
  pdf: PdfRenderer;
  /** makes patients that are none, where the site can */
  demo?: DemoSource;
  /** How analyses run. */
  engine: {
    /** threads of one analysis */
    threads: number;
  };
}

/** The gate, and the folder in which it stores received objects. */
interface GateLink {
  ask: Gate;
  /** ours */
  aeTitle: string;
  inbox: string;
  /**
   * networks of this machine, or link-local ones, in which systems may be; absent: the gate decides
   * alone
   */
  reach?: readonly string[];
}

/** Who asks. */
export interface Caller {
  uid: number;
  sid: string;
  /** role at the site; without one every permission is refused */
  role?: Role;
  /** the site has made the password: nothing else is answered before it is changed */
  mustChangePassword?: boolean;
  /**
   * one-time codes are asked of this user, who has not set them up: nothing else is answered before
   */
  mustEnrol?: boolean;
  /** SHA-256 of the access token of this call */
  tokenHash?: string;
}

/** Reports that leave without a user, with the settings of the site. */
export const SITE: Caller = { uid: 0, sid: "" };

/** The instant as it travels on the wire. */
export const nowIso = (): string => new Date().toISOString();
