// Data folder of a killed site: an ordinary folder, or a separate disk whose power can be cut.
import { existsSync } from "node:fs";
import {
  initialize,
  makeFolder,
  serverOf,
  startServer,
  urlIn,
} from "@/tests/sites/postgres_server.ts";

export interface Place {
  folder: string;
  /** PostgreSQL URL, if the database is on the same disk; otherwise `null` */
  databaseUrl: string | null;
  /** discards all unsynced data; `null`: only the process is killed */
  cutPower: (() => Promise<void>) | null;
  /** mounts the disk again after a power cut and the end of the process */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

const DISK_BYTES = 1 << 30;
/** ioctl FS_IOC_SHUTDOWN with "no log flush" (linux/fs.h): nothing reaches the disk any more. */
const SHUTDOWN = `use Fcntl; sysopen(my $f, $ARGV[0], O_RDONLY | O_DIRECTORY) or die $!;
my $flags = pack("L", 2); ioctl($f, 0x8004587D, $flags) or die $!;`;

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) {
    throw new Error(`Cannot run ${program}: ${new TextDecoder().decode(stderr).trim()}`);
  }
}

export async function folderPlace(): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-crash-" });
  return {
    folder,
    databaseUrl: null,
    cutPower: null,
    restorePower: () => Promise.resolve(),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Kills a server and waits for its end, so that it does not keep the disk busy. */
async function end(server: number): Promise<void> {
  const isThere = () => existsSync(`/proc/${server}`);
  const signal = (name: Deno.Signal) => isThere() && Deno.kill(server, name);
  signal("SIGQUIT");
  for (let waited = 0; isThere(); waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (waited === 10_000) signal("SIGKILL");
  }
}

/** PostgreSQL with a site's settings: transactions are acknowledged after reaching the disk. */
async function openCluster(folder: string, sockets: string) {
  const cluster = {
    data: `${folder}/postgres/data`,
    sockets,
    settings: ["max_connections=50", "shared_buffers=64MB"],
  };
  makeFolder(`${folder}/postgres`);
  makeFolder(sockets);
  await initialize(cluster, true);
  let server = 0;
  const start = async () => {
    await startServer(cluster);
    server = serverOf(cluster);
  };
  await start();
  return { url: urlIn(cluster, "postgres"), start, end: () => end(server) };
}

/**
 * An ext4 file system in a file. Needs root, mkfs.ext4, loop devices, and perl for one ioctl.
 * @param hasPostgres Whether PostgreSQL also runs on it, and is affected by power cuts.
 */
export async function diskPlace(hasPostgres = false): Promise<Place> {
  const base = await Deno.makeTempDir({ prefix: "sulcus-disk-" }),
    image = `${base}/image`,
    folder = `${base}/disk`;
  // PostgreSQL runs as another user
  await Deno.chmod(base, 0o711);
  await Deno.mkdir(folder);
  await Deno.create(image).then(async (file) => {
    await file.truncate(DISK_BYTES);
    file.close();
  });
  await run("mkfs.ext4", "-q", "-F", image);
  const mount = () => run("mount", "-o", "loop", image, folder);
  await mount();
  const removeDisk = async () => {
    await run("umount", "-l", folder);
    await Deno.remove(base, { recursive: true });
  };
  const postgres = hasPostgres
    ? await openCluster(folder, `${base}/sockets`).catch(async (error) => {
      await removeDisk();
      throw new Error(`PostgreSQL cannot be started: ${error.message}`);
    })
    : null;
  return {
    folder,
    databaseUrl: postgres?.url ?? null,
    cutPower: () => run("perl", "-e", SHUTDOWN, folder),
    restorePower: async () => {
      await postgres?.end();
      await run("umount", folder);
      await mount();
      await postgres?.start();
    },
    remove: async () => {
      await postgres?.end();
      await removeDisk();
    },
  };
}
