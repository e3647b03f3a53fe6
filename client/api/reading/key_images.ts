import {
  keyImageCreated,
  type KeyImageList,
  keyImageList,
} from "@/model/schema/reading/key_images.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const pathOf = (pid: number) => `/api/v1/patients/${pid}/key-images`;

/** Key images of a study. @throws {AppError} `study.deleted`. */
export const listKeyImages = (api: Api, pid: number, signal?: AbortSignal): Promise<KeyImageList> =>
  callJson(api, keyImageList, pathOf(pid), { signal });

/**
 * Stores a key image as PNG. @returns the id of the key image. @throws {AppError} `input.invalid`.
 */
export const addKeyImage = async (
  api: Api,
  pid: number,
  picture: Blob,
  note: string,
): Promise<number> =>
  (await callJson(api, keyImageCreated, pathOf(pid), {
    method: "POST",
    query: { note },
    body: picture,
    headers: { "content-type": "image/png" },
  })).id;

/** @throws {AppError} `entity.not_found`, `access.forbidden` for the key image of another user. */
export const removeKeyImage = async (api: Api, pid: number, id: number): Promise<void> =>
  void await call(api, `${pathOf(pid)}/${id}`, { method: "DELETE" });
