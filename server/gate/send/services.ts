/** DIMSE requests to remote DICOM systems: one association per task. */
import type {
  DicomJson,
  GateAnswer,
  GateTask,
  InstanceName,
  SentFile,
} from "@/server/gate/link/tasks.ts";
import { oneOf } from "@/server/gate/dimse/association.ts";
import { COMMAND, RESPONSE } from "@/server/gate/dimse/command.ts";
import { collect, readElements, writeElements } from "@/server/gate/dimse/elements.ts";
import {
  COMMITMENT_INSTANCE,
  DEFLATED,
  EXPLICIT_LE,
  IMAGE_CLASSES,
  isUid,
  MESSAGE_SYNTAXES,
  STATUS,
  STORAGE_COMMITMENT,
  STORAGE_SYNTAXES,
  STUDY_FIND,
  STUDY_GET,
  STUDY_MOVE,
  VERIFICATION,
  WORKLIST_FIND,
} from "@/server/gate/dimse/uids.ts";
import type { ProposedContext } from "@/server/gate/dimse/pdu.ts";
import type { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { headBytesOf } from "@/server/gate/receive/part10.ts";
import { type OwnCertificates, Requestor } from "@/server/gate/send/requestor.ts";

type Task<K extends GateTask["kind"]> = GateTask & { kind: K };
const contextFor = (abstractSyntax: string, transferSyntaxes = MESSAGE_SYNTAXES) => [{
  abstractSyntax,
  transferSyntaxes: [...transferSyntaxes],
}];
/** Whether more DIMSE responses follow (status pending). */
const isPending = (status: number | undefined) => status === STATUS.pending || status === 0xff01;

/** Executes `work` in an association, then releases it; disconnects after an error. */
async function within<T>(
  opening: Promise<Requestor>,
  work: (peer: Requestor) => Promise<T>,
): Promise<T> {
  const peer = await opening;
  try {
    const result = await work(peer);
    await peer.close();
    return result;
  } catch (error) {
    peer.drop();
    throw error;
  }
}

/** Tests a remote system by C-ECHO. */
export const echo = ({ peer }: Task<"echo">, own: OwnCertificates | null): Promise<GateAnswer> =>
  within(Requestor.open(peer, contextFor(VERIFICATION), own), async (association) => {
    const { id } = association.contextOf(VERIFICATION);
    await association.request(id, { sopClassUid: VERIFICATION, field: COMMAND.echo });
    const { command } = await association.response();
    return { status: command.status ?? 0, comment: command.errorComment };
  });

const PIECE_BYTES = 131_072;

/** Data set of a DICOM file, without the meta information, in chunks. */
async function* dataSetOf(path: string): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  const head = new Uint8Array(144);
  await file.read(head);
  await file.seek(headBytesOf(head) ?? 0, Deno.SeekMode.Start);
  const piece = new Uint8Array(PIECE_BYTES);
  for (let count = await file.read(piece); count !== null; count = await file.read(piece)) {
    yield piece.subarray(0, count);
  }
}

/** Sends files by C-STORE, each in its transfer syntax. Each object has a separate status. */
export async function store(
  { peer, files }: Task<"store">,
  own: OwnCertificates | null,
): Promise<GateAnswer> {
  const kinds = new Map<string, Omit<ProposedContext, "id">>(
    files.flatMap(({ sopClassUid, transferSyntax, deflatedPath }) =>
      [...deflatedPath ? [DEFLATED] : [], transferSyntax].map((
        syntax,
      ) => [`${sopClassUid} ${syntax}`, {
        abstractSyntax: sopClassUid,
        transferSyntaxes: [syntax],
      }])
    ),
  );
  return await within(
    Requestor.open(peer, [...kinds.values()].slice(0, 128), own),
    async (association) => {
      const statuses: { status: number; comment: string }[] = [];
      for (const file of files) statuses.push(await storeOne(association, file));
      const worst = statuses.find(({ status }) => !isStored(status)) ?? statuses[0];
      return { statuses, status: worst?.status ?? 0, comment: worst?.comment };
    },
  );
}

/** Whether a C-STORE status means that the object is stored: success or warning (PS3.4 B.2.3). */
const isStored = (status: number): boolean => status === 0 || (status & 0xf000) === 0xb000;

