import { pageLoader, type VolumeLoader } from "@/client/kernels/client.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import type { ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { ArrivedSlices } from "@/viewer/slices/arrival.ts";
import { type Composer, createComposer, type Slot, writeVoxels } from "@/viewer/slices/compose.ts";

/**
 * Volumes that each tab needs, base image first.
 * The thickness tab also needs the labels, because the tooltip names the region.
 */
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

/** Callbacks while volumes are loading. */
interface LoadListener {
  /**
   * Receives loaded and total bytes of all volumes of the tab.
   * The total is `null` until all sizes are known.
   */
  onProgress: (receivedBytes: number, totalBytes: number | null) => void;
  /** Called when new slices have arrived. */
  onSlices: () => void;
  /** Called when a whole volume has arrived. */
  onVolume: (slot: Slot) => void;
}

/** State of a volume that is being loaded. */
interface Arrival {
  done: Promise<void>;
  abort: AbortController;
  receivedBytes: number;
  totalBytes: number | null;
  /** newer load of the volume from another URL, which replaced this load */
  next: Arrival | null;
}

const newArrival = (abort: AbortController): Arrival => ({
  done: Promise.resolve(),
  abort,
  receivedBytes: 0,
  totalBytes: null,
  next: null,
});
const latestOf = (arrival: Arrival): Arrival => arrival.next ? latestOf(arrival.next) : arrival;

/** Volumes of one patient, loaded for the first tab that needs them and then cached. */
export class VolumeStore {
  /** Index of a voxel in the middle of each label; 2^32 − 1 for labels that do not occur. */
  centres: Uint32Array | null = null;
  /** Bounding box of all labels, voxel indices; `null` before the labels are loaded. */
  bounds: Uint32Array | null = null;
  composer: Composer | null = null;
  readonly #loaded = new Set<Slot>();
  readonly #arrivals = new Map<Slot, Arrival>();
  readonly #arrived = new Map<Slot, ArrivedSlices>();
  /** URLs of the volumes that the composer contains, whole or in part */
  readonly #addresses = new Map<Slot, string>();
  /** Slice near which missing slices are requested first. */
  #from: number | null = null;
  #listener: LoadListener | null = null;

  constructor(
    readonly patient: ViewerPatient,
    readonly shape: Shape,
    private readonly loader: VolumeLoader = pageLoader(),
  ) {}

  /** Whether all volumes of a tab are loaded. */
  has(type: ViewerType): boolean {
    return this.composer !== null &&
      TAB_SLOTS[type].every((slot) => this.#loaded.has(slot) || this.#isWithheld(slot));
  }

  /**
   * Whether a label map is withheld: a reading study shows images alone, and the map stays empty.
   */
  #isWithheld(slot: Slot): boolean {
    return this.patient.blinded === "images" && this.patient[FIELDS[slot]] === null;
  }

