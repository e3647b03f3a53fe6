import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import { type DicomReader, objectHeader } from "@/server/core/dicom/worker/reader.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { dataSetHashOf } from "@/server/core/connections/service/inbox/differing.ts";
import {
  reasonOf,
  type UnusableFile,
} from "@/server/core/connections/service/inbox/unusable_files.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";

/**
 * Folders of files that cannot be used, of those that differ from the stored object, and of those
 * that wait.
 */
const UNUSABLE = "unusable", CONFLICTS = "conflicts", STUDIES = "studies";

/** An object that was filed under its study. */
export interface FiledInstance {
  header: InstanceHeader;
  /** AE title, or user, that sent it */
  sender: string;
  sopUid: string;
  arrivedMs: number;
}

const isNotFound = (error: unknown) => error instanceof Deno.errors.NotFound;

/** The entry itself, not the one that a link leads to; `null` when there is none. */
const entryAt = (path: string): Promise<Deno.FileInfo | null> =>
  Deno.lstat(path).catch((error) => {
    if (isNotFound(error)) return null;
    throw error;
  });

/** The files of one study, as far as its folder could be read. */
interface FiledStudy {
  filed: FiledInstance[];
  unusable: UnusableFile[];
  /** trouble of the folder, after which nothing more was read; `null`: there was none */
  error: unknown;
}

/** The files of an inbox: received ones, and those filed under their study. */
export class InboxFiles {
  /** @param reader Reads headers elsewhere; without one they are read here. */
  constructor(readonly folder: string, private readonly reader?: DicomReader) {
    try {
      for (const name of [INBOX.received, INBOX.events, INBOX.sent, STUDIES, UNUSABLE, CONFLICTS]) {
        makeFolders(`${folder}/${name}`);
      }
    } catch {
      /* a full or closed disk stops no start: each use of the folder says so again, and is logged */
    }
  }

  /** Folder of a study's files. */
  studyFolder(studyUid: string): string {
    return `${this.folder}/${STUDIES}/${
      createHash("sha256").update(studyUid).digest("hex").slice(0, 32)
    }`;
  }

