// Executes tasks of a reader: parses DICOM files, renders frames, de-identifies.
// Parses untrusted bytes, so a server calls this only in a worker or another process.
import { inflatedPiece } from "@/server/core/dicom/worker/inflated_pieces.ts";
import { bulkDataOf, framesOf } from "@/server/core/dicom/worker/frame_parts.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { headAnswer } from "@/server/core/dicom/worker/head_answers.ts";
import { maskedFile } from "@/server/core/dicom/worker/masked_file.ts";
import { readInstanceFile, transferSyntaxOf } from "@/server/core/dicom/read/instance.ts";
import {
  failureOf,
  type ReadResult,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";

/** Reads files one by one; for an unreadable file the result is an error. */
async function each<T>(paths: readonly string[], read: (path: string) => Promise<T>) {
  const results = [];
  for (const path of paths) results.push(await read(path).catch(failureOf));
  return results;
}

/** Executes a task on the calling thread. @throws the error of the task. */
export async function resultOf(task: ReadTask): Promise<ReadResult<ReadTask["kind"]>> {
  switch (task.kind) {
    case "instances":
      return await each(task.paths, (path) => readInstanceFile(path, "", task.encoding));
    case "objects":
      return await each(task.paths, (path) => headerOfFile(path, task.encoding));
    case "head":
      return headAnswer(task.of, task.bytes, task.isWhole, task.encoding);
    case "syntax":
      return transferSyntaxOf(task.bytes);
    case "masked":
      return maskedFile(task.bytes, task.options, task.face);
    case "picture":
      return renderFrame(task.bytes, task.rendering);
    case "inflated":
      return await inflatedPiece(task.path, task.from);
    case "frames":
      return framesOf(task.bytes, task.wanted);
    case "value":
      return bulkDataOf(task.bytes, task.tag);
  }
}
