/** Objects on their way to a system: written where the gate finds them, and sent by it. */
import type { SentFile } from "@/gate/link/tasks.ts";
import type { KnownPeer } from "@/core/services/connections/known_peers.ts";
import { askGate, authorization, dicomPeer, failureOf } from "@/core/services/connections/peers.ts";
import type { ServiceContext } from "@/core/services/context.ts";

/** Writes what the gate sends. @throws Error of the system, on a full disk say; half a file is left then. */
export async function writeChunks(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  using out = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  for await (const chunk of chunks) {
    for (let done = 0; done < chunk.length;) done += await out.write(chunk.subarray(done));
  }
}

/** What a STOW-RS answer says of objects that were not taken (PS3.18 10.5.3); `null`: all were. */
function stowFailure(peer: KnownPeer, body: string | undefined): { failure: string; text: string } | null {
  if (peer.kind !== "dicomweb" || !body) return null;
  try {
    const answer = JSON.parse(body) as Record<string, { Value?: Record<string, { Value?: unknown[] }>[] }>;
    const reason = answer["00081198"]?.Value?.[0]?.["00081197"]?.Value?.[0];
    if (reason === undefined) return null;
    return { failure: "status", text: `0x${Number(reason).toString(16).padStart(4, "0")}` };
  } catch {
    // XML, or nothing: the status said that it worked
    return null;
  }
}

/** Sends files by C-STORE, or by STOW-RS to a web service. @returns what failed; `null`: they arrived. */
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
