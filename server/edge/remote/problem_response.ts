import { type ErrorCode, type Problem } from "@/model/errors.ts";

/** Error code for each status of a call in the documents (D1 §4, §7, §8). */
const BY_CALL: readonly [method: string, path: RegExp, status: number, code: ErrorCode][] = [
  ["POST", /\/auth\/login$/, 401, "auth.invalid"],
  ["POST", /\/auth\/login$/, 404, "auth.not_found"],
  ["POST", /\/auth\/login$/, 429, "auth.too_many_attempts"],
  ["POST", /\/patients$/, 409, "study.being_analyzed"],
  ["POST", /\/(analyses|reanalyses)$/, 409, "study.being_analyzed"],
  ["PUT", /\/patients\/\d+$/, 409, "study.duplicate"],
  ["PUT", /\/labels$/, 409, "label.duplicate"],
  ["POST", /\/filters$/, 409, "filter.duplicate_name"],
  ["PUT", /\/filters\/\d+$/, 409, "filter.duplicate_name"],
];

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "input.invalid",
  401: "token.expired",
  403: "access.forbidden",
  404: "entity.not_found",
  405: "entity.not_found",
  422: "input.invalid",
  429: "call.too_often",
  501: "entity.not_found",
  502: "core.unreachable",
  503: "core.unreachable",
  504: "core.unreachable",
  507: "storage.full",
};

/**
 * Adds problem details, which pages require, to a refusal that consists of a status only.
 * All other responses are returned unchanged.
 */
export async function toProblem(request: Request, answer: Response): Promise<Response> {
  const { status } = answer;
  if (status < 400 || answer.headers.get("content-type")?.startsWith("application/problem+json")) {
    return answer;
  }
  const { pathname } = new URL(request.url);
  const match = BY_CALL.find(([method, path, at]) =>
    at === status && method === request.method && path.test(pathname)
  );
  const code = match?.[3] ?? BY_STATUS[status] ?? "internal";
  await answer.body?.cancel();
  const problem: Problem = {
    type: "about:blank",
    status,
    title: code,
    code,
    request_id: request.headers.get("x-request-id") ?? "",
  };
  const headers = new Headers(answer.headers);
  for (const name of ["content-length", "content-encoding", "etag"]) headers.delete(name);
  headers.set("content-type", "application/problem+json");
  return new Response(request.method === "HEAD" ? null : JSON.stringify(problem), {
    status,
    headers,
  });
}
