// Calls of the API: studies, the worklist and uploads.
import { binList } from "@/model/schema/studies/bin.ts";
import {
  contextState,
  contextStep,
  followRequest,
  refusalRequest,
  shownRequest,
} from "@/model/schema/studies/context.ts";
import { launchAnswer, launchRequest } from "@/model/schema/studies/launch.ts";
import {
  ageQuery,
  ageResponse,
  analysesRequest,
  analysesResponse,
  deletionQuery,
  deletionReason,
  deletionResponse,
  editClaim,
  listCounts,
  patient,
  patientFields,
  patientHistoryResponse,
  patientListResponse,
  patientQuery,
  patientRow,
  patientUpdate,
  patientUpdateResponse,
} from "@/model/schema/studies/patients.ts";
import {
  storedStudiesRequest,
  storedStudiesResponse,
  uploadQuery,
  uploadResponse,
  uploadState,
} from "@/model/schema/studies/upload.ts";
import {
  surfaceFileQuery,
  viewerFileQuery,
  viewerVolume,
} from "@/model/schema/studies/viewer_files.ts";
import { filterRequest, filtersResponse, savedFilter } from "@/model/schema/worklist/filters.ts";
import {
  labelListResponse,
  labelsPut,
  labelsPutResponse,
  labelsResponse,
} from "@/model/schema/worklist/labels.ts";
import { listView } from "@/model/schema/worklist/list_view.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const STUDY = "/api/v1/patients/:pid{[0-9]+}";

