import { dirname, join, resolve } from "node:path";
import { syslogTarget } from "@/server/core/site/service/audit/syslog.ts";
import { KNOWN_VARIABLES } from "@/server/commands/start/environment.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { hostAndPort } from "@/model/site/networks.ts";
import { withReal } from "@/server/wire/worker_rights.ts";

/** Permissions that the server never has: running programs, loading native code, remote imports. */
const ALWAYS_DENIED = ["--deny-run", "--deny-ffi", "--deny-import"];

/** Variable that names a file with additional trusted certificates; Deno itself reads it too. */
export const CERTIFICATES = "DENO_CERT";
/** Variables by which an edge exempts the core from proxies. */
const PROXY_EXCEPTIONS = ["NO_PROXY", "no_proxy"];
/** Variables of other software: the site's time zone, libpq's variables, and systemd's journal. */
const VARIABLES = ["NODE_ENV", "TZ", "HOME", "USER", "PG*", "JOURNAL_STREAM", CERTIFICATES];

/**
 * Allowed system calls: disk usage, and the priority of threads.
 * The name "umask", which a package requests, cannot be listed: therefore all calls are allowed
 * except those that describe the machine.
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
/** Linux path of the current thread, read to set the priority of threads. */
const THREAD = "/proc/thread-self";

interface Reach {
  net: string[];
  read: string[];
  write: string[];
}

const isFile = (path: string | null): path is string => path !== null && path !== "";

/** Both the absolute path and its target: several machines may share the folder by a link. */
const absolute = (path: string): string[] => withReal(resolve(path));

/**
 * Permissions for files that are renewed while the server runs.
 * A link may later point to another file in the same folder.
 */
const renewedFiles = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => absolute(path).flatMap((each, i) => i === 0 ? [each] : [dirname(each)]));

/** Permissions for connecting to PostgreSQL: `postgres://…` with libpq options. */
function postgresReach(address: string, variable: (name: string) => string | undefined): Reach {
  const url = new URL(address.replace(/^postgres(ql)?:/, "http:")),
    option = (name: string) => url.searchParams.get(name);
  const host = option("host") ??
    (decodeURIComponent(url.hostname) || variable("PGHOST") || "localhost");
  const port = url.port || option("port") || variable("PGPORT") || "5432";
  const read = ["sslcert", "sslkey", "sslrootcert"].map(option).filter(isFile).map((path) =>
    resolve(path)
  );
  // file that may contain the password missing from the address
  if (url.password === "") {
    read.push(variable("PGPASSFILE") || join(variable("HOME") || "/", ".pgpass"));
  }
  if (!host.startsWith("/")) return { net: [hostAndPort(host, port)], read, write: [] };
  const socket = join(host, `.s.PGSQL.${port}`);
  return { net: [`unix:${socket}`], read: [...read, socket], write: [socket] };
}

/** Host and port of an address such as `https://core.hospital.example`. */
function reachOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/**
 * Deno permission flags of the server process: its own address and the configured ones, its
 * program, the data folder, and known variables. It cannot start programs or load native code.
 *
 * @param root Folder of the program.
 * @param sockets Sockets of converter, reader and gate.
 * @throws {RangeError} when a path contains a comma, which Deno's lists do not support.
 */
