/**
 * Exit code of a server that cannot start, for example if the port is in use or the database is
 * newer: a restart would fail the same way. `EX_CONFIG` of BSD's sysexits.
 * Uncaught errors end Deno with 1.
 */
export const CANNOT_START = 78;
