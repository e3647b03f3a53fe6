import { dirname, join, resolve } from "node:path";
import { syslogTarget } from "@/core/services/audit/syslog.ts";
import { KNOWN_VARIABLES } from "@/commands/environment.ts";
import type { Environment } from "@/commands/environment.ts";

/** What the server may not do whatever else it may: start programs, load native code, fetch code. */
const ALWAYS_DENIED = ["--deny-run", "--deny-ffi", "--deny-import"];

/** Names a file of certificates that are trusted beside the usual ones; Deno reads it too. */
export const CERTIFICATES = "DENO_CERT";
/** What an edge excepts its core from proxies by. */
const PROXY_EXCEPTIONS = ["NO_PROXY", "no_proxy"];
/** Variables beside our own: the time zone of the site, and what libpq's addresses leave to them. */
const VARIABLES = ["NODE_ENV", "TZ", "HOME", "USER", "PG*", CERTIFICATES];

/**
 * Of the system it may know how full the disk is and set the priority of its threads. The name "umask", which a package
 * asks for, cannot stand in a list: so all is allowed but what says something of the machine.
 */
const NOT_OF_SYSTEM = [
  "hostname",
  "osRelease",
  "osUptime",
  "loadavg",
  "networkInterfaces",
  "systemMemoryInfo",
  "username",
  "userInfo",
];
/** Where Linux names the thread whose priority is set. */
const THREAD = "/proc/thread-self";

interface Reach {
  net: string[];
  read: string[];
  write: string[];
}

const isFile = (path: string | null): path is string => path !== null && path !== "";

/** The real folder too: several machines may share it by a link. */
function withReal(path: string): string[] {
  const absolute = resolve(path);
  try {
    return [...new Set([absolute, Deno.realPathSync(absolute)])];
  } catch {
    // it will be made
    return [absolute];
  }
}

/** Files that are renewed while the server runs: links lead to another file of their folder then. */
const renewedFiles = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => withReal(path).flatMap((each, i) => i === 0 ? [each] : [dirname(each)]));

/** What connecting to PostgreSQL needs: `postgres://…`, with the options of libpq's addresses. */
function postgresReach(address: string, variable: (name: string) => string | undefined): Reach {
  const url = new URL(address.replace(/^postgres(ql)?:/, "http:")),
    option = (name: string) => url.searchParams.get(name);
  const host = option("host") ?? (decodeURIComponent(url.hostname) || variable("PGHOST") || "localhost");
  const port = url.port || option("port") || variable("PGPORT") || "5432";
  const read = ["sslcert", "sslkey", "sslrootcert"].map(option).filter(isFile).map((path) => resolve(path));
  // where a password may stand that the address lacks
  if (url.password === "") read.push(variable("PGPASSFILE") || join(variable("HOME") || "/", ".pgpass"));
  if (!host.startsWith("/")) return { net: [hostPort(host, port)], read, write: [] };
  const socket = join(host, `.s.PGSQL.${port}`);
  return { net: [`unix:${socket}`], read: [...read, socket], write: [socket] };
}

/** Host and port of an address such as `https://core.hospital.example`. */
function reachOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

const hostPort = (host: string, port: string | number) =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

/**
 * The permissions of the server's process as Deno's flags: its own address and those it is told to call, its program, the
 * data folder, and the variables it knows. It starts no program and loads no native code.
 *
 * @param root Folder of the program.
 * @param converter Socket of the converter beside it; `null` without one.
 * @throws {RangeError} when a path holds a comma, which Deno's lists cannot hold.
 */
export function serverFlags(
  environment: Environment,
  root: string,
  converter: string | null,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const { host, port, dataDir, databaseUrl, userService, auditDir, syslog, tls, identityReach } = environment;
  const folders = [
    ...withReal(dataDir),
    ...(auditDir === null ? [] : withReal(auditDir)),
    ...["blobs", "exports"].flatMap((name) => withReal(join(dataDir, name))),
  ];
  const reach: Reach = {
    net: [hostPort(host, port)],
    read: [resolve(root), THREAD, ...folders, ...renewedFiles(Object.values(tls ?? {}))],
    write: folders,
  };
  reach.net.push(...identityReach.net);
  reach.read.push(...identityReach.read.map((path) => resolve(path)));
  if (userService !== null) reach.net.push(reachOf(userService));
  const receiver = syslog === null ? null : syslogTarget(syslog);
  if (receiver !== null) reach.net.push(`${receiver.hostname}:${receiver.port}`);
  if (converter !== null) {
    reach.net.push(`unix:${converter}`);
    reach.read.push(converter);
    reach.write.push(converter);
  }
  if (databaseUrl !== null) {
    const { net, read, write } = postgresReach(databaseUrl, variable);
    reach.net.push(...net);
    reach.read.push(...read);
    reach.write.push(...write);
  }
  return flagsOf(reach);
}

/**
 * {@link serverFlags} of an edge in front of a core elsewhere: it calls that core, and keeps sessions and images in its
 * data folder.
 */
export function edgeFlags(
  { host, port, dataDir, coreUrl, userService, tls }: Environment,
  root: string,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const certificates = [variable(CERTIFICATES) ?? ""].filter(isFile).map((path) => resolve(path));
  const folders = withReal(dataDir), net = [hostPort(host, port)];
  for (const address of [coreUrl, userService]) if (address !== null) net.push(reachOf(address));
  const read = [resolve(root), ...certificates, ...folders, ...renewedFiles(Object.values(tls ?? {}))];
  return flagsOf({ net, read, write: folders }, PROXY_EXCEPTIONS);
}

/** @throws {RangeError} when a value holds a comma. */
function flagsOf(reach: Reach, variables: readonly string[] = []): string[] {
  const list = (values: readonly string[]) => {
    const odd = values.find((value) => value.includes(","));
    if (odd !== undefined) throw new RangeError(`Cannot limit the server to ${odd}: it holds a comma`);
    return [...new Set(values)].join(",");
  };
  return [
    ...ALWAYS_DENIED,
    `--allow-net=${list(reach.net)}`,
    `--allow-read=${list(reach.read)}`,
    `--allow-write=${list(reach.write)}`,
    `--allow-env=${list([...KNOWN_VARIABLES, ...VARIABLES, ...variables])}`,
    // packages ask for more: they are told that it is not set
    "--ignore-env",
    "--allow-sys",
    `--deny-sys=${list(NOT_OF_SYSTEM)}`,
  ];
}
