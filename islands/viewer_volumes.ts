import { loadVolumes } from "@/client/kernels/client.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerPatient } from "@/model/viewer_patient.ts";
import { type Composer, createComposer } from "@/viewer/compose.ts";
import type { ViewerType } from "@/viewer/scene.ts";

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
  #composer: Composer | null = null;

  constructor(
    readonly patient: ViewerPatient,
    readonly shape: Shape,
  ) {}

  /** @throws {AppError} as loadVolumes. */
  async load(_type: ViewerType, { signal, onProgress }: LoadOptions): Promise<Composer> {
    if (this.#composer) return this.#composer;
    const { pid, t1w_file: base, t1w_mask_file: labels } = this.patient;
    if (!base || !labels) {
      throw new AppError("study.not_analyzed", "Cannot show the study: files are missing");
    }
    const voxels = this.shape[0] * this.shape[1] * this.shape[2];
    const volumes = await loadVolumes(pid, { base, labels }, this.shape, {
      signal,
      onProgress: (fraction) => onProgress(2 * voxels * fraction, 2 * voxels),
    });
    this.centres = volumes.centres;
    this.bounds = volumes.bounds;
    const composer = createComposer(volumes.module, this.shape);
    composer.volume("t1w").set(volumes.base);
    composer.volume("labels").set(volumes.labels);
    return this.#composer = composer;
  }

  /** The composer was closed: the next load makes another. */
  forget(): void {
    this.#composer = null;
  }
}
