import type { PatientQuery } from "@/model/schema/studies/patients.ts";

/** Keys of the queries that the server prefetches and the islands read. */
export const queryKeys = {
  /** prefix of everything about patients */
  patients: ["patients"] as const,
  patientList: (query: PatientQuery) => ["patients", "list", query] as const,
  listCounts: ["patients", "counts"] as const,
  patient: (pid: number) => ["patients", "one", pid] as const,
  /** as in the list */
  patientRow: (pid: number) => ["patients", "row", pid] as const,
  patientHistory: (pid: number) => ["patients", "history", pid] as const,
  viewerVolume: (pid: number) => ["patients", "volume", pid] as const,
  /** prefix of every report */
  reports: ["patients", "report"] as const,
  report: (pid: number) => ["patients", "report", pid] as const,
  /** prefix of everything about labels */
  labels: ["labels"] as const,
  labelList: ["labels", "list"] as const,
  filters: ["filters"] as const,
  /** prefix of everything about settings */
  settings: ["settings"] as const,
  /** prefix of everything in About */
  about: ["about"] as const,
  demo: ["demo"] as const,
  exportSets: ["export_sets"] as const,
  exportEstimate: (request: unknown) => ["export_estimate", request] as const,
  user: ["user"] as const,
  license: ["license"] as const,
  /** prefix of everything about the server; the disk for everybody */
  status: ["status"] as const,
  siteStatus: ["status", "details"] as const,
  audit: ["audit"] as const,
  accounts: ["accounts"] as const,
  bin: ["bin"] as const,
  signInDelays: ["status", "sign_ins"] as const,
  archives: ["archives"] as const,
  sentResults: (pid: number) => ["sent", pid] as const,
  connections: ["connections"] as const,
  routing: ["connections", "routing"] as const,
};
