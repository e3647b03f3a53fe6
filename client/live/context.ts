// Context sharing (FHIRcast): this page follows the study that other applications show,
// and announces its study to them. The server holds the connection to the FHIRcast hub.
import { signal } from "@preact/signals-react";
import { AppError } from "@/model/errors.ts";
import type { ContextState, ContextStep } from "@/model/schema/studies/context.ts";
import { textIn } from "@/model/text.ts";
import { launchText } from "@/model/text/launch.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import {
  followContext,
  getContext,
  refuseContext,
  showContext,
} from "@/client/api/studies/context.ts";
import { browserApi } from "@/client/browser_api.ts";
import { onReconnect, onServerEvent } from "@/client/live/live_updates.ts";
import { log } from "@/client/log.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { pageLanguage } from "@/client/page/language.ts";
import { discardUnsaved, hasUnsavedWork } from "@/client/page/unsaved_work.ts";

/** Interval of calls that keep the hub subscription, ms; the server ends an idle subscription. */
const KEEP_MS = 60_000;
/** Delay before an event is requested again after the response was lost, ms. */
const RETRY_MS = 2000;
/** Interval at which a tab asks again whether a hub is configured, ms. */
const OFF_MS = 10 * 60_000;
/**
 * Name of the browser lock that the tab following the hub holds;
 * session storage key of the time at which no hub was configured, ms since the epoch.
 */
const LOCK = "sulcus-context", OFF = "sulcus-context-off";

/** Connection to the hub; `null`: no hub is configured, or the state is unknown. */
export const contextState = signal<ContextState | null>(null);

/** Event of the hub to which this page has not reacted. `isStay`: the user has refused it. */
export const contextNotice = signal<{ step: ContextStep; isStay: boolean } | null>(null);

/** Page (viewer or report) in which a study opens. */
export type ContextPage = "viewer" | "report";

/** Whether work on the page would be lost: unsaved parts, an open dialog, or a filled field. */
function hasWork(): boolean {
  const field = document.activeElement;
  const isTyping = (field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement &&
      /^(text|search|email|password|number)$/.test(field.type))) &&
    field.value !== "";
  return hasUnsavedWork() || isTyping || document.querySelector("dialog[open]") !== null;
}

/** Asks the user before work is lost; the question names the study that would be opened. */
async function mayLeave({ action, studies: [study] }: ContextStep): Promise<boolean> {
  if (!hasWork()) return true;
  if (action === "close" || !study) return await confirmInModal("context.close");
  const { patient_name, patient_id, birth_date, study_date } = study, language = pageLanguage();
  const born = birth_date && `${textIn(launchText.birth, language)} ${birth_date}`;
  const of = study_date && `${textIn(launchText.date, language)} ${study_date}`;
  return await confirmInModal("context.leave", {
    study: [nameText(patient_name, language), patient_id, born, of].filter(Boolean).join(" · "),
  });
}

/** State of the hub connection; "off" from a core of another vendor, which lacks this call. */
const stateOrOff = (): Promise<ContextState> =>
  getContext(browserApi).catch((error) => {
    if (error instanceof AppError && error.code === "entity.not_found") {
      return { state: "off", hub: "", event_id: null };
    }
    throw error;
  });

class Following {
  #holds = false;
  #isBusy = false;
  #isAgain = false;
  #shown: number | null | undefined;
  /** id of the event for which the response was lost; the server gives it to this page again */
  #asked: string | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  // random digits, because randomUUID() needs HTTPS
  readonly #id = crypto.getRandomValues(new Uint32Array(4)).join("");
  readonly #stop = new AbortController();

  constructor(private readonly pid: number | null, private readonly page: ContextPage) {}

