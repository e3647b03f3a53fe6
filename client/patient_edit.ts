import { signal } from "@preact/signals-react";
import { AppError, asAppError, isRetryable } from "@/model/errors.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { NameReading, PatientRow } from "@/model/schema/studies/patients.ts";
import {
  changedFields,
  type EditedRow,
  formOfRow,
  type PatientForm,
  type PatientProblems,
  problemsOfPatient,
  updateOf,
} from "@/model/worklist/patient_edit.ts";
import { claimEdit, releaseEdit, updatePatient } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { fetchRow } from "@/client/live/live_cache.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { siteToday } from "@/client/page/time_zone.ts";

/** A conflict between the user's edit and the stored record; the typed text is kept. */
export type EditConflict =
  | { kind: "deleted" }
  | { kind: "analyzing" }
  | { kind: "unreachable" }
  | { kind: "taken"; user: string | null }
  /** another user has saved changes */
  | { kind: "changed"; theirs: PatientRow };

const isGone = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === "study.deleted" || error.code === "entity.not_found");

/**
 * One user's edit of one record: the typed fields, and the claim that locks out others until `end`.
 * The edit outlives the row on screen, which disappears on a change of page.
 */
export class PatientEdit implements EditedRow {
  readonly form;
  readonly conflict = signal<EditConflict | null>(null);
  readonly problems = signal<PatientProblems>({});
  readonly isSaving = signal(false);
  /**
   * patient name and ID as decoded with each possible character set; the declared set comes first
   */
  readings: readonly NameReading[] = [];
  #before: PatientForm;
  #expiresMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;
  readonly #stopListening: () => void;

