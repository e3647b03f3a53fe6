// Extracts files from ZIP archives (PKWARE APPNOTE 6.3) and gzip files in the browser.
// Archives are untrusted: sizes are limited before and during extraction.
import { AppError } from "@/model/errors.ts";
import { packedFormat } from "@/model/dicom/packed_file.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";

const END = 0x06054b50, ENTRY = 0x02014b50, LOCAL = 0x04034b50;
const END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, MAX_COMMENT = 0xffff;
const ENCRYPTED = 1, UTF8 = 1 << 11, STORED = 0, DEFLATED = 8;
/**
 * Limits of an archive: number of files, bytes of one file (both as for an upload without
 * an archive), and bytes of the archive's directory.
 */
const MAX_ENTRIES = 20_000, MAX_ENTRY_BYTES = 512 << 20, MAX_LIST_BYTES = 32 << 20;
/** Maximum total uncompressed size of one archive, bytes. */
const MAX_TOTAL_BYTES = 8 * 2 ** 30;

/** A file inside a ZIP archive, still compressed. */
interface Entry {
  path: string;
  method: number;
  packedBytes: number;
  sizeBytes: number;
  offset: number;
}

const isZip = ({ path }: ChosenFile): boolean => path.toLowerCase().endsWith(".zip");

const broken = (why: string, path: string) =>
  new AppError("upload.format_not_supported", `Cannot read a ZIP archive: ${why}`, {
    reason: "archive",
    file: path,
  });

const viewOf = async (file: Blob, from: number, to: number): Promise<DataView<ArrayBuffer>> =>
  new DataView(await file.slice(from, to).arrayBuffer());

/**
 * Reads the central directory at the end of an archive.
 * @throws {AppError} `upload.format_not_supported`.
 */
async function listEntries({ path, file }: ChosenFile): Promise<Entry[]> {
  const tail = await viewOf(file, Math.max(0, file.size - END_BYTES - MAX_COMMENT), file.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END) end--;
  if (end < 0) throw broken("it has no list of files", path);
  const count = tail.getUint16(end + 10, true), listBytes = tail.getUint32(end + 12, true);
  const listAt = tail.getUint32(end + 16, true);
  if (count > MAX_ENTRIES || listBytes > MAX_LIST_BYTES || listAt + listBytes > file.size) {
    throw broken("its list of files is too long or cut off", path);
  }
  const list = await viewOf(file, listAt, listAt + listBytes), entries: Entry[] = [];
  for (let at = 0, n = 0; n < count; n++) {
    if (at + ENTRY_BYTES > list.byteLength || list.getUint32(at, true) !== ENTRY) {
      throw broken("its list of files is damaged", path);
    }
    const flags = list.getUint16(at + 8, true), nameBytes = list.getUint16(at + 28, true);
    const nextEntry = at + ENTRY_BYTES + nameBytes + list.getUint16(at + 30, true) +
      list.getUint16(at + 32, true);
    if (nextEntry > list.byteLength) throw broken("its list of files is damaged", path);
    const name = new TextDecoder(flags & UTF8 ? "utf-8" : "windows-1252")
      .decode(new Uint8Array(list.buffer, at + ENTRY_BYTES, nameBytes));
    if (!name.endsWith("/")) {
      if (flags & ENCRYPTED) throw broken("it is encrypted", path);
      entries.push({
        path: `${path}/${name.replaceAll("\\", "/")}`,
        method: list.getUint16(at + 10, true),
        packedBytes: list.getUint32(at + 20, true),
        sizeBytes: list.getUint32(at + 24, true),
        offset: list.getUint32(at + 42, true),
      });
    }
    at = nextEntry;
  }
  return entries;
}

/** Throws as soon as the output exceeds the size that the archive states. */
const bounded = (sizeBytes: number, path: string) => {
  let receivedBytes = 0;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      receivedBytes += chunk.length;
      if (receivedBytes > sizeBytes) {
        controller.error(broken("a file in it is larger than announced", path));
      } else controller.enqueue(chunk);
    },
  });
};

