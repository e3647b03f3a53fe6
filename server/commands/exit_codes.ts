/**
 * A server that cannot begin with what it is given, such as a port in use or a database of a newer
 * version: starting it again would end the same way. `EX_CONFIG` of BSD's sysexits; an error that
 * nobody caught is Deno's 1.
 */
export const CANNOT_START = 78;
