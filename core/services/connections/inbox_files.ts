import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { INBOX } from "@/gate/link/tasks.ts";
import { type InstanceHeader, readHeader } from "@/core/dicom/read/instance.ts";
import { makeFolders } from "@/core/storage/blobs/blob_file.ts";

/** Beginning of a file that nearly always holds its header. */
const HEAD_BYTES = 1 << 16, MAX_HEAD_BYTES = 1 << 24, MAX_INFLATED_BYTES = 1 << 20;
/** What came and is no object that can be filed under a study. */
const UNUSABLE = "unusable", CONFLICTS = "conflicts", STUDIES = "studies";

/** An object that was filed under its study. */
export interface FiledInstance {
  header: InstanceHeader;
  /** AE title, or user, that sent it */
  sender: string;
  sopUid: string;
  arrivedMs: number;
}

/** AE title of the sender in a file's meta information (0002,0016); empty when there is none. */
function senderOf(head: Uint8Array): string {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let at = 132; at + 12 <= head.length && view.getUint16(at, true) === 2;) {
    const element = view.getUint16(at + 2, true), vr = String.fromCharCode(head[at + 4]!, head[at + 5]!);
    const isLong = vr === "OB" || vr === "UN";
    const length = isLong ? view.getUint32(at + 8, true) : view.getUint16(at + 6, true);
    const start = at + (isLong ? 12 : 8);
    if (element === 0x16) {
      return new TextDecoder("latin1").decode(head.subarray(start, start + length)).trim();
    }
    at = start + length;
  }
  return "";
}

/** Where a file's data set begins. */
export function dataSetStart(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPart10 = bytes.length > 144 && new TextDecoder().decode(bytes.subarray(128, 132)) === "DICM";
  return isPart10 ? Math.min(bytes.length, 144 + view.getUint32(140, true)) : 0;
}
/** What a deflated data set begins with: never more of it is unpacked, however large it would be. */
async function inflatedHead(file: Deno.FsFile, from: number): Promise<Uint8Array> {
  await file.seek(from, Deno.SeekMode.Start);
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = new Uint8Array(HEAD_BYTES), count = await file.read(piece);
      if (count === null) controller.close();
      else controller.enqueue(piece.subarray(0, count));
    },
  });
  const head = new Uint8Array(MAX_INFLATED_BYTES);
  let at = 0;
  try {
    for await (const piece of packed.pipeThrough(new DecompressionStream("deflate-raw"))) {
      head.set(piece.subarray(0, head.length - at), at);
      at = Math.min(head.length, at + piece.length);
      if (at === head.length) break;
    }
  } catch { /* damaged from here on: what came before may be enough */ }
  return head.subarray(0, at);
}

/** Header of any DICOM file on disk, a deflated one too. @throws {AppError} `upload.format_not_supported`. */
export async function headerOfFile(
  path: string,
  encoding?: DicomEncoding,
): Promise<{ header: InstanceHeader; sender: string }> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  for (let count = HEAD_BYTES;; count *= 16) {
    const head = new Uint8Array(Math.min(count, size));
    await file.seek(0, Deno.SeekMode.Start);
    for (let at = 0; at < head.length;) {
      const n = await file.read(head.subarray(at));
      if (n === null) break;
      at += n;
    }
    try {
      const header = readHeader(head, "", { encoding, fileSizeBytes: size });
      return { header, sender: senderOf(head) };
    } catch (error) {
      // whoever cannot use it must know what it was
      if (error instanceof AppError && error.details.reason === "compression") {
        const inflated = await inflatedHead(file, dataSetStart(head));
        const header = readHeader(inflated, "", { encoding, fileSizeBytes: Infinity });
        return { header, sender: senderOf(head) };
      }
      const isPart = error instanceof AppError && error.details.reason === "truncated";
      if (!isPart || head.length === size || count >= MAX_HEAD_BYTES) throw error;
    }
  }
}

const isNotFound = (error: unknown) => error instanceof Deno.errors.NotFound;

/** The files of an inbox: what has arrived, and what is filed under its study. */
export class InboxFiles {
  constructor(readonly folder: string) {
    for (const name of [INBOX.received, INBOX.events, INBOX.sent, STUDIES, UNUSABLE, CONFLICTS]) {
      makeFolders(`${folder}/${name}`);
    }
  }

  /** Folder of a study's files. */
  studyFolder(studyUid: string): string {
    return `${this.folder}/${STUDIES}/${createHash("sha256").update(studyUid).digest("hex").slice(0, 32)}`;
  }

