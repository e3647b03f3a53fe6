// Calls of the API: DICOMweb and FHIR.
import { endpoints } from "@/model/api/endpoint.ts";

const UID = "{[0-9.]{1,64}}";
const STUDY = `/api/v1/dicomweb/studies/:study${UID}`;
const SERIES = `${STUDY}/series/:series${UID}`;
const INSTANCE = `${SERIES}/instances/:instance${UID}`;

export const dicomwebEndpoints = endpoints({
  "POST /api/v1/dicomweb/studies": {
    may: "upload",
    summary: "Stores objects (STOW-RS).",
    takes: ["multipart/related"],
    file: ["application/dicom+json"],
  },
  [`POST ${STUDY}`]: {
    may: "upload",
    summary: "Stores objects of one study (STOW-RS).",
    takes: ["multipart/related"],
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/studies": {
    may: "look",
    summary: "Searches for studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/series": {
    may: "look",
    summary: "Searches for series of all studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  "GET /api/v1/dicomweb/instances": {
    may: "look",
    summary: "Searches for instances of all studies (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}/series`]: {
    may: "look",
    summary: "Searches for series of a study (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}/instances`]: {
    may: "look",
    summary: "Searches for instances of a study (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${SERIES}/instances`]: {
    may: "look",
    summary: "Searches for instances of a series (QIDO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${STUDY}`]: {
    may: "export",
    summary: "Retrieves a study (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${STUDY}/metadata`]: {
    may: "look",
    summary: "Retrieves the metadata of a study (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${SERIES}`]: {
    may: "export",
    summary: "Retrieves a series (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${SERIES}/metadata`]: {
    may: "look",
    summary: "Retrieves the metadata of a series (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${INSTANCE}`]: {
    may: "export",
    summary: "Retrieves an instance (WADO-RS).",
    file: ["multipart/related", "application/dicom"],
  },
  [`GET ${INSTANCE}/metadata`]: {
    may: "look",
    summary: "Retrieves the metadata of an instance (WADO-RS).",
    file: ["application/dicom+json"],
  },
  [`GET ${INSTANCE}/frames/:frames{[0-9,]{1,400}}`]: {
    may: "look",
    summary: "Retrieves frames of an instance (WADO-RS).",
    file: ["multipart/related", "application/octet-stream"],
  },
  [`GET ${INSTANCE}/bulkdata/:tag{[0-9A-Fa-f]{8}}`]: {
    may: "export",
    summary: "Retrieves a large value of an instance (WADO-RS).",
    file: ["multipart/related", "application/octet-stream"],
  },
  [`GET ${INSTANCE}/rendered`]: {
    may: "look",
    summary: "Draws an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${INSTANCE}/frames/:frame{[0-9]{1,6}}/rendered`]: {
    may: "look",
    summary: "Draws a frame of an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${STUDY}/thumbnail`]: {
    may: "look",
    summary: "Draws a small picture of a study (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${SERIES}/thumbnail`]: {
    may: "look",
    summary: "Draws a small picture of a series (WADO-RS).",
    file: ["image/jpeg"],
  },
  [`GET ${INSTANCE}/thumbnail`]: {
    may: "look",
    summary: "Draws a small picture of an instance (WADO-RS).",
    file: ["image/jpeg"],
  },
  "GET /api/v1/fhir/metadata": {
    may: "look",
    summary: "Reads the FHIR capability statement.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}": {
    may: "look",
    summary: "Searches for FHIR resources of a type.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}/:id{[0-9-]{1,20}}": {
    may: "look",
    summary: "Reads a FHIR resource.",
    file: ["application/fhir+json"],
  },
  "GET /api/v1/dicomweb/wado": {
    may: "export",
    summary: "Retrieves an instance (WADO-URI).",
    file: ["application/dicom", "image/jpeg"],
  },
});
