/* tslint:disable */
/* eslint-disable */
export const memory: WebAssembly.Memory;
export const __wbg_slicecomposer_free: (a: number, b: number) => void;
export const label_places: (a: number, b: number, c: number, d: number, e: number) => [number, number];
export const npy_layout: (a: number, b: number, c: number) => [number, number];
export const npy_to_f32: (a: number, b: number) => [number, number];
export const npy_to_u32: (a: number, b: number) => [number, number];
export const npy_to_u8: (a: number, b: number) => [number, number];
export const slicecomposer_compose: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
export const slicecomposer_create: (a: number, b: number, c: number) => number;
export const slicecomposer_drop_volume: (a: number, b: number) => void;
export const slicecomposer_mapping_address: (a: number) => number;
export const slicecomposer_pane_address: (a: number, b: number) => number;
export const slicecomposer_size_pane: (a: number, b: number, c: number, d: number) => number;
export const slicecomposer_tables_address: (a: number) => number;
export const slicecomposer_visible_address: (a: number) => number;
export const slicecomposer_volume_address: (a: number, b: number) => number;
export const __wbindgen_externrefs: WebAssembly.Table;
export const __wbindgen_malloc: (a: number, b: number) => number;
export const __wbindgen_free: (a: number, b: number, c: number) => void;
export const __wbindgen_start: () => void;
