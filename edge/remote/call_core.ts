import type * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { clientAddress } from "@/edge/web/client_address.ts";
import type { SiteContext } from "@/edge/web/site.ts";

/**
 * Calls of the API in the name of whoever asked for the page. The session is looked up for the first of them; the core
 * checks its token with each. Answers are to be read, not sent on. Requests get the caller's headers: they must be new.
 *
 * @returns a function that throws AppError `token.missing` when nobody is signed in, `core.unreachable` when the core
 *   does not answer.
 */
export function sessionSender(context: SiteContext): (request: Request) => Promise<Response> {
  const { core, sessions } = context.var.site;
  const address = clientAddress(context);
  let token: Promise<string | null> | undefined;
  return async (request) => {
    const bearer = await (token ??= sessions.accessToken(context));
    if (bearer === null) throw new AppError("token.missing", "Cannot call the core: nobody is signed in");
    const { headers } = request;
    headers.set("authorization", `Bearer ${bearer}`);
    headers.set("x-request-id", context.var.requestId);
    if (address) headers.set("x-forwarded-for", address);
    // a body can be sent once
    const again = request.body === null ? request : request.clone();
    const answer = await fetchCore(core, request);
    if (answer.status !== 401) {
      if (again !== request) await again.body?.cancel();
      return answer;
    }
    await answer.body?.cancel();
    token = sessions.renew(context);
    const renewed = await token;
    if (renewed === null) throw new AppError("token.expired", "Cannot call the core: the session has ended");
    again.headers.set("authorization", `Bearer ${renewed}`);
    return await fetchCore(core, again);
  };
}

/** A call of the core. @throws AppError `core.unreachable` when there is no answer; an abort is passed on. */
export async function fetchCore(
  core: { fetch(request: Request): Promise<Response> },
  request: Request,
): Promise<Response> {
  try {
    return await core.fetch(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw new AppError("core.unreachable", "Cannot reach the core", {}, { cause });
  }
}

/** What stands in a core's JSON answer. @throws AppError `core.unreachable` when it does not keep to the schema. */
export async function readResponse<T extends z.ZodMiniType>(
  answer: Response,
  schema: T,
): Promise<z.output<T>> {
  let value: unknown = null;
  try {
    value = await answer.json();
  } catch { /* it keeps to no schema either */ }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new AppError("core.unreachable", "Cannot read the core's answer: unknown form");
  return parsed.data;
}
