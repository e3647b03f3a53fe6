import {
  type AboutLicense,
  aboutLicense,
  type AboutManual,
  aboutManual,
  type AboutManualText,
  aboutManualText,
  type AboutTerms,
  aboutTerms,
} from "@/model/schema/site/about.ts";
import type { Language } from "@/model/text.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Product name, version and certificate. */
export const getManual = (api: Api, signal?: AbortSignal): Promise<AboutManual> =>
  callJson(api, aboutManual, "/api/v1/about/manual", { signal });

/** Downloads the user manual as a PDF. */
export const getManualFile = async (api: Api, language: Language): Promise<Blob> =>
  await (await call(api, "/api/v1/about/manual/file", { query: { language } })).blob();

/** Downloads the user manual as Markdown source. */
export const getManualText = (api: Api, language: Language): Promise<AboutManualText> =>
  callJson(api, aboutManualText, "/api/v1/about/manual/text", { query: { language } });

export const getTerms = (api: Api, language: Language, signal?: AbortSignal): Promise<AboutTerms> =>
  callJson(api, aboutTerms, "/api/v1/about/terms", { query: { language }, signal });

export const getOpenSource = (api: Api, signal?: AbortSignal): Promise<AboutLicense> =>
  callJson(api, aboutLicense, "/api/v1/about/license", { signal });
