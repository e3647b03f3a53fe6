// Longer than 400 lines, because the file has one interface per table, and nothing else.
import type { Generated } from "kysely";
import type { AnalysisStatus, SeriesKind } from "@/model/schema/studies/study.ts";
import type { AcceptanceDecision, PictureAnswer } from "@/model/schema/report/acceptance.ts";
import type { RatingScale, ReadingArm } from "@/model/schema/reading/reading_studies.ts";
import type { StopDecision } from "@/model/schema/report/stops.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { Sex } from "@/model/norms/norms.ts";

// Rows of the tables that migrations create; only storage files use these types.

export type UserState = "active" | "suspended" | "waiting" | "device";
/** Account created at this site, or by the hospital's sign-in (single sign-on). */
export type UserSource = "local" | "oidc" | "ldap";
export type TokenKind = "access" | "refresh" | "ticket";
export type FailureKind = "place" | "account" | "address";
export type JobStatus = "queued" | "running" | "done" | "failed" | "canceled";

export interface UserRow {
  id: Generated<number>;
  email: string;
  name: string | null;
  password_hash: string;
  state: UserState;
  role: Generated<Role>;
  source: Generated<UserSource>;
  subject: Generated<string | null>;
  created_at: string;
  removed_at: string | null;
  must_change_password: Generated<number>;
}
interface SessionRow {
  sid: string;
  user_id: number;
  created_ms: number;
  last_used_ms: number;
  revoked_ms: number | null;
  id_token: Generated<string | null>;
  checked_ms: Generated<number | null>;
  tried_ms: Generated<number | null>;
  provider_ref: Generated<string | null>;
}
interface TokenRow {
  hash: string;
  sid: string;
  kind: TokenKind;
  expires_ms: number;
  used_ms: number | null;
}
interface SignInFailureRow {
  id: string;
  kind: FailureKind;
  user_id: number | null;
  address: string | null;
  failures: number;
  last_ms: number;
}
interface KnownPlaceRow {
  user_id: number;
  place: string;
  used_ms: number;
}
interface SecondFactorRow {
  user_id: number;
  secret: string;
  confirmed_at: string | null;
  last_step: Generated<number>;
}
interface RecoveryCodeRow {
  user_id: number;
  hash: string;
  used_ms: number | null;
  salt: Generated<string | null>;
}
interface BinRow {
  pid: number;
  study_uid: string;
  patient_id: string;
  patient_name: string;
  study_date: string | null;
  deleted_at: string;
  deleted_by: number | null;
  reason: string | null;
  content: string;
}
interface BinBlobRow {
  pid: number;
  blob: string;
}
interface BinAccessionRow {
  pid: number;
  accession_number: string;
}
interface BlobRow {
  hash: string;
  size_bytes: number;
  created_at: string;
}
export interface PatientTable {
  pid: Generated<number>;
  study_uid: string;
  patient_id: string;
  patient_name: string;
  patient_birthdate: string | null;
  patient_sex: Sex | null;
  patient_age: number | null;
  stated_age: Generated<number | null>;
  study_date: string | null;
  created_at: string;
  created_by: number | null;
  t1_series_id: number | null;
  t2_series_id: number | null;
  t1_analysis_id: number | null;
  t2_analysis_id: number | null;
  received_identity: string | null;
  finding: Generated<string | null>;
  finding_rules: Generated<string | null>;
  deviation: Generated<number | null>;
  lesion_order: Generated<number | null>;
  accession_number: Generated<string | null>;
  study_date_source: Generated<"series" | "acquisition" | null>;
  hospital_at: Generated<string | null>;
  edited_at: Generated<string | null>;
  ordered_procedure: Generated<string | null>;
  referring_physician: Generated<string | null>;
}
interface WorklistChangeRow {
  seq: Generated<number>;
  pid: number;
}
export interface ExcelExportRow {
  excel_id: string;
  user_id: number;
  job_id: number;
  request: string;
  status: JobStatus;
  percent: Generated<number>;
  failed_pids: Generated<string>;
  created_at: string;
}
interface EditClaimRow {
  pid: number;
  user_id: number;
  expires_ms: number;
}
interface DeletedPatientRow {
  pid: number;
  deleted_at: string;
  deleted_by: number | null;
}
export interface SeriesRow {
  id: Generated<number>;
  pid: number;
  series_uid: string;
  kind: SeriesKind;
  description: string;
  volume_blob: string;
  created_at: string;
  scanner: Generated<string | null>;
  protocol: Generated<string | null>;
  coil: Generated<string | null>;
}
interface InstanceRow {
  id: Generated<number>;
  pid: number;
  series_id: number;
  sop_uid: string;
  blob: string;
  sop_class: Generated<string | null>;
  instance_number: Generated<number | null>;
  pixel_rows: Generated<number | null>;
  pixel_columns: Generated<number | null>;
  frames: Generated<number | null>;
}
export interface SeriesHeaderRow {
  series_id: number;
  pid: number;
  patient_id: string;
  patient_name: string;
  birth_date: string;
  sex: string;
  study_date: string;
  study_time: string;
  accession_number: string;
  referring_physician: string;
  study_description: string;
  study_id: string;
  modality: string;
  series_number: string;
  body_part: string;
  attributes: string | null;
}
interface UnreadableFileRow {
  blob: string;
  pid: number;
  sop_uid: string;
  reason: string;
  noted_at: string;
}
export interface AnalysisRow {
  id: Generated<number>;
  pid: number;
  series_id: number;
  kind: SeriesKind;
  status: Extract<AnalysisStatus, "waiting" | "processing" | "completed" | "failed">;
  percent: Generated<number>;
  stage: string | null;
  engine_version: string | null;
  parameters: string;
  input_hashes: string;
  results: string | null;
  grade: QualityGrade | null;
  stages: string | null;
  error_code: string | null;
  error_details: string | null;
  requested_at: string;
  requested_by: number | null;
  started_at: string | null;
  finished_at: string | null;
  local_norm_id: Generated<number | null>;
  local_norm_at: Generated<string | null>;
  corrected_at: Generated<string | null>;
}
interface ControlRow {
  pid: number;
  marked_at: string;
  marked_by: number | null;
}
interface LocalNormRow {
  id: Generated<number>;
  scanner: string | null;
  engine_version: string;
  controls: number;
  norms: string;
  proposed_at: string;
  proposed_by: number | null;
  accepted_at: string | null;
  accepted_by: number | null;
  revoked_at: string | null;
  revoked_by: number | null;
  protocol: Generated<string | null>;
  source: Generated<"controls" | "routine" | "table">;
  sites: Generated<number>;
  title: Generated<string | null>;
  content: Generated<string | null>;
}
interface RoutineNormRow {
  id: Generated<number>;
  scanner: string;
  protocol: string;
  engine_version: string;
  computed_at: string;
  studies: number;
  moved: number;
  is_alarm: number;
  counts: string;
  estimates: string;
}
interface DriftGroupRow {
  id: Generated<number>;
  scanner: string;
  protocol: string;
  engine_version: string;
  computed_at: string;
  studies: number;
  is_moved: number;
  moved: string;
  charts: string;
  after_analysis: Generated<number>;
  restarted_at: string | null;
  restarted_by: number | null;
  coil: Generated<string>;
  sums: Generated<string>;
  state: Generated<string>;
  learnt: Generated<number>;
  restart_reason: Generated<string>;
  restart_proposed_at: string | null;
  restart_proposed_by: number | null;
}
interface ChartedResultRow {
  analysis_id: number;
  pid: number;
  group_id: number | null;
  is_completed: number;
}
interface DeletedChartedRow {
  group_id: number;
  study_key: string;
  is_completed: number;
}
interface ChartsKeyRow {
  id: number;
  secret: string;
}
interface ChartRestartRow {
  id: Generated<number>;
  scanner: string;
  protocol: string;
  coil: string;
  engine_version: string;
  studies: number;
  moved: string;
  reason: string;
  restarted_at: string;
  restarted_by: number | null;
  agreed_by: number | null;
}
interface DriftStateRow {
  id: number;
  computed_at: string | null;
}
interface AcceptanceRow {
  id: Generated<number>;
  scanner: string;
  protocol: string;
  engine_version: string;
  seed: number;
  studies: string;
  result: string;
  started_at: string;
  started_by: number | null;
  decision: AcceptanceDecision | null;
  remark: Generated<string>;
  signed_at: string | null;
  signed_by: number | null;
  countersigned_at: string | null;
  countersigned_by: number | null;
  revoked_at: string | null;
  revoked_by: number | null;
  chosen_of: Generated<number | null>;
  norms: Generated<string | null>;
}
interface AcceptancePictureRow {
  acceptance_id: number;
  place: number;
  pid: number;
  answer: PictureAnswer | null;
  answered_at: string | null;
  answered_by: number | null;
}
interface PictureDeliveryRow {
  acceptance_id: number;
  place: number;
  user_id: number;
  delivered_at: string;
}
interface ReadingStudyRow {
  id: Generated<number>;
  title: string;
  question: string;
  scale: RatingScale;
  asks_decision: number;
  asks_region: number;
  arms: string;
  washout_days: number;
  seed: number;
  created_at: string;
  created_by: number;
}
interface ReadingStudyCaseRow {
  reading_study_id: number;
  number: number;
  pid: number;
  reference: number | null;
}
interface ReadingStudyReaderRow {
  reading_study_id: number;
  number: number;
  user_id: number;
}
interface ReadingStudyReadingRow {
  reading_study_id: number;
  reader: number;
  place: number;
  session: number;
  case_number: number;
  arm: ReadingArm;
  opened_at: string | null;
  images_digest: string | null;
  results_digest: string | null;
  engine_version: string | null;
  is_changed: Generated<number>;
}
interface ReadingStudyAnswerRow {
  reading_study_id: number;
  reader: number;
  place: number;
  rating: number | null;
  decision: number | null;
  region: string | null;
  visible_ms: number;
  elapsed_ms: number;
  pauses: number;
  answered_at: string;
  engine_version: string | null;
}
interface ScannerStopRow {
  id: Generated<number>;
  scanner: string;
  protocol: string;
  since: string | null;
  charts: string;
  stopped_at: string;
  decision: StopDecision | null;
  reason: Generated<string>;
  proposed_at: string | null;
  proposed_by: number | null;
  decided_at: string | null;
  decided_by: number | null;
  changed_at: string;
  charts_changed_at: Generated<string>;
}
interface RoutinePoolRow {
  id: Generated<number>;
  routine_id: number;
  site: string;
  studies: number;
  content: string;
  imported_at: string;
  imported_by: number | null;
}
interface RoutineStateRow {
  id: number;
  site: string;
  computed_at: string | null;
}
interface AnalysisFileRow {
  analysis_id: number;
  field: string;
  blob: string;
  gzip_blob: string;
}
export interface JobRow {
  id: Generated<number>;
  kind: string;
  payload: string;
  status: JobStatus;
  percent: Generated<number>;
  crashes: Generated<number>;
  interruptions: Generated<number>;
  owner: string | null;
  lease_ms: number | null;
  error_code: string | null;
  error_details: string | null;
  created_at: string;
  finished_at: string | null;
  priority: Generated<number>;
  job_key: Generated<string | null>;
}
interface SettingRow {
  scope: string;
  key: string;
  value: string;
}