  /** Names of what has arrived, at most so many. */
  async arrived(most: number): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(`${this.folder}/${INBOX.received}`)) {
      names.push(name);
      if (names.length === most) break;
    }
    return names;
  }

  /**
   * Files an arrived object under its study; what was there of the same instance gives way, since what differs is told
   * apart when the study is taken. @returns `null` when it is no object that can be filed: it is put aside.
   */
  async file(name: string, encoding?: DicomEncoding): Promise<FiledInstance | null> {
    const path = `${this.folder}/${INBOX.received}/${name}`;
    try {
      const { header, sender } = await headerOfFile(path, encoding);
      const { studyUid, seriesUid, instanceUid: sopUid } = header;
      if (studyUid === "" || seriesUid === "" || `${sopUid}.dcm` !== name) {
        throw new AppError(
          "upload.format_not_supported",
          "Cannot file the object: its identifiers are wrong",
        );
      }
      const { mtime } = await Deno.stat(path), folder = this.studyFolder(studyUid);
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      await Deno.rename(path, `${folder}/${name}`);
      return { header, sender, sopUid, arrivedMs: mtime?.getTime() ?? Date.now() };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await Deno.rename(path, `${this.folder}/${UNUSABLE}/${name}`);
      return null;
    }
  }

  /** SOP Instance UIDs of a study's files. */
  async instancesOf(studyUid: string): Promise<string[]> {
    const uids: string[] = [];
    try {
      for await (const { name } of Deno.readDir(this.studyFolder(studyUid))) {
        if (name.endsWith(".dcm")) uids.push(name.slice(0, -4));
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return uids.sort();
  }

  pathOf(studyUid: string, sopUid: string): string {
    return `${this.studyFolder(studyUid)}/${sopUid}.dcm`;
  }

  /** Whether an instance lies here and is not stored yet, wherever. */
  async has(sopUid: string): Promise<boolean> {
    const exists = (path: string) => Deno.stat(path).then(() => true, () => false);
    if (await exists(`${this.folder}/${INBOX.received}/${sopUid}.dcm`)) return true;
    for await (const { name } of Deno.readDir(`${this.folder}/${STUDIES}`)) {
      if (await exists(`${this.folder}/${STUDIES}/${name}/${sopUid}.dcm`)) return true;
    }
    return false;
  }

  async remove(studyUid: string, sopUids: readonly string[]): Promise<void> {
    for (const uid of sopUids) {
      await Deno.remove(this.pathOf(studyUid, uid)).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    }
    // gone when it is empty
    await Deno.remove(this.studyFolder(studyUid)).catch(() => {});
  }

  /** Puts a file aside that says something else than the stored one of the same instance. */
  async putAside(studyUid: string, sopUid: string): Promise<void> {
    await Deno.rename(
      this.pathOf(studyUid, sopUid),
      `${this.folder}/${CONFLICTS}/${sopUid}.${Date.now()}.dcm`,
    );
  }

  async removeStudy(studyUid: string): Promise<void> {
    await Deno.remove(this.studyFolder(studyUid), { recursive: true }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Removes what was put aside before a time. */
  async removeAside(beforeMs: number): Promise<void> {
    for (const folder of [UNUSABLE, CONFLICTS].map((name) => `${this.folder}/${name}`)) {
      for await (const { name } of Deno.readDir(folder)) {
        const { mtime } = await Deno.stat(`${folder}/${name}`);
        if ((mtime?.getTime() ?? 0) < beforeMs) await Deno.remove(`${folder}/${name}`);
      }
    }
  }

  /** Folders of studies, for what a crash left without a row. */
  async *studyFiles(): AsyncGenerator<string> {
    for await (const { name } of Deno.readDir(`${this.folder}/${STUDIES}`)) {
      for await (const file of Deno.readDir(`${this.folder}/${STUDIES}/${name}`)) {
        if (file.name.endsWith(".dcm")) yield `${this.folder}/${STUDIES}/${name}/${file.name}`;
      }
    }
  }

  /** What the gate tells, oldest first. */
  async events(most: number): Promise<{ name: string; text: string }[]> {
    const folder = `${this.folder}/${INBOX.events}`, names: string[] = [];
    for await (const { name } of Deno.readDir(folder)) names.push(name);
    return await Promise.all(
      names.sort().slice(0, most).map(async (name) => ({
        name,
        text: await Deno.readTextFile(`${folder}/${name}`),
      })),
    );
  }

  async forgetEvent(name: string): Promise<void> {
    await Deno.remove(`${this.folder}/${INBOX.events}/${name}`);
  }

  /** Writes a small file of the server for the gate, whole or not at all. */
  async write(name: string, value: unknown): Promise<void> {
    const path = `${this.folder}/${name}`;
    await Deno.writeTextFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await Deno.rename(`${path}.new`, path);
  }

  /** A small JSON file of the inbox; `null` when it is not there. */
  async read<T>(name: string): Promise<T | null> {
    try {
      return JSON.parse(await Deno.readTextFile(`${this.folder}/${name}`)) as T;
    } catch (error) {
      if (isNotFound(error) || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}