  /** Slices of a volume that are in the composer. */
  arrived(slot: Slot): ArrivedSlices {
    let slices = this.#arrived.get(slot);
    if (!slices) {
      this.#arrived.set(slot, slices = new ArrivedSlices(this.shape));
      if (this.#isWithheld(slot)) slices.add(0, this.shape[0] * this.shape[1] * this.shape[2]);
    }
    return slices;
  }

  /** Whether the slice of a voxel is in memory in every volume of a tab. */
  isThere(type: ViewerType, k: number): boolean {
    return TAB_SLOTS[type].every((slot) => this.arrived(slot).has(k));
  }

  /** Resolves when a volume of the current tab is loaded. @throws {AppError} as {@link load}. */
  async whole(slot: Slot): Promise<void> {
    await this.#arrivals.get(slot)?.done;
    if (!this.arrived(slot).isWhole) {
      throw new AppError("network.offline", "Cannot use a volume: it has not arrived");
    }
  }

  /** The compiled kernels. @throws {AppError} when loading fails. */
  kernels(): Promise<WebAssembly.Module> {
    return this.loader.module();
  }

  /** The composer, with empty volumes. @throws {AppError} when the kernels cannot be loaded. */
  async open(): Promise<Composer> {
    const module = await this.kernels();
    await nextTask();
    return this.composer ??= createComposer(module, this.shape);
  }

  /**
   * Loads the missing volumes of a tab, slices around `from` first; resolves when all are loaded.
   * Slices are passed to the composer, or kept until the composer exists.
   * Loads that only another tab needs are aborted; shared loads continue.
   * A load that was aborted or failed continues with the missing slices.
   * @throws {AppError} the server's code, `network.offline`,
   * or `engine.unsupported_input` for a damaged file.
   */
  async load(type: ViewerType, listener: LoadListener, from: number): Promise<void> {
    this.#from = Math.min(Math.max(from, 0), this.shape[2] - 1);
    const wanted = TAB_SLOTS[type];
    for (const [slot, { abort }] of [...this.#arrivals]) {
      if (wanted.includes(slot)) continue;
      abort.abort();
      this.#arrivals.delete(slot);
      // removes the earlier content of a volume that is reloaded
      this.#loaded.delete(slot);
    }
    const missing = wanted.filter((slot) => !this.#loaded.has(slot) && !this.#isWithheld(slot));
    const arrivals = missing.map((slot) => this.#arrivals.get(slot) ?? this.#fetch(slot));
    this.#listener = {
      ...listener,
      onProgress: () => {
        const latestArrivals = arrivals.map(latestOf);
        const isKnown = latestArrivals.every(({ totalBytes }) => totalBytes !== null);
        listener.onProgress(
          latestArrivals.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
          isKnown ? latestArrivals.reduce((sum, { totalBytes }) => sum + totalBytes!, 0) : null,
        );
      },
    };
    await Promise.all(arrivals.map(({ done }) => done));
  }

  /**
   * Reloads a volume from a new URL, if it was requested before.
   * A load from an earlier URL resolves with this load. @throws as {@link load}.
   */
  async reload(slot: Slot): Promise<void> {
    const earlier = this.#arrivals.get(slot);
    if (!earlier && !this.#loaded.has(slot) && !this.#addresses.has(slot)) return;
    if (this.#loaded.has(slot)) {
      // the viewer is already loaded: progress and initial view are not repeated
      const onSlices = this.#listener?.onSlices ?? (() => {});
      this.#listener = { onSlices, onProgress: () => {}, onVolume: () => {} };
    }
    const arrival = this.#fetch(slot);
    if (earlier) {
      earlier.next = arrival;
      earlier.abort.abort();
    }
    await arrival.done;
  }

  #fetch(slot: Slot): Arrival {
    const url = this.patient[FIELDS[slot]], abort = new AbortController();
    if (!url) throw new AppError("study.not_analyzed", "Cannot show the study: files are missing");
    const arrival = newArrival(abort);
    let isRest = this.#addresses.get(slot) === url;
    /** voxels that arrived before memory was allocated */
    const early: [offset: number, voxels: Uint8Array][] = [];
    let room: Composer | null = null;
    const write = (composer: Composer, offset: number, voxels: Uint8Array) => {
      writeVoxels(composer.volume(slot), offset, voxels);
      this.arrived(slot).add(offset, voxels.length);
    };
    const empty = (composer: Composer) => {
      composer.drop(slot);
      composer.volume(slot);
      this.#arrived.delete(slot);
    };
    const makeRoom = async () => {
      const composer = await this.open();
      abort.signal.throwIfAborted();
      if (isRest) composer.volume(slot);
      else empty(composer);
      this.#addresses.set(slot, url);
      room = composer;
      for (const [offset, voxels] of early.splice(0)) write(room, offset, voxels);
      this.#listener?.onSlices();
    };
    const travel = () =>
      this.loader.load({
        pid: this.patient.pid,
        field: FIELDS[slot],
        url,
        shape: this.shape,
        signal: abort.signal,
        ...(this.#from !== null && { from: this.#from }),
        ...(isRest && { missing: this.arrived(slot).missing() }),
        onRestart: () => {
          early.length = 0;
          isRest = false;
          if (room) empty(room);
          this.#listener?.onSlices();
        },
        onSlab: (offset, voxels) => {
          if (!room) return void early.push([offset, voxels]);
          write(room, offset, voxels);
          this.#listener?.onSlices();
        },
        onProgress: (receivedBytes, totalBytes) => {
          Object.assign(arrival, { receivedBytes, totalBytes });
          this.#listener?.onProgress(0, null);
        },
      });
    const load = async () => {
      const [places] = await Promise.all([travel(), makeRoom()]);
      // another load of the volume replaced this load while it ended
      abort.signal.throwIfAborted();
      if (slot === "labels" && places) ({ centres: this.centres, bounds: this.bounds } = places);
      this.#loaded.add(slot);
      this.#listener?.onVolume(slot);
    };
    this.#arrivals.set(slot, arrival);
    arrival.done = load().catch((error: unknown) => {
      // stops the download when memory is insufficient
      abort.abort();
      if (arrival.next) return arrival.next.done;
      // a volume that arrived only in part does not count as loaded
      if (this.#arrivals.get(slot) === arrival) this.#loaded.delete(slot);
      throw error;
    }).finally(() => {
      if (this.#arrivals.get(slot) === arrival) this.#arrivals.delete(slot);
    });
    // aborted by a change of tab, so that no caller waits for this load
    arrival.done.catch(() => undefined);
    return arrival;
  }

  /** Aborts loads and frees the memory; the next load creates another composer. */
  forget(): void {
    for (const { abort } of this.#arrivals.values()) abort.abort();
    this.#arrivals.clear();
    this.#listener = null;
    this.loader.close();
    this.composer = null;
    this.#loaded.clear();
    this.#arrived.clear();
    this.#addresses.clear();
  }
}
