// covers: S-88
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";
import { readerFlags } from "@/server/commands/start/permissions.ts";
import { framesOf } from "@/server/core/dicom/worker/frame_parts.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const READER = `${ROOT}server/commands/start/reader.ts`;
const HANGING = `${ROOT}server/core/dicom/worker/hang_reader_fixture.ts`;

interface Scene {
  reader: DicomReader;
  folder: string;
  /** exit codes of the processes that have ended */
  codes: number[];
  /** of all that were started */
  pids: number[];
}

/** A reader's process, started again whenever it ends, as the launcher does; a server's access to it. */
async function withProcess(program: string, body: (scene: Scene) => Promise<void>): Promise<void> {
  const dataDir = await Deno.realPath(await Deno.makeTempDir({ prefix: "sulcus-reader-" }));
  const folder = `${dataDir}/blobs/incoming`, socket = `${dataDir}/reader.sock`;
  await Deno.mkdir(folder, { recursive: true });
  const heap = "--v8-flags=--max-old-space-size=128";
  const args = ["run", "--no-prompt", "--no-check", heap, ...readerFlags(dataDir, ROOT, socket)];
  const scene: Scene = {
    reader: new DicomReader({ folders: [], log: () => {}, socket, timeoutMs: 20_000 }),
    folder,
    codes: [],
    pids: [],
  };
  let isOver = false, process: Deno.ChildProcess | null = null;
  const running = (async () => {
    while (!isOver) {
      process = new Deno.Command(Deno.execPath(), {
        args: [...args, program, socket, folder],
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      scene.pids.push(process.pid);
      const { code } = await process.status;
      if (!isOver) scene.codes.push(code);
    }
  })();
  try {
    await body(scene);
  } finally {
    isOver = true;
    scene.reader.close();
    await process!.stdin.close().catch(() => {});
    await running;
    await Deno.remove(dataDir, { recursive: true });
  }
}

Deno.test("the process beside the server reads headers, attributes, pictures and frames as this one does", () =>
  withProcess(READER, async ({ reader, folder, codes }) => {
    const here = new DicomReader({ folders: [folder], log: () => {} }), paths: string[] = [];
    try {
      const series = phantomSeries("short", "PROCESS-1"), { bytes } = series[0]!;
      for (let n = 0; n < 40; n++) {
        const path = `${folder}/${n}`, all = series[n % series.length]!.bytes;
        await Deno.writeFile(path, n % 9 === 4 ? all.slice(0, 100 * n) : all);
        paths.push(path);
      }
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
      for (const kind of ["instances", "objects"] as const) {
        const [there, expected] = [
          await reader.headers(kind, paths, undefined),
          await here.headers(kind, paths, undefined),
        ];
        assert.deepEqual(plain(there), plain(expected));
        const failed = (all: readonly unknown[]) => all.map((one) => one instanceof Error);
        assert.deepEqual(failed(there), failed(expected));
        assert.ok(failed(there).includes(true) && failed(there).includes(false));
      }
      const whole = { bytes: bytes.slice(), isWhole: true, encoding: undefined };
      const attributes = await reader.read({ kind: "head", of: "attributes", ...whole });
      assert.deepEqual(
        attributes,
        plain(await here.read({ kind: "head", of: "attributes", ...whole, bytes: bytes.slice() })),
      );
      const rendering = { frame: 1 };
      assert.deepEqual(
        await reader.read({ kind: "picture", bytes: bytes.slice(), rendering }),
        renderFrame(bytes.slice(), rendering),
      );
      assert.deepEqual(
        await reader.read({ kind: "frames", bytes: bytes.slice(), wanted: [1] }),
        framesOf(bytes.slice(), [1]),
      );
      await assert.rejects(reader.read({ kind: "frames", bytes: bytes.slice(), wanted: [9] }), {
        code: "entity.not_found",
      });
      // the folder of the uploads, and no other
      const [error] = await reader.headers("objects", [`${folder}/../../reader.sock`], undefined);
      assert.ok(error instanceof Error);
      assert.deepEqual(codes, []);
    } finally {
      here.close();
    }
  }));

Deno.test("a file over which a thread loops or fills the memory is refused, and its process is gone", () =>
  withProcess(HANGING, async ({ reader, folder, codes, pids }) => {
    for (const trouble of ["forever", "heap", "buffers"]) {
      const before = pids.length, names = ["a", trouble, "b", "c"];
      const paths = names.map((name) => `${folder}/${name}`);
      const headers = await reader.headers("objects", paths, undefined);
      for (const [n, header] of headers.entries()) {
        if (names[n] !== trouble) assert.deepEqual(header, { header: paths[n], sender: "" });
        else {
          assert.ok(header instanceof AppError, `${trouble}: ${header}`);
          assert.deepEqual([header.code, header.details.reason], [
            "upload.format_not_supported",
            "unreadable",
          ]);
        }
      }
      assert.ok(pids.length > before, `${trouble} ended a process`);
      for (const pid of pids.slice(0, -1)) {
        assert.throws(() => Deno.statSync(`/proc/${pid}/exe`), Deno.errors.NotFound);
      }
    }
    assert.ok(codes.includes(3) && codes.every((code) => code !== 0), codes.join());
  }));

Deno.test("while no process reads, all files of a batch are to come later, after one wait", async () => {
  const log: string[] = [];
  const reader = new DicomReader({
    folders: [],
    log: (_, message) => void log.push(message),
    socket: "/nowhere/reader.sock",
    timeoutMs: 250,
  });
  const started = performance.now();
  const headers = await reader.headers(
    "objects",
    Array.from({ length: 100 }, (_, n) => `/${n}`),
    undefined,
  );
  assert.equal(headers.length, 100);
  for (const one of headers) assert.ok(one instanceof AppError && one.code === "server.busy");
  assert.ok(performance.now() - started < 10_000);
  assert.deepEqual(log, []);
  reader.close();
});
