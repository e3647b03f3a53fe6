// Records cases of reading studies of which readers see results outside of the reading study.
import type { Context, MiddlewareHandler } from "hono";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { AppError } from "@/model/errors.ts";
import { type ApiEnv, routeOf, sentValue } from "@/server/core/http/app.ts";
import { unseenAmong } from "@/server/core/reading/service/shown_readings.ts";
import { noteAudit } from "@/server/core/site/service/audit/audit.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Values of all members `pid` in a JSON value. */
function pidsIn(value: unknown, found = new Set<number>()): Set<number> {
  if (Array.isArray(value)) { for (const each of value) pidsIn(each, found); }
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (name === "pid" && typeof member === "number") found.add(member);
      else pidsIn(member, found);
    }
  }
  return found;
}

/**
 * Studies that a response shows, named by URL, JSON response or route; `null`: not named at all.
 */
async function namedStudies({ req, res, var: { audited, shown } }: Context<ApiEnv>) {
  const value = sentValue(res), inUrl = req.param("pid") ?? req.query("pid");
  const listed = audited === "nothing" ? undefined : audited;
  const named = typeof shown === "function" ? await shown() : shown;
  if ([value, inUrl, listed, named].every((each) => each === undefined)) return null;
  const own = inUrl === undefined ? [] : [Number(inUrl)];
  return [...own, ...pidsIn(value), ...listed ?? [], ...named ?? []]
    .filter((pid) => pid > 0 && Number.isSafeInteger(pid));
}

/**
 * Records in the audit log that a response shows cases which the caller still has to read in a
 * blinded reading study, before the response is sent. Every response passes here; the table of
 * calls declares its studies ({@link ShownStudies}). A response whose studies are not known is
 * refused to callers with unanswered readings.
 *
 * Like other entries, one that cannot be written goes to the program's log, and the response is
 * sent: a full disk must not lock a physician out of a study.
 */
export const shownCases =
  (services: ServiceContext): MiddlewareHandler<ApiEnv> => async (context, next) => {
    await next();
    const { req, res, var: { caller, requestId } } = context;
    // 202: the progress of a job, 204: nothing, 304: the browser shows what it was sent before
    const isContent = res.status === 304 || res.ok && res.status !== 202 && res.status !== 204;
    if (!isContent || !caller) return;
    const endpoint = ENDPOINTS[routeOf(context) ?? ""];
    const shows = endpoint?.shows ?? (endpoint?.answer || endpoint?.file ? "unnamed" : "nothing");
    if (shows === "nothing" || shows === "blinded") return;
    const unseen = await unseenAmong(
      services,
      caller,
      () => shows === "unnamed" ? Promise.resolve(null) : namedStudies(context),
      shows === "patients",
    );
    if (unseen === null) {
      await res.body?.cancel();
      throw new AppError(
        "reading_study.blinded",
        `Cannot answer ${req.method} ${req.path}: the caller still reads cases it may contain`,
      );
    }
    if (unseen.length === 0) return;
    const entry = { event: "reading_study.seen", userId: caller.uid, requestId };
    await noteAudit(services, entry, unseen);
  };
