// A real file system of a test's own, in a file, that can become read-only.
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
