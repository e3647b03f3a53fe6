// Calls of the API: tables and DICOM objects that leave the site.
import { deidentifyQuery, DICOM_KIND_PATTERN } from "@/model/schema/report/dicom.ts";
import {
  excelEstimate,
  excelJobCreated,
  excelJobRequest,
  exportSets,
} from "@/model/schema/report/excel.ts";
import {
  registryCreated,
  registryPreview,
  registryRequest,
} from "@/model/schema/report/registry.ts";
import { reportFilter } from "@/model/schema/report/report.ts";
import { jobProgress } from "@/model/schema/site/jobs.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const STUDY = "/api/v1/patients/:pid{[0-9]+}";
const REGISTRY = "/api/v1/registry-exports/:id{[0-9a-f-]{36}}";
const TABLE = "/api/v1/patients/excel/:id{[0-9a-f-]{36}}";

export const exportsEndpoints = endpoints({
  [`GET ${STUDY}/dicom/results`]: {
    may: "export",
    shows: "patients",
    summary: "Makes a ZIP file of all results of a study as DICOM objects.",
    query: { reportFilter },
    file: ["application/zip"],
  },
  [`GET ${STUDY}/dicom/deidentified`]: {
    may: "export",
    shows: "studies",
    summary:
      "Makes a ZIP file of a study's images without identity, and without the face if asked.",
    query: { deidentifyQuery },
    file: ["application/zip"],
  },
  [`GET ${STUDY}/dicom/:kind{${DICOM_KIND_PATTERN}}`]: {
    may: "export",
    shows: "patients",
    summary: "Makes one result of a study as a DICOM object.",
    query: { reportFilter },
    file: ["application/dicom"],
  },
  "POST /api/v1/patients/excel": {
    may: "export",
    shows: "nothing",
    summary: "Begins an export of studies as a table.",
    body: { excelJobRequest },
    answer: { excelJobCreated },
    status: 201,
  },
  "POST /api/v1/patients/excel/estimate": {
    may: "export",
    shows: "nothing",
    summary: "Says how large an export would be, and how long it would take.",
    body: { excelJobRequest },
    answer: { excelEstimate },
  },
  "GET /api/v1/worklist/export-sets": {
    may: "own",
    shows: "nothing",
    summary: "Reads the caller's sets of export columns.",
    answer: { exportSets },
  },
  "PUT /api/v1/worklist/export-sets": {
    may: "own",
    shows: "nothing",
    summary: "Saves the caller's sets of export columns.",
    body: { exportSets },
    answer: { exportSets },
  },
  [`GET ${TABLE}`]: {
    may: "export",
    shows: "studies",
    summary: "Reads the exported table once it is made; until then its progress.",
    answer: { jobProgress },
    file: ["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    status: 202,
  },
  [`GET ${TABLE}/progress`]: {
    may: "export",
    shows: "nothing",
    summary: "Reads the progress of an export.",
    answer: { jobProgress },
  },
  "GET /api/v1/registry-exports": {
    may: "administer",
    shows: "nothing",
    summary: "Says how much a de-identified file for a registry would contain.",
    answer: { registryPreview },
  },
  "POST /api/v1/registry-exports": {
    may: "administer",
    shows: "nothing",
    summary: "Begins a de-identified file for a registry.",
    body: { registryRequest },
    answer: { registryCreated },
    status: 201,
  },
  [`GET ${REGISTRY}`]: {
    may: "administer",
    shows: "unnamed",
    summary: "Reads the file for a registry once it is made; until then its progress.",
    answer: { jobProgress },
    file: ["text/csv", "application/json"],
    status: 202,
  },
  [`GET ${REGISTRY}/progress`]: {
    may: "administer",
    shows: "nothing",
    summary: "Reads the progress of a file for a registry.",
    answer: { jobProgress },
  },
  [`DELETE ${REGISTRY}`]: {
    may: "administer",
    summary: "Cancels a file for a registry, or removes it.",
  },
  [`DELETE ${TABLE}`]: { may: "export", summary: "Cancels an export, and removes its file." },
});
