/** Browser functions that {@link VisibleTime} uses and tests replace. */
interface Page {
  document: Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  nowMs: () => number;
}

const thisPage = (): Page => ({
  document,
  storage: sessionStorage,
  nowMs: () => performance.now(),
});

/**
 * Storage key for the time of a reading.
 * It contains the user's id, so that the next user of a shared tab starts at 0.
 */
export const readingKey = (userId: number, studyId: number, place: number): string =>
  `reading ${userId} ${studyId} ${place}`;

/**
 * Time during which the page was visible, and how often it was hidden.
 * Paused while the tab is hidden; continued under the same key after a reload of the page.
 */
export class VisibleTime {
  #totalMs = 0;
  #pauses = 0;
  /** time when the page became visible; `null` while hidden, and before the start */
  #sinceMs: number | null = null;
  #isStarted = false;

  constructor(readonly key: string, readonly page: Page = thisPage()) {
    const [total, pauses] = (page.storage.getItem(key) ?? "").split(" ").map(Number);
    if (Number.isFinite(total) && Number.isFinite(pauses)) {
      this.#totalMs = total!;
      this.#pauses = pauses!;
    }
  }

  /** Starts counting the visible time; later calls do nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.page.document.addEventListener("visibilitychange", this.#follow);
    if (this.page.document.visibilityState === "visible") this.#sinceMs = this.page.nowMs();
  }

  readonly #follow = (): void => {
    const isVisible = this.page.document.visibilityState === "visible";
    if (isVisible) this.#sinceMs ??= this.page.nowMs();
    else if (this.#sinceMs !== null) {
      this.#totalMs = this.totalMs;
      this.#sinceMs = null;
      this.#pauses++;
      this.save();
    }
  };

  get totalMs(): number {
    const now = this.#sinceMs === null ? 0 : this.page.nowMs() - this.#sinceMs;
    return Math.round(this.#totalMs + now);
  }

  get pauses(): number {
    return this.#pauses;
  }

  /** Stores the time, to continue after a reload of the page. */
  save(): void {
    this.page.storage.setItem(this.key, `${this.totalMs} ${this.#pauses}`);
  }

  /** Stops counting; the time is stored unless it is no longer needed. */
  close({ isKept }: { isKept: boolean }): void {
    this.page.document.removeEventListener("visibilitychange", this.#follow);
    if (isKept) this.save();
    else this.page.storage.removeItem(this.key);
  }
}