async function unpack(archive: ChosenFile, entry: Entry): Promise<ChosenFile> {
  const { path, method, packedBytes, sizeBytes, offset } = entry, { file } = archive;
  if (sizeBytes > MAX_ENTRY_BYTES) throw broken("a file in it is too large", archive.path);
  const head = await viewOf(file, offset, offset + LOCAL_BYTES);
  if (head.byteLength < LOCAL_BYTES || head.getUint32(0, true) !== LOCAL) {
    throw broken("a file in it is damaged", archive.path);
  }
  const at = offset + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(at, at + packedBytes), name = path.split("/").at(-1)!;
  if (method === STORED) return { path, file: new File([packed], name) };
  if (method !== DEFLATED) throw broken("it is compressed in an unusual way", archive.path);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))
    .pipeThrough(bounded(sizeBytes, archive.path));
  try {
    return { path, file: new File([await new Response(stream).blob()], name) };
  } catch (error) {
    throw error instanceof AppError ? error : broken("a file in it is damaged", archive.path);
  }
}

/**
 * The file inside a gzip file (RFC 1952); some archives and research tools store images as gzip.
 * A file that is damaged, too large, or not gzip is returned unchanged.
 * @param mostBytes Maximum size of the unpacked file, bytes.
 */
async function withoutGzip(
  chosen: ChosenFile,
  isWanted: (file: ChosenFile) => boolean,
  mostBytes: number,
): Promise<ChosenFile> {
  const { path, file } = chosen, name = path.split("/").at(-1)!.replace(/\.gz$/i, "");
  // the path keeps the packed file's name: a folder may contain the file in both forms
  const inner = `${path}/${name}`;
  const head = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  if (packedFormat(head) !== "gzip" || !isWanted({ path: inner, file })) return chosen;
  const stream = file.stream().pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(bounded(Math.min(MAX_ENTRY_BYTES, mostBytes), path));
  try {
    return { path: inner, file: new File([await new Response(stream).blob()], name) };
  } catch {
    return chosen;
  }
}

/** Replaces gzip files in a selection by the files inside, within the limits of an archive. */
async function unpackGzip(
  files: readonly ChosenFile[],
  isWanted: (file: ChosenFile) => boolean,
  signal: AbortSignal,
): Promise<ChosenFile[]> {
  const unpacked: ChosenFile[] = [];
  let roomBytes = MAX_TOTAL_BYTES;
  for (const packed of files) {
    signal.throwIfAborted();
    const isGzip = packed.path.toLowerCase().endsWith(".gz") && packed.file.size > 0;
    const file = isGzip ? await withoutGzip(packed, isWanted, roomBytes) : packed;
    if (file !== packed) roomBytes -= file.file.size;
    unpacked.push(file);
  }
  return unpacked;
}

/**
 * Replaces each ZIP archive in a selection by its files, and each gzip file by the file inside.
 * Other files are unchanged.
 *
 * @param isWanted Selects by path which files of an archive are extracted.
 * Files that are not selected stay in the list with empty content.
 * @param onProgress Receives the number of extracted files, and the total number.
 * @throws {AppError} `upload.format_not_supported`, reason `archive`, for a damaged, encrypted
 * or too large archive; an abort rejects with the signal's reason.
 */
export async function withoutArchives(
  chosen: readonly ChosenFile[],
  isWanted: (file: ChosenFile) => boolean,
  { signal, onProgress }: {
    signal: AbortSignal;
    onProgress?: (unpacked: number, total: number) => void;
  },
): Promise<ChosenFile[]> {
  const files: ChosenFile[] = [];
  for (const file of chosen) {
    if (!isZip(file)) {
      files.push(file);
      continue;
    }
    const entries = await listEntries(file), empty = new File([], "");
    if (entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > MAX_TOTAL_BYTES) {
      throw broken("it is too large", file.path);
    }
    for (const [n, entry] of entries.entries()) {
      signal.throwIfAborted();
      const listed = { path: entry.path, file: empty };
      files.push(isWanted(listed) ? await unpack(file, entry) : listed);
      onProgress?.(n + 1, entries.length);
    }
  }
  return await unpackGzip(files, isWanted, signal);
}
