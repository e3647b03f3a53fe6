import { signal } from "@preact/signals-react";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import { AppError } from "@/model/errors.ts";
import { checkSession } from "@/client/api/accounts/session.ts";
import { browserApi } from "@/client/browser_api.ts";
import { log } from "@/client/log.ts";
import { informInModal, loginPath, presentToast } from "@/client/notices/present_error.ts";
import { LiveSocket, type SocketState } from "@/client/live/socket.ts";
import { reloadStalePage } from "@/client/page/stale_page.ts";

/**
 * In the tab's storage: the sign-in page says that the session has ended, or (`out`) that the
 * person has ended it.
 */
export const SESSION_ENDED = "sulcus-session-ended";

/**
 * In the browser's storage, for all its tabs: when a sign-in was sent that has not been answered,
 * ms of `Date.now`.
 */
export const SIGNING_IN = "sulcus-signing-in";
/** An older sign-in was abandoned, with its tab. */
const MAX_SIGN_IN_MS = 30_000, ASK_AGAIN_MS = 250;

/** State of the real-time channel; the header shows when it is lost. */
export const socketState = signal<SocketState>("connecting");

/** Cached data that follows the server's events; only pages with queries have any. */
export interface PageCache {
  apply(event: ServerEvent): void;
  /** After a connection: the screen may be out of date. */
  refresh(): void;
  /** Cancels running queries, because the session is about to end. */
  cancel(): void;
  /** Empties the cache after the session has ended. */
  clear(): void;
}
let cache: PageCache | null = null;
export const setPageCache = (given: PageCache): void => void (cache = given);

type Listener = (event: ServerEvent) => void;
const listeners = new Set<Listener>();

/** Hears every event after the caches were brought up to date; the returned function ends it. */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const returns = new Set<() => void>();
let wasOpen = false;

/**
 * Called when events may have been missed: the connection is back, or the server says `resync`.
 * Returns the end of it.
 */
export function onReconnect(listener: () => void): () => void {
  returns.add(listener);
  return () => void returns.delete(listener);
}

const ends = new Set<() => void>();

/** Called when the session has ended elsewhere: patient data must leave the screen. */
export const onSessionEnd = (listener: () => void): void => void ends.add(listener);

let socket: LiveSocket | null = null;

/** Whether the session is still open; `null` when the server does not answer. */
async function hasSession(): Promise<boolean | null> {
  try {
    await checkSession(browserApi);
    return true;
  } catch (error) {
    return error instanceof AppError && (error.status === 401 || error.status === 403)
      ? false
      : null;
  }
}

/**
 * {@link hasSession}, when this session has ended. A sign-in in another tab of this browser ends
 * it, and gives all tabs its own when it is answered.
 */
async function hasNextSession(): Promise<boolean | null> {
  for (;;) {
    // read before the request: an answer that arrives by then has set its cookie
    const isOnItsWay = Date.now() - Number(localStorage.getItem(SIGNING_IN)) < MAX_SIGN_IN_MS;
    const has = await hasSession();
    if (has !== false || !isOnItsWay) return has;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

function apply(event: ServerEvent, user: User): void {
  if (event.event === "auth_multi_login" && event.uid === user.user_id) void leaveIfSignedOut();
  // the edge holds the tokens: a call makes it renew them
  if (event.event === "auth_token_expired" && event.uid === user.user_id) void renewSession();
  cache?.apply(event);
  for (const listener of listeners) listener(event);
  // as after a lost connection, events were missed
  if (event.event === "resync") { for (const listener of returns) listener(); }
}

async function renewSession(): Promise<void> {
  const isOpen = await hasSession();
  if (isOpen === false) {
    presentToast("token.refresh_failed");
    leave("token.expired");
  } else if (isOpen === null) presentToast("token.refresh_unanswered");
  else socket?.send({ event: "auth_token_update", token: "" });
}

/**
 * Multi login: the session that must leave finds its own ended; other tabs of the new one find
 * theirs open.
 */
async function leaveIfSignedOut(): Promise<void> {
  if (await hasNextSession() === false) leave("token.revoked");
}

function leave(why: "token.expired" | "token.revoked"): void {
  socket?.stop();
  for (const listener of ends) listener();
  cache?.clear();
  informInModal(why);
}

/**
 * Closes the socket and aborts requests before the session ends: otherwise the page would send
 * requests without a session. The returned function starts again, for a sign-out that failed.
 */
export function endLiveUpdates(): () => void {
  const ended = socket;
  ended?.stop();
  cache?.cancel();
  return () => ended?.restart();
}

/** Starts the one socket of the page. */
export function startLiveUpdates(user: User): void {
  const url = new URL("/api/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  socket = new LiveSocket({
    log,
    url: url.href,
    onEvent: (event) => apply(event, user),
    onOpen: () => {
      cache?.refresh();
      if (wasOpen) { for (const listener of returns) listener(); }
      wasOpen = true;
    },
    hasSession: hasNextSession,
    onSignedOut: () => {
      // patient data must leave the screen; the sign-in page shows the reason
      sessionStorage.setItem(SESSION_ENDED, "1");
      location.assign(loginPath());
    },
    onState: (state) => {
      // a try is not yet a connection
      if (state !== "connecting" || socketState.value !== "waiting") socketState.value = state;
    },
    onStale: (error) => void reloadStalePage(error),
  });
  addEventListener("pagehide", () => {
    socket?.stop();
    // some browsers bring a page back from their memory, whatever it says of storing, also after
    // signing out
    document.body.hidden = true;
  });
  addEventListener("pageshow", (event) => {
    if ((event as PageTransitionEvent).persisted) location.reload();
  });
  addEventListener("offline", () => socket?.drop());
}
