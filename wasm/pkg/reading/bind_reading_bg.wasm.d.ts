/* tslint:disable */
/* eslint-disable */
export const memory: WebAssembly.Memory;
export const __wbg_difference_free: (a: number, b: number) => void;
export const __wbg_resampler_free: (a: number, b: number) => void;
export const cells_under: (a: number, b: number, c: number, d: number, e: number) => void;
export const contours: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
export const difference_add: (a: number, b: number, c: number, d: number, e: number) => void;
export const difference_new: () => number;
export const difference_of: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
export const fill_between: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => void;
export const label_moments: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
export const outline: (a: number, b: number, c: number, d: number) => void;
export const region_voxels: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number, k: number, l: number, m: number, n: number) => void;
export const resampler_address: (a: number) => number;
export const resampler_create: (a: number, b: number, c: number, d: number) => number;
export const resampler_shown_range: (a: number, b: number) => void;
export const resampler_slices: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => void;
export const value_statistics: (a: number, b: number, c: number) => void;
export const __wbindgen_add_to_stack_pointer: (a: number) => number;
export const __wbindgen_export: (a: number, b: number) => number;
export const __wbindgen_export2: (a: number, b: number, c: number) => void;
