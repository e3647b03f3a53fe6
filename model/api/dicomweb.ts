// Calls of the API: DICOMweb and FHIR.
import { endpoints } from "@/model/api/endpoint.ts";

const UID = "{[0-9.]{1,64}}";
const STUDY = `/api/v1/dicomweb/studies/:study${UID}`;
const SERIES = `${STUDY}/series/:series${UID}`;
const INSTANCE = `${SERIES}/instances/:instance${UID}`;

export const dicomwebEndpoints = endpoints({
  "POST /api/v1/dicomweb/studies": {
    may: "upload",
    shows: "nothing",
    summary: "Stores objects (STOW-RS).",
    takes: ["multipart/related"],
    file: ["application/dicom+json"],
  },
  [`POST ${STUDY}`]: {
    may: "upload",
    shows: "nothing",
    summary: "Stores objects of one study (STOW-RS).",
    takes: ["multipart/related"],
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/studies": {
    may: "look",
    shows: "nothing",
    summary: "Searches for studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/series": {
    may: "look",
    shows: "nothing",
    summary: "Searches for series of all studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/instances": {
    may: "look",
    shows: "nothing",
    summary: "Searches for instances of all studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}/series`]: {
    may: "look",
    shows: "nothing",
    summary: "Searches for series of a study (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}/instances`]: {
    may: "look",
    shows: "nothing",
    summary: "Searches for instances of a study (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${SERIES}/instances`]: {
    may: "look",
    shows: "nothing",
    summary: "Searches for instances of a series (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}`]: {
    may: "export",
    shows: "patients",
    summary: "Retrieves a study (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${STUDY}/metadata`]: {
    may: "look",
    shows: "patients",
    summary: "Retrieves the metadata of a study (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${SERIES}`]: {
    may: "export",
    shows: "patients",
    summary: "Retrieves a series (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${SERIES}/metadata`]: {
    may: "look",
    shows: "patients",
    summary: "Retrieves the metadata of a series (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${INSTANCE}`]: {
    may: "export",
    shows: "patients",
    summary: "Retrieves an instance (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${INSTANCE}/metadata`]: {
    may: "look",
    shows: "patients",
    summary: "Retrieves the metadata of an instance (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${INSTANCE}/frames/:frames{[0-9,]{1,400}}`]: {
    may: "look",
    shows: "patients",
    summary: "Retrieves frames of an instance (WADO-RS).",
    file: ["multipart/related", "application/octet-stream"],
  },
  [`GET ${INSTANCE}/bulkdata/:tag{[0-9A-Fa-f]{8}}`]: {
    may: "export",
    shows: "patients",
    summary: "Retrieves a large value of an instance (WADO-RS).",
    file: ["multipart/related", "application/octet-stream"],
  },
  [`GET ${INSTANCE}/rendered`]: {
    may: "look",
    shows: "patients",
    summary: "Draws an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${INSTANCE}/frames/:frame{[0-9]{1,6}}/rendered`]: {
    may: "look",
    shows: "patients",
    summary: "Draws a frame of an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${STUDY}/thumbnail`]: {
    may: "look",
    shows: "patients",
    summary: "Draws a small picture of a study (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${SERIES}/thumbnail`]: {
    may: "look",
    shows: "patients",
    summary: "Draws a small picture of a series (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${INSTANCE}/thumbnail`]: {
    may: "look",
    shows: "patients",
    summary: "Draws a small picture of an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  "GET /api/v1/fhir/metadata": {
    may: "look",
    shows: "nothing",
    summary: "Reads the FHIR capability statement.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}": {
    may: "look",
    shows: "patients",
    summary: "Searches for FHIR resources of a type.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}/:id{[0-9-]{1,20}}": {
    may: "look",
    shows: "patients",
    summary: "Reads a FHIR resource.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/dicomweb/wado": {
    may: "export",
    shows: "patients",
    summary: "Retrieves an instance (WADO-URI).",
    file: ["application/dicom", "image/jpeg"],
  },
});
