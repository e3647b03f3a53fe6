import { type Context, Hono, type MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { validate } from "zod/mini";
import type * as z from "zod/mini";
import { BodyBudget, readBody } from "@/server/wire/body.ts";
import { observeAnswer } from "@/server/wire/latency.ts";
import { networkOf } from "@/model/site/networks.ts";
import { AppError, type ErrorCode, type Problem } from "@/model/errors.ts";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { mayDo } from "@/model/accounts/roles.ts";
import { DEVICE_HEADER } from "@/model/schema/accounts/auth.ts";
import { authenticate } from "@/server/core/accounts/service/auth.ts";
import type { Origin } from "@/server/core/accounts/service/sign_in_delay.ts";
import {
  authenticateSystem,
  isSystemKey,
  type SystemProof,
} from "@/server/core/connections/service/system_keys.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

/**
 * Data of a request: its id for logs and problem details, and the calling user (after `signedIn`).
 */
export interface ApiEnv {
  Variables: {
    requestId: string;
    caller: Caller;
    /** studies for the audit log, if the URL names none; `nothing`: no audit entry */
    audited?: readonly number[] | "nothing";
    /** studies that the response shows, if neither URL, JSON response nor `audited` names them */
    shown?: readonly number[] | (() => Promise<readonly number[]>);
    /** audit event, if the route does not determine it; recorded once per minute and user */
    auditAs?: "worklist.view";
    /** more details for the audit log, without patient data */
    auditDetails?: Record<string, string | number>;
  };
}
type Api = Hono<ApiEnv>;
/** Adds the routes of one resource (studies, settings, …) to the API. */
export type Routes = (api: Api, services: ServiceContext) => void;

/** Maximum size of a JSON body, bytes; some calls allow more. */
const MAX_JSON_BYTES = 1 << 20;
/**
 * Memory for request bodies that are read completely; uploads are streamed to disk instead.
 * Callers without a session have separate limits by address, and smaller bodies:
 * a sign-in has 200 bytes, completing the sign-in at an OpenID provider 10 kB.
 */
const SIGNED_IN_BODIES = new BodyBudget(64 << 20),
  ANONYMOUS_BODIES = new BodyBudget(8 << 20, 1 << 20);
const MAX_ANONYMOUS_BYTES = 16 << 10;
/** Maximum number of objects and lists in a JSON body: each takes 200 bytes of memory. */
const MAX_JSON_NODES = 400_000;
/** Maximum number of commas in a JSON body: checking a value takes half a microsecond. */
const MAX_JSON_COMMAS = 1_000_000;
/**
 * Number of commas above which a body is checked only up to the first wrong value, which is then
 * not named: the descriptions of 8 million wrong values take 3 GB.
 */
const MAX_DESCRIBED_COMMAS = 50_000;
const OBJECT = "{".charCodeAt(0), LIST = "[".charCodeAt(0), COMMA = ",".charCodeAt(0);
/** User id of each running request. */
const userOf = new WeakMap<Request, number>();

/** Limits of {@link readBody} for a request: by user, or without a session by address. */
export function bodyLimits(request: Request, maxBytes: number) {
  const uid = userOf.get(request);
  return uid === undefined
    ? {
      maxBytes: Math.min(maxBytes, MAX_ANONYMOUS_BYTES),
      budget: ANONYMOUS_BODIES,
      owner: networkOf(addressOf(request) ?? ""),
    }
    : { maxBytes, budget: SIGNED_IN_BODIES, owner: String(uid) };
}

export const bearerOf = (request: Request): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;

/** Client address as reported by the edge proxy: the first entry of X-Forwarded-For. */
export const addressOf = (request: Request): string | null =>
  request.headers.get("x-forwarded-for")?.split(",")[0]?.trim().slice(0, 64) || null;

/** URL of the site as the caller used it, without trailing slash, for links in responses. */
export function siteOf(request: Request): string {
  const host = request.headers.get("x-forwarded-host"), { origin } = new URL(request.url);
  return host === null || !/^[\w.:[\]-]{1,255}$/.test(host)
    ? origin
    : `${request.headers.get("x-forwarded-proto") === "https" ? "https" : "http"}://${host}`;
}

/** Origin of a sign-in: client address, and the secret in a device's cookie. */
export function originOf(request: Request): Origin {
  const device = request.headers.get(DEVICE_HEADER) ?? "";
  return { address: addressOf(request), device: /^[\w-]{32,64}$/.test(device) ? device : null };
}

/**
 * Route in the table of calls that a request matches, even before routing; `null`: unknown call.
 */
export function routeOf(context: Context<ApiEnv>): string | null {
  // HEAD has no routes: Hono serves HEAD requests by the GET route
  const method = context.req.method === "HEAD" ? "GET" : context.req.method;
  const route = matchedRoutes(context).findLast((each) => each.method === method);
  return route === undefined ? null : `${method} ${route.path}`;
}

/** Calls that a user may make before a generated password is replaced. */
const FIRST = new Set(["GET /api/v1/user", "PUT /vuuc/api/user"]);
/** Calls that a user may make before one-time codes are set up. */
const ENROLMENT = new Set([
  ...FIRST,
  "GET /api/v1/second-factor",
  "POST /api/v1/second-factor",
  "POST /api/v1/second-factor/confirmation",
]);

const invalid = (message: string, details: Record<string, string> = {}) =>
  new AppError("input.invalid", message, details);

/** Result of a check by the schema library. @throws {AppError} `input.invalid`. */
function checked<T>(check: () => T, what: string): T {
  try {
    return check();
  } catch (error) {
    // the library passes each problem of a list as an argument; above about 100,000 the call fails
    if (error instanceof RangeError) {
      throw invalid(`Cannot read ${what}: too many values are wrong`);
    }
    throw error;
  }
}

/** Whether a request body matches its schema; validation stops at the first invalid value. */
const isValid = (schema: z.ZodMiniType, value: unknown): boolean =>
  checked(() => validate(schema, value), "the body");

function parsed<T extends z.ZodMiniType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = checked(() => schema.safeParse(value), what);
  if (result.success) return result.data;
  const [issue] = result.error.issues, field = issue?.path.join(".") ?? "";
  // this program's rules have a reason code as message; those of the schema library do not
  const reason = /^[a-z]+(_[a-z]+)*$/.exec(issue?.message ?? "")?.[0];
  throw invalid(`Cannot read ${what}: ${field || "value"} is not valid`, {
    ...(field ? { field } : {}),
    ...(reason ? { reason } : {}),
  });
}

