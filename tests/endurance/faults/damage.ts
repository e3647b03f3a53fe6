// Damage to files and disk of a running site.
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { leaveRoom } from "@/tests/sites/small_disk.ts";

const bytesOf = (random: Random, count: number) =>
  Uint8Array.from({ length: count }, () => Math.floor(random.uniform() * 256));

/** Adds a file that is no image to the inbox: noise, nothing, or the start of an image. */
export async function junkInbox(
  dataDir: string,
  random: Random,
  image: Uint8Array,
): Promise<string> {
  const kinds = [
    bytesOf(random, 3000),
    new Uint8Array(0),
    image.slice(0, 200 + random.uniform() * 2000),
  ];
  const name = `1.2.${Math.floor(random.uniform() * 1e9)}.dcm`;
  const content = kinds[Math.floor(random.uniform() * kinds.length)]!;
  await Deno.writeFile(`${dataDir}/inbox/${INBOX.received}/${name}`, content);
  return name;
}

/** Adds files to the uploads' folder, as left behind by a killed process. */
export const junkUploads = (dataDir: string, random: Random): Promise<void> =>
  Deno.writeFile(`${dataDir}/blobs/incoming/${crypto.randomUUID()}`, bytesOf(random, 5000));

/** Flips a bit of a stored file. @returns a function that repairs the file. */
export async function flipBlob(
  dataDir: string,
  hash: string,
  random: Random,
): Promise<() => Promise<void>> {
  const path = blobPath(`${dataDir}/blobs`, hash),
    bytes = await Deno.readFile(path),
    wrong = bytes.slice();
  wrong[Math.floor(random.uniform() * wrong.length)]! ^= 1 << Math.floor(random.uniform() * 8);
  await Deno.writeFile(path, wrong);
  return () => Deno.writeFile(path, bytes);
}

/** Fills a test disk for some time. */
export async function fillDisk(folder: string, ms: number): Promise<void> {
  leaveRoom(folder, 100_000);
  await new Promise((resolve) => setTimeout(resolve, ms));
  await Deno.remove(`${folder}/ballast`);
}
