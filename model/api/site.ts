// Calls of the API: settings, status, audit log and licence.
import {
  aboutLicense,
  aboutManual,
  aboutManualText,
  aboutTerms,
} from "@/model/schema/site/about.ts";
import {
  auditExportQuery,
  auditPage,
  auditQuery,
  auditVerdict,
} from "@/model/schema/site/audit.ts";
import { demoState } from "@/model/schema/site/demo.ts";
import { aboutDocument, documentQuery } from "@/model/schema/site/documents.ts";
import {
  creditLog,
  creditLogMonth,
  creditLogQuery,
  creditMonthQuery,
  licenseInfo,
  passwordPut,
  vuucToken,
} from "@/model/schema/site/license.ts";
import { assessment, settings, settingsConfig, settingsPut } from "@/model/schema/site/settings.ts";
import { siteStatus, statusResponse } from "@/model/schema/site/status.ts";
import { deletionResponse } from "@/model/schema/studies/patients.ts";
import { endpoints } from "@/model/api/endpoint.ts";

export const siteEndpoints = endpoints({
  "GET /api/openapi.json": {
    may: "own",
    shows: "nothing",
    summary: "Describes every call as an OpenAPI 3.1 document.",
    file: ["application/json"],
  },
  "GET /api/v1/settings/config": {
    may: "own",
    shows: "nothing",
    summary: "Reads the ranges and choices of the settings.",
    answer: { settingsConfig },
  },
  "GET /api/v1/settings": {
    may: "own",
    shows: "nothing",
    summary: "Reads the caller's and the hospital's settings.",
    answer: { settings },
  },
  "PUT /api/v1/settings": {
    may: "own",
    shows: "nothing",
    summary: "Saves settings.",
    body: { settingsPut },
    answer: { settings },
  },
  "GET /api/v1/settings/assessment/:id{[0-9]+}": {
    may: "look",
    shows: "studies",
    summary: "Reads the thresholds that hold for a study.",
    answer: { assessment },
  },
  "GET /api/v1/about/document": {
    may: "own",
    shows: "nothing",
    summary: "Reads a document for administrators, with the list of all.",
    query: { documentQuery },
    answer: { aboutDocument },
  },
  "GET /api/v1/about/manual": {
    may: "own",
    shows: "nothing",
    summary: "Names the manual and its address.",
    answer: { aboutManual },
  },
  "GET /api/v1/about/manual/file": {
    may: "own",
    shows: "nothing",
    summary: "Reads the manual.",
    file: ["application/pdf"],
  },
  "GET /api/v1/about/manual/text": {
    may: "own",
    shows: "nothing",
    summary: "Reads the manual as text.",
    answer: { aboutManualText },
  },
  "GET /api/v1/about/terms": {
    may: "own",
    shows: "nothing",
    summary: "Reads the terms of use.",
    answer: { aboutTerms },
  },
  "GET /api/v1/about/license": {
    may: "own",
    shows: "nothing",
    summary: "Lists the packages in use with their licenses.",
    answer: { aboutLicense },
  },
  "GET /api/v1/audit": {
    may: "audit",
    shows: "nothing",
    summary: "Searches the audit log.",
    query: { auditQuery },
    answer: { auditPage },
  },
  "GET /api/v1/audit/verify": {
    may: "audit",
    shows: "nothing",
    summary: "Checks the chain of the audit log.",
    answer: { auditVerdict },
  },
  "GET /api/v1/audit/export": {
    may: "audit",
    shows: "nothing",
    summary: "Exports the audit log.",
    query: { auditExportQuery },
    file: ["text/csv"],
  },
  "GET /api/v1/demo": {
    may: "look",
    shows: "nothing",
    summary: "Says which demo studies are loaded.",
    answer: { demoState },
  },
  "POST /api/v1/demo": {
    may: "administer",
    shows: "nothing",
    summary: "Loads the demo studies.",
    answer: { demoState },
  },
  "DELETE /api/v1/demo": {
    may: "administer",
    shows: "nothing",
    summary: "Removes the demo studies.",
    answer: { deletionResponse },
  },
  "GET /vuuc/api/auth/token": {
    may: "own",
    shows: "nothing",
    summary: "Gives a token for the calls below /vuuc.",
    answer: { vuucToken },
  },
  "GET /vuuc/api/user/license": {
    may: "own",
    shows: "nothing",
    summary: "Reads the license and its credits.",
    answer: { licenseInfo },
  },
  "PUT /vuuc/api/user": {
    may: "own",
    summary: "Changes the caller's password.",
    body: { passwordPut },
  },
  "GET /vuuc/api/user/credit/log/month": {
    may: "own",
    shows: "nothing",
    summary: "Lists the credits used by month.",
    query: { creditMonthQuery },
    answer: { creditLogMonth },
  },
  "GET /vuuc/api/user/credit/log": {
    may: "own",
    shows: "nothing",
    summary: "Lists the credits used.",
    query: { creditLogQuery },
    answer: { creditLog },
  },
  "GET /api/v1/status": {
    may: "public",
    shows: "nothing",
    summary: "Says whether the server answers, and its version.",
    answer: { statusResponse },
  },
  "GET /api/v1/status/details": {
    may: "status",
    shows: "nothing",
    summary: "Reads storage, versions, workers and jobs.",
    answer: { siteStatus },
  },
});
