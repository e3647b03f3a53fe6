import {
  acceptPdu,
  concat,
  ProtocolError,
  readAccept,
  readRequest,
  requestPdu,
} from "@/server/gate/dimse/pdu.ts";
import { COMMAND, readCommand, writeCommand } from "@/server/gate/dimse/command.ts";
import { readElements, writeElements } from "@/server/gate/dimse/elements.ts";
import { EXPLICIT_LE, STUDY_FIND } from "@/server/gate/dimse/uids.ts";
import { headBytesOf, part10Head, readMeta } from "@/server/gate/receive/part10.ts";
import { acknowledged } from "@/server/core/connections/service/messages.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { pick, type Target } from "@/tests/fuzz/targets.ts";

const association = { called: "SULCUS", calling: "PEER", maxPduBytes: 16_384 };
const roles = [{ sopClassUid: STUDY_FIND, isScu: true, isScp: false }];

/** Rethrows unexpected errors, that is, all except protocol errors of the peer. */
function expectProtocol(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
}

/** Damaged input of the gate: associations, commands, data sets, file headers, acknowledgements. */
export function gateTarget(): Target {
  const HEAD = 6;
  const request = requestPdu({
    ...association,
    roles,
    contexts: [{ id: 1, abstractSyntax: STUDY_FIND, transferSyntaxes: [EXPLICIT_LE] }],
  }).subarray(HEAD);
  const accept = acceptPdu({
    ...association,
    roles,
    contexts: [{ id: 1, result: 0, transferSyntax: EXPLICIT_LE }],
  })
    .subarray(HEAD);
  const command = writeCommand({
    sopClassUid: STUDY_FIND,
    field: COMMAND.find,
    messageId: 1,
    dataSetType: 1,
  });
  const json = {
    "00080052": { vr: "CS", Value: ["STUDY"] },
    "00100010": { vr: "PN", Value: [{ Alphabetic: "KIM^A" }] },
    "00081199": { vr: "SQ", Value: [{ "00081150": { vr: "UI", Value: [STUDY_FIND] } }] },
  };
  const uids = { sopClassUid: "1.2", sopInstanceUid: "1.2.3", transferSyntax: EXPLICIT_LE };
  const file = concat([part10Head({ ...uids, sender: "PEER" }), writeElements(json)]);
  const message = new TextEncoder().encode(
    "MSH|^~\\&|A|B|C|D|20260101||ACK|1|P|2.5\rMSA|AA|1|fine\r",
  );
  const cases: ((bytes: (whole: Uint8Array) => Uint8Array<ArrayBuffer>) => unknown)[] = [
    (bytes) => readRequest(bytes(request)),
    (bytes) => readAccept(bytes(accept)),
    (bytes) => readCommand(bytes(command)),
    (bytes) => readElements(bytes(writeElements(json)), true),
    (bytes) => readElements(bytes(writeElements(json, false)), false),
    (bytes) => headBytesOf(bytes(file)),
    (bytes) => acknowledged(new TextDecoder().decode(bytes(message))),
  ];
  return async (random) => {
    const damaged = (whole: Uint8Array) => mutate(new Uint8Array(whole), random);
    expectProtocol(() => pick(random, cases)(damaged));
    const { dataSet } = await readMeta((async function* () {
      await Promise.resolve();
      yield damaged(file);
    })());
    for await (const piece of dataSet) if (piece.length < 0) throw new Error("no length");
  };
}
