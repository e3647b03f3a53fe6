import { AppError } from "@/model/errors.ts";
import type { PeerTest } from "@/model/schema/connections/connections.ts";
import { INBOX } from "@/gate/link/tasks.ts";
import { testImageFile } from "@/core/dicom/write/test_image.ts";
import { knownPeers } from "@/core/services/connections/known_peers.ts";
import { deliver, writeChunks } from "@/core/services/connections/delivery.ts";
import { noteAnswer } from "@/core/services/connections/peers.ts";
import type { Caller, ServiceContext } from "@/core/services/context.ts";
import { checkMaintenance } from "@/core/services/site/maintenance.ts";

/**
 * Sends a picture of nobody to an archive, the way results go.
 * @throws {AppError} `access.forbidden`; `entity.not_found` when there is no such system, or it takes no objects.
 */
export async function sendTestImage(services: ServiceContext, id: number, caller: Caller): Promise<PeerTest> {
  const { db, gate } = services;
  await checkMaintenance(db, caller);
  const peer = (await knownPeers(db)).find((one) =>
    one.id === id && (one.kind === "dicom" || one.kind === "dicomweb")
  );
  if (!peer) throw new AppError("entity.not_found", "Cannot send a test image: it takes no objects");
  if (!gate) return { is_ok: false, failure: "no_gate", text: "" };
  const { sopClassUid, sopInstanceUid, chunks } = testImageFile();
  const path = `${gate.inbox}/${INBOX.sent}/test-${id}-${crypto.randomUUID()}.dcm`;
  try {
    await writeChunks(path, chunks());
    const file = { path, sopClassUid, sopInstanceUid, transferSyntax: "1.2.840.10008.1.2.1" };
    const failed = await deliver(services, peer, [file]);
    await noteAnswer(services, peer, "test_image", failed);
    return { is_ok: failed === null, failure: failed?.failure ?? null, text: failed?.text ?? "" };
  } finally {
    await Deno.remove(path).catch(() => {});
  }
}
