// Ports that a test gives up and takes again.
let next = 0;

/**
 * A free port of this machine that nobody else is given meanwhile: none of those that the system hands out (from 32768
 * on, unless somebody has changed it), and others than those of tests in other processes.
 */
export function lastingPort(): number {
  for (;;) {
    const port = 20_000 + (4 * Deno.pid + next++) % 12_000;
    try {
      Deno.listen({ port, hostname: "127.0.0.1" }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
