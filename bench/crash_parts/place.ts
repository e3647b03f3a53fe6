// Where a site's data lie while it is killed: in a folder, or on a disk of its own whose power can be cut.

export interface Place {
  folder: string;
  /** Ends what has not been forced to disk. `null`: only the process is killed. */
  cutPower: (() => Promise<void>) | null;
  /** After a cut and the end of the process: the disk as it comes back. */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

const DISK_BYTES = 1 << 30;
/** FS_IOC_SHUTDOWN with "no log flush" (linux/fs.h): from now on nothing reaches the disk any more. */
const SHUTDOWN = `use Fcntl; sysopen(my $f, $ARGV[0], O_RDONLY | O_DIRECTORY) or die $!;
my $flags = pack("L", 2); ioctl($f, 0x8004587D, $flags) or die $!;`;

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`Cannot run ${program}: ${new TextDecoder().decode(stderr).trim()}`);
}

export async function folderPlace(): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-crash-" });
  return {
    folder,
    cutPower: null,
    restorePower: () => Promise.resolve(),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

/** An ext4 file system in a file. Needs root, mkfs.ext4, loop devices and perl (for one ioctl). */
export async function diskPlace(): Promise<Place> {
  const base = await Deno.makeTempDir({ prefix: "sulcus-disk-" }),
    image = `${base}/image`,
    folder = `${base}/disk`;
  await Deno.mkdir(folder);
  await Deno.create(image).then(async (file) => {
    await file.truncate(DISK_BYTES);
    file.close();
  });
  await run("mkfs.ext4", "-q", "-F", image);
  const mount = () => run("mount", "-o", "loop", image, folder);
  await mount();
  return {
    folder,
    cutPower: () => run("perl", "-e", SHUTDOWN, folder),
    restorePower: async () => {
      await run("umount", folder);
      await mount();
    },
    remove: async () => {
      await run("umount", "-l", folder);
      await Deno.remove(base, { recursive: true });
    },
  };
}