async function storeOne(
  association: Requestor,
  file: SentFile,
): Promise<{ status: number; comment: string }> {
  const { sopClassUid, sopInstanceUid, transferSyntax, deflatedPath } = file;
  let { path } = file, contextId: number;
  try {
    const deflated = deflatedPath ? association.find(sopClassUid, DEFLATED) : null;
    if (deflatedPath && deflated) path = deflatedPath;
    contextId = (deflated ?? association.contextOf(sopClassUid, transferSyntax)).id;
  } catch {
    return { status: STATUS.classNotSupported, comment: "The peer takes no objects of this class" };
  }
  const command = { sopClassUid, sopInstanceUid, field: COMMAND.store, priority: 0 };
  await association.request(contextId, command, dataSetOf(path));
  const { command: answer } = await association.response();
  return { status: answer.status ?? STATUS.processingFailure, comment: answer.errorComment ?? "" };
}

/** Searches by C-FIND; cancels the search after `most` matches. */
export function find(
  { peer, model, query, most }: Task<"find">,
  own: OwnCertificates | null,
): Promise<GateAnswer> {
  const sopClassUid = model === "study" ? STUDY_FIND : WORKLIST_FIND;
  return within(Requestor.open(peer, contextFor(sopClassUid), own), async (association) => {
    const { id, transferSyntax } = association.contextOf(sopClassUid),
      isExplicit = transferSyntax === EXPLICIT_LE;
    const dataSet = oneOf(writeElements(query, isExplicit));
    const messageId = await association.request(
      id,
      { sopClassUid, field: COMMAND.find, priority: 0 },
      dataSet,
    );
    const matches: DicomJson[] = [];
    for (;;) {
      const { command, dataSet } = await association.response();
      const match = dataSet ? readElements(await collect(dataSet), isExplicit) : null;
      if (!isPending(command.status)) {
        return { matches, status: command.status, comment: command.errorComment };
      }
      if (match) matches.push(match);
      if (matches.length === most) await association.cancel(id, messageId);
      if (matches.length > 2 * most) return { matches: matches.slice(0, most), status: 0 };
    }
  });
}

function levelQuery(studyUid: string, seriesUid?: string): DicomJson {
  return {
    "00080052": { vr: "CS", Value: [seriesUid ? "SERIES" : "STUDY"] },
    "0020000D": { vr: "UI", Value: [studyUid] },
    ...(seriesUid ? { "0020000E": { vr: "UI", Value: [seriesUid] } } : {}),
  };
}

/** Asks a remote system by C-MOVE to send a study to an AE title that the system knows. */
export const move = (
  { peer, destination, studyUid, seriesUid }: Task<"move">,
  own: OwnCertificates | null,
): Promise<GateAnswer> =>
  within(Requestor.open(peer, contextFor(STUDY_MOVE), own), async (association) => {
    const { id, transferSyntax } = association.contextOf(STUDY_MOVE);
    const query = writeElements(levelQuery(studyUid, seriesUid), transferSyntax === EXPLICIT_LE);
    const command = {
      sopClassUid: STUDY_MOVE,
      field: COMMAND.move,
      priority: 0,
      moveDestination: destination,
    };
    await association.request(id, command, oneOf(query));
    for (;;) {
      const { command, dataSet } = await association.response();
      if (dataSet) await collect(dataSet);
      if (isPending(command.status)) continue;
      const { status, errorComment: comment, completed = 0, failed = 0 } = command;
      return { status, comment, completed, failed };
    }
  });

/**
 * C-GET: objects received in the same association are stored in the inbox as sent by that system.
 */
