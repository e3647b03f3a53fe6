// Ports that a test releases and uses again.
let next = 0;

/**
 * A free port that no other program gets in between: below 32768, from where the system assigns
 * ports by default, and different from those of tests in other processes.
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