  start(): () => void {
    const { signal } = this.#stop;
    const refresh = () => void this.refresh();
    const stops = [
      onServerEvent(({ event }) => event === "context_update" && refresh()),
      onReconnect(refresh),
    ];
    const timer = setInterval(() => {
      // announces the study again, because the hub may accept the study after an earlier refusal
      if (contextState.peek()?.state === "unshared") this.#shown = undefined;
      refresh();
    }, KEEP_MS);
    addEventListener("focus", () => void this.#hold(true), { signal });
    void this.#hold(document.hasFocus());
    refresh();
    return () => {
      this.#stop.abort();
      clearInterval(timer);
      clearTimeout(this.#retry);
      stops.forEach((stop) => stop());
    };
  }

  /**
   * Waits until this tab is the one that follows the hub.
   * The tab with the focus takes the lock; when that tab is closed, another tab gets the lock.
   */
  async #hold(steal: boolean): Promise<void> {
    // without HTTPS there are no locks, but the server lets only one page follow an event
    if (!("locks" in navigator)) {
      this.#holds = true;
      return;
    }
    if (this.#holds) return;
    try {
      await navigator.locks.request(
        LOCK,
        steal ? { steal } : { signal: this.#stop.signal },
        () =>
          new Promise<void>((release) => {
            this.#holds = true;
            // announces this tab's study, because another tab announced its own;
            // an empty page does not announce that no study is open
            if (!steal || this.pid !== null) this.#shown = undefined;
            this.#stop.signal.addEventListener("abort", () => release());
            void this.refresh();
          }),
      );
    } catch {
      // the tab that has the focus now has taken the lock
      const wasHeld = this.#holds;
      this.#holds = false;
      if (wasHeld && !this.#stop.signal.aborted) void this.#hold(false);
    }
  }

  /**
   * Reads the hub's state, and reacts to a waiting event.
   * Further calls during a read cause a single further read.
   */
  async refresh(): Promise<void> {
    this.#isAgain = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#isAgain && !this.#stop.signal.aborted) {
        this.#isAgain = false;
        await this.#step();
      }
    } catch (error) {
      // no message is shown: reading continues without the hub, and the header shows the state
      if (!(error instanceof AppError)) {
        log(`Context sharing was interrupted: ${error instanceof Error ? error.name : "error"}`);
      }
      const state = contextState.peek();
      if (state !== null) contextState.value = { ...state, state: "unreachable" };
      if (this.#asked !== null && !this.#stop.signal.aborted) {
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => void this.refresh(), RETRY_MS);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  async #step(): Promise<void> {
    const state = await stateOrOff();
    if (state.state === "off") {
      sessionStorage.setItem(OFF, String(Date.now()));
      this.#stop.abort();
      return;
    }
    contextState.value = state;
    if (!this.#holds) return;
    const eventId = state.event_id ?? this.#asked;
    const isConnected = state.state === "following" || state.state === "unshared";
    if (eventId !== null) await this.#follow(eventId);
    else if (!isConnected) this.#shown = undefined;
    else if (this.#shown !== this.pid) {
      await showContext(browserApi, this.pid);
      this.#shown = this.pid;
    }
  }

  async #follow(event_id: string): Promise<void> {
    this.#asked = event_id;
    const request = { event_id, shown_pid: this.pid, page: this.#id };
    const step = await followContext(browserApi, request);
    this.#asked = null;
    this.#shown = this.pid;
    const { action } = step;
    if (action === "none") {
      contextNotice.value = null;
      return;
    }
    if (action !== "open" && action !== "close") {
      contextNotice.value = { step, isStay: false };
      return;
    }
    if (!await mayLeave(step)) {
      contextNotice.value = { step, isStay: true };
      await refuseContext(browserApi, event_id);
      return;
    }
    this.leaveFor(step);
  }

  /** Leaves this page for the study of an `open` event, or closes the study for `close`. */
  leaveFor({ action, studies }: ContextStep): void {
    discardUnsaved();
    const [study] = studies;
    location.assign(action === "close" || !study ? "/" : `/${this.page}/${study.pid}`);
  }
}

/**
 * Starts following the FHIRcast hub's events. @param pid Study on the page; `null`: none.
 * @returns a function that ends following.
 */
export function startContext(pid: number | null, page: ContextPage): () => void {
  if (Date.now() - Number(sessionStorage.getItem(OFF)) < OFF_MS) return () => {};
  return new Following(pid, page).start();
}

/** Opens the study of an event that the user refused before, after a question. */
export async function openNoticed(step: ContextStep, page: ContextPage): Promise<void> {
  if (!await mayLeave(step)) return;
  new Following(null, page).leaveFor(step);
}