  /** Names of received files, at most so many. */
  async arrived(most: number): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(`${this.folder}/${INBOX.received}`)) {
      names.push(name);
      if (names.length === most) break;
    }
    return names;
  }

  /**
   * Files an arrived object under its study, in place of an earlier one of the same instance:
   * whether it differs from the stored one is found when the study is taken. A file that cannot be
   * used, or is in the way, is put aside.
   */
  async file(
    name: string,
    encoding?: DicomEncoding,
  ): Promise<{ filed: FiledInstance | null; unusable: UnusableFile[] }> {
    const path = `${this.folder}/${INBOX.received}/${name}`;
    const result = await this.#look(path, undefined, encoding);
    if (!("header" in result)) return { filed: null, unusable: [result] };
    const folder = this.studyFolder(result.header.studyUid);
    const place = async () => {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      await Deno.rename(path, `${folder}/${name}`);
    };
    try {
      await place();
      return { filed: result, unusable: [] };
    } catch (error) {
      const unusable = await this.#clear(folder, name);
      if (unusable.length === 0) throw error;
      await place();
      return { filed: result, unusable };
    }
  }

  /**
   * Puts a whole object among those that have arrived, beside which the gate puts its own.
   * @returns `differs` when one of the same instance waits there with other bytes: this one is put
   *   aside then.
   */
  async receive(path: string, sopUid: string): Promise<"stored" | "known" | "differs"> {
    const place = `${this.folder}/${INBOX.received}/${sopUid}.dcm`;
    for (;;) {
      try {
        // unlike a rename, a link never replaces an existing file
        await Deno.link(path, place);
        await Deno.remove(path);
        return "stored";
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
      try {
        if (await dataSetHashOf(path) === await dataSetHashOf(place)) return "known";
      } catch (error) {
        // it has been filed meanwhile
        if (isNotFound(error)) continue;
        throw error;
      }
      await this.#aside(path, CONFLICTS, `${sopUid}.dcm`);
      return "differs";
    }
  }

  /** Puts aside a file in the place of a study's folder, and a folder in the place of its file. */
  async #clear(folder: string, name: string): Promise<UnusableFile[]> {
    const outer = await entryAt(folder);
    if (outer !== null && !outer.isDirectory) {
      await this.#aside(folder, UNUSABLE);
      return [{ name: basename(folder), reason: "no_folder" }];
    }
    if (!(await entryAt(`${folder}/${name}`))?.isDirectory) return [];
    await this.#aside(`${folder}/${name}`, UNUSABLE);
    return [{ name, reason: "no_file" }];
  }

  /** Reads a file's header; one that cannot be used, or is not in its own place, is put aside. */
  async #look(
    path: string,
    studyFolder?: string,
    encoding?: DicomEncoding,
  ): Promise<FiledInstance | UnusableFile> {
    const name = basename(path);
    try {
      const { isFile, size, mtime } = await Deno.lstat(path);
      // a pipe would never end, and a link may lead anywhere
      if (!isFile) return await this.#setAside(path, "no_file");
      if (size === 0) return await this.#setAside(path, "empty");
      const { header, sender } = await objectHeader(this.reader, path, encoding);
      const { studyUid, seriesUid, instanceUid: sopUid } = header;
      const isRight = studyUid !== "" && seriesUid !== "" && `${sopUid}.dcm` === name &&
        (studyFolder === undefined || this.studyFolder(studyUid) === studyFolder);
      if (!isRight) return await this.#setAside(path, "identifiers");
      return { header, sender, sopUid, arrivedMs: mtime?.getTime() ?? Date.now() };
    } catch (error) {
      return await this.setUnusable(path, error);
    }
  }

  async #setAside(path: string, reason: string): Promise<UnusableFile> {
    await this.#aside(path, UNUSABLE);
    return { name: basename(path), reason };
  }

  /**
   * Puts a file aside that could not be read. @throws that error, when the trouble is not of this
   * file alone.
   */
  async setUnusable(path: string, error: unknown): Promise<UnusableFile> {
    const reason = await reasonOf(path, error);
    if (reason === null) throw error;
    return reason === "vanished"
      ? { name: basename(path), reason }
      : await this.#setAside(path, reason);
  }

  /** Brings a file among those of a folder, beside others that came under its name. */
  async #aside(path: string, folder: string, name = basename(path)): Promise<void> {
    const place = `${this.folder}/${folder}`;
    let to = `${place}/${name}`;
    await Deno.mkdir(place, { recursive: true, mode: 0o700 });
    const isFile = (await Deno.lstat(path)).isFile;
    for (let n = Date.now();; n++) {
      if (await entryAt(to) === null) {
        try {
          // unlike a change of name, a second one takes no place that another has got meanwhile
          if (!isFile) return await Deno.rename(path, to);
          await Deno.link(path, to);
          return await Deno.remove(path);
        } catch (error) {
          if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        }
      }
      to = `${place}/${n}.${name.slice(-100)}`;
    }
  }

  /** Places in which studies have files; a file among them is put aside. */
  async studyFolders(): Promise<{ folders: string[]; unusable: UnusableFile[] }> {
    const folders: string[] = [], unusable: UnusableFile[] = [];
    for await (const { name, isDirectory } of Deno.readDir(`${this.folder}/${STUDIES}`)) {
      const path = `${this.folder}/${STUDIES}/${name}`;
      if (isDirectory) folders.push(path);
      else unusable.push(await this.#setAside(path, "no_folder"));
    }
    return { folders, unusable };
  }

  /**
   * Reads the headers of a study's files, in the order of their names; those that cannot be used
   * are put aside.
   */
  async filedIn(folder: string): Promise<FiledStudy> {
    const study: FiledStudy = { filed: [], unusable: [], error: null };
    try {
      const names: string[] = [];
      for await (const { name } of Deno.readDir(folder)) {
        if (name.endsWith(".dcm")) names.push(name);
      }
      for (const name of names.sort()) {
        const result = await this.#look(`${folder}/${name}`, folder);
        if ("header" in result) study.filed.push(result);
        else study.unusable.push(result);
      }
    } catch (error) {
      if (!isNotFound(error)) study.error = error;
    }
    return study;
  }

  /** SOP Instance UIDs of a study's files. */
  async instancesOf(studyUid: string): Promise<string[]> {
    const uids: string[] = [];
    try {
      for await (const { name, isFile } of Deno.readDir(this.studyFolder(studyUid))) {
        if (isFile && name.endsWith(".dcm")) uids.push(name.slice(0, -4));
      }
    } catch (error) {
      if (!isNotFound(error) && !(error instanceof Deno.errors.NotADirectory)) throw error;
    }
    return uids.sort();
  }

  pathOf(studyUid: string, sopUid: string): string {
    return `${this.studyFolder(studyUid)}/${sopUid}.dcm`;
  }

  /** Whether an instance is in this inbox and not stored yet. */
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
    await this.#aside(this.pathOf(studyUid, sopUid), CONFLICTS);
  }

  async removeStudy(studyUid: string): Promise<void> {
    await Deno.remove(this.studyFolder(studyUid), { recursive: true }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /**
   * Removes files that were put aside before a time, however old they were then: since a file keeps
   * the time of its bytes, the time of its change of place counts. A folder stays, whatever is in
   * it.
   */
  async removeAside(beforeMs: number): Promise<void> {
    for (const folder of [UNUSABLE, CONFLICTS].map((name) => `${this.folder}/${name}`)) {
      for await (const { name, isDirectory } of Deno.readDir(folder)) {
        if (isDirectory) continue;
        const info = await entryAt(`${folder}/${name}`),
          asideMs = (info?.ctime ?? info?.mtime)?.getTime();
        if ((asideMs ?? Infinity) < beforeMs) await Deno.remove(`${folder}/${name}`);
      }
    }
  }

  /** Events of the gate, oldest first; a file that cannot be read is put aside. */
  async events(
    most: number,
  ): Promise<{ events: { name: string; text: string }[]; unusable: UnusableFile[] }> {
    const folder = `${this.folder}/${INBOX.events}`, names: string[] = [];
    for await (const { name } of Deno.readDir(folder)) names.push(name);
    const read = await Promise.all(
      names.sort().slice(0, most).map(async (name) => {
        const path = `${folder}/${name}`;
        try {
          if (!(await Deno.lstat(path)).isFile) return await this.#setAside(path, "no_file");
          return { name, text: await Deno.readTextFile(path) };
        } catch (error) {
          return await this.setUnusable(path, error);
        }
      }),
    );
    return {
      events: read.filter((one) => "text" in one),
      unusable: read.filter((one) => "reason" in one),
    };
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