/** Whether a content type is JSON (or a +json type, RFC 6839 §3.1). */
const isJson = (request: Request): boolean =>
  /^application\/([\w.-]+\+)?json *(;|$)/i.test(request.headers.get("content-type") ?? "");

/**
 * Reads a JSON body and validates it by a schema.
 * @throws {AppError} `input.media_type` for another content type, the errors of {@link readBody},
 * `input.invalid` with `details.field` for an invalid body.
 */
export async function readJson<T extends z.ZodMiniType>(
  request: Request,
  schema: T,
  maxBytes = MAX_JSON_BYTES,
): Promise<z.output<T>> {
  if (!isJson(request)) {
    throw new AppError("input.media_type", "Cannot read the body: it is not called JSON");
  }
  const bytes = await readBody(request.body, bodyLimits(request, maxBytes));
  let value: unknown, nodes = 0, commas = 0;
  for (const byte of bytes) {
    if (byte === OBJECT || byte === LIST) nodes++;
    else if (byte === COMMA) commas++;
  }
  if (nodes > MAX_JSON_NODES || commas > MAX_JSON_COMMAS) {
    throw invalid("Cannot read the body: too many values");
  }
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("Cannot read the body: not JSON");
  }
  if (commas > MAX_DESCRIBED_COMMAS && !isValid(schema, value)) {
    throw invalid("Cannot read the body: a value is not valid");
  }
  return parsed(schema, value, "the body");
}

/**
 * Query parameters of a request. An empty value counts as absent;
 * of repeated parameters the last is used.
 */
export function readQuery<T extends z.ZodMiniType>(request: Request, schema: T): z.output<T> {
  const values = [...new URL(request.url).searchParams].filter(([, value]) => value !== "");
  return parsed(schema, Object.fromEntries(values), "the query");
}

/**
 * Number of a study from the path of a request (`pid` in the API).
 * @throws {AppError} `entity.not_found` if the text is not a positive integer.
 */
export function pidOf(text: string | undefined): number {
  const pid = /^[1-9]\d{0,14}$/.test(text ?? "") ? Number(text) : NaN;
  if (Number.isNaN(pid)) {
    throw new AppError("entity.not_found", "Cannot find the study: not a study number");
  }
  return pid;
}

const values = new WeakMap<Response, { schema: z.ZodMiniType; value: unknown }>();

/** A successful JSON response, validated by a schema; fields that the schema lacks are removed. */
export function json<T extends z.ZodMiniType>(
  schema: T,
  value: z.input<T>,
  status = 200,
): Response {
  const sent = schema.parse(value);
  const answer = Response.json(sent, { status, headers: { "cache-control": "no-store" } });
  values.set(answer, { schema, value: sent });
  return answer;
}

/**
 * Value that {@link json} serialised into a response, for callers in this process;
 * the value is already validated.
 */
export function cachedValue(answer: Response, schema: z.ZodMiniType): unknown {
  const cached = values.get(answer);
  return cached?.schema === schema ? cached.value : undefined;
}

