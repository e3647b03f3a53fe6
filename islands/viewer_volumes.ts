import { loadVolumes } from "@/client/kernels/client.ts";
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
}

/** The volumes of one patient: loaded for the tab that needs them first, and kept. */
export class VolumeStore {
  /** Index of a voxel in the middle of each label; 2^32 − 1 where it does not occur. */
  centres: Uint32Array | null = null;
  /** Box of all labels, voxel indices; `null` before the labels are there. */
  bounds: Uint32Array | null = null;
  composer: Composer | null = null;
  readonly #loaded = new Set<Slot>();

  constructor(
    readonly patient: ViewerPatient,
    readonly shape: Shape,
  ) {}

  /** Everything that a tab shows is there. */
  has(type: ViewerType): boolean {
    return this.composer !== null && TAB_SLOTS[type].every((slot) => this.#loaded.has(slot));
  }

  /**
   * Loads what a tab lacks.
   * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file.
   */
  async load(type: ViewerType, { signal, onProgress }: LoadOptions): Promise<Composer> {
    const voxels = this.shape[0] * this.shape[1] * this.shape[2];
    const missing = TAB_SLOTS[type].filter((slot) => !this.#loaded.has(slot));
    for (let at = 0; at < missing.length; at += 2) {
      const [first, second = "labels"] = missing.slice(at, at + 2) as [Slot, Slot?];
      const base = this.patient[FIELDS[first]], labels = this.patient[FIELDS[second]];
      if (!base || !labels) {
        throw new AppError("study.not_analyzed", "Cannot show the study: files are missing");
      }
      const volumes = await loadVolumes(this.patient.pid, { base, labels }, this.shape, {
        signal,
        onProgress: (part) => onProgress((at + 2 * part) * voxels, (missing.length + 1 >> 1) * 2 * voxels),
      });
      this.composer ??= createComposer(volumes.module, this.shape);
      this.composer.volume(first).set(volumes.base);
      this.composer.volume(second).set(volumes.labels);
      if (second === "labels") [this.centres, this.bounds] = [volumes.centres, volumes.bounds];
      this.#loaded.add(first).add(second);
    }
    return this.composer!;
  }

  /** The composer was closed: the next load makes another. */
  forget(): void {
    this.composer = null;
    this.#loaded.clear();
  }
}
