// PostgreSQL servers for tests and benchmarks, separate from the machine's own server.
import { existsSync } from "node:fs";

/** Folder of PostgreSQL's programs. @throws {Error} if they are not installed. */
function programs(): string {
  const installed = existsSync("/usr/lib/postgresql")
    ? [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => Number(name)).sort((a, b) =>
      b - a
    )
      .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  const folders = [...(Deno.env.get("PATH") ?? "").split(":"), ...installed];
  const found = folders.find((folder) =>
    existsSync(`${folder}/initdb`) && existsSync(`${folder}/pg_ctl`)
  );
  if (found === undefined) throw new Error("it is not installed");
  return found;
}

/** User that runs the server: another one if this process is root, which PostgreSQL refuses. */
function owner(): { uid?: number; gid?: number } {
  if (Deno.uid() !== 0) return {};
  const users = Deno.readTextFileSync("/etc/passwd").split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ??
    users.find(([name]) => name === "nobody");
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}

async function run(
  program: string,
  args: string[],
  as: { uid?: number; gid?: number },
): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args,
    ...as,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim().split("\n").at(-1));
}

/** Folders of a server, which is reachable only by its socket. */
interface Cluster {
  /** data folder; the server's user must be able to write to its parent */
  data: string;
  /** folder of the socket and the log */
  sockets: string;
  settings: readonly string[];
}

/** Makes a folder owned by the server's user. */
export function makeFolder(path: string): void {
  Deno.mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = owner();
  if (uid !== undefined) Deno.chownSync(path, uid, gid!);
}

/** Creates the files of a server. @throws {Error} if PostgreSQL is missing or fails. */
export async function initialize({ data }: Cluster, isForced = false): Promise<void> {
  await run(`${programs()}/initdb`, [
    "-D",
    data,
    "-U",
    "sulcus",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
    ...(isForced ? [] : ["--no-sync"]),
    "--no-instructions",
  ], owner());
}

/** Starts a server and waits until it accepts connections. */
export async function startServer({ data, sockets, settings }: Cluster): Promise<void> {
  const all = ["listen_addresses=", `unix_socket_directories=${sockets}`, ...settings];
  const options = all.map((setting) => `-c ${setting}`).join(" ");
  await run(
    `${programs()}/pg_ctl`,
    ["-D", data, "-w", "-t", "120", "-l", `${sockets}/log`, "-o", options, "start"],
    owner(),
  );
}

/** Stops a server: `fast` ends connections, `immediate` leaves the files as after a crash. */
export const stopServer = ({ data }: Cluster, mode: "fast" | "immediate"): Promise<void> =>
  run(`${programs()}/pg_ctl`, ["-D", data, "-w", "-t", "60", "-m", mode, "stop"], owner());

/** Process id of a running server. */
export const serverOf = ({ data }: Cluster): number =>
  Number(Deno.readTextFileSync(`${data}/postmaster.pid`).split("\n")[0]);

export const urlIn = ({ sockets }: Cluster, database: string): string =>
  `postgres://sulcus@localhost/${database}?host=${sockets}`;
