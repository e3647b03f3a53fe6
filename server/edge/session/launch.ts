// Links of other systems to a page of this site.
// The session's cookie is SameSite=Strict, so a request from a link lacks the cookie:
// the first response is a page of this site that continues to the same address, now with the
// cookie.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { LinkProblem } from "@/model/launch/launch_link.ts";
import type { PageModule } from "@/server/edge/pages/page.ts";
import { goOnFromHere } from "@/server/edge/session/same_site.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/**
 * Parameter that replaces those of the link, so that no page or log repeats a patient's ID.
 * Not `launch`, which EHRs send to any page (SMART on FHIR).
 */
const TICKET = "sulcus_link";
/** Validity of a ticket, as long as a session: a user may sign in later in the day. */
const TICKET_MS = 12 * 3_600_000;
/** Origin of a link in the audit log if the browser does not send the origin. */
const UNKNOWN_ORIGIN = "launch";
/** Encryption key of this process; after a restart, the user must open the link again. */
const KEY = randomBytes(32);

interface SealedLink {
  search: string;
  /** host of the page with the link */
  from: string;
  /** time at which the ticket expires, ms since the epoch */
  expiresAt: number;
}

/** Encrypts a link. @param path Path of the only page that can decrypt the link. */
export function sealLink(path: string, link: SealedLink): string {
  const iv = randomBytes(12),
    cipher = createCipheriv("aes-256-gcm", KEY, iv).setAAD(Buffer.from(path));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(link), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** Link of a ticket; `null` for a ticket that has expired, was changed, or is of another page. */
export function openLink(path: string, ticket: string, nowMs: number): SealedLink | null {
  // decoding other characters takes a hundred times as long
  if (!/^[\w-]+$/.test(ticket)) return null;
  try {
    const bytes = Buffer.from(ticket, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", KEY, bytes.subarray(0, 12))
      .setAAD(Buffer.from(path)).setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    const link = JSON.parse(text.toString("utf8")) as SealedLink;
    return link.expiresAt > nowMs ? link : null;
  } catch {
    return null;
  }
}

/** Host of the page that a request comes from. */
function originOf(context: SiteContext): string {
  const sent = context.req.header("origin") ?? context.req.header("referer") ?? "";
  return URL.parse(sent)?.host.slice(0, 120) || UNKNOWN_ORIGIN;
}

export interface Launch {
  /** address with the parameters of the link */
  url: URL;
  from: string;
  /** address of the same page with a ticket, for use after sign-in */
  returnPath: string;
}

/**
 * Link in a request for a page; `null` without one.
 * A Response continues to the page from this site.
 */
export function launchOf(
  context: SiteContext,
  { readLaunch, isLinkedTo = false }: PageModule,
): Launch | Response | { problem: LinkProblem } | null {
  const hasSession = context.var.site.sessions.secretOf(context) !== null;
  const url = new URL(context.req.url), path = url.pathname;
  const params = context.req.param() as Record<string, string>;
  const ticket = url.searchParams.get(TICKET);
  if (readLaunch === undefined || (ticket === null && readLaunch(url.search, params) === null)) {
    const isOfOtherSite = context.req.header("sec-fetch-site") === "cross-site";
    return isLinkedTo && isOfOtherSite && !hasSession
      ? goOnFromHere(context, path + url.search)
      : null;
  }
  const sealed = ticket === null ? null : openLink(path, ticket, Date.now());
  if (ticket !== null && sealed === null) return { problem: { reason: "expired", field: "" } };
  const { search, from } = sealed ?? { search: url.search, from: originOf(context) };
  const link = readLaunch(search, params);
  if (link === null || "problem" in link) return link;
  const newTicket = () => sealLink(path, { search, from, expiresAt: Date.now() + TICKET_MS });
  const returnPath = `${path}?${TICKET}=${ticket ?? newTicket()}`;
  if (ticket === null && !hasSession) return goOnFromHere(context, returnPath);
  return { url: new URL(path + search, url), from, returnPath };
}
