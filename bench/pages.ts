/**
 * Throughput: worklist pages rendered per second, and the API's throughput through an edge (a web
 * server process before the core) relative to the core itself. The load generator shares the
 * processor, so processor time per response is measured too. A wrong response fails the benchmark.
 *
 * deno task bench pages [--seconds N] [--only pages,proxy] [--json FILE]; needs a built site.
 */
import { createHash } from "node:crypto";
import { openData } from "@/server/core/mod.ts";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { addLargeFile, FILE_BYTES } from "@/bench/pages/large_file.ts";
import { askFor, type Throughput } from "@/bench/pages/requests.ts";
import { processorSeconds } from "@/bench/machine/processes.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { signInPage } from "@/bench/server/server_site.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

const EMPTY_BAR = 800, FULL_BAR = 300, PROXY_BAR = 0.8;
const CONNECTIONS = 8, ROUNDS = 3, STUDIES = 60, KEY = "a-key-of-a-benchmark-0123456789abcd";

const seconds = Number(optionOf("seconds") ?? 5);

interface Measured {
  /** responses per second */
  rate: number;
  /** processor time of the server per response, ms */
  ms: number;
  bytes: number;
  isRight: boolean;
}

/** A URL to request, and the processes that serve the request. */
interface Way {
  url: string;
  sites: readonly Site[];
}

/** Best of several alternating rounds for each URL: other programs can only slow a server down. */
async function ratesOf(
  ways: readonly Way[],
  path: string,
  headers: Record<string, string>,
): Promise<Measured[]> {
  const once = async ({ url, sites }: Way): Promise<Measured> => {
    const used = () => sites.reduce((sum, { process }) => sum + processorSeconds(process.pid), 0);
    const before = used();
    const result: Throughput = await askFor({
      url,
      path,
      headers,
      connections: CONNECTIONS,
      seconds,
    });
    return {
      rate: result.answers / result.seconds,
      ms: 1000 * (used() - before) / result.answers,
      bytes: result.bytes / result.answers,
      isRight: result.wrong === 0,
    };
  };
  for (const way of ways) await once(way);
  const measured: Measured[][] = ways.map(() => []);
  for (let n = 0; n < ROUNDS; n++) {
    for (const [i, way] of ways.entries()) measured[i]!.push(await once(way));
  }
  return measured.map((rounds) => ({
    ...rounds.reduce((a, b) => b.rate > a.rate ? b : a),
    ms: Math.min(...rounds.map(({ ms }) => ms)),
    isRight: rounds.every((one) => one.isRight),
  }));
}

const figure = rowMaker("pages");
const row = (
  name: string,
  value: number,
  unit: string,
  ok: boolean,
  bar: string | null = null,
  baseline: number | null = null,
): Row => figure(name, value, unit, { ok, bar, baseline });

async function pageRows(name: string, path: string, bar: number, studies: number): Promise<Row[]> {
  await using site = await startSite();
  if (studies > 0) await fill(site.dataDir, studies);
  const cookie = await signInPage(site.url, EMAIL, PASSWORD);
  const page = await (await fetch(site.url + path, { headers: { cookie } })).text();
  const rows = page.match(/<tr[ >]/g)?.length ?? 0;
  const [one] = await ratesOf([{ url: site.url, sites: [site] }], path, { cookie });
  const { rate, ms, bytes, isRight } = one!;
  const ok = isRight && (studies === 0 || rows >= 50);
  return [
    row(name, rate, "pages/s", ok && rate >= bar, `≥ ${bar}`),
    row(`${name}: processor time of the server`, ms, "ms a page", ok),
    row(`${name}: size`, bytes / 1000, "kB", ok),
  ];
}

async function fill(dataDir: string, studies: number): Promise<void> {
  const db = openData(dataDir);
  try {
    await fillPatients(db, dataDir, studies);
  } finally {
    await db.destroy();
  }
}

/** Whether all URLs return exactly the expected bytes. */
async function areWhole(urls: readonly string[], headers: Record<string, string>, sha256: string) {
  const hashes = await Promise.all(urls.map(async (url) => {
    const answer = await fetch(url, { headers: { ...headers, "accept-encoding": "identity" } });
    return createHash("sha256").update(await answer.bytes()).digest("hex");
  }));
  return hashes.every((hash) => hash === sha256);
}

/** A page of the list and a file of 16 MiB, from the core itself and through an edge. */
async function proxyRows(): Promise<Row[]> {
  // no rate limit, because the load generator exceeds it
  await using core = await startSite({
    env: { SULCUS_CORE_KEY: KEY, SULCUS_CALLS_PER_MINUTE: "0" },
  });
  await fill(core.dataDir, STUDIES);
  const file = await addLargeFile(core.dataDir),
    kept = `${file.path}&v=${file.sha256.slice(0, 16)}`;
  await using edge = await startSite({ env: { SULCUS_CORE_URL: core.url, SULCUS_CORE_KEY: KEY } });
  const login = await fetch(`${core.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const headers = { authorization: `Bearer ${(await login.json()).access_token}` };
  const ways = [{ url: core.url, sites: [core] }, { url: edge.url, sites: [core, edge] }];
  const rows: Row[] = [];
  const isWhole = await areWhole(
    [core, edge].flatMap(({ url }) => [url + file.path, url + kept]),
    headers,
    file.sha256,
  );
  for (
    const [what, path, bytes] of [
      ["a list of 50", "/api/v1/patients?page_size=50", null],
      // a URL without a version of the content, which the edge must not cache
      ["a file of 16 MiB", file.path, FILE_BYTES],
      ["a file of 16 MiB that the edge keeps", kept, FILE_BYTES],
    ] as const
  ) {
    const [direct, through] = await ratesOf(ways, path, headers) as [Measured, Measured];
    const ok = direct.isRight && through.isRight &&
      (bytes === null
        ? direct.bytes === through.bytes
        : isWhole && direct.bytes === bytes && through.bytes === bytes);
    rows.push(
      row(
        `proxy, ${what}`,
        through.rate,
        "answers/s",
        ok && through.rate >= PROXY_BAR * direct.rate,
        `≥ ${PROXY_BAR} ×`,
        direct.rate,
      ),
      row(
        `proxy, ${what}: processor time of both`,
        through.ms,
        "ms an answer",
        ok,
        null,
        direct.ms,
      ),
    );
  }
  return rows;
}

const PARTS = {
  pages: async () => [
    ...await pageRows("worklist page, no study", "/", EMPTY_BAR, 0),
    ...await pageRows("worklist page, 50 rows", "/?size=50", FULL_BAR, STUDIES),
  ],
  proxy: proxyRows,
};
const only = optionOf("only")?.split(",");
const rows: Row[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (only === undefined || only.includes(name)) rows.push(...await measure());
}
finish(
  "deno task bench pages",
  `${CONNECTIONS} connections, ${ROUNDS} rounds of ${seconds} s`,
  rows,
);
