// Calls of the API: reports.
import { reportImageQuery } from "@/model/schema/report/report.ts";
import { mtaPut, reportFilter, reportResponse } from "@/model/schema/report/report.ts";
import {
  reportJobCreated,
  reportJobRequest,
  reportsQuery,
} from "@/model/schema/report/report_job.ts";
import {
  reportTextAnswer,
  reportTextPut,
  reportTextQuery,
  signaturePost,
  withdrawalPost,
} from "@/model/schema/report/report_text.ts";
import { jobProgress } from "@/model/schema/site/jobs.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const STUDY = "/api/v1/patients/:pid{[0-9]+}";
const FILE = "/api/v1/patients/reports/pdf/:id{[0-9a-f-]{36}}";

export const reportsEndpoints = endpoints({
  [`GET ${STUDY}/report`]: {
    may: "look",
    shows: "patients",
    summary: "Reads the report as data.",
    query: { reportFilter },
    answer: { reportResponse },
  },
  [`GET ${STUDY}/report/pdf`]: {
    may: "export",
    shows: "patients",
    summary: "Makes the report as PDF.",
    query: { reportFilter },
    file: ["application/pdf"],
  },
  [`PUT ${STUDY}/mta`]: {
    may: "edit",
    shows: "nothing",
    summary: "Saves the grades of medial temporal atrophy.",
    body: { mtaPut },
    answer: { mtaPut },
  },
  [`GET ${STUDY}/report/image/:file`]: {
    may: "look",
    shows: "patients",
    summary: "Reads a picture of the report.",
    query: { reportImageQuery },
    file: ["image/png"],
  },
  "POST /api/v1/patients/reports/pdf": {
    may: "export",
    shows: "nothing",
    summary: "Begins one PDF file of several reports.",
    body: { reportJobRequest },
    answer: { reportJobCreated },
    status: 201,
  },
  "GET /api/v1/patients/reports/pdf": {
    may: "export",
    shows: "patients",
    summary: "Makes one PDF file of a few reports at once.",
    query: { reportsQuery },
    file: ["application/pdf"],
  },
  [`GET ${FILE}`]: {
    may: "export",
    shows: "patients",
    summary: "Reads the PDF file of several reports once it is made; until then its progress.",
    answer: { jobProgress },
    file: ["application/pdf"],
    status: 202,
  },
  [`GET ${FILE}/progress`]: {
    may: "export",
    shows: "nothing",
    summary: "Reads the progress of a PDF file of several reports.",
    answer: { jobProgress },
  },
  [`DELETE ${FILE}`]: {
    may: "export",
    summary: "Cancels a PDF file of several reports, and removes it.",
  },
  [`GET ${STUDY}/report/text`]: {
    may: "look",
    shows: "patients",
    summary: "Reads the report's text: suggestion, versions, signature.",
    query: { reportTextQuery },
    answer: { reportTextAnswer },
  },
  [`PUT ${STUDY}/report/text`]: {
    may: "edit",
    shows: "patients",
    summary: "Saves the report's text.",
    body: { reportTextPut },
    answer: { reportTextAnswer },
  },
  [`POST ${STUDY}/report/text/signature`]: {
    may: "sign",
    shows: "patients",
    summary: "Signs the report's text.",
    body: { signaturePost },
    answer: { reportTextAnswer },
  },
  [`POST ${STUDY}/report/text/withdrawal`]: {
    may: "sign",
    shows: "patients",
    summary: "Withdraws the signature of the report's text.",
    body: { withdrawalPost },
    answer: { reportTextAnswer },
  },
});
