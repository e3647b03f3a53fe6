import { statfsSync } from "node:fs";

/** A small file system that a test may fill, or the reason why it cannot be mounted. */
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

/** Unmounts the disk and removes its folder. */
export async function removeDisk(folder: string): Promise<void> {
  await new Deno.Command("umount", { args: ["-l", folder] }).output();
  await Deno.remove(folder);
}

/** Fills the disk up to a remaining space in bytes, or less if others write at the same time. */
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

/** An ext4 file system, which is unmounted after the test. */
export interface LoopDisk {
  folder: string;
  /**
   * Makes all files in a folder immutable, or mutable again, also open files. SQLite's shared
   * memory stays mutable, because the kernel kills a process that writes to an immutable mapping.
   */
  setImmutable(folder: string, isImmutable: boolean): Promise<void>;
  /** Simulates a disk error: the file system is read-only until it is mounted again. */
  fail(): Promise<void>;
  remove(): Promise<void>;
}

/** @returns the reason if the machine does not allow mounting. */
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