export const studiesEndpoints = endpoints({
  "POST /api/v1/launch": {
    may: "look",
    shows: "nothing",
    summary: "Finds the studies that a link of another system names.",
    body: { launchRequest },
    answer: { launchAnswer },
  },
  "GET /api/v1/context": {
    may: "look",
    shows: "nothing",
    summary: "Says whether the caller's pages follow other applications, and what waits.",
    answer: { contextState },
  },
  "POST /api/v1/context/follow": {
    may: "look",
    shows: "nothing",
    summary: "Finds the study that another application shows.",
    body: { followRequest },
    answer: { contextStep },
  },
  "POST /api/v1/context/refusal": {
    may: "look",
    summary: "Tells other applications that their study is not followed.",
    body: { refusalRequest },
  },
  "POST /api/v1/context/shown": {
    may: "look",
    summary: "Tells other applications which study a page shows.",
    body: { shownRequest },
  },
  "POST /api/v1/analyses": {
    may: "analyse",
    shows: "nothing",
    summary: "Starts the analyses of studies.",
    body: { analysesRequest },
    answer: { analysesResponse },
  },
  [`POST ${STUDY}/reanalyses`]: {
    may: "analyse",
    shows: "nothing",
    summary: "Analyses a study again.",
    answer: { analysesResponse },
  },
  "GET /api/v1/patients/image/viewer/:pid": {
    may: "look",
    shows: "studies",
    summary:
      "Reads a volume of a study as NPY: the image, a label map or an overlay. Ranges are supported; `slices=16-31` reads these slices of the slowest axis alone.",
    query: { viewerFileQuery },
    file: ["application/octet-stream"],
  },
  "GET /api/v1/secure/:file{(?:verts|faces|normals|values)\\.npy}": {
    may: "look",
    shows: "studies",
    summary: "Reads a part of the cortical surface as NPY: vertices, faces, normals or values.",
    query: { surfaceFileQuery },
    file: ["application/octet-stream"],
  },
  [`GET ${STUDY}/defaced`]: {
    may: "look",
    shows: "studies",
    summary: "Reads the image without the face, as NPY.",
    file: ["application/octet-stream"],
  },
  [`GET ${STUDY}/volume`]: {
    may: "look",
    shows: "studies",
    summary: "Describes the volumes of a study: shape, affine, files, display ranges.",
    answer: { viewerVolume },
  },
  "GET /api/v1/bin": {
    may: "restore",
    shows: "nothing",
    summary: "Lists the deleted studies that can be restored.",
    answer: { binList },
  },
  "POST /api/v1/bin/:pid{[0-9]+}/restoration": {
    may: "restore",
    summary: "Restores a deleted study.",
  },
  "DELETE /api/v1/bin/:pid{[0-9]+}": { may: "purge", summary: "Deletes a study permanently." },
  "GET /api/v1/filters": {
    may: "own",
    shows: "nothing",
    summary: "Lists the caller's saved filters.",
    answer: { filtersResponse },
  },
  "POST /api/v1/filters": {
    may: "own",
    shows: "nothing",
    summary: "Saves a filter.",
    body: { filterRequest },
    answer: { savedFilter },
    status: 201,
  },
  "PUT /api/v1/filters/:id{[0-9]{1,15}}": {
    may: "own",
    shows: "nothing",
    summary: "Changes a saved filter.",
    body: { filterRequest },
    answer: { savedFilter },
  },
  "DELETE /api/v1/filters/:id{[0-9]{1,15}}": { may: "own", summary: "Removes a saved filter." },
  "GET /api/v1/labels/list": {
    may: "look",
    shows: "nothing",
    summary: "Lists the labels by name.",
    answer: { labelListResponse },
  },
  "GET /api/v1/labels": {
    may: "look",
    shows: "nothing",
    summary: "Lists the labels with their studies and filters.",
    answer: { labelsResponse },
  },
  "PUT /api/v1/labels": {
    may: "edit",
    shows: "nothing",
    summary: "Saves all labels, and which studies carry them.",
    body: { labelsPut },
    answer: { labelsPutResponse },
  },
  "GET /api/v1/worklist/view": {
    may: "own",
    shows: "nothing",
    summary: "Reads how the caller sees the worklist.",
    answer: { listView },
  },
  "PUT /api/v1/worklist/view": {
    may: "own",
    shows: "nothing",
    summary: "Saves how the caller sees the worklist.",
    body: { listView },
    answer: { listView },
  },
  "GET /api/v1/worklist/counts": {
    may: "look",
    shows: "nothing",
    summary: "Counts the studies that wait, are analyzed, have failed, are new or the caller's.",
    answer: { listCounts },
  },
  "GET /api/v1/patients": {
    may: "look",
    shows: "studies",
    summary: "Lists a page of the worklist.",
    query: { patientQuery },
    answer: { patientListResponse },
  },
  "DELETE /api/v1/patients": {
    may: "delete",
    shows: "nothing",
    summary: "Deletes studies: they stay in the bin for a time.",
    query: { deletionQuery },
    answer: { deletionResponse },
  },
  [`GET ${STUDY}`]: {
    may: "look",
    shows: "studies",
    summary: "Reads a study; with `fields=row` as the worklist has it.",
    query: { patientFields },
    answer: { patientRow, patient },
  },
  [`PUT ${STUDY}`]: {
    may: "edit",
    shows: "studies",
    summary: "Changes patient data of a study.",
    body: { patientUpdate },
    answer: { patientUpdateResponse },
  },
  [`DELETE ${STUDY}`]: {
    may: "delete",
    summary: "Deletes a study: it stays in the bin for a time.",
    query: { deletionReason },
  },
  [`GET ${STUDY}/history`]: {
    may: "look",
    shows: "studies",
    summary: "Lists the studies of the same patient.",
    answer: { patientHistoryResponse },
  },
  [`GET ${STUDY}/thumbnail`]: {
    may: "look",
    shows: "studies",
    summary: "Draws a small picture of a study; 204 when there is none.",
    file: ["image/png"],
  },
  [`POST ${STUDY}/editing`]: {
    may: "edit",
    shows: "nothing",
    summary: "Claims a study for an edit, for some seconds.",
    answer: { editClaim },
  },
  [`DELETE ${STUDY}/editing`]: { may: "edit", summary: "Ends the claim of an edit." },
  "GET /api/v1/utils/age": {
    may: "look",
    shows: "nothing",
    summary: "Computes an age in years between two dates.",
    query: { ageQuery },
    answer: { ageResponse },
  },
  "POST /api/v1/patients": {
    may: "upload",
    shows: "nothing",
    summary: "Uploads images, whole or in parts.",
    query: { uploadQuery },
    takes: ["multipart/form-data"],
    answer: { uploadResponse },
  },
  "POST /api/v1/uploads/stored": {
    may: "upload",
    shows: "nothing",
    summary: "Says which series of an upload are stored already.",
    body: { storedStudiesRequest },
    answer: { storedStudiesResponse },
  },
  "GET /api/v1/uploads/:id": {
    may: "upload",
    shows: "nothing",
    summary: "Reads the state of an upload in parts.",
    answer: { uploadState },
  },
  "DELETE /api/v1/uploads/:id": { may: "upload", summary: "Discards an upload in parts." },
});
