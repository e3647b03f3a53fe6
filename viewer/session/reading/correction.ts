import { signal } from "@preact/signals-react";
import { AppError } from "@/model/errors.ts";
import { browserApi } from "@/client/browser_api.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { addStroke, changeStrokes, listStrokes } from "@/client/api/reading/strokes.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { presentError } from "@/client/notices/present_error.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import type { Stroke } from "@/model/schema/reading/strokes.ts";
import { affineRow } from "@/viewer/grid.ts";
import { fillBetween, runsOf, voxelsUnder } from "@/viewer/reading/brush.ts";
import { type Plane, throughAxis } from "@/viewer/scene.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { BrushStrokes } from "@/viewer/session/tool_state.ts";

/** A stroke made on this page, with the previous label of each voxel. */
interface Made {
  before: Map<number, number>;
  value: number;
}

/**
 * Corrects the label map of the current tab.
 * Voxels change on screen immediately; a stroke is sent to the server when it ends.
 */
export class Correction implements BrushStrokes {
  readonly sizeMm = signal<number>(3);
  readonly isErasing = signal(false);
  /** label that the brush paints on the WMH tab: 1 periventricular, 2 deep */
  readonly lesionKind = signal<1 | 2>(2);
  /** Number of strokes that are being sent to the server. */
  readonly pending = signal(0);
  /** Whether a stroke is being painted or sent. */
  get hasUnsaved(): boolean {
    return this.#stroke !== null || this.pending.peek() > 0;
  }
  /** All correction strokes on the study's label maps, of all users. */
  readonly strokes = signal<readonly Stroke[]>([]);
  /** The last two slices of a plane that were painted on. */
  readonly painted = signal<{ plane: Plane; slices: readonly number[] } | null>(null);
  readonly #made = new Map<number, Made>();
  #stroke: { made: Made; plane: Plane; lastMm: readonly number[]; erases: number | null } | null =
    null;
  #queue: Promise<void> = Promise.resolve();
  #stop: () => void = () => {};
  #isReady = false;

  constructor(private readonly session: ViewerSession) {}

