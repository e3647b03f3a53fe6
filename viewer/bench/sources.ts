import type { BenchCase } from "@/viewer/bench/cases.ts";

/**
 * Addresses of the kernels' Rust sources. The build replaces this file with hashed addresses
 * (tools/pages/viewer_assets.ts); on the server, which shows no results, it is empty.
 */
export const KERNEL_SOURCES: Partial<Record<BenchCase, string>> = {};
