// Every call of the API; the server refuses calls that are not listed. Not loaded by pages.
import { accountsEndpoints } from "@/model/api/accounts.ts";
import { connectionsEndpoints } from "@/model/api/connections.ts";
import { dicomwebEndpoints } from "@/model/api/dicomweb.ts";
import type { Endpoints } from "@/model/api/endpoint.ts";
import { exportsEndpoints } from "@/model/api/exports.ts";
import { normsEndpoints } from "@/model/api/norms.ts";
import { readingEndpoints } from "@/model/api/reading.ts";
import { reportsEndpoints } from "@/model/api/reports.ts";
import { siteEndpoints } from "@/model/api/site.ts";
import { studiesEndpoints } from "@/model/api/studies.ts";

/** Calls by subject, which become the tags of the OpenAPI document, in the document's order. */
export const ENDPOINT_GROUPS: Readonly<Record<string, Endpoints>> = {
  "Accounts and sign-in": accountsEndpoints,
  "Studies": studiesEndpoints,
  "Reading": readingEndpoints,
  "Reports": reportsEndpoints,
  "Exports": exportsEndpoints,
  "Norms": normsEndpoints,
  "Connections": connectionsEndpoints,
  "DICOMweb and FHIR": dicomwebEndpoints,
  "Site": siteEndpoints,
};

/** Every call by method and route. */
export const ENDPOINTS: Endpoints = Object.assign({}, ...Object.values(ENDPOINT_GROUPS));
