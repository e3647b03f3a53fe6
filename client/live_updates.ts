import { signal } from "@preact/signals-react";
import type { ServerEvent } from "@/model/schema/events.ts";
import type { User } from "@/model/schema/user.ts";
import { AppError } from "@/model/errors.ts";
import { textIn } from "@/model/text.ts";
import { sessionText } from "@/model/text/session.ts";
import { patientRow } from "@/model/schema/patients.ts";
import { getPatient } from "@/client/api/patients.ts";
import { getUser } from "@/client/api/user.ts";
import { browserApi } from "@/client/browser_api.ts";
import { pageLanguage } from "@/client/language.ts";
import { informInModal, loginPath } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { LiveSocket, type SocketState } from "@/client/socket.ts";
import {
  applyStudyAnalysis,
  applyStudyEditing,
  newStudies,
  noteNewStudies,
  refreshStudies,
  removeRow,
} from "@/client/worklist_cache.ts";

/** State of the real-time channel; the header shows when it is lost. */
export const socketState = signal<SocketState>("connecting");

type Listener = (event: ServerEvent) => void;
const listeners = new Set<Listener>();

/** Hears every event after the caches were brought up to date; the returned function ends it. */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let socket: LiveSocket | null = null;

/** Whether somebody is still signed in; `null` when the server does not answer. */
async function hasSession(): Promise<boolean | null> {
  try {
    await getUser(browserApi);
    return true;
  } catch (error) {
    return error instanceof AppError && (error.status === 401 || error.status === 403) ? false : null;
  }
}

/** A study as the list shows it, without its results. */
export const fetchRow = async (pid: number) => patientRow.parse(await getPatient(browserApi, pid));

/** Effects of the server's events on this page (D1 §4). */
function apply(event: ServerEvent, user: User): void {
  switch (event.event) {
    case "auth_multi_login":
      if (event.uid === user.user_id) void leaveIfSignedOut();
      break;
    case "auth_token_expired":
      // the edge holds the tokens: a call makes it renew them
      if (event.uid === user.user_id) void renewSession();
      break;
    case "credit_update":
    case "credit_error":
      void queryClient.invalidateQueries({ queryKey: ["license"] });
      break;
    case "setting_update":
      void queryClient.invalidateQueries({ queryKey: ["settings"] });
      break;
    case "study_create":
      noteNewStudies(event.pid_list);
      void refreshStudies(queryClient, [], fetchRow);
      break;
    case "study_delete":
      // the gap is filled from the next page, unless new studies would come along and move every row
      void refreshStudies(
        queryClient,
        removeRow(queryClient, event.pid) && newStudies.value.size === 0 ? null : [],
        fetchRow,
      );
      break;
    case "study_update":
      void refreshStudies(queryClient, [event.pid], fetchRow);
      break;
    case "label_update":
      void queryClient.invalidateQueries({ queryKey: ["labels"] });
      void queryClient.invalidateQueries({ queryKey: ["filters"] });
      void refreshStudies(queryClient, event.pid_list, fetchRow);
      break;
    case "study_editing":
      applyStudyEditing(queryClient, event);
      break;
    case "study_analysis":
      if (applyStudyAnalysis(queryClient, event)) void refreshStudies(queryClient, [event.pid], fetchRow);
      break;
    case "report":
    case "excel":
      break;
  }
  for (const listener of listeners) listener(event);
}

async function renewSession(): Promise<void> {
  if (await hasSession() === false) {
    const language = pageLanguage();
    const [title, text] = [sessionText.sessionTimeout, sessionText.sessionExpired];
    leave(textIn(title, language), textIn(text, language));
  } else {
    socket?.send({ event: "auth_token_update", token: "" });
  }
}

/** Multi login: the session that must leave finds its own ended; other tabs of the new one find theirs open. */
async function leaveIfSignedOut(): Promise<void> {
  if (await hasSession() !== false) return;
  const language = pageLanguage();
  leave(textIn(sessionText.multiLogin, language), textIn(sessionText.multiLoginText, language));
}

function leave(title: string, text: string): void {
  socket?.stop();
  queryClient.clear();
  informInModal(title, text, () => location.assign(loginPath()));
}

/**
 * Closes the socket and gives up what is being asked, before the session ends: otherwise the page would ask in the
 * name of nobody. The returned function starts again, for a sign-out that failed.
 */
export function endLiveUpdates(): () => void {
  const ended = socket;
  ended?.stop();
  void queryClient.cancelQueries();
  return () => ended?.restart();
}

/** Starts the one socket of the page. */
export function startLiveUpdates(user: User): void {
  const url = new URL("/api/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  socket = new LiveSocket({
    url: url.href,
    onEvent: (event) => apply(event, user),
    onOpen: () => void queryClient.refetchQueries({ type: "active" }),
    hasSession,
    onSignedOut: () => location.assign(loginPath()),
    onState: (state) => socketState.value = state,
  });
  addEventListener("pagehide", () => socket?.stop());
}