interface LongitudinalRow {
  patient_id: string;
  first_pid: number;
  visits: string;
  status: "completed" | "failed";
  engine_version: string | null;
  results: string | null;
  error_code: string | null;
  finished_at: string;
}

interface LabelRow {
  id: Generated<number>;
  label_name: string;
  name_key: string;
}
interface PatientLabelRow {
  pid: number;
  label_id: number;
}
interface FilterRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  name_key: string;
  query: string;
}
interface FilterLabelRow {
  filter_id: number;
  label_id: number;
}

interface LicenseRow {
  id: number;
  holder: string | null;
  cert_type: string;
  limits: string;
  start_date: string | null;
  expire_date: string | null;
  credits: number;
  provider_key: string | null;
  revision: number;
  updated_at: string | null;
}
interface LicenseFileRow {
  serial: string;
  applied_at: string;
}
type CreditKind = "grant" | "use" | "rollback";
export interface CreditLogRow {
  id: Generated<number>;
  created_at: string;
  local_date: string;
  kind: CreditKind;
  amount: number;
  balance: number;
  pid: number | null;
  user_id: number | null;
  analysis_id: number | null;
}
export interface AuditRow {
  seq: number;
  at: string;
  user_id: number | null;
  address: string | null;
  event: string;
  pid: number | null;
  outcome: string;
  details: string;
  request_id: string | null;
  hash: string;
  mac: string | null;
}
interface AuditHeadRow {
  id: number;
  seq: number;
  hash: string;
}
interface AllowedNetworkRow {
  network: string;
  note: string | null;
  created_at: string;
}

