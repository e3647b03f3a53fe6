// PostgreSQL servers of a test's or a benchmark's own, never the machine's.
import { existsSync } from "node:fs";

/** Folder of its programs. @throws Error when there are none. */
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

/** The server refuses to run as root: it runs as somebody else then. */
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

/** A server's files and its one way in. */
interface Cluster {
  /** of the data; whoever runs the server may write in the folder above it */
  data: string;
  /** of its socket and its log */
  sockets: string;
  settings: readonly string[];
}

/** Makes a folder for the user that the server runs as. */
export function makeFolder(path: string): void {
  Deno.mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = owner();
  if (uid !== undefined) Deno.chownSync(path, uid, gid!);
}

/** Makes the files of a server. @throws Error when PostgreSQL is not installed, or does not want to. */
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

/** Starts a server and waits until it answers. */
export async function startServer({ data, sockets, settings }: Cluster): Promise<void> {
  const all = ["listen_addresses=", `unix_socket_directories=${sockets}`, ...settings];
  const options = all.map((setting) => `-c ${setting}`).join(" ");
  await run(
    `${programs()}/pg_ctl`,
    ["-D", data, "-w", "-t", "120", "-l", `${sockets}/log`, "-o", options, "start"],
    owner(),
  );
}

/** Stops a server: `fast` ends what runs, `immediate` leaves it as a crash would. */
export const stopServer = ({ data }: Cluster, mode: "fast" | "immediate"): Promise<void> =>
  run(`${programs()}/pg_ctl`, ["-D", data, "-w", "-t", "60", "-m", mode, "stop"], owner());

/** Process of a running server. */
export const serverOf = ({ data }: Cluster): number =>
  Number(Deno.readTextFileSync(`${data}/postmaster.pid`).split("\n")[0]);

export const urlIn = ({ sockets }: Cluster, database: string): string =>
  `postgres://sulcus@localhost/${database}?host=${sockets}`;
