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
 * Folders: unusable files, files that differ from the stored object, files that wait by study.
 */
const UNUSABLE = "unusable", CONFLICTS = "conflicts", STUDIES = "studies";

/** A received object that was moved into the folder of its study. */
export interface FiledInstance {
  header: InstanceHeader;
  /** AE title or user name of the sender */
  sender: string;
  sopUid: string;
  arrivedMs: number;
}

const isNotFound = (error: unknown) => error instanceof Deno.errors.NotFound;

/** File status without following links; `null` for a missing file. */
const entryAt = (path: string): Promise<Deno.FileInfo | null> =>
  Deno.lstat(path).catch((error) => {
    if (isNotFound(error)) return null;
    throw error;
  });

/** Files of one study in the inbox, as far as the folder could be listed. */
interface FiledStudy {
  filed: FiledInstance[];
  unusable: UnusableFile[];
  /** error at which listing the folder ended; `null`: the folder was listed completely */
  error: unknown;
}

/** Files of an inbox folder: objects as the gate received them, and objects sorted by study. */
export class InboxFiles {
  /** @param reader Process that reads DICOM headers; absent: this process reads them. */
  constructor(readonly folder: string, private readonly reader?: DicomReader) {
    try {
      for (const name of [INBOX.received, INBOX.events, INBOX.sent, STUDIES, UNUSABLE, CONFLICTS]) {
        makeFolders(`${folder}/${name}`);
      }
    } catch {
      /* a full disk does not prevent the start: each later use fails again and is logged */
    }
  }

  /** Folder of a study's files. */
  studyFolder(studyUid: string): string {
    return `${this.folder}/${STUDIES}/${
      createHash("sha256").update(studyUid).digest("hex").slice(0, 32)
    }`;
  }

  /** Names of files as received, up to a maximum. */
  async arrived(most: number): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(`${this.folder}/${INBOX.received}`)) {
      names.push(name);
      if (names.length === most) break;
    }
    return names;
  }

  /**
   * Moves a received object to the study's folder, replacing an earlier file of the same instance.
   * Whether the object differs from a stored object is checked later.
   * Quarantines an unusable file, and a file or folder that has the name of the destination.
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
   * Adds a complete object to the received files, as the gate (network process) does.
   * @returns `differs` when a waiting file of the same instance has different content.
   * The new file is then quarantined.
   */
  async receive(path: string, sopUid: string): Promise<"stored" | "known" | "differs"> {
    const place = `${this.folder}/${INBOX.received}/${sopUid}.dcm`;
    for (;;) {
      try {
        // a link is used because a rename would replace an existing file
        await Deno.link(path, place);
        await Deno.remove(path);
        return "stored";
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
      try {
        if (await dataSetHashOf(path) === await dataSetHashOf(place)) return "known";
      } catch (error) {
        // the existing file was moved into a study's folder in the meantime: try again
        if (isNotFound(error)) continue;
        throw error;
      }
      await this.#aside(path, CONFLICTS, `${sopUid}.dcm`);
      return "differs";
    }
  }

  /** Quarantines a file that has the name of a study's folder, or a folder with a file's name. */
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

  /** Reads a DICOM header; quarantines a file that is unusable or in the wrong study folder. */
  async #look(
    path: string,
    studyFolder?: string,
    encoding?: DicomEncoding,
  ): Promise<FiledInstance | UnusableFile> {
    const name = basename(path);
    try {
      const { isFile, size, mtime } = await Deno.lstat(path);
      // only regular files are accepted: reading a pipe would block, and a link leads to any file
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

  /** Quarantines an unreadable file. @throws the read error when other files are affected too. */
  async setUnusable(path: string, error: unknown): Promise<UnusableFile> {
    const reason = await reasonOf(path, error);
    if (reason === null) throw error;
    return reason === "vanished"
      ? { name: basename(path), reason }
      : await this.#setAside(path, reason);
  }

  /** Moves a file into a folder, under a new name if a file of that name exists. */
  async #aside(path: string, folder: string, name = basename(path)): Promise<void> {
    const place = `${this.folder}/${folder}`;
    let to = `${place}/${name}`;
    await Deno.mkdir(place, { recursive: true, mode: 0o700 });
    const isFile = (await Deno.lstat(path)).isFile;
    for (let n = Date.now();; n++) {
      if (await entryAt(to) === null) {
        try {
          // a link is used because a rename would overwrite a file created in the meantime
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

  /** Folders of studies with waiting files; a file beside the folders is quarantined. */
  async studyFolders(): Promise<{ folders: string[]; unusable: UnusableFile[] }> {
    const folders: string[] = [], unusable: UnusableFile[] = [];
    for await (const { name, isDirectory } of Deno.readDir(`${this.folder}/${STUDIES}`)) {
      const path = `${this.folder}/${STUDIES}/${name}`;
      if (isDirectory) folders.push(path);
      else unusable.push(await this.#setAside(path, "no_folder"));
    }
    return { folders, unusable };
  }

  /** Reads the headers of a study's files, ordered by name; unusable files are quarantined. */
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

  /** Whether an instance is in this inbox and not yet stored. */
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
    // deleting a folder that is not empty fails, and this error is ignored
    await Deno.remove(this.studyFolder(studyUid)).catch(() => {});
  }

  /** Quarantines a file that differs from the stored file of the same instance. */
  async putAside(studyUid: string, sopUid: string): Promise<void> {
    await this.#aside(this.pathOf(studyUid, sopUid), CONFLICTS);
  }

  async removeStudy(studyUid: string): Promise<void> {
    await Deno.remove(this.studyFolder(studyUid), { recursive: true }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /**
   * Deletes files that were quarantined before a time, by the time of the move (ctime):
   * the modification time remains that of the original file. Folders are kept.
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

  /** Events that the gate wrote as files, oldest first; unreadable files are quarantined. */
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

  /** Writes a small JSON file atomically, which the gate reads. */
  async write(name: string, value: unknown): Promise<void> {
    const path = `${this.folder}/${name}`;
    await Deno.writeTextFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await Deno.rename(`${path}.new`, path);
  }

  /** Reads a small JSON file of the inbox; `null` for a missing file. */
  async read<T>(name: string): Promise<T | null> {
    try {
      return JSON.parse(await Deno.readTextFile(`${this.folder}/${name}`)) as T;
    } catch (error) {
      if (isNotFound(error) || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}
