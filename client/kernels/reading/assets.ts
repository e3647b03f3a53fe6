/**
 * URLs of the WebAssembly for reading tools and of the worker that resamples with it.
 * The build replaces this file by the hashed addresses (tools/pages/viewer_assets.ts).
 */
export const READING_WASM_URL: string = "";
export const RESAMPLE_WORKER_URL: string = "";
