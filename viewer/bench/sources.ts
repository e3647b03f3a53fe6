import type { BenchCase } from "@/viewer/bench/cases.ts";

/**
 * Addresses of the kernels' Rust sources. The build replaces this file with hashed addresses
 * (tools/pages/viewer_assets.ts). The list is empty on the server, which shows no results.
 */
export const KERNEL_SOURCES: Partial<Record<BenchCase, string>> = {};
