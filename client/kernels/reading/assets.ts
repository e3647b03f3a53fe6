/**
 * URLs of the WebAssembly for reading tools, and of the worker that uses it for resampling.
 * The build inserts hashed addresses (tools/pages/viewer_assets.ts).
 */
export const READING_WASM_URL: string = "";
export const RESAMPLE_WORKER_URL: string = "";
