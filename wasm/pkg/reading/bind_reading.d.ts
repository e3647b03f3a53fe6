/* tslint:disable */
/* eslint-disable */

/**
 * What changed between two volumes: parts of both are added first, and then drawn.
 */
export class Difference {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Takes the same part of both for the levels.
     */
    add(now: Uint8Array, then: Uint8Array): void;
    constructor();
    /**
     * 128 where a part is alike, more where it is brighter now, less where darker; empty for parts of two lengths.
     */
    of(now: Uint8Array, then: Uint8Array): Uint8Array;
}

/**
 * A volume that is brought onto another grid, some slices a call.
 */
export class Resampler {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Where JavaScript writes the voxels, i fastest.
     */
    address(): number;
    /**
     * For a volume of a shape; `kind` 0 = unsigned bytes, 1 = signed and 2 = unsigned 16-bit numbers, 3 = 32-bit floats.
     * `undefined` for another kind, an empty shape, or when memory is short.
     */
    static create(kind: number, nx: number, ny: number, nz: number): Resampler | undefined;
    /**
     * [`shown_range`] of the voxels; empty when none is a number.
     */
    shown_range(): Float32Array;
    /**
     * Slices `first..first + count` of a new grid as bytes, 0 outside; empty when the request makes no sense.
     *
     * `from_target` are three rows of four numbers, the old grid's index from the new one's; without `gain` the nearest
     * voxel's byte, else (value - low) * gain between voxels.
     */
    slices(from_target: Float64Array, width: number, height: number, first: number, count: number, low: number, gain?: number | null): Uint8Array;
}

/**
 * [`brush::cells_under`]: `stroke` are mm of a cell across and down, where it begins and ends, across and down, and mm
 * across the brush. Empty for other than 7 numbers.
 */
export function cells_under(columns: number, rows: number, stroke: Float64Array): Uint32Array;

/**
 * [`contour::contours`] of a slice; empty when it is no whole rows, or `shown` has not 256 flags.
 */
export function contours(slice: Uint8Array, width: number, shown: Uint8Array, is_one: boolean): Float32Array;

/**
 * [`brush::fill_between`]; empty when the slices are no whole rows of one size.
 */
export function fill_between(first: Uint8Array, last: Uint8Array, width: number, between: number, value: number): Uint32Array;

/**
 * [`moments::moments`] of whole slices, the first of them slice `first`; empty when they are none.
 */
export function label_moments(labels: Uint8Array, nx: number, ny: number, first: number, value: number): Float64Array;

/**
 * [`contour::outline`] of a slice; empty when it is no whole rows.
 */
export function outline(mask: Uint8Array, width: number): Float32Array;

/**
 * [`region::region_voxels`]. `kind` 0 = ellipse and 1 = rectangle, of two places, 2 = a free outline of three or more;
 * `places` are pairs of mm along `in_plane`, `range` the first and last index on each axis. Empty when the request makes
 * no sense.
 */
export function region_voxels(kind: number, places: Float64Array, in_plane: Uint32Array, mm_from_ijk: Float64Array, range: Uint32Array, volume_from_mm: Float64Array, shape: Uint32Array): Uint32Array;

/**
 * [`region::statistics`] of values: their number, mean, sum of squares around it, least and greatest.
 */
export function value_statistics(values: Float64Array): Float64Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_difference_free: (a: number, b: number) => void;
    readonly __wbg_resampler_free: (a: number, b: number) => void;
    readonly cells_under: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly contours: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
    readonly difference_add: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly difference_new: () => number;
    readonly difference_of: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
    readonly fill_between: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => void;
    readonly label_moments: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
    readonly outline: (a: number, b: number, c: number, d: number) => void;
    readonly region_voxels: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number, k: number, l: number, m: number, n: number) => void;
    readonly resampler_address: (a: number) => number;
    readonly resampler_create: (a: number, b: number, c: number, d: number) => number;
    readonly resampler_shown_range: (a: number, b: number) => void;
    readonly resampler_slices: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => void;
    readonly value_statistics: (a: number, b: number, c: number) => void;
    readonly __wbindgen_add_to_stack_pointer: (a: number) => number;
    readonly __wbindgen_export: (a: number, b: number) => number;
    readonly __wbindgen_export2: (a: number, b: number, c: number) => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
