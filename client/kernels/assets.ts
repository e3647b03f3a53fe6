/**
 * Addresses of the image worker and of the kernels' WASM.
 * The build inserts hashed addresses (tools/pages/viewer_assets.ts).
 * Empty on the server, which never starts the worker.
 */
export const KERNELS_WORKER_URL: string = "";
export const KERNELS_WASM_URL: string = "";
/** URL of the worker script of the benchmark page. */
export const KERNEL_BENCH_URL: string = "";