  private constructor(
    readonly row: PatientRow,
    readonly index: number,
    /** worklist page that contained the row */
    readonly list: string,
    private readonly renewMs: number | null,
  ) {
    this.#before = formOfRow(row);
    this.form = signal(this.#before);
    this.#stopListening = onServerEvent((event) => {
      if (event.event === "study_create" && event.pid_list.includes(row.pid)) this.#restored();
      if (!("pid" in event) || event.pid !== row.pid || this.isSaving.value) return;
      if (event.event === "study_delete") this.conflict.value = { kind: "deleted" };
      if (event.event === "study_update") void this.#compare();
      if (event.event === "study_analysis") {
        if (isAnalyzing(event.status)) this.conflict.value ??= { kind: "analyzing" };
        else void this.#compare();
      }
      // the user who held the claim has finished editing
      if (
        event.event === "study_editing" && event.user === null &&
        this.conflict.value?.kind === "taken"
      ) {
        void this.#renew();
      }
    });
    addEventListener("beforeunload", this.#ask);
    addEventListener("pagehide", this.#release);
  }

  /**
   * Claims a record and starts the edit.
   * @throws {AppError} `study.being_edited` with `details.user`, `study.being_analyzed`,
   * `study.deleted`.
   */
  static async begin(
    row: PatientRow,
    index: number,
    list: string,
    renewMs: number | null = null,
  ): Promise<PatientEdit> {
    const { expires_in, readings = [] } = await claimEdit(browserApi, row.pid);
    const edit = new PatientEdit(row, index, list, renewMs);
    edit.readings = readings;
    edit.#held(expires_in);
    return edit;
  }

  /** stored values when the edit started, for detecting changes by other users */
  get before(): PatientForm {
    return this.#before;
  }

  get isTyped(): boolean {
    return changedFields(this.form.value, this.#before).length > 0;
  }

  change(change: Partial<PatientForm>): void {
    this.form.value = { ...this.form.value, ...change };
    // a field with an error is validated again on each keystroke
    const currentProblems = problemsOfPatient(this.form.value, this.#before, siteToday());
    this.problems.value = Object.fromEntries(
      Object.entries(this.problems.value).flatMap(([key]) => {
        const problem = currentProblems[key as keyof PatientProblems];
        return problem ? [[key, problem]] : [];
      }),
    );
  }

  /** @returns whether the form is valid; `problems` lists the errors. */
  check(): boolean {
    this.problems.value = problemsOfPatient(this.form.value, this.#before, siteToday());
    return Object.keys(this.problems.value).length === 0;
  }

  /**
   * Stores the form and ends the edit.
   * @returns whether analysis results may change.
   * @throws {AppError} as `updatePatient`; the edit then continues and `conflict` holds the reason.
   */
  async save(): Promise<boolean> {
    this.isSaving.value = true;
    try {
      const answer = await updatePatient(browserApi, this.row.pid, updateOf(this.form.value));
      this.#stop();
      return answer.analysis_affected;
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      this.isSaving.value = false;
    }
  }

  /** Resolves a conflict: uses the stored values, or keeps the typed values and overwrites. */
  settle(useTheirs: boolean): void {
    const conflict = this.conflict.value;
    if (conflict?.kind !== "changed") return;
    this.#before = formOfRow(conflict.theirs);
    if (useTheirs) {
      this.form.value = this.#before;
      this.problems.value = {};
    }
    this.conflict.value = null;
  }

  /** Ends the edit without saving. */
  end(): void {
    const isHeld = this.conflict.value?.kind !== "deleted" && !this.#isEnded;
    this.#stop();
    // the claim expires if the request to release it fails
    if (isHeld) releaseEdit(browserApi, this.row.pid).catch(() => {});
  }

  #stop(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    removeEventListener("beforeunload", this.#ask);
    removeEventListener("pagehide", this.#release);
  }

  readonly #ask = (event: BeforeUnloadEvent) => {
    if (this.isTyped && this.conflict.value?.kind !== "deleted") event.preventDefault();
  };
  readonly #release = () =>
    void fetch(`/api/v1/patients/${this.row.pid}/editing`, { method: "DELETE", keepalive: true })
      .catch(
        () => {},
      );

  #held(expiresInS: number): void {
    this.#expiresMs = Date.now() + expiresInS * 1000;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#renew(), this.renewMs ?? expiresInS * 1000 / 3);
  }

  /**
   * Continues the edit after a deleted study was restored:
   * claims the record again, and compares it with the edit, so that saving is possible.
   */
  #restored(): void {
    if (this.conflict.value?.kind !== "deleted") return;
    this.conflict.value = null;
    this.#expiresMs = 0;
    void this.#renew();
  }

  async #renew(): Promise<void> {
    if (this.#isEnded || this.conflict.value?.kind === "deleted") return;
    const wasLost = Date.now() > this.#expiresMs || this.conflict.value !== null;
    try {
      const { expires_in } = await claimEdit(browserApi, this.row.pid);
      if (this.#isEnded) return void releaseEdit(browserApi, this.row.pid).catch(() => {});
      this.#held(expires_in);
      if (wasLost) await this.#compare();
    } catch (error) {
      this.#failed(error);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#renew(), this.renewMs ?? 10_000);
    }
  }

  #failed(error: unknown): void {
    if (this.#isEnded) return;
    const { code, details } = asAppError(error);
    if (isGone(error)) this.conflict.value = { kind: "deleted" };
    else if (code === "study.being_edited") {
      this.conflict.value = {
        kind: "taken",
        user: typeof details.user === "string" ? details.user : null,
      };
    } else if (code === "study.being_analyzed") this.conflict.value = { kind: "analyzing" };
    else if (isRetryable(code)) {
      this.conflict.value ??= { kind: "unreachable" };
    }
  }

  /** Compares the edit with the stored record, which another user may have changed. */
  async #compare(): Promise<void> {
    if (this.#isEnded || this.conflict.value?.kind === "deleted") return;
    try {
      const theirs = await fetchRow(this.row.pid);
      if (this.#isEnded) return;
      const isRunning = isAnalyzing(theirs.t1_analysis_status) ||
        isAnalyzing(theirs.t2_analysis_status);
      if (changedFields(formOfRow(theirs), this.#before).length > 0) {
        const isTyped = this.isTyped;
        this.conflict.value = { kind: "changed", theirs };
        // the stored change does not conflict with the user's edit
        if (!isTyped) this.settle(true);
      } else if (isRunning) this.conflict.value = { kind: "analyzing" };
      else if (this.conflict.value?.kind === "analyzing") {
        this.conflict.value = null;
        await this.#renew();
      } else this.conflict.value = null;
    } catch (error) {
      this.#failed(error);
    }
  }
}
