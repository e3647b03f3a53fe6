/**
 * Sign-in benchmark: cost of guessing a password, and whether response times reveal which accounts
 * exist. Refusals of a known and an unknown address alternate, so that other load slows both.
 *
 * deno task bench sign_in [--json FILE]
 */
import { AppError } from "@/model/errors.ts";
import { openData } from "@/server/core/mod.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { login } from "@/server/core/accounts/service/auth.ts";
import { RULES } from "@/server/core/accounts/service/sign_in_delay.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { hashPassword } from "@/server/core/accounts/service/password.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { finish, type Row } from "@/bench/record.ts";

const KNOWN = "known@hospital.test", UNKNOWN = "nobody@hospital.test";
const WARM_PAIRS = 3, PAIRS = 60, HASHES = 15;
/** Minimum time of one hash, ms; maximum difference between both kinds of refusal, %. */
const HASH_BAR_MS = 50, DIFFERENCE_BAR_PERCENT = 10;

const round = (value: number) => Math.round(value * 100) / 100;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** @returns times of both kinds of refusal, ms, and the number of wrong responses. */
async function refusals(
  services: ServiceContext,
): Promise<{ times: Record<string, number[]>; wrong: number }> {
  const times: Record<string, number[]> = { [KNOWN]: [], [UNKNOWN]: [] };
  let wrong = 0, nowMs = Date.now();
  for (let pair = 0; pair < WARM_PAIRS + PAIRS; pair++) {
    // the order alternates, because the previous attempt may slow the next one (garbage collection)
    const order = pair % 2 === 0 ? [KNOWN, UNKNOWN] : [UNKNOWN, KNOWN];
    for (const email of order) {
      const ms = await timed(async () => {
        const code = await login(services, { email, password: "not-the-password-1" }, null, nowMs)
          .then(() => "none", (error) => error instanceof AppError ? error.code : String(error));
        if (code !== "auth.invalid") wrong++;
      });
      if (pair >= WARM_PAIRS) times[email]!.push(ms);
    }
    // advances the time until earlier failures are forgiven
    nowMs += RULES.place.forgivenMs * 10 + 1;
  }
  return { times, wrong };
}

async function measure(): Promise<Row[]> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-bench-" }), db = openData(dataDir);
  const services: ServiceContext = {
    db,
    blobs: new DiskBlobs(`${dataDir}/blobs`),
    log: () => {},
    publish: () => {},
    wakeJobs: () => {},
    missingFindings: { request: () => [] },
    cancelJob: () => Promise.resolve(false),
    dataDir,
    pdf: new PdfRenderer(),
    engine: { threads: 1 },
  };
  try {
    await addUser(db, { email: KNOWN, password: "right-1-password" });
    const hashes = [];
    for (let n = 0; n < HASHES; n++) {
      hashes.push(await timed(() => hashPassword("right-1-password")));
    }
    const { times, wrong } = await refusals(services);
    const known = median(times[KNOWN]!), unknown = median(times[UNKNOWN]!);
    const percent = 100 * Math.abs(known - unknown) / Math.min(known, unknown);
    const row = (name: string, value: number, unit: string, rest: Partial<Row> = {}): Row => ({
      suite: "sign_in",
      name,
      value: round(value),
      unit,
      baseline: null,
      ratio: null,
      bar: null,
      ok: wrong === 0,
      ...rest,
    });
    const least = Math.min(...hashes);
    return [
      row("one password hash, least", least, "ms", {
        bar: `>= ${HASH_BAR_MS}`,
        ok: least >= HASH_BAR_MS,
      }),
      row("refusal of a wrong password, median", known, "ms"),
      row("refusal of an unknown address, median", unknown, "ms", {
        baseline: round(known),
        ratio: round(unknown / known),
      }),
      row("difference of the two medians", percent, "%", {
        bar: DIFFERENCE_BAR_PERCENT,
        ok: wrong === 0 && percent < DIFFERENCE_BAR_PERCENT,
      }),
    ];
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
}

if (import.meta.main) {
  finish("deno task bench sign_in", `${PAIRS} pairs of refusals in turn`, await measure());
}