interface UploadRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  touched_ms: number;
  answer: string | null;
}
interface UploadFileRow {
  upload: number;
  file_name: string;
  blob: string | null;
  failure: string | null;
}

interface StudyViewRow {
  user_id: number;
  pid: number;
  seen_at: string;
}
interface StudyReportRow {
  pid: number;
  reported_at: string;
}

interface MeasurementRow {
  id: Generated<number>;
  pid: number;
  measured: string;
  note: string;
  is_in_report: number;
  created_at: string;
  created_by: number | null;
}
export interface ReportTextRow {
  id: Generated<number>;
  pid: number;
  version: number;
  state: "draft" | "signed" | "withdrawn";
  language: string;
  text: string;
  results: string;
  created_at: string;
  created_by: number | null;
  author: string;
}
interface KeyImageRow {
  id: Generated<number>;
  pid: number;
  picture: Uint8Array;
  note: string;
  created_at: string;
  created_by: number | null;
}
interface DisplayScaleRow {
  analysis_id: number;
  scale: string;
}
interface LabelStrokeRow {
  id: Generated<number>;
  pid: number;
  analysis_id: number;
  runs: string;
  value: number;
  created_at: string;
  created_by: number | null;
  undone_at: string | null;
  undone_by: number | null;
}
interface FlairChangeRow {
  pid: number;
  prior_pid: number;
  analysis_id: number;
  prior_analysis_id: number;
  results: string | null;
  error_code: string | null;
  finished_at: string;
}
interface RefusedSeriesRow {
  pid: number;
  series_uid: string;
  description: string;
  files: number;
  reason: string;
  details: string;
  refused_at: string;
  volume_blob: Generated<string | null>;
  volume: Generated<string | null>;
}
interface LesionVerdictRow {
  pid: number;
  lesion: number;
  is_confirmed: number;
  decided_at: string;
  decided_by: number | null;
}
interface OriginalResultRow {
  analysis_id: number;
  results: string;
}

