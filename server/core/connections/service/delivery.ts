/** Sends DICOM objects through the gate (network process), which reads files from a folder. */
import { AppError } from "@/model/errors.ts";
import type { PeerTest } from "@/model/schema/connections/connections.ts";
import { INBOX, type SentFile } from "@/server/gate/link/tasks.ts";
import { testImageFile } from "@/server/core/dicom/write/echo_image.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import {
  askGate,
  authorization,
  dicomPeer,
  failureOf,
  noteAnswer,
  ownWords,
} from "@/server/core/connections/service/peers.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/**
 * Writes a file that the gate sends. @throws the operating system's error, such as a full disk.
 * A partial file may remain on disk after an error.
 */
export async function writeChunks(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  using out = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  for await (const chunk of chunks) {
    for (let done = 0; done < chunk.length;) done += await out.write(chunk.subarray(done));
  }
}

/** First failure reason in a STOW-RS response (PS3.18 10.5.3); `null` without refused objects. */
function stowFailure(
  peer: KnownPeer,
  body: string | undefined,
): { failure: string; text: string } | null {
  if (peer.kind !== "dicomweb" || !body) return null;
  try {
    const answer = JSON.parse(body) as Record<
      string,
      { Value?: Record<string, { Value?: unknown[] }>[] }
    >;
    const reason = answer["00081198"]?.Value?.[0]?.["00081197"]?.Value?.[0];
    if (reason === undefined) return null;
    return { failure: "status", text: `0x${Number(reason).toString(16).padStart(4, "0")}` };
  } catch {
    // the response body is XML or empty: the HTTP status already indicates success
    return null;
  }
}

/**
 * Sends files by C-STORE, or by STOW-RS to a web service. @returns failure; `null`: success.
 */
export async function deliver(
  services: ServiceContext,
  peer: KnownPeer,
  files: SentFile[],
): Promise<{ failure: string; text: string } | null> {
  const answer = peer.kind === "dicomweb"
    ? await askGate(services, {
      kind: "http",
      method: "POST",
      url: `${peer.config.url}/studies`,
      headers: { accept: "application/dicom+json", ...authorization(peer) },
      body: { files },
    })
    : await askGate(services, {
      kind: "store",
      peer: dicomPeer(peer, services.gate?.aeTitle ?? "SULCUS"),
      files,
    });
  return failureOf(answer) ?? stowFailure(peer, answer.body);
}

/**
 * Sends a synthetic test image to an archive in the same way as results.
 * @throws {AppError} `access.forbidden`;
 * `entity.not_found` when the system is unknown or receives no objects.
 */
export async function sendTestImage(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<PeerTest> {
  const { db, gate } = services;
  await checkMaintenance(db, caller);
  const peer = (await knownPeers(db)).find((one) =>
    one.id === id && (one.kind === "dicom" || one.kind === "dicomweb")
  );
  if (!peer) {
    throw new AppError("entity.not_found", "Cannot send a test image: it takes no objects");
  }
  if (!gate) return { is_ok: false, failure: "no_gate", text: "" };
  const { sopClassUid, sopInstanceUid, chunks } = testImageFile();
  const path = `${gate.inbox}/${INBOX.sent}/test-${id}-${crypto.randomUUID()}.dcm`;
  try {
    await writeChunks(path, chunks());
    const file = { path, sopClassUid, sopInstanceUid, transferSyntax: "1.2.840.10008.1.2.1" };
    const failed = ownWords(await deliver(services, peer, [file]));
    await noteAnswer(services, peer, "test_image", failed);
    return { is_ok: failed === null, failure: failed?.failure ?? null, text: failed?.text ?? "" };
  } finally {
    await Deno.remove(path).catch(() => {});
  }
}
