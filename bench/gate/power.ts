// deno task bench gate --power [--rounds 20] [--seed 1]
// The power of the inbox's disk is cut repeatedly while four senders store objects. Afterwards each
// acknowledged object must be on the disk, unchanged. Needs root, as does
// `deno task endurance crash --only power`.
import { createHash } from "node:crypto";
import { diskPlace } from "@/tests/endurance/crash/place.ts";
import { optionOf } from "@/bench/record.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { headBytesOf } from "@/server/gate/receive/part10.ts";
import { EXPLICIT_LE } from "@/server/gate/dimse/uids.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const SENDERS = 4, LEAST_MS = 200, MOST_MS = 1500, MAX_BYTES = 600_000;
const MR = "1.2.840.10008.5.1.4.1.1.4";

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Process that stores objects until it is killed; prints each acknowledged object. */
async function storeOn(folder: string, round: number): Promise<never> {
  const inbox = new InboxWriter(folder), random = new Random(round + 1);
  await inbox.open();
  await Promise.all(Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0;; n++) {
      const uid = `1.2.${round}.${sender}.${n}`;
      const bytes = crypto.getRandomValues(
        new Uint8Array(1 + Math.floor(random.between(0, 65_536))),
      );
      const pieces = Array.from(
        { length: 1 + Math.floor(random.between(0, MAX_BYTES / 65_536)) },
        () => bytes,
      );
      const { state } = await inbox.store(
        { sopClassUid: MR, sopInstanceUid: uid, transferSyntax: EXPLICIT_LE, sender: "BENCH" },
        ReadableStream.from(pieces),
      );
      if (state !== "stored") await new Promise(() => {});
      const digest = createHash("sha256");
      for (const piece of pieces) digest.update(piece);
      const line = `${uid} ${digest.digest("hex")}\n`;
      Deno.stdout.writeSync(new TextEncoder().encode(line));
    }
  }));
  throw new Error("Nobody has ended it");
}

/** Cuts the power `--rounds` times, and reports lost and changed objects. */
export async function measurePower(): Promise<void> {
  const rounds = Number(optionOf("rounds") ?? 20),
    random = new Random(Number(optionOf("seed") ?? 1));
  const place = await diskPlace(),
    folder = `${place.folder}/inbox`,
    acknowledged = new Map<string, string>();
  let lost = 0, changed = 0;
  try {
    await Deno.mkdir(folder);
    for (let round = 0; round < rounds; round++) {
      const process = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", import.meta.url, folder, String(round)],
        stdout: "piped",
        stderr: "null",
      }).spawn();
      let said = "";
      const reading = (async () => {
        for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) said += text;
      })();
      while (said === "") await new Promise((resolve) => setTimeout(resolve, 20));
      await new Promise((resolve) => setTimeout(resolve, random.between(LEAST_MS, MOST_MS)));
      await place.cutPower!();
      const known = said;
      try {
        process.kill("SIGKILL");
      } catch { /* without its disk it has ended */ }
      await process.status;
      await reading;
      for (const line of known.split("\n").slice(0, -1)) {
        const [uid, digest] = line.split(" ");
        acknowledged.set(uid!, digest!);
      }
      await place.restorePower();
      const left = [...Deno.readDirSync(`${folder}/${INBOX.partial}`)].length;
      await new InboxWriter(folder).open();
      const names = [...Deno.readDirSync(`${folder}/${INBOX.received}`)].map(({ name }) => name);
      for (const [uid, digest] of acknowledged) {
        if (!names.includes(`${uid}.dcm`)) lost++;
        else {
          const bytes = await Deno.readFile(`${folder}/${INBOX.received}/${uid}.dcm`);
          if (digestOf(bytes.subarray(headBytesOf(bytes)!)) !== digest) changed++;
        }
      }
      console.log(
        `cut ${
          round + 1
        }: ${acknowledged.size} acknowledged, ${left} where they were written, ${lost} lost, ${changed} changed`,
      );
      for (const name of names) await Deno.remove(`${folder}/${INBOX.received}/${name}`);
      acknowledged.clear();
    }
  } finally {
    await place.remove();
  }
  console.log(`${rounds} cuts: ${lost} lost, ${changed} changed`);
  if (lost + changed > 0) Deno.exitCode = 1;
}

if (import.meta.main) await storeOn(Deno.args[0]!, Number(Deno.args[1]));
