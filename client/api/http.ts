import type * as z from "zod/mini";
import {
  AppError,
  type ErrorCode,
  type ErrorDetails,
  isErrorCode,
  isRetryable,
} from "@/model/errors.ts";

/** `fetch` in the browser, the core itself in a route or a test. */
type Send = (request: Request) => Promise<Response>;

/** Where the API is and who asks. */
export interface Api {
  send: Send;
  /** scheme and host in front of `/api/v1` */
  origin: string;
  /**
   * The parsed value of an answer from this process, if it already matches the schema; `undefined`:
   * parse it.
   */
  cachedValue?: (answer: Response, schema: z.ZodMiniType) => unknown;
  /** access token of the caller; absent where a cookie does the work */
  token?: string;
}

interface CallOptions {
  method?: string;
  query?: Record<string, string | number | undefined | null>;
  /** sent as JSON */
  json?: unknown;
  /** sent as it is; the browser writes the multipart boundary */
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const RETRY_DELAYS_MS = [200, 800];
const SAFE_METHODS = new Set(["GET", "HEAD"]);

/** The request of a call; empty query values are left out. */
export function requestOf(api: Api, path: string, options: CallOptions = {}): Request {
  const url = new URL(path, api.origin);
  for (const [key, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== null && value !== "") {
      url.searchParams.set(key, String(value));
    }
  }
  const headers = new Headers(options.headers);
  if (api.token) headers.set("authorization", `Bearer ${api.token}`);
  if (options.json !== undefined) headers.set("content-type", "application/json");
  return new Request(url, {
    method: options.method ?? "GET",
    headers,
    body: options.json === undefined ? options.body : JSON.stringify(options.json),
    signal: options.signal,
  });
}

/** Error code of an answer without problem details, by its status. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: "entity.not_found",
  502: "core.unreachable",
};

/**
 * The error of a non-2xx answer; `internal` when neither problem details nor the status name one,
 * `network.offline` when it breaks off.
 */
export async function errorOf(response: Response): Promise<AppError> {
  const text = await response.text().catch(() => null);
  let problem: unknown = null;
  try {
    problem = JSON.parse(text!);
  } catch {
    // not ours: a proxy's page
  }
  const { code, details, request_id } = (problem ?? {}) as Record<string, unknown>;
  const errorCode = text === null
    ? "network.offline"
    : isErrorCode(code)
    ? code
    : CODE_OF_STATUS[response.status] ?? "internal";
  const extra: ErrorDetails = typeof request_id === "string" ? { request_id } : {};
  return new AppError(
    errorCode,
    `Cannot complete the call: answer ${response.status} ${errorCode}`,
    {
      ...(details !== null && typeof details === "object" ? details as ErrorDetails : {}),
      ...extra,
    },
  );
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function sendOnce(api: Api, path: string, options: CallOptions): Promise<Response> {
  let response: Response;
  try {
    response = await api.send(requestOf(api, path, options));
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new AppError("network.offline", `Cannot reach the server: ${path}`, {}, { cause });
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/**
 * Sends a call and gives back its 2xx answer. Reads are repeated twice when the error is retryable.
 * @throws {AppError} with the server's code, or `network.offline`. An abort is thrown as it is.
 */
export async function call(api: Api, path: string, options: CallOptions = {}): Promise<Response> {
  const delays = SAFE_METHODS.has(options.method ?? "GET") ? RETRY_DELAYS_MS : [];
  for (const delay of delays) {
    try {
      return await sendOnce(api, path, options);
    } catch (error) {
      if (!(error instanceof AppError) || !isRetryable(error.code)) throw error;
      await pause(delay);
    }
  }
  return await sendOnce(api, path, options);
}

async function parsedBody<T extends z.ZodMiniType>(
  api: Api,
  response: Response,
  schema: T,
  path: string,
): Promise<z.output<T>> {
  const cached = api.cachedValue?.(response, schema);
  if (cached !== undefined) return cached as z.output<T>;
  const body = await response.json().catch((cause) => {
    throw cause instanceof TypeError ? new AppError("network.offline", path) : cause;
  });
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
    throw new AppError("internal", `Cannot read the answer of ${path}: ${place}`, {
      answer_of: path,
    });
  }
  return parsed.data;
}

/**
 * {@link call}, with the JSON answer checked against its schema.
 * @throws {AppError} `internal` if it differs; `details.answer_of` is the call's path.
 */
export async function callJson<T extends z.ZodMiniType>(
  api: Api,
  schema: T,
  path: string,
  options: CallOptions = {},
): Promise<z.output<T>> {
  return await parsedBody(api, await call(api, path, options), schema, path);
}

/** {@link callJson}, with the answer's entity tag as `version`. */
export async function callTagged<T extends z.ZodMiniType>(
  api: Api,
  schema: T,
  path: string,
  options: CallOptions = {},
): Promise<z.output<T> & { version?: string }> {
  const response = await call(api, path, options),
    answer = await parsedBody(api, response, schema, path);
  // a proxy that packs the answer makes the tag a weak one
  const version = /^(?:W\/)?"([^"]+)"$/.exec(response.headers.get("etag") ?? "")?.[1];
  const tagged: unknown = version === undefined ? answer : { ...answer as object, version };
  return tagged as z.output<T> & { version?: string };
}
