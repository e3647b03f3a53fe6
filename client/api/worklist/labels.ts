import {
  type LabelListResponse,
  labelListResponse,
  type LabelsPut,
  type LabelsPutResponse,
  labelsPutResponse,
  type LabelsResponse,
  labelsResponse,
} from "@/model/schema/worklist/labels.ts";
import { type Api, callJson, callTagged } from "@/client/api/http.ts";

/** Ids and names of all worklist labels, for selection lists. */
export const listLabels = (api: Api, signal?: AbortSignal): Promise<LabelListResponse> =>
  callJson(api, labelListResponse, "/api/v1/labels/list", { signal });

/**
 * Every worklist label with its studies. Pass `version` to {@link saveLabels}.
 * An API without versions omits `version`.
 */
export const getLabels = (
  api: Api,
  signal?: AbortSignal,
): Promise<LabelsResponse & { version?: string }> =>
  callTagged(api, labelsResponse, "/api/v1/labels", { signal });

/**
 * Replaces all worklist labels: ids below 0 mark new labels, omitted labels are deleted.
 * @param version Version of the labels from which the edit started.
 * @throws {AppError} `label.duplicate`; `label.changed` if another user saved since `version`;
 * `input.invalid` with `details.field`.
 */
export const saveLabels = (
  api: Api,
  labels: LabelsPut,
  version?: string,
): Promise<LabelsPutResponse & { version?: string }> =>
  callTagged(api, labelsPutResponse, "/api/v1/labels", {
    method: "PUT",
    json: labels,
    headers: version === undefined ? {} : { "if-match": `"${version}"` },
  });
