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
    summary: "Reads the report as data.",
    query: { reportFilter },
    answer: { reportResponse },
  },
  [`GET ${STUDY}/report/pdf`]: {
    may: "export",
    summary: "Makes the report as PDF.",
    query: { reportFilter },
    file: ["application/pdf"],
  },
  [`PUT ${STUDY}/mta`]: {
    may: "edit",
    summary: "Saves the grades of medial temporal atrophy.",
    body: { mtaPut },
    answer: { mtaPut },
  },
  [`GET ${STUDY}/report/image/:file`]: {
    may: "look",
    summary: "Reads a picture of the report.",
    query: { reportImageQuery },
    file: ["image/png"],
  },
  "POST /api/v1/patients/reports/pdf": {
    may: "export",
    summary: "Begins one PDF file of several reports.",
    body: { reportJobRequest },
    answer: { reportJobCreated },
    status: 201,
  },
  "GET /api/v1/patients/reports/pdf": {
    may: "export",
    summary: "Makes one PDF file of a few reports at once.",
    query: { reportsQuery },
    file: ["application/pdf"],
  },
  [`GET ${FILE}`]: {
    may: "export",
    summary: "Reads the PDF file of several reports once it is made; until then its progress.",
    answer: { jobProgress },
    file: ["application/pdf"],
    status: 202,
  },
  [`GET ${FILE}/progress`]: {
    may: "export",
    summary: "Reads the progress of a PDF file of several reports.",
    answer: { jobProgress },
  },
  [`DELETE ${FILE}`]: {
    may: "export",
    summary: "Cancels a PDF file of several reports, and removes it.",
  },
  [`GET ${STUDY}/report/text`]: {
    may: "look",
    summary: "Reads the report's text: suggestion, versions, signature.",
    query: { reportTextQuery },
    answer: { reportTextAnswer },
  },
  [`PUT ${STUDY}/report/text`]: {
    may: "edit",
    summary: "Saves the report's text.",
    body: { reportTextPut },
    answer: { reportTextAnswer },
  },
  [`POST ${STUDY}/report/text/signature`]: {
    may: "sign",
    summary: "Signs the report's text.",
    body: { signaturePost },
    answer: { reportTextAnswer },
  },
  [`POST ${STUDY}/report/text/withdrawal`]: {
    may: "sign",
    summary: "Withdraws the signature of the report's text.",
    body: { withdrawalPost },
    answer: { reportTextAnswer },
  },
});
