import { createHash } from "node:crypto";
import { ProtocolError } from "@/server/gate/dimse/pdu.ts";
import { type GateEvent, INBOX, MAX_OBJECT_BYTES } from "@/server/gate/link/tasks.ts";
import { headBytesOf, part10Head } from "@/server/gate/receive/part10.ts";

/** Number of bytes that are collected for a single write. */
const PIECE_BYTES = 262_144;
/** Maximum number of unread event files; further events are dropped, except storage commitment. */
const MAX_EVENTS = 2000;

/** Result of receiving a DICOM object. */
export type Stored = "stored" | "known" | "differs" | "full" | "too_large" | "failed";

/** Error: the data set does not end, so that the connection is closed. */
class EndlessDataSet extends ProtocolError {
  constructor() {
    super("Cannot store: the data set goes on after it was refused", 0);
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

export const isFull = (error: unknown) =>
  ["ENOSPC", "EDQUOT", "EROFS"].includes((error as { code?: string } | null)?.code ?? "") ||
  /no space left|os error (28|30)\b|quota/i.test(String(error));

async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}

/** Makes renamed files in a folder durable: one fsync serves all callers that wait. */
export class FolderSync {
  #folder: Deno.FsFile | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(private readonly path: string) {}

  /** @returns a promise that resolves when files renamed before this call are durable. */
  sync(): Promise<void> {
    if (this.#running === null) return this.#begin();
    return this.#next ??= this.#running.catch(() => {}).then(() => this.#begin());
  }

  #begin(): Promise<void> {
    this.#next = null;
    const running = this.#force().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    return this.#running = running;
  }

  async #force(): Promise<void> {
    this.#folder ??= await Deno.open(this.path);
    await this.#folder.sync();
  }

  close(): void {
    this.#folder?.close();
    this.#folder = null;
  }
}

/** SHA-256 of the data set in a DICOM file; `null` for a missing file. */
async function dataSetDigest(path: string): Promise<string | null> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  using open = file;
  const head = new Uint8Array(144);
  await open.read(head);
  await open.seek(headBytesOf(head) ?? 0, Deno.SeekMode.Start);
  const digest = createHash("sha256"), piece = new Uint8Array(PIECE_BYTES);
  for (let count = await open.read(piece); count !== null; count = await open.read(piece)) {
    digest.update(piece.subarray(0, count));
  }
  return digest.digest("hex");
}

interface Arriving {
  sopClassUid: string;
  sopInstanceUid: string;
  transferSyntax: string;
  sender: string;
}

/**
 * Stores arriving objects in the inbox folder atomically: completely and durably, or not at all.
 */
export class InboxWriter {
  #next = 0;
  /** instances that are being renamed, because two senders may send the same instance */
  readonly #placing = new Map<string, Promise<unknown>>();
  readonly #received: FolderSync;

  /** @param maxBytes Maximum size of a data set, bytes. */
  constructor(private readonly folder: string, private readonly maxBytes = MAX_OBJECT_BYTES) {
    this.#received = new FolderSync(`${folder}/${INBOX.received}`);
  }

  /** Closes the folder; no DICOM object can be stored afterwards. */
  close(): void {
    this.#received.close();
  }

  /** Creates the folders, and deletes incomplete files that a crashed process left. */
  async open(): Promise<void> {
    for (const name of [INBOX.received, INBOX.partial, INBOX.events, INBOX.sent]) {
      await Deno.mkdir(`${this.folder}/${name}`, { recursive: true, mode: 0o700 });
    }
    for await (const { name } of Deno.readDir(`${this.folder}/${INBOX.partial}`)) {
      await Deno.remove(`${this.folder}/${INBOX.partial}/${name}`);
    }
  }

