import { statfsSync } from "node:fs";

/** A disk of a test's own, which it may fill; or why there is none. */
export async function smallDisk(bytes: number): Promise<{ folder: string } | { problem: string }> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-disk-" });
  const { success, stderr } = await new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder],
  }).output().catch((error) => ({
    success: false,
    stderr: new TextEncoder().encode(String(error)),
  }));
  if (success) return { folder };
  await Deno.remove(folder);
  return { problem: new TextDecoder().decode(stderr).trim().split("\n")[0]! };
}

/** Takes it away with all that is on it. */
export async function removeDisk(folder: string): Promise<void> {
  await new Deno.Command("umount", { args: ["-l", folder] }).output();
  await Deno.remove(folder);
}

/** Leaves this much room on a disk, or less where others write meanwhile. */
export function leaveRoom(folder: string, bytes: number): void {
  const path = `${folder}/ballast`;
  using file = Deno.openSync(path, { create: true, write: true, truncate: true });
  const { bavail, bsize } = statfsSync(folder);
  for (let left = bavail * bsize - bytes; left > 0; left -= 1 << 16) {
    try {
      file.writeSync(new Uint8Array(Math.min(left, 1 << 16)));
    } catch (error) {
      if ((error as { code?: string }).code === "ENOSPC") return;
      throw error;
    }
  }
}

const decoder = new TextDecoder();

async function run(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(`${command}: ${decoder.decode(stderr).trim().split("\n")[0]}`);
  return decoder.decode(stdout).trim();
}

/** An ext4 file system; it is unmounted after its test. */
export interface LoopDisk {
  folder: string;
  /**
   * Takes the right to change anything in a folder away, or gives it back, also for files that are
   * open. SQLite's shared memory keeps it: the kernel ends a process that changes an immutable map.
   */
  setImmutable(folder: string, isImmutable: boolean): Promise<void>;
  /** Has the kernel find an error: the file system is read-only until it is mounted again. */
  fail(): Promise<void>;
  remove(): Promise<void>;
}

/** @returns why there is none where the machine does not allow it. */
export async function loopDisk(bytes: number): Promise<LoopDisk | { problem: string }> {
  const place = await Deno.makeTempDir({ prefix: "sulcus-loop-" }), folder = `${place}/disk`;
  const image = `${place}/image`;
  const remove = async () => {
    await run("umount", "-l", folder).catch(() => {});
    await Deno.remove(place, { recursive: true });
  };
  try {
    await Deno.mkdir(folder);
    await run("truncate", "-s", String(bytes), image);
    await run("mkfs.ext4", "-q", "-F", image);
    await run("mount", "-o", "loop,errors=remount-ro", image, folder);
    const device = (await run("findmnt", "-n", "-o", "SOURCE", folder)).replace("/dev/", "");
    const trigger = `/sys/fs/ext4/${device}/trigger_fs_error`;
    await Deno.stat(trigger);
    return {
      folder,
      async setImmutable(path, isImmutable) {
        const change = isImmutable ? "+i" : "-i";
        await run("find", path, "!", "-name", "*-shm", "-exec", "chattr", change, "{}", "+");
      },
      fail: () => Deno.writeTextFile(trigger, "test"),
      remove,
    };
  } catch (error) {
    await remove();
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
