// Calls of the API: norms of the site.
import {
  changesQuery,
  controlsMarked,
  controlsPost,
  normApplied,
  normChanges,
  normCreated,
  normPost,
  normsResponse,
  normSummary,
  scannerQuery,
} from "@/model/schema/report/norms.ts";
import {
  routineDetails,
  routineFile,
  routineGroups,
  routineImported,
} from "@/model/schema/report/routine_norms.ts";
import { driftDetails, driftGroups } from "@/model/schema/report/drift.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const NORM = "/api/v1/norms/:id{[0-9]{1,15}}";
const DRIFT = "/api/v1/norms/drift/:id{[0-9]{1,15}}";
const ROUTINE = "/api/v1/norms/routine/:id{[0-9]{1,15}}";

export const normsEndpoints = endpoints({
  "GET /api/v1/norms": {
    may: "administer",
    summary: "Lists the site's norms and its healthy controls.",
    answer: { normsResponse },
  },
  "GET /api/v1/norms/summary": {
    may: "administer",
    summary: "Compares the controls of a scanner with the published norms.",
    query: { scannerQuery },
    answer: { normSummary },
  },
  "POST /api/v1/norms/controls": {
    may: "administer",
    summary: "Marks studies as healthy controls.",
    body: { controlsPost },
    answer: { controlsMarked },
  },
  "DELETE /api/v1/norms/controls/:pid{[0-9]+}": {
    may: "administer",
    summary: "Removes the mark of a healthy control.",
  },
  "POST /api/v1/norms": {
    may: "administer",
    summary: "Proposes norms from controls.",
    body: { normPost },
    answer: { normCreated },
    status: 201,
  },
  [`POST ${NORM}/acceptance`]: {
    may: "administer",
    summary: "Accepts proposed norms, by a second person.",
  },
  [`POST ${NORM}/revocation`]: { may: "administer", summary: "Revokes norms." },
  [`GET ${NORM}/changes`]: {
    may: "administer",
    summary: "Lists the studies whose findings change with the norms.",
    query: { changesQuery },
    answer: { normChanges },
  },
  [`POST ${NORM}/application`]: {
    may: "administer",
    summary: "Applies accepted norms to studies analysed before.",
    answer: { normApplied },
  },
  "GET /api/v1/norms/routine": {
    may: "administer",
    summary: "Lists the scanners and protocols with routine studies.",
    answer: { routineGroups },
  },
  "POST /api/v1/norms/routine/computation": {
    may: "administer",
    summary: "Computes the norms of routine studies again.",
  },
  [`GET ${ROUTINE}`]: {
    may: "administer",
    summary: "Reads the norms computed from routine studies of one scanner.",
    answer: { routineDetails },
  },
  [`POST ${ROUTINE}/proposal`]: {
    may: "administer",
    summary: "Proposes the norms computed from routine studies.",
    answer: { normCreated },
    status: 201,
  },
  [`GET ${ROUTINE}/counts`]: {
    may: "administer",
    summary: "Exports counts of one scanner, without any patient, to be pooled by another site.",
    answer: { routineFile },
  },
  [`POST ${ROUTINE}/counts`]: {
    may: "administer",
    summary: "Imports counts of another site.",
    body: { routineFile },
    answer: { routineImported },
  },
  [`DELETE ${ROUTINE}/counts`]: { may: "administer", summary: "Removes the imported counts." },
  "GET /api/v1/norms/drift": {
    may: "administer",
    summary: "Says of each scanner whether its results have changed.",
    answer: { driftGroups },
  },
  "POST /api/v1/norms/drift/computation": {
    may: "administer",
    summary: "Computes the control charts of the scanners again.",
  },
  [`GET ${DRIFT}`]: {
    may: "administer",
    summary: "Reads the control charts of one scanner.",
    answer: { driftDetails },
  },
  [`POST ${DRIFT}/restart`]: {
    may: "administer",
    summary: "Starts the control charts of one scanner again, from the results to come.",
  },
});
