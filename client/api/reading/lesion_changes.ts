import { type LesionChangeList, lesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const pathOf = (pid: number) => `/api/v1/patients/${pid}/lesion-changes`;

/**
 * Lesions that changed since the prior study.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export const listLesionChanges = (
  api: Api,
  pid: number,
  signal?: AbortSignal,
): Promise<LesionChangeList> => callJson(api, lesionChangeList, pathOf(pid), { signal });

/**
 * Confirms or rejects a lesion change, or clears the decision.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export const judgeLesionChange = async (
  api: Api,
  pid: number,
  lesion: number,
  isConfirmed: boolean | null,
): Promise<void> =>
  void await call(api, `${pathOf(pid)}/${lesion}`, {
    method: "PUT",
    json: { is_confirmed: isConfirmed },
  });