export type ArrivalState = "arriving" | "waiting" | "stored" | "refused";
export type OutboxState = "waiting" | "sending" | "sent" | "failed" | "nothing";
interface PeerRow {
  id: Generated<number>;
  name: string;
  kind: "dicom" | "dicomweb" | "hl7" | "fhir";
  config: string;
  secret: string | null;
  failures: Generated<number>;
  not_before_ms: Generated<number>;
  last_error: string | null;
  last_ok_at: string | null;
  created_at: string;
  key_hash: string | null;
}
interface ArrivalRow {
  series_uid: string;
  study_uid: string;
  inbox: string;
  sender: string;
  description: string;
  instances: number;
  first_at: string;
  last_ms: number;
  state: ArrivalState;
  reason: string | null;
  pid: number | null;
}
interface ConnectionLogRow {
  id: Generated<number>;
  at: string;
  peer: string;
  address: string;
  event: string;
  is_error: number;
  details: string;
}
interface OutboxRow {
  id: Generated<number>;
  peer_id: number;
  pid: number;
  run: string;
  kind: string;
  state: OutboxState;
  attempts: Generated<number>;
  /** number of attempts to send that ended with an unexpected error */
  faults: Generated<number>;
  owner: string | null;
  /**
   * end of the sending process's lease; for a waiting row, the earliest time of the next attempt
   */
  lease_ms: number | null;
  last_error: string | null;
  instances: Generated<string>;
  transaction_uid: string | null;
  committed_at: string | null;
  /** earliest time of sending; later for a corrected result, because more corrections may follow */
  created_at: string;
  sent_at: string | null;
  /** 1: the system got signed results by HL7 or FHIR */
  is_final: Generated<number>;
}
interface ResultChangeRow {
  pid: number;
  cause: "verdicts" | "grade" | "patient" | "norms" | "visits";
  changed_at: string;
  /** 1: the changed results are not yet queued for sending */
  is_pending: number;
  /** time at which the results were queued, ms since 1970; only for changes that were pending */
  queued_ms: number | null;
}
export type MessageState = "waiting" | "failed" | "applied" | "ignored" | "dropped";
export interface Hl7MessageRow {
  id: Generated<number>;
  system: string;
  sender: string;
  control_id: string;
  digest: string;
  event: string;
  patient_id: string;
  prior_id: string;
  event_ms: number;
  received_at: string;
  state: MessageState;
  reason: string | null;
  not_before_ms: Generated<number>;
  is_forced: Generated<number>;
  ended_at: string | null;
  message: Uint8Array;
  attempts: Generated<number>;
  identity: Generated<string | null>;
  is_person_confirmed: Generated<number>;
  is_time_confirmed: Generated<number>;
  confirmed_state: Generated<string | null>;
}
export interface PatientMergeRow {
  id: Generated<number>;
  prior_id: string;
  patient_id: string;
  event_ms: number;
  merged_at: string;
  system: string;
  control_id: string;
  state: "active" | "superseded" | "undone";
  moved: string;
  undone_at: string | null;
  undone_by: number | null;
  moved_orders: string;
}
export interface HospitalOrderRow {
  id: Generated<number>;
  system: string;
  accession_number: string;
  patient_id: string;
  patient_name: string;
  birth_date: string | null;
  sex: Sex | null;
  event_ms: number;
  items: string;
  referrer: string;
  planned_on: string | null;
  after_pid: number;
  ordered_at: string;
  expires_at: string;
  state: "ordered" | "arrived" | "cancelled";
  pid: number | null;
  /** 1: an order change (HL7 XO, XX) has set one of the items */
  is_changed: number;
}
interface PseudonymRow {
  id: Generated<number>;
  digest: string;
  study_uid: string;
  person: string;
}
interface IdentityChangeRow {
  id: Generated<number>;
  pid: number;
  cause: "update" | "merge" | "follow" | "undo";
  changed_at: string;
  before: string;
  after: string;
}
export type PullState = "waiting" | "running" | "done" | "failed";
interface PullRow {
  id: Generated<number>;
  peer_id: number;
  kind: "study" | "priors";
  study_uid: string;
  description: string;
  study_date: string;
  expected: Generated<number>;
  uid: number | null;
  state: PullState;
  owner: string | null;
  attempts: Generated<number>;
  not_before_ms: Generated<number>;
  completed: Generated<number>;
  failed: Generated<number>;
  last_error: string | null;
  created_at: string;
  ended_at: string | null;
}
interface CommitmentRow {
  transaction_uid: string;
  peer: string;
  instances: string;
  attempts: Generated<number>;
  not_before_ms: Generated<number>;
  created_ms: number;
}

