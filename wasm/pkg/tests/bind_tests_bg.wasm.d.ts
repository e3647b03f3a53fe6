/* tslint:disable */
/* eslint-disable */
export const memory: WebAssembly.Memory;
export const __wbg_barenetwork_free: (a: number, b: number) => void;
export const affine_parameters: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number, number, number];
export const barenetwork_new: (a: number, b: number) => [number, number, number];
export const barenetwork_operations: (a: number, b: number, c: number) => [number, number, number];
export const barenetwork_run: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
export const multiply_and_add: (a: number) => number;
export const operations_of_a_round: () => number;
export const test_vector: (a: number, b: number, c: number) => [number, number];
export const __wbindgen_externrefs: WebAssembly.Table;
export const __wbindgen_malloc: (a: number, b: number) => number;
export const __externref_table_dealloc: (a: number) => void;
export const __wbindgen_free: (a: number, b: number, c: number) => void;
export const __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
export const __wbindgen_start: () => void;
