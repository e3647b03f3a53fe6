// Calls of the API: measurements, key images, corrections and verdicts of users.
import { seriesVolumeQuery } from "@/model/schema/reading/series.ts";
import { comparableList } from "@/model/schema/reading/comparables.ts";
import { hanging } from "@/model/schema/reading/hanging.ts";
import { keyImageCreated, keyImageList, keyImageQuery } from "@/model/schema/reading/key_images.ts";
import { lesionChangeList, lesionVerdictPut } from "@/model/schema/reading/lesion_changes.ts";
import {
  measurementCreated,
  measurementList,
  measurementPost,
  measurementPut,
} from "@/model/schema/reading/measurements.ts";
import { studySeriesList } from "@/model/schema/reading/series.ts";
import { corrected, strokeList, strokePost, strokeSeries } from "@/model/schema/reading/strokes.ts";
import {
  readingAnswer,
  readingExport,
  readingExportQuery,
  readingStudyCreated,
  readingStudyDetails,
  readingStudyList,
  readingStudyPost,
  readingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const STUDY = "/api/v1/patients/:pid{[0-9]+}";

const READING_STUDY = "/api/v1/reading-studies/:id{[0-9]{1,15}}";

export const readingEndpoints = endpoints({
  "GET /api/v1/viewer/hanging": {
    may: "own",
    shows: "nothing",
    summary: "Reads the caller's hanging protocols.",
    answer: { hanging },
  },
  "PUT /api/v1/viewer/hanging": {
    may: "own",
    shows: "nothing",
    summary: "Saves the caller's hanging protocols.",
    body: { hanging },
    answer: { hanging },
  },
  [`GET ${STUDY}/key-images`]: {
    may: "look",
    shows: "studies",
    summary: "Lists the key images of a study.",
    answer: { keyImageList },
  },
  [`GET ${STUDY}/key-images/:image{[0-9]{1,15}}`]: {
    may: "look",
    shows: "studies",
    summary: "Reads a key image.",
    file: ["image/png"],
  },
  [`POST ${STUDY}/key-images`]: {
    may: "edit",
    shows: "nothing",
    summary: "Adds a key image.",
    query: { keyImageQuery },
    takes: ["image/png"],
    answer: { keyImageCreated },
    status: 201,
  },
  [`DELETE ${STUDY}/key-images/:image{[0-9]{1,15}}`]: {
    may: "edit",
    summary: "Removes a key image.",
  },
  [`GET ${STUDY}/lesion-changes`]: {
    may: "look",
    shows: "patients",
    summary: "Lists the lesions that changed since the prior study.",
    answer: { lesionChangeList },
  },
  [`PUT ${STUDY}/lesion-changes/:lesion{[0-9]{1,3}}`]: {
    may: "edit",
    summary: "Confirms or rejects the change of a lesion.",
    body: { lesionVerdictPut },
  },
  [`GET ${STUDY}/measurements`]: {
    may: "look",
    shows: "studies",
    summary: "Lists the measurements of a study.",
    answer: { measurementList },
  },
  [`POST ${STUDY}/measurements`]: {
    may: "edit",
    shows: "nothing",
    summary: "Adds a measurement.",
    body: { measurementPost },
    answer: { measurementCreated },
    status: 201,
  },
  [`PUT ${STUDY}/measurements/:measurement{[0-9]{1,15}}`]: {
    may: "edit",
    summary: "Changes a measurement.",
    body: { measurementPut },
  },
  [`DELETE ${STUDY}/measurements/:measurement{[0-9]{1,15}}`]: {
    may: "edit",
    summary: "Removes a measurement.",
  },
  [`GET ${STUDY}/series`]: {
    may: "look",
    shows: "studies",
    summary: "Lists the series of a study, and those that are not analyzed with the reason.",
    answer: { studySeriesList },
  },
  [`GET ${STUDY}/comparables`]: {
    may: "look",
    shows: "patients",
    summary: "Lists the images that the study can be compared with.",
    answer: { comparableList },
  },
  [`GET ${STUDY}/series/:series{[0-9]{1,15}}/volume`]: {
    may: "look",
    shows: "studies",
    summary: "Reads the image of a series, as gzipped NIfTI.",
    query: { seriesVolumeQuery },
    file: ["application/gzip"],
  },
  [`GET ${STUDY}/series/refused/volume`]: {
    may: "look",
    shows: "studies",
    summary: "Reads the image of a series that is not analyzed, as gzipped NIfTI.",
    query: { seriesVolumeQuery },
    file: ["application/gzip"],
  },
  [`GET ${STUDY}/strokes`]: {
    may: "look",
    shows: "studies",
    summary: "Lists the corrections of the label maps.",
    answer: { strokeList },
  },
  [`POST ${STUDY}/strokes`]: {
    may: "edit",
    shows: "studies",
    summary: "Corrects a label map.",
    body: { strokePost },
    answer: { corrected },
    status: 201,
  },
  [`POST ${STUDY}/strokes/undo`]: {
    may: "edit",
    shows: "studies",
    summary: "Takes the last correction back.",
    body: { strokeSeries },
    answer: { corrected },
  },
  [`POST ${STUDY}/strokes/redo`]: {
    may: "edit",
    shows: "studies",
    summary: "Makes a correction again that was taken back.",
    body: { strokeSeries },
    answer: { corrected },
  },
  [`POST ${STUDY}/strokes/restore`]: {
    may: "edit",
    shows: "studies",
    summary: "Restores the label map of the analysis.",
    body: { strokeSeries },
    answer: { corrected },
  },
  "GET /api/v1/reading-studies": {
    may: "look",
    shows: "nothing",
    summary: "Lists the reading studies of the caller; of the site, for administrators.",
    answer: { readingStudyList },
  },
  "POST /api/v1/reading-studies": {
    may: "administer",
    shows: "nothing",
    summary: "Sets up a reading study with the plan of every reader.",
    body: { readingStudyPost },
    answer: { readingStudyCreated },
    status: 201,
  },
  [`GET ${READING_STUDY}`]: {
    may: "administer",
    shows: "nothing",
    summary: "Reads design, progress and statistics of a reading study.",
    answer: { readingStudyDetails },
  },
  [`DELETE ${READING_STUDY}`]: {
    may: "administer",
    summary: "Removes a reading study that has not begun.",
  },
  [`GET ${READING_STUDY}/export`]: {
    may: "administer",
    shows: "nothing",
    summary: "Exports the answered readings without identity.",
    query: { readingExportQuery },
    answer: { readingExport },
    file: ["text/csv"],
  },
  [`GET ${READING_STUDY}/reading`]: {
    may: "look",
    shows: "blinded",
    summary: "Reads the caller's next reading, without the identity of its case.",
    answer: { readingTask },
  },
  [`GET ${READING_STUDY}/readings/:place{[0-9]{1,3}}/files/:file`]: {
    may: "look",
    shows: "blinded",
    summary: "Reads a file of the caller's next reading.",
    file: ["application/octet-stream"],
  },
  [`POST ${READING_STUDY}/readings/:place{[0-9]{1,3}}/answer`]: {
    may: "look",
    summary: "Stores the answer of the caller's next reading.",
    body: { readingAnswer },
  },
});