  /** @param uid The user: strokes of this user are not reloaded, because this page made them. */
  start(uid: number | undefined): void {
    void this.refresh();
    openReading().then(() => this.#isReady = true, presentError);
    this.#stop();
    this.#stop = onServerEvent((event) => {
      const isTheirs = event.event === "study_reading" && event.pid === this.session.pid &&
        event.uid !== uid;
      if (isTheirs && this.pending.peek() === 0) void this.#follow();
    });
  }

  /** The label map being corrected; `null` on a tab without a label map. */
  get series(): "t1" | "t2" | null {
    const type = this.session.type.peek();
    return type === "wmh" ? "t2" : type === "parcellation" ? "t1" : null;
  }

  /** Label that the brush paints; 0 when no region is selected. */
  get value(): number {
    return this.series === "t2" ? this.lesionKind.peek() : this.session.selected.peek();
  }

  get #slot(): "lesions" | "labels" {
    return this.series === "t2" ? "lesions" : "labels";
  }

  /** Label map to paint into; `null` until the map and the brush's kernel are loaded. */
  #volume(): Uint8Array | null {
    const { composer } = this.session;
    return this.#isReady && composer?.has(this.#slot) ? composer.volume(this.#slot) : null;
  }

  begin(plane: Plane, rasMm: readonly number[]): void {
    const value = this.value;
    // slices that arrive later would overwrite the stroke
    const isWhole = this.series !== null && this.session.isWhole(this.#slot);
    if (value === 0 || !isWhole || !this.#volume()) return;
    // the eraser removes periventricular and deep lesions alike
    const erases = this.series === "t2" ? -1 : value, isErasing = this.isErasing.peek();
    this.#stroke = {
      made: { before: new Map(), value: isErasing ? 0 : value },
      plane,
      lastMm: rasMm,
      erases: isErasing ? erases : null,
    };
    this.extend(rasMm);
  }

  extend(rasMm: readonly number[]): void {
    const stroke = this.#stroke, volume = this.#volume(), { grid, renderer } = this.session;
    if (!stroke || !volume) return;
    this.#set(
      volume,
      stroke,
      voxelsUnder(grid, stroke.plane, stroke.lastMm, rasMm, this.sizeMm.peek()),
    );
    stroke.lastMm = rasMm;
    renderer?.invalidate();
  }

  #set(
    volume: Uint8Array,
    { made, erases }: { made: Made; erases: number | null },
    voxels: readonly number[],
  ) {
    for (const voxel of voxels) {
      const current = volume[voxel]!;
      if (current === made.value || erases !== null && erases !== -1 && current !== erases) {
        continue;
      }
      if (!made.before.has(voxel)) made.before.set(voxel, current);
      volume[voxel] = made.value;
    }
  }

  /** Cancels the current stroke, because a second finger touched the screen. */
  cancel(): void {
    const stroke = this.#stroke;
    this.#stroke = null;
    if (stroke) this.#write(stroke.made, "before");
  }

  end(): void {
    const stroke = this.#stroke;
    this.#stroke = null;
    if (!stroke || stroke.made.before.size === 0) return;
    const { grid } = this.session,
      { plane } = stroke,
      through = grid.voxelAxis[throughAxis[plane]]!;
    const slice = Math.floor(affineRow(grid.ijkFromRas, through, stroke.lastMm) + 0.5);
    const painted = this.painted.peek(), slices = painted?.plane === plane ? painted.slices : [];
    if (stroke.erases === null) {
      this.painted.value = {
        plane,
        slices: [...slices.filter((one) => one !== slice), slice].slice(-2),
      };
    }
    this.#send(stroke.made);
  }

  /** Interpolates between the last two painted slices. @returns false without such slices. */
  fill(): boolean {
    const volume = this.#volume(), painted = this.painted.peek(), value = this.value;
    const isWhole = this.session.isWhole(this.#slot);
    if (!volume || !isWhole || painted?.slices.length !== 2) return false;
    const { composer, grid } = this.session;
    const voxels = fillBetween(
      composer!,
      this.#slot,
      grid,
      painted.plane,
      painted.slices as [number, number],
      value,
    );
    const painting: Made = { before: new Map(), value };
    this.#set(volume, { made: painting, erases: null }, voxels);
    this.session.renderer?.invalidate();
    if (painting.before.size === 0) return false;
    this.#send(painting);
    return true;
  }

  /** Sends strokes sequentially, because a later stroke was painted on top of earlier strokes. */
  #then(work: () => Promise<void>): Promise<void> {
    this.pending.value++;
    this.#queue = this.#queue.then(work).catch(presentError).finally(() => this.pending.value--);
    return this.#queue;
  }

  #send(made: Made): void {
    const { session } = this, series = this.series!;
    void this.#then(async () => {
      try {
        const post = { series, value: made.value, runs: runsOf(made.before.keys()) };
        const { stroke_id, patient } = await addStroke(browserApi, session.pid, post);
        if (stroke_id !== null) this.#made.set(stroke_id, made);
        await this.#take(patient);
      } catch (error) {
        this.#write(made, "before");
        throw error;
      }
    });
  }

  /** Writes the voxels of a stroke, with their previous or new label. */
  #write({ before, value }: Made, state: "before" | "after"): void {
    const volume = this.#volume();
    if (!volume) return;
    for (const [voxel, was] of before) volume[voxel] = state === "before" ? was : value;
    this.session.renderer?.invalidate();
  }

  /** Undoes or redoes the last stroke, or restores the original map. */
  change(change: "undo" | "redo" | "restore"): Promise<void> {
    const { session, series } = this;
    if (series === null) return Promise.resolve();
    return this.#then(async () => {
      const { stroke_id, patient } = await changeStrokes(browserApi, session.pid, series, change);
      if (stroke_id === null) return;
      const painting = change === "restore" ? undefined : this.#made.get(stroke_id);
      if (painting) this.#write(painting, change === "undo" ? "before" : "after");
      await this.#take(patient);
      // the change concerns a stroke of another user, or of this user in another session
      if (!painting) await session.reload(series === "t1" ? "labels" : "lesions");
    });
  }

  async #take(patient: Patient): Promise<void> {
    this.session.takeResults(patient);
    await this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      this.strokes.value = (await listStrokes(browserApi, this.session.pid)).strokes;
    } catch (error) {
      // a core of another vendor lacks this call
      if (!(error instanceof AppError && error.code === "entity.not_found")) presentError(error);
    }
  }

  /** Called when another user has corrected the map. */
  async #follow(): Promise<void> {
    const { session } = this;
    const patient = await getPatient(browserApi, session.pid).catch(() => null);
    if (!patient || this.pending.peek() > 0) return;
    await session.takeCorrection(patient).catch(presentError);
    await this.refresh();
  }

  close(): void {
    this.#stop();
  }
}
