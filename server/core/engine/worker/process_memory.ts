/**
 * Peak resident memory of this process, MB (10⁶ bytes); `null` if the system does not report it.
 * Includes the engine's memory and that of all other work of the process.
 */
export function peakRssMb(): number | null {
  try {
    const kb = /^VmHWM:\s+(\d+) kB/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
    return kb === undefined ? null : Math.round(Number(kb) * 1.024) / 1000;
  } catch {
    return null;
  }
}

/**
 * Figures of an analysis' memory for the log line at the end.
 * @param stagesMb Size of the engine's WebAssembly memory after each stage, MB.
 */
export function memoryFigures(
  stagesMb: readonly number[],
): { peak_mb: number; engine_mb: number } {
  const engine = Math.round(Math.max(0, ...stagesMb));
  return { peak_mb: Math.round(peakRssMb() ?? engine), engine_mb: engine };
}
