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
 * Key in session storage that makes the sign-in page report an ended session.
 * The value `out` means a sign-out by the user.
 */
export const SESSION_ENDED = "sulcus-session-ended";

/**
 * Key in local storage, shared by all tabs, with the time of an unanswered sign-in request.
 * The time is in ms of `Date.now`.
 */
export const SIGNING_IN = "sulcus-signing-in";
/** Age in ms after which an unanswered sign-in counts as abandoned. */
const MAX_SIGN_IN_MS = 30_000, ASK_AGAIN_MS = 250;

/** State of the real-time channel; the header shows a lost channel. */
export const socketState = signal<SocketState>("connecting");

/** Query cache that follows the server's events; only on pages with queries. */
export interface PageCache {
  apply(event: ServerEvent): void;
  /** Refetches after a reconnect, because the data on screen may be outdated. */
  refresh(): void;
  /** Cancels running queries before the session ends. */
  cancel(): void;
  /** Empties the cache after the session has ended. */
  clear(): void;
}
let cache: PageCache | null = null;
export const setPageCache = (given: PageCache): void => void (cache = given);

type Listener = (event: ServerEvent) => void;
const listeners = new Set<Listener>();

/**
 * Adds a listener for every event, called after the caches were updated.
 * The returned function removes the listener.
 */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const returns = new Set<() => void>();
let wasOpen = false;

/**
 * Adds a listener for possibly missed events: after a reconnect or a `resync` message.
 * Returns a function that removes the listener.
 */
export function onReconnect(listener: () => void): () => void {
  returns.add(listener);
  return () => void returns.delete(listener);
}

const ends = new Set<() => void>();

/** Adds a listener for a session that ended: the page must then remove patient data. */
export const onSessionEnd = (listener: () => void): void => void ends.add(listener);

let socket: LiveSocket | null = null;

/** Whether the session is still open; `null` if the server does not respond. */
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
 * Like {@link hasSession}, but waits for a sign-in in progress in another tab, which ends this
 * session and gives all tabs the new session when the server responds.
 */
async function hasNextSession(): Promise<boolean | null> {
  for (;;) {
    // read before the request: a sign-in that is answered meanwhile has already set the cookie
    const isOnItsWay = Date.now() - Number(localStorage.getItem(SIGNING_IN)) < MAX_SIGN_IN_MS;
    const has = await hasSession();
    if (has !== false || !isOnItsWay) return has;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

function apply(event: ServerEvent, user: User): void {
  if (event.event === "auth_multi_login" && event.uid === user.user_id) void leaveIfSignedOut();
  // any call renews the tokens, which the edge server holds
  if (event.event === "auth_token_expired" && event.uid === user.user_id) void renewSession();
  cache?.apply(event);
  for (const listener of listeners) listener(event);
  // events may have been missed, as after a lost connection
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
 * After a sign-in elsewhere, ends this tab's displaced session.
 * Other tabs of the new session stay open.
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
 * Closes the socket and aborts requests before the session ends,
 * because the page would otherwise send requests without a session.
 * The returned function restarts the socket after a failed sign-out.
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
      // patient data must be removed from the screen; the sign-in page shows the reason
      sessionStorage.setItem(SESSION_ENDED, "1");
      location.assign(loginPath());
    },
    onState: (state) => {
      // a started connection attempt does not count as a connection
      if (state !== "connecting" || socketState.value !== "waiting") socketState.value = state;
    },
    onStale: (error) => void reloadStalePage(error),
  });
  addEventListener("pagehide", () => {
    socket?.stop();
    // some browsers restore a page from the back/forward cache even after a sign-out;
    // these browsers ignore `no-store`
    document.body.hidden = true;
  });
  addEventListener("pageshow", (event) => {
    if ((event as PageTransitionEvent).persisted) location.reload();
  });
  addEventListener("offline", () => socket?.drop());
}