export function serverFlags(
  environment: Environment,
  root: string,
  sockets: readonly string[],
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const { host, port, dataDir, databaseUrl, userService, auditDir, syslog, tls, identityReach } =
    environment;
  const { storageKeyFile, contextReach } = environment;
  const folders = [
    ...absolute(dataDir),
    ...(auditDir === null ? [] : absolute(auditDir)),
    ...["blobs", "exports"].flatMap((name) => absolute(join(dataDir, name))),
    ...logFolder(environment),
  ];
  const reach: Reach = {
    net: [hostAndPort(host, port)],
    read: [resolve(root), THREAD, ...folders, ...renewedFiles(Object.values(tls ?? {}))],
    write: folders,
  };
  if (storageKeyFile !== null) reach.read.push(...absolute(storageKeyFile));
  for (const { net, read } of [identityReach, contextReach]) {
    reach.net.push(...net);
    reach.read.push(...read.map((path) => resolve(path)));
  }
  for (const address of [userService, environment.operating.tracesUrl]) {
    if (address !== null) reach.net.push(reachOf(address));
  }
  const receiver = syslog === null ? null : syslogTarget(syslog);
  if (receiver !== null) reach.net.push(`${receiver.hostname}:${receiver.port}`);
  for (const socket of sockets) {
    reach.net.push(`unix:${socket}`);
    reach.read.push(socket);
    reach.write.push(socket);
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
 * Like {@link serverFlags}, for an edge with a remote core.
 * The edge may call that core, and keeps sessions and images in the edge's data folder.
 */
export function edgeFlags(
  environment: Environment,
  root: string,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const { host, port, dataDir, coreUrl, userService, tls } = environment;
  const certificates = [variable(CERTIFICATES) ?? ""].filter(isFile).map((path) => resolve(path));
  const folders = [...absolute(dataDir), ...logFolder(environment)],
    net = [hostAndPort(host, port)];
  for (const address of [coreUrl, userService]) if (address !== null) net.push(reachOf(address));
  const read = [
    resolve(root),
    ...certificates,
    ...folders,
    ...renewedFiles(Object.values(tls ?? {})),
  ];
  return flagsOf({ net, read, write: folders }, PROXY_EXCEPTIONS);
}

/** Names of the files that are passed to the gate. */
interface GateFiles {
  inbox: string;
  socket: string;
  tls: readonly string[];
}

/**
 * Permissions of the gate: network access to any system, inbox and certificates.
 * No database, variables or programs.
 * @throws {RangeError} when a path contains a comma.
 */
export function gateFlags({ inbox, socket, tls }: GateFiles): string[] {
  const folders = absolute(inbox);
  return [
    ...ALWAYS_DENIED,
    "--deny-env",
    "--deny-sys",
    "--allow-net",
    `--allow-read=${listOf([...folders, socket, ...tls.map((path) => resolve(path))])}`,
    `--allow-write=${listOf([...folders, socket])}`,
  ];
}

/**
 * Parts of the program that the converter loads.
 * A release has the packages in `chunks` and `vendor`.
 */
const PROGRAM_OF_CONVERTER = ["server", "model", "chunks", "vendor", "release.json", "deno.json"];
/**
 * Variables that a child process needs: the folder of Deno's code cache, and the authorities that
 * gate and watch trust beside the public ones; no secrets.
 */
const PLAIN_VARIABLES = [
  CERTIFICATES,
  "DENO_DIR",
  "HOME",
  "XDG_CACHE_HOME",
  "TMPDIR",
  "NO_COLOR",
  "DENO_NO_UPDATE_CHECK",
];

/**
 * Permissions of the converter: read the upload folder and its own program, write to the upload
 * folder, listen on its socket, and lower its priority.
 * Each series has a worker that may only read its files and write its volume
 * (server/core/dicom/convert/convert.ts).
 * The converter cannot access the database, keys or environment variables.
 *
 * @param root Folder of the program.
 * @param socket Socket that it listens on, in a separate folder.
 * @throws {RangeError} when a path contains a comma, which Deno's lists do not support.
 */
export function converterFlags(dataDir: string, root: string, socket: string): string[] {
  const incoming = absolute(join(dataDir, "blobs", "incoming"));
  const place = dirname(socket);
  const program = PROGRAM_OF_CONVERTER.map((name) => join(resolve(root), name));
  return [
    ...ALWAYS_DENIED,
    `--allow-read=${listOf([...program, ...packageFolders(root), ...incoming, place])}`,
    `--allow-write=${listOf([...incoming, place])}`,
    `--allow-net=${listOf([`unix:${socket}`])}`,
    "--ignore-env",
    "--allow-sys=setPriority",
  ];
}

/** Folders that the DICOM reader may read: incoming uploads and received objects. */
export const readerFolders = (dataDir: string): string[] => [
  ...absolute(join(dataDir, "blobs", "incoming")),
  ...absolute(join(dataDir, "inbox")),
];

/**
 * Permissions of the reader: read its program and {@link readerFolders}, and listen on its socket.
 * It cannot write files or read variables, database or keys;
 * its workers may only read those folders.
 * @throws {RangeError} when a path contains a comma.
 */
export function readerFlags(dataDir: string, root: string, socket: string): string[] {
  const program = PROGRAM_OF_CONVERTER.map((name) => join(resolve(root), name));
  return [
    ...ALWAYS_DENIED,
    "--deny-sys",
    `--allow-read=${listOf([...program, ...readerFolders(dataDir), socket])}`,
    `--allow-write=${listOf([socket])}`,
    `--allow-net=${listOf([`unix:${socket}`])}`,
    "--ignore-env",
  ];
}

/** Packages of the converter in a checkout; a release has these in `vendor`. */
const packageFolders = (root: string) =>
  ["@niivue/dcm2niix", "@cornerstonejs/codec-charls", "@cornerstonejs/codec-openjpeg"]
    .flatMap((name) => absolute(join(root, "node_modules", name)));

/** Folder in which the log file is written and rotated; none without a log file. */
const logFolder = ({ operating: { logFile } }: Environment) =>
  logFile === null ? [] : absolute(dirname(logFile));

/** Environment of a child process without secrets. */
export function plainVariables(
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): Record<string, string> {
  const set = PLAIN_VARIABLES.map((name) => [name, variable(name)] as const);
  return Object.fromEntries(set.filter((each): each is [string, string] => each[1] !== undefined));
}

/** @throws {RangeError} when a value contains a comma. */
function listOf(values: readonly string[]): string {
  const odd = values.find((value) => value.includes(","));
  if (odd !== undefined) {
    throw new RangeError(`Cannot restrict the server to ${odd}: its name contains a comma`);
  }
  return [...new Set(values)].join(",");
}

/** @throws {RangeError} when a value contains a comma. */
function flagsOf(reach: Reach, variables: readonly string[] = []): string[] {
  return [
    ...ALWAYS_DENIED,
    `--allow-net=${listOf(reach.net)}`,
    `--allow-read=${listOf(reach.read)}`,
    `--allow-write=${listOf(reach.write)}`,
    `--allow-env=${listOf([...KNOWN_VARIABLES, ...VARIABLES, ...variables])}`,
    // every other variable that a package requests appears as unset
    "--ignore-env",
    "--allow-sys",
    `--deny-sys=${listOf(NOT_OF_SYSTEM)}`,
  ];
}
