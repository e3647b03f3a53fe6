// Data folder and database of a rehearsal's site.
import {
  initialize,
  makeFolder,
  startServer,
  stopServer,
  urlIn,
} from "@/tests/sites/postgres_server.ts";
import { removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";

const DISK_BYTES = 900_000_000;

/** Kinds of databases. */
export const DATABASES = ["sqlite", "postgres"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Data folder and database on this machine. */
export interface FaultPlace {
  folder: string;
  /** whether the folder is a separate disk, which may be filled */
  isDisk: boolean;
  /** PostgreSQL URL; `null`: SQLite in the folder */
  databaseUrl: string | null;
  /** kills the database server and starts it again; `null` for SQLite */
  killDatabase: (() => Promise<void>) | null;
  remove(): Promise<void>;
}

/** Starts a PostgreSQL server for the rehearsal, which syncs all acknowledged transactions. */
async function openServer(): Promise<Pick<FaultPlace, "databaseUrl" | "killDatabase" | "remove">> {
  const base = await Deno.makeTempDir({ prefix: "sulcus-faults-postgres-" });
  // PostgreSQL runs as another user
  await Deno.chmod(base, 0o711);
  for (const name of ["postgres", "sockets"]) makeFolder(`${base}/${name}`);
  const cluster = {
    data: `${base}/postgres/data`,
    sockets: `${base}/sockets`,
    settings: ["max_connections=50", "shared_buffers=64MB"],
  };
  await initialize(cluster, true);
  await startServer(cluster);
  return {
    databaseUrl: urlIn(cluster, "postgres"),
    async killDatabase() {
      // kills all processes of the server; the next start replays its log
      await stopServer(cluster, "immediate");
      await startServer(cluster);
    },
    async remove() {
      await stopServer(cluster, "immediate").catch(() => {});
      await Deno.remove(base, { recursive: true });
    },
  };
}

/** @throws {Error} if PostgreSQL is requested but cannot be started. */
export async function openPlace(
  database: DatabaseName,
  say: (text: string) => void,
): Promise<FaultPlace> {
  const server = database === "postgres"
    ? await openServer()
    : { databaseUrl: null, killDatabase: null, remove: () => Promise.resolve() };
  const disk = await smallDisk(DISK_BYTES), isDisk = "folder" in disk;
  if (!isDisk) say(`No disk of its own, so none gets full: ${disk.problem}`);
  const folder = isDisk ? disk.folder : await Deno.makeTempDir({ prefix: "sulcus-faults-" });
  return {
    ...server,
    folder,
    isDisk,
    async remove() {
      await server.remove();
      if (isDisk) await removeDisk(folder);
      else await Deno.remove(folder, { recursive: true });
    },
  };
}
