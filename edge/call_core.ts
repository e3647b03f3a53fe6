import { AppError } from "@/model/errors.ts";
import { clientAddress } from "@/edge/client_address.ts";
import type { SiteContext } from "@/edge/site.ts";

/**
 * Calls the API in the name of whoever asked for the page. @throws AppError `token.missing` when nobody is
 * signed in, `core.unreachable` when the core does not answer.
 */
export async function callCore(context: SiteContext, request: Request): Promise<Response> {
  const { core, sessions } = context.var.site;
  const token = await sessions.accessToken(context);
  if (token === null) throw new AppError("token.missing", "Cannot call the core: nobody is signed in");
  const send = (bearer: string) => {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${bearer}`);
    headers.set("x-request-id", context.var.requestId);
    const address = clientAddress(context);
    if (address) headers.set("x-forwarded-for", address);
    return fetchCore(core, new Request(request.clone(), { headers }));
  };
  const answer = await send(token);
  if (answer.status !== 401) return answer;
  await answer.body?.cancel();
  const renewed = await sessions.renew(context);
  if (renewed === null) throw new AppError("token.expired", "Cannot call the core: the session has ended");
  return await send(renewed);
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
