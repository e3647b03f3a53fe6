import { pageLoader } from "@/client/kernels/client.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import type { ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { type Composer, createComposer, type Slot, writeVoxels } from "@/viewer/slices/compose.ts";

/**
 * Volumes of each tab, the base first. Thickness reads the labels too: its tooltip names the
 * region.
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

/** Callbacks while volumes arrive. */
interface LoadListener {
  /**
   * Bytes of all volumes that the tab waits for; the total is `null` until every file has said its
   * size.
   */
  onProgress: (receivedBytes: number, totalBytes: number | null) => void;
  /** New slices are there. */
  onSlices: () => void;
  /** A whole volume is there. */
  onVolume: (slot: Slot) => void;
}

/** A volume on its way. */
interface Arrival {
  done: Promise<void>;
  abort: AbortController;
  receivedBytes: number;
  totalBytes: number | null;
}

/** The volumes of one patient: loaded for the tab that needs them first, and kept. */
export class VolumeStore {
  /** Index of a voxel in the middle of each label; 2^32 − 1 where it does not occur. */
  centres: Uint32Array | null = null;
  /** Box of all labels, voxel indices; `null` before the labels are there. */
  bounds: Uint32Array | null = null;
  composer: Composer | null = null;
  readonly #loader = pageLoader();
  readonly #loaded = new Set<Slot>();
  readonly #arrivals = new Map<Slot, Arrival>();
  #listener: LoadListener | null = null;

  constructor(
    readonly patient: ViewerPatient,
    readonly shape: Shape,
  ) {}

  /** Everything that a tab shows is there. */
  has(type: ViewerType): boolean {
    return this.composer !== null && TAB_SLOTS[type].every((slot) => this.#loaded.has(slot));
  }

  /** The kernels, compiled. @throws {AppError} when they cannot be had. */
  kernels(): Promise<WebAssembly.Module> {
    return this.#loader.module();
  }

  /** The composer, with empty volumes. @throws {AppError} when the kernels cannot be loaded. */
  async open(): Promise<Composer> {
    const module = await this.kernels();
    await nextTask();
    return this.composer ??= createComposer(module, this.shape);
  }

  /**
   * Asks for the volumes that a tab lacks at once, and puts them into the composer when there is
   * one; ends with all of them there. Loads that only another tab waited for are aborted; shared
   * ones go on.
   * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a
   *   damaged file.
   */
  async load(type: ViewerType, listener: LoadListener): Promise<void> {
    const wanted = TAB_SLOTS[type];
    for (const [slot, { abort }] of [...this.#arrivals]) {
      if (wanted.includes(slot)) continue;
      abort.abort();
      this.#arrivals.delete(slot);
    }
    const missing = wanted.filter((slot) => !this.#loaded.has(slot));
    const arrivals = missing.map((slot) => this.#arrivals.get(slot) ?? this.#fetch(slot));
    this.#listener = {
      ...listener,
      onProgress: () => {
        const isKnown = arrivals.every(({ totalBytes }) => totalBytes !== null);
        listener.onProgress(
          arrivals.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
          isKnown ? arrivals.reduce((sum, { totalBytes }) => sum + totalBytes!, 0) : null,
        );
      },
    };
    await Promise.all(arrivals.map(({ done }) => done));
  }

  /**
   * Loads a volume again from a new address; nothing when it was not loaded yet. @throws as {@link
   * load}.
   */
  async reload(slot: Slot): Promise<void> {
    if (!this.#loaded.has(slot)) return;
    // the page is there: neither its progress nor its first view begins again
    const onSlices = this.#listener?.onSlices ?? (() => {});
    this.#listener = { onSlices, onProgress: () => {}, onVolume: () => {} };
    await this.#fetch(slot).done;
  }

  #fetch(slot: Slot): Arrival {
    const url = this.patient[FIELDS[slot]], abort = new AbortController();
    if (!url) throw new AppError("study.not_analyzed", "Cannot show the study: files are missing");
    const arrival: Arrival = { done: Promise.resolve(), abort, receivedBytes: 0, totalBytes: null };
    /** voxels that came before memory was reserved */
    const early: [offset: number, voxels: Uint8Array][] = [];
    let room: Composer | null = null;
    const makeRoom = async () => {
      const composer = await this.open();
      abort.signal.throwIfAborted();
      // the rest of a load that failed
      composer.drop(slot);
      composer.volume(slot);
      room = composer;
      for (const [offset, voxels] of early.splice(0)) {
        writeVoxels(room.volume(slot), offset, voxels);
      }
      this.#listener?.onSlices();
    };
    const travel = () =>
      this.#loader.load({
        pid: this.patient.pid,
        field: FIELDS[slot],
        url,
        shape: this.shape,
        signal: abort.signal,
        onSlab: (offset, voxels) => {
          if (!room) return void early.push([offset, voxels]);
          writeVoxels(room.volume(slot), offset, voxels);
          this.#listener?.onSlices();
        },
        onProgress: (receivedBytes, totalBytes) => {
          Object.assign(arrival, { receivedBytes, totalBytes });
          this.#listener?.onProgress(0, null);
        },
      });
    const load = async () => {
      const [places] = await Promise.all([travel(), makeRoom()]);
      if (slot === "labels" && places) ({ centres: this.centres, bounds: this.bounds } = places);
      this.#loaded.add(slot);
      this.#listener?.onVolume(slot);
    };
    this.#arrivals.set(slot, arrival);
    arrival.done = load().catch((error: unknown) => {
      // where memory is short, megabytes need not travel on
      abort.abort();
      throw error;
    }).finally(() => {
      if (this.#arrivals.get(slot) === arrival) this.#arrivals.delete(slot);
    });
    // aborted by a change of tab: no caller waits for it
    arrival.done.catch(() => undefined);
    return arrival;
  }

  /** Aborts loads and frees the memory: the next load makes another composer. */
  forget(): void {
    for (const { abort } of this.#arrivals.values()) abort.abort();
    this.#arrivals.clear();
    this.#listener = null;
    this.#loader.close();
    this.composer = null;
    this.#loaded.clear();
  }
}