  /**
   * Writes a data set while receiving it. Receives all bytes even if writing fails.
   * @returns `stored`: survives a power cut; `known`: an identical object is stored already;
   * `differs`: the instance is stored with other content; `too_large`: the file is deleted, and the
   * remaining bytes of the data set are received and dropped.
   * @throws errors of `dataSet` unchanged; {@link ProtocolError} above twice the maximum size.
   * No object is stored after an error.
   */
  async store(
    arriving: Arriving,
    dataSet: AsyncIterable<Uint8Array>,
  ): Promise<{ state: Stored; bytes: number }> {
    const path = `${this.folder}/${INBOX.partial}/${Deno.pid}-${this.#next++}`;
    const buffer = new Uint8Array(PIECE_BYTES);
    let file: Deno.FsFile | null = null, failed: unknown = null, used = 0, bytes = 0;
    const flush = async () => {
      try {
        for (let done = 0; file && done < used;) {
          done += await file.write(buffer.subarray(done, used));
        }
      } catch (error) {
        failed ??= error;
      }
      used = 0;
    };
    const put = async (piece: Uint8Array) => {
      for (let at = 0; at < piece.length && failed === null;) {
        const count = Math.min(piece.length - at, buffer.length - used);
        buffer.set(piece.subarray(at, at + count), used);
        used += count;
        at += count;
        if (used === buffer.length) await flush();
      }
    };
    let isKept = false;
    try {
      file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 }).catch((error) => {
        failed = error;
        return null;
      });
      await put(part10Head(arriving));
      for await (const piece of dataSet) {
        bytes += piece.length;
        if (bytes <= this.maxBytes) await put(piece);
        else if (bytes > 2 * this.maxBytes) throw new EndlessDataSet();
        else if (file !== null) {
          file.close();
          file = null;
          await Deno.remove(path);
        }
      }
      if (bytes > this.maxBytes) return { state: "too_large", bytes };
      await flush();
      // fdatasync: after a power cut, timestamps may be lost, but not content and length
      if (failed === null) await file?.syncData().catch((error) => failed = error);
      if (failed !== null) return { state: isFull(failed) ? "full" : "failed", bytes };
      const state = await this.#place(arriving.sopInstanceUid, path);
      isKept = state === "stored";
      return { state, bytes };
    } finally {
      file?.close();
      if (!isKept) await Deno.remove(path).catch(() => {});
    }
  }

  /** Renames a received file; renames of the same instance wait for each other. */
  async #place(sopInstanceUid: string, path: string): Promise<Stored> {
    const previous = this.#placing.get(sopInstanceUid) ?? Promise.resolve();
    const placing = previous.then(() => this.#rename(sopInstanceUid, path));
    const settled = placing.catch(() => {});
    this.#placing.set(sopInstanceUid, settled);
    try {
      return await placing;
    } catch (error) {
      return isFull(error) ? "full" : "failed";
    } finally {
      if (this.#placing.get(sopInstanceUid) === settled) this.#placing.delete(sopInstanceUid);
    }
  }

  async #rename(sopInstanceUid: string, path: string): Promise<Stored> {
    const folder = `${this.folder}/${INBOX.received}`, place = `${folder}/${sopInstanceUid}.dcm`;
    if (isThere(place)) {
      const there = await dataSetDigest(place);
      if (there !== null) return there === await dataSetDigest(path) ? "known" : "differs";
    }
    // synchronous, because an asynchronous rename waits longer in the thread pool than it takes
    Deno.renameSync(path, place);
    await this.#received.sync();
    return "stored";
  }

  /**
   * Writes an event for the server process. Storage commitment events are durable on return.
   */
  async tell(event: GateEvent): Promise<void> {
    const folder = `${this.folder}/${INBOX.events}`;
    const mustLast = event.type === "commit_request" || event.type === "commit_result";
    if (!mustLast) {
      let count = 0;
      for await (const _ of Deno.readDir(folder)) if (++count > MAX_EVENTS) return;
    }
    const name = `${Date.now()}-${Deno.pid}-${String(this.#next++).padStart(9, "0")}.json`;
    const path = `${this.folder}/${INBOX.partial}/${name}`;
    try {
      using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
      const bytes = new TextEncoder().encode(JSON.stringify(event));
      for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
      if (mustLast) await file.sync();
      await Deno.rename(path, `${folder}/${name}`);
      if (mustLast) await syncFolder(folder);
    } catch (error) {
      await Deno.remove(path).catch(() => {});
      if (mustLast) throw error;
    }
  }
}
