import type * as z from "zod/mini";
import {
  AppError,
  type ErrorCode,
  type ErrorDetails,
  isErrorCode,
  isRetryable,
} from "@/model/errors.ts";

/** `fetch` in the browser; during rendering and in tests, a direct call of the server's handler. */
type Send = (request: Request) => Promise<Response>;

/** Address of the API and credentials of the caller. */
export interface Api {
  send: Send;
  /** scheme and host of the server, without `/api/v1` */
  origin: string;
  /**
   * Returns the value that this process serialised into a response, already validated by `schema`.
   * `undefined`: another process made the response, which must be parsed.
   */
  cachedValue?: (answer: Response, schema: z.ZodMiniType) => unknown;
  /** access token of the caller; absent if the session cookie is sent instead */
  token?: string;
}

interface CallOptions {
  method?: string;
  query?: Record<string, string | number | undefined | null>;
  /** request body, sent as JSON */
  json?: unknown;
  /** request body, sent unchanged; the browser writes the multipart boundary */
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const RETRY_DELAYS_MS = [200, 800];
const SAFE_METHODS = new Set(["GET", "HEAD"]);

/** Builds the request of a call; empty query values are left out. */
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

/** Error code by HTTP status, for a response without problem details. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: "entity.not_found",
  502: "core.unreachable",
};

/**
 * Error for a response with a status other than 2xx. The code is `internal` if neither problem
 * details nor the status give a code, and `network.offline` if the response breaks off.
 */
export async function errorOf(response: Response): Promise<AppError> {
  const text = await response.text().catch(() => null);
  let problem: unknown = null;
  try {
    problem = JSON.parse(text!);
  } catch {
    // a response without problem details is not from this API, but from a proxy
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
 * Sends a call and returns the 2xx response. Reads are retried twice after a retryable error.
 * @throws {AppError} with the server's code, or `network.offline`. An abort error is rethrown.
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
 * Like {@link call}, and validates the JSON response with a schema.
 * @throws {AppError} `internal` for a mismatch; `details.answer_of` is the path of the call.
 */
export async function callJson<T extends z.ZodMiniType>(
  api: Api,
  schema: T,
  path: string,
  options: CallOptions = {},
): Promise<z.output<T>> {
  return await parsedBody(api, await call(api, path, options), schema, path);
}

/** Like {@link callJson}, and returns the response's entity tag as `version`. */
export async function callTagged<T extends z.ZodMiniType>(
  api: Api,
  schema: T,
  path: string,
  options: CallOptions = {},
): Promise<z.output<T> & { version?: string }> {
  const response = await call(api, path, options),
    answer = await parsedBody(api, response, schema, path);
  // a proxy that compresses the response turns the entity tag into a weak one
  const version = /^(?:W\/)?"([^"]+)"$/.exec(response.headers.get("etag") ?? "")?.[1];
  const tagged: unknown = version === undefined ? answer : { ...answer as object, version };
  return tagged as z.output<T> & { version?: string };
}