/** Value that {@link json} serialised into a response; `undefined`: another kind of response. */
export const sentValue = (answer: Response): unknown => values.get(answer)?.value;

export const noContent = (): Response =>
  new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

/** Value of Retry-After, seconds, for errors after which all callers wait the same time. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  "server.busy": 2,
  "storage.unavailable": 2,
};

/**
 * Problem details (RFC 9457) of an error. The message of an unknown error appears only in the log.
 */
function problemOf(error: AppError, requestId: string): Response {
  const problem: Problem = {
    type: "about:blank",
    status: error.status,
    title: error.code,
    code: error.code,
    ...(Object.keys(error.details).length > 0 ? { details: error.details } : {}),
    request_id: requestId,
  };
  const waitS = error.details.seconds ?? RETRY_AFTER_S[error.code];
  const retryAfter: Record<string, string> = waitS === undefined
    ? {}
    : { "retry-after": String(waitS) };
  return new Response(JSON.stringify(problem), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...retryAfter,
    },
  });
}

/** Caller that is another system with a key or certificate; the audit log has the system's name. */
async function systemOf(
  context: Context<ApiEnv>,
  services: ServiceContext,
  proof: SystemProof,
): Promise<Caller> {
  const { path, raw } = context.req;
  const { caller, system } = await authenticateSystem(services, proof, path, addressOf(raw));
  context.set("auditDetails", { system });
  return caller;
}

/**
 * The API as a Hono application: request id, access token, problem details, and all routes.
 * @param around Middleware around every call, before authentication.
 */
export function createApi(
  services: ServiceContext,
  nouns: readonly Routes[],
  around: readonly MiddlewareHandler<ApiEnv>[] = [],
): Api {
  const { log } = services;
  const api: Api = new Hono<ApiEnv>();
  api.use(async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const requestId = /^[\w-]{8,64}$/.test(sent) ? sent : crypto.randomUUID();
    context.set("requestId", requestId);
    const started = performance.now();
    await next();
    const { res } = context;
    res.headers.set("x-request-id", requestId);
    // an attachment, so that a browser never renders an uploaded file as HTML
    if (res.body !== null && !res.headers.has("content-disposition")) {
      const isText = /json/.test(res.headers.get("content-type") ?? "");
      res.headers.set(
        "content-disposition",
        isText ? 'attachment; filename="api.json"' : "attachment",
      );
    }
    observeAnswer(routeOf(context), (performance.now() - started) / 1000);
    log("debug", "Answered", {
      request: requestId,
      method: context.req.method,
      route: context.req.routePath,
      status: res.status,
      ms: Math.round(performance.now() - started),
    });
  });
  for (const each of around) api.use(each);
  api.use(async (context, next) => {
    const { method, path } = context.req;
    const route = routeOf(context), action = route === null ? undefined : ENDPOINTS[route]?.may;
    if (action !== "public") {
      const token = bearerOf(context.req.raw), certificate = context.req.header("client-cert");
      if (token === null && certificate === undefined) {
        throw new AppError("token.missing", "Cannot answer: no access token");
      }
      const caller = token === null
        ? await systemOf(context, services, { certificate: certificate! })
        : isSystemKey(token)
        ? await systemOf(context, services, { key: token })
        : await authenticate(services, token);
      context.set("caller", caller);
      userOf.set(context.req.raw, caller.uid);
      if (caller.mustChangePassword && !FIRST.has(`${method} ${path}`)) {
        throw new AppError(
          "password.must_change",
          "Cannot answer: the password must be changed first",
        );
      }
      if (caller.mustEnrol && !ENROLMENT.has(`${method} ${path}`)) {
        throw new AppError("auth.must_enrol", "Cannot answer: one-time codes must be set up first");
      }
      // refused, because the call is missing from the table of calls
      if (route !== null && (action === undefined || !mayDo(caller.role, action))) {
        throw new AppError("access.forbidden", `Cannot answer: a ${caller.role} may not ${action}`);
      }
    }
    await next();
  });
  for (const add of nouns) add(api, services);
  api.notFound((context) =>
    problemOf(new AppError("entity.not_found", "Cannot find the call"), context.var.requestId)
  );
  api.onError((error, context) => {
    const { requestId } = context.var;
    const appError = error instanceof AppError
      ? error
      : new AppError("internal", "Cannot answer the request", {}, { cause: error });
    const cause = error instanceof AppError ? error.cause : error;
    // the caller gets a response, but the administrator must see the failure in the log
    if (appError.status >= 500 || appError.code === "file.damaged") {
      const text = cause instanceof Error ? cause.stack ?? cause.message : undefined;
      log("error", appError.message, { request: requestId, code: appError.code, error: text });
    } else {
      log("debug", appError.message, { request: requestId, code: appError.code });
    }
    return problemOf(appError, requestId);
  });
  return api;
}