export interface Tables {
  users: UserRow;
  sessions: SessionRow;
  tokens: TokenRow;
  sign_in_failures: SignInFailureRow;
  known_places: KnownPlaceRow;
  second_factors: SecondFactorRow;
  recovery_codes: RecoveryCodeRow;
  bin: BinRow;
  bin_blobs: BinBlobRow;
  bin_accessions: BinAccessionRow;
  blobs: BlobRow;
  patients: PatientTable;
  deleted_patients: DeletedPatientRow;
  series: SeriesRow;
  instances: InstanceRow;
  series_headers: SeriesHeaderRow;
  unreadable_files: UnreadableFileRow;
  analyses: AnalysisRow;
  analysis_files: AnalysisFileRow;
  controls: ControlRow;
  local_norms: LocalNormRow;
  routine_norms: RoutineNormRow;
  routine_pools: RoutinePoolRow;
  routine_state: RoutineStateRow;
  drift_groups: DriftGroupRow;
  drift_state: DriftStateRow;
  charted_results: ChartedResultRow;
  deleted_charted: DeletedChartedRow;
  charts_key: ChartsKeyRow;
  chart_restarts: ChartRestartRow;
  acceptances: AcceptanceRow;
  scanner_stops: ScannerStopRow;
  acceptance_pictures: AcceptancePictureRow;
  picture_deliveries: PictureDeliveryRow;
  reading_studies: ReadingStudyRow;
  reading_study_cases: ReadingStudyCaseRow;
  reading_study_readers: ReadingStudyReaderRow;
  reading_study_readings: ReadingStudyReadingRow;
  reading_study_answers: ReadingStudyAnswerRow;
  jobs: JobRow;
  settings: SettingRow;
  longitudinal: LongitudinalRow;
  labels: LabelRow;
  patient_labels: PatientLabelRow;
  filters: FilterRow;
  filter_labels: FilterLabelRow;
  worklist_changes: WorklistChangeRow;
  edit_claims: EditClaimRow;
  study_views: StudyViewRow;
  study_reports: StudyReportRow;
  excel_exports: ExcelExportRow;
  license: LicenseRow;
  license_files: LicenseFileRow;
  credit_log: CreditLogRow;
  audit: AuditRow;
  audit_head: AuditHeadRow;
  allowed_networks: AllowedNetworkRow;
  peers: PeerRow;
  arrivals: ArrivalRow;
  connection_log: ConnectionLogRow;
  outbox: OutboxRow;
  commitments: CommitmentRow;
  pulls: PullRow;
  measurements: MeasurementRow;
  key_images: KeyImageRow;
  report_texts: ReportTextRow;
  result_changes: ResultChangeRow;
  hl7_messages: Hl7MessageRow;
  patient_merges: PatientMergeRow;
  hospital_orders: HospitalOrderRow;
  pseudonyms: PseudonymRow;
  identity_changes: IdentityChangeRow;
  display_scales: DisplayScaleRow;
  label_strokes: LabelStrokeRow;
  flair_changes: FlairChangeRow;
  lesion_verdicts: LesionVerdictRow;
  refused_series: RefusedSeriesRow;
  original_results: OriginalResultRow;
  uploads: UploadRow;
  upload_files: UploadFileRow;
}
