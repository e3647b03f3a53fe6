import type { Routes } from "@/server/core/http/app.ts";
import { aboutRoutes } from "@/server/core/site/routes/about.ts";
import { analysisRoutes } from "@/server/core/analyses/routes/analyses.ts";
import { auditRoutes } from "@/server/core/site/routes/audit.ts";
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
import {
  readingStudyRoutes,
  studyReadingRoutes,
} from "@/server/core/reading/routes/reading_studies.ts";
import { strokeRoutes } from "@/server/core/reading/routes/strokes.ts";
import { keyImageRoutes } from "@/server/core/reading/routes/key_images.ts";
import { myPageRoutes } from "@/server/core/accounts/routes/my_page.ts";
import { acceptanceRoutes, stopRoutes } from "@/server/core/norms/routes/acceptance.ts";
import {
  driftRoutes,
  normRoutes,
  normTableRoutes,
  routineNormRoutes,
} from "@/server/core/norms/routes/norms.ts";
import { contextRoutes } from "@/server/core/studies/routes/context.ts";
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

/** All routes of the API. */
export const API: readonly Routes[] = [
  callLimits,
  authRoutes,
  userRoutes,
  licenseRoutes,
  statusRoutes,
  launchRoutes,
  contextRoutes,
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
  normTableRoutes,
  driftRoutes,
  acceptanceRoutes,
  readingStudyRoutes,
  studyReadingRoutes,
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
