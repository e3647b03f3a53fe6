import { createVolumeLoader } from "@/client/kernels/client.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerPatient } from "@/model/viewer_patient.ts";
import type { ViewerType } from "@/model/viewer_tabs.ts";
import { type Composer, createComposer, type Slot } from "@/viewer/compose.ts";

/** Volumes of each tab, the base first. Thickness reads the labels too: its tooltip names the region. */
const TAB_SLOTS: Record<ViewerType, readonly Slot[]> = {
  parcellation: ["t1w", "labels"],
  corticalThickness: ["t1w", "thickness", "labels"],
  wmh: ["flair", "lesions"],
};

const FIELDS = {
  t1w: "t1w_file",
  labels: "t1w_mask_file",
  thickness: "thick_mask_file",
  flair: "t2w_file",
  lesions: "t2w_mask_file",
} as const satisfies Record<Slot, keyof ViewerPatient>;

interface LoadOptions {
  signal: AbortSignal;
  onProgress: (receivedBytes: number, totalBytes: number | null) => void;
  /** New slices are there. */
  onSlices: () => void;
  /** A whole volume is there. */
  onVolume: (slot: Slot) => void;
}

/** The volumes of one patient: loaded for the tab that needs them first, and kept. */
export class VolumeStore {
  /** Index of a voxel in the middle of each label; 2^32 − 1 where it does not occur. */
  centres: Uint32Array | null = null;
  /** Box of all labels, voxel indices; `null` before the labels are there. */
  bounds: Uint32Array | null = null;
  composer: Composer | null = null;
  readonly #loader = createVolumeLoader();
  readonly #loaded = new Set<Slot>();

  constructor(
    readonly patient: ViewerPatient,
    readonly shape: Shape,
  ) {}

  /** Everything that a tab shows is there. */
  has(type: ViewerType): boolean {
    return this.composer !== null && TAB_SLOTS[type].every((slot) => this.#loaded.has(slot));
  }

  /** The composer, whose volumes are still empty. @throws {AppError} when the kernels cannot be had. */
  async open(): Promise<Composer> {
    const module = await this.#loader.module();
    return this.composer ??= createComposer(module, this.shape);
  }

  /**
   * Loads what a tab lacks into the opened composer, all of it at once.
   * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file.
   */
  async load(type: ViewerType, options: LoadOptions): Promise<void> {
    const composer = await this.open();
    const missing = TAB_SLOTS[type].filter((slot) => !this.#loaded.has(slot));
    if (missing.some((slot) => !this.patient[FIELDS[slot]])) {
      throw new AppError("study.not_analyzed", "Cannot show the study: files are missing");
    }
    const received = missing.map(() => 0), totals: (number | null)[] = missing.map(() => null);
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    await Promise.all(missing.map(async (slot, at) => {
      const places = await this.#loader.load({
        pid: this.patient.pid,
        field: FIELDS[slot],
        url: this.patient[FIELDS[slot]]!,
        shape: this.shape,
        signal: options.signal,
        onSlab: (offset, voxels) => {
          composer.volume(slot).set(voxels, offset);
          options.onSlices();
        },
        onProgress: (bytes, total) => {
          received[at] = bytes;
          totals[at] = total;
          const isKnown = totals.every((each) => each !== null);
          options.onProgress(sum(received), isKnown ? sum(totals) : null);
        },
      });
      if (slot === "labels" && places) ({ centres: this.centres, bounds: this.bounds } = places);
      this.#loaded.add(slot);
      options.onVolume(slot);
    }));
  }

  /** The composer was closed: the next load makes another. */
  forget(): void {
    this.#loader.close();
    this.composer = null;
    this.#loaded.clear();
  }
}
