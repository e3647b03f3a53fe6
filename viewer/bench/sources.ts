import type { BenchCase } from "@/viewer/bench/cases.ts";

/**
 * Addresses of the kernels' Rust sources. The build replaces this file by the hashed addresses
 * (tools/pages/viewer_assets.ts); on the server, which shows no figures, there are none.
 */
export const KERNEL_SOURCES: Partial<Record<BenchCase, string>> = {};
