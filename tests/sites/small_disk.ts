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
