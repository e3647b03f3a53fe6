/* tslint:disable */
/* eslint-disable */

/**
 * Our own network by itself.
 */
export class BareNetwork {
    free(): void;
    [Symbol.dispose](): void;
    constructor(weights: Uint8Array);
    /**
     * Multiplications and additions of a run.
     */
    operations(shape: Uint32Array): number;
    /**
     * Posteriors of a box, i fastest, then its classes.
     */
    run(input: Float32Array, shape: Uint32Array): Float32Array;
}

/**
 * Parameters of the affine registration of one series: rotation vector (rad), translation (mm), log scales, shears. `atlas`
 * are the bytes of its three NPY files, one after another, and `ends` where the first two end.
 */
export function affine_parameters(atlas: Uint8Array, ends: Uint32Array, voxels: Int16Array, shape: Uint32Array, ras_from_ijk: Float64Array): Float64Array;

/**
 * Multiplications and additions in registers; a number that depends on all of them.
 */
export function multiply_and_add(rounds: number): number;

/**
 * Operations of one round of `multiply_and_add`.
 */
export function operations_of_a_round(): number;

/**
 * Figures of one stage on seeded inputs; the native tests store what this build must reproduce.
 */
export function test_vector(name: string, seed: number): Float64Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_barenetwork_free: (a: number, b: number) => void;
    readonly affine_parameters: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number, number, number];
    readonly barenetwork_new: (a: number, b: number) => [number, number, number];
    readonly barenetwork_operations: (a: number, b: number, c: number) => [number, number, number];
    readonly barenetwork_run: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
    readonly multiply_and_add: (a: number) => number;
    readonly operations_of_a_round: () => number;
    readonly test_vector: (a: number, b: number, c: number) => [number, number];
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_start: () => void;
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
