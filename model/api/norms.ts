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
import { normTable, normTablePost } from "@/model/schema/report/norm_tables.ts";
import {
  driftDetails,
  driftGroups,
  restartAgreement,
  restartPost,
} from "@/model/schema/report/drift.ts";
import {
  acceptanceCreated,
  acceptanceDetails,
  acceptanceList,
  acceptancePost,
  answerPut,
  signaturePost,
} from "@/model/schema/report/acceptance.ts";
import { scannerStops, stopAgreement, stopProposal } from "@/model/schema/report/stops.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const NORM = "/api/v1/norms/:id{[0-9]{1,15}}";
const DRIFT = "/api/v1/norms/drift/:id{[0-9]{1,15}}";
const ACCEPTANCE = "/api/v1/acceptances/:id{[0-9]{1,15}}";
const STOP = "/api/v1/stops/:id{[0-9]{1,15}}";
const ROUTINE = "/api/v1/norms/routine/:id{[0-9]{1,15}}";

export const normsEndpoints = endpoints({
  "GET /api/v1/norms": {
    may: "administer",
    shows: "nothing",
    summary: "Lists the site's norms and its healthy controls.",
    answer: { normsResponse },
  },
  "GET /api/v1/norms/summary": {
    may: "administer",
    shows: "nothing",
    summary: "Compares the controls of a scanner with the published norms.",
    query: { scannerQuery },
    answer: { normSummary },
  },
  "POST /api/v1/norms/controls": {
    may: "administer",
    shows: "nothing",
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
    shows: "nothing",
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
    shows: "studies",
    summary: "Lists the studies whose findings change with the norms.",
    query: { changesQuery },
    answer: { normChanges },
  },
  [`POST ${NORM}/application`]: {
    may: "administer",
    shows: "nothing",
    summary: "Applies accepted norms to studies analyzed before.",
    answer: { normApplied },
  },
  "POST /api/v1/norms/tables": {
    may: "administer",
    shows: "nothing",
    summary:
      "Proposes norms from a CSV or JSON file; a fault is named by row and column. See ADR 0067.",
    body: { normTablePost },
    answer: { normCreated },
    status: 201,
  },
  "GET /api/v1/norms/tables/:id{[0-9]{1,15}}": {
    may: "administer",
    shows: "nothing",
    summary: "Reads an imported table of norms.",
    answer: { normTable },
  },
  "GET /api/v1/norms/routine": {
    may: "administer",
    shows: "nothing",
    summary: "Lists the scanners and protocols with routine studies.",
    answer: { routineGroups },
  },
  "POST /api/v1/norms/routine/computation": {
    may: "administer",
    summary: "Computes the norms of routine studies again.",
  },
  [`GET ${ROUTINE}`]: {
    may: "administer",
    shows: "nothing",
    summary: "Reads the norms computed from routine studies of one scanner.",
    answer: { routineDetails },
  },
  [`POST ${ROUTINE}/proposal`]: {
    may: "administer",
    shows: "nothing",
    summary: "Proposes the norms computed from routine studies.",
    answer: { normCreated },
    status: 201,
  },
  [`GET ${ROUTINE}/counts`]: {
    may: "administer",
    shows: "nothing",
    summary: "Exports counts of one scanner, without any patient, to be pooled by another site.",
    answer: { routineFile },
  },
  [`POST ${ROUTINE}/counts`]: {
    may: "administer",
    shows: "nothing",
    summary: "Imports counts of another site.",
    body: { routineFile },
    answer: { routineImported },
  },
  [`DELETE ${ROUTINE}/counts`]: { may: "administer", summary: "Removes the imported counts." },
  "GET /api/v1/norms/drift": {
    may: "administer",
    shows: "nothing",
    summary: "Says of each scanner whether its results have changed.",
    answer: { driftGroups },
  },
  "POST /api/v1/norms/drift/computation": {
    may: "administer",
    summary: "Computes the control charts of the scanners again.",
  },
  [`GET ${DRIFT}`]: {
    may: "administer",
    shows: "nothing",
    summary: "Reads the control charts of one scanner.",
    answer: { driftDetails },
  },
  "GET /api/v1/acceptances": {
    may: "look",
    shows: "nothing",
    summary: "Lists the scanners with results and their acceptance tests.",
    answer: { acceptanceList },
  },
  "POST /api/v1/acceptances": {
    may: "administer",
    shows: "nothing",
    summary: "Begins an acceptance test of one scanner and protocol.",
    body: { acceptancePost },
    answer: { acceptanceCreated },
    status: 201,
  },
  [`GET ${ACCEPTANCE}`]: {
    may: "look",
    shows: "nothing",
    summary: "Reads an acceptance test with its pictures.",
    answer: { acceptanceDetails },
  },
  [`GET ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: {
    may: "look",
    shows: "studies",
    summary: "Draws one picture of an acceptance test; 204 when the study has none.",
    file: ["image/png"],
  },
  [`PUT ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: {
    may: "look",
    summary: "Stores a reader's answer about one picture of an acceptance test.",
    body: { answerPut },
  },
  [`POST ${ACCEPTANCE}/signature`]: {
    may: "administer",
    summary: "Signs an acceptance test, with the use of the scanner.",
    body: { signaturePost },
  },
  [`POST ${ACCEPTANCE}/countersignature`]: {
    may: "administer",
    summary: "Signs an acceptance test, as a second person.",
  },
  [`POST ${ACCEPTANCE}/revocation`]: { may: "administer", summary: "Undoes an acceptance test." },
  "GET /api/v1/stops": {
    may: "administer",
    shows: "nothing",
    summary: "Lists the scanners whose percentiles are withheld.",
    answer: { scannerStops },
  },
  [`POST ${STOP}/proposal`]: {
    may: "administer",
    summary: "Proposes to release a scanner, or to keep its percentiles withheld.",
    body: { stopProposal },
  },
  [`POST ${STOP}/agreement`]: {
    may: "administer",
    summary: "Agrees to the decision about a scanner, as a second person.",
    body: { stopAgreement },
  },
  [`POST ${STOP}/undo`]: {
    may: "administer",
    summary: "Takes the decision about a scanner back.",
  },
  [`POST ${DRIFT}/restart`]: {
    may: "administer",
    summary:
      "Starts the control charts of one scanner again, from the results to come; proposes it if a second person is needed.",
    body: { restartPost },
  },
  [`POST ${DRIFT}/restart/agreement`]: {
    may: "administer",
    summary: "Agrees to the restart of control charts, as a second person.",
    body: { restartAgreement },
  },
  [`POST ${DRIFT}/restart/withdrawal`]: {
    may: "administer",
    summary: "Withdraws the proposed restart of control charts.",
  },
});
