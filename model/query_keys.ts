import type { PatientQuery } from "@/model/schema/studies/patients.ts";

/** Query cache keys that the server prefetches and the islands read. */
export const queryKeys = {
  /** prefix of all queries about patients */
  patients: ["patients"] as const,
  patientList: (query: PatientQuery) => ["patients", "list", query] as const,
  listCounts: ["patients", "counts"] as const,
  patient: (pid: number) => ["patients", "one", pid] as const,
  /** key of a single worklist row */
  patientRow: (pid: number) => ["patients", "row", pid] as const,
  patientHistory: (pid: number) => ["patients", "history", pid] as const,
  viewerVolume: (pid: number) => ["patients", "volume", pid] as const,
  /** prefix of all report queries */
  reports: ["patients", "report"] as const,
  report: (pid: number) => ["patients", "report", pid] as const,
  /** prefix of all queries about labels of studies */
  labels: ["labels"] as const,
  labelList: ["labels", "list"] as const,
  filters: ["filters"] as const,
  /** prefix of all settings queries */
  settings: ["settings"] as const,
  /** prefix of all queries of the About dialog */
  about: ["about"] as const,
  demo: ["demo"] as const,
  exportSets: ["export_sets"] as const,
  exportEstimate: (request: unknown) => ["export_estimate", request] as const,
  user: ["user"] as const,
  license: ["license"] as const,
  /** disk usage, for every user; also the prefix of all server status queries */
  status: ["status"] as const,
  siteStatus: ["status", "details"] as const,
  registry: ["registry"] as const,
  audit: ["audit"] as const,
  accounts: ["accounts"] as const,
  bin: ["bin"] as const,
  signInDelays: ["status", "sign_ins"] as const,
  archives: ["archives"] as const,
  sentResults: (pid: number) => ["sent", pid] as const,
  connections: ["connections"] as const,
  routing: ["connections", "routing"] as const,
};