export function get(
  { peer, studyUid, seriesUid }: Task<"get">,
  own: OwnCertificates | null,
  inbox: InboxWriter,
): Promise<GateAnswer> {
  const contexts = [
    ...contextFor(STUDY_GET),
    ...IMAGE_CLASSES.flatMap((uid) =>
      Object.keys(STORAGE_SYNTAXES).map((syntax) => ({
        abstractSyntax: uid,
        transferSyntaxes: [syntax],
      }))
    ),
  ];
  const roles = IMAGE_CLASSES.map((sopClassUid) => ({ sopClassUid, isScu: false, isScp: true }));
  return within(Requestor.open(peer, contexts, own, roles), async (association) => {
    const { id, transferSyntax } = association.contextOf(STUDY_GET);
    const query = writeElements(levelQuery(studyUid, seriesUid), transferSyntax === EXPLICIT_LE);
    await association.request(
      id,
      { sopClassUid: STUDY_GET, field: COMMAND.get, priority: 0 },
      oneOf(query),
    );
    let completed = 0, failed = 0;
    for (;;) {
      const { command, dataSet, contextId } = await association.next();
      if (command.field === COMMAND.store && dataSet) {
        const { sopClassUid = "", sopInstanceUid = "" } = command;
        const { abstractSyntax, transferSyntax } = association.syntaxesOf(contextId);
        let status: number = STATUS.invalidInstance;
        if (isUid(sopInstanceUid) && sopClassUid === abstractSyntax) {
          const arriving = { sopClassUid, sopInstanceUid, transferSyntax, sender: peer.called };
          const { state } = await inbox.store(arriving, dataSet);
          status = state === "stored" || state === "known" ? STATUS.success : STATUS.outOfResources;
        } else for await (const _ of dataSet);
        if (status === STATUS.success) completed++;
        else failed++;
        await association.answer(contextId, {
          sopClassUid,
          sopInstanceUid,
          field: COMMAND.store | RESPONSE,
          respondedId: command.messageId,
          status,
        });
        continue;
      }
      if (dataSet) await collect(dataSet);
      if (command.field === (COMMAND.get | RESPONSE) && !isPending(command.status)) {
        failed = Math.max(failed, command.failed ?? 0);
        return { status: command.status, comment: command.errorComment, completed, failed };
      }
    }
  });
}

const references = (names: readonly (InstanceName & { reason?: number })[]) => ({
  vr: "SQ",
  Value: names.map(({ sopClassUid, sopInstanceUid, reason }): DicomJson => ({
    "00081150": { vr: "UI", Value: [sopClassUid] },
    "00081155": { vr: "UI", Value: [sopInstanceUid] },
    ...(reason === undefined ? {} : { "00081197": { vr: "US", Value: [reason] } }),
  })),
});

/**
 * N-ACTION: asks a remote system to confirm that sent objects are stored permanently.
 * The confirmation (storage commitment) arrives in a separate association.
 */
export const commit = (
  { peer, transactionUid, instances }: Task<"commit">,
  own: OwnCertificates | null,
): Promise<GateAnswer> =>
  within(Requestor.open(peer, contextFor(STORAGE_COMMITMENT), own), async (association) => {
    const { id, transferSyntax } = association.contextOf(STORAGE_COMMITMENT);
    const dataSet = writeElements({
      "00081195": { vr: "UI", Value: [transactionUid] },
      "00081199": references(instances),
    }, transferSyntax === EXPLICIT_LE);
    await association.request(id, {
      requestedClassUid: STORAGE_COMMITMENT,
      requestedInstanceUid: COMMITMENT_INSTANCE,
      field: COMMAND.action,
      actionTypeId: 1,
    }, oneOf(dataSet));
    const { command, dataSet: rest } = await association.response();
    if (rest) await collect(rest);
    return { status: command.status, comment: command.errorComment };
  });

/** N-EVENT-REPORT: reports which objects of a request are stored permanently on this site. */
export const commitResult = (
  { peer, transactionUid, committed, failed }: Task<"commit_result">,
  own: OwnCertificates | null,
): Promise<GateAnswer> => {
  // in storage commitment, the storing side requests this association as SCP (PS3.4 J.3.3)
  const roles = [{ sopClassUid: STORAGE_COMMITMENT, isScu: false, isScp: true }];
  return within(
    Requestor.open(peer, contextFor(STORAGE_COMMITMENT), own, roles),
    async (association) => {
      const { id, transferSyntax } = association.contextOf(STORAGE_COMMITMENT);
      const dataSet = writeElements({
        "00081195": { vr: "UI", Value: [transactionUid] },
        ...(committed.length > 0 ? { "00081199": references(committed) } : {}),
        ...(failed.length > 0 ? { "00081198": references(failed) } : {}),
      }, transferSyntax === EXPLICIT_LE);
      await association.request(id, {
        sopClassUid: STORAGE_COMMITMENT,
        sopInstanceUid: COMMITMENT_INSTANCE,
        field: COMMAND.eventReport,
        eventTypeId: failed.length > 0 ? 2 : 1,
      }, oneOf(dataSet));
      const { command, dataSet: rest } = await association.response();
      if (rest) await collect(rest);
      return { status: command.status, comment: command.errorComment };
    },
  );
};
