// covers: S-88
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const HANG = new URL("./hang_worker_fixture.ts", import.meta.url);

async function withReader(
  body: (reader: DicomReader, folder: string, log: string[]) => Promise<void>,
  options: { script?: URL; timeoutMs?: number } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-reader-" }), log: string[] = [];
  const reader = new DicomReader({
    folders: [folder],
    log: (_, message) => void log.push(message),
    ...options,
  });
  try {
    await body(reader, folder, log);
  } finally {
    reader.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("workers read the headers of 100 files in their order, as this thread does, and leave errors in their places", () =>
  withReader(async (reader, folder) => {
    const series = phantomSeries("short", "READER-1"), paths: string[] = [];
    for (let n = 0; n < 100; n++) {
      const path = `${folder}/${n}`, bytes = series[n % series.length]!.bytes;
      await Deno.writeFile(path, n % 9 === 4 ? bytes.slice(0, 100 * n) : bytes);
      paths.push(path);
    }
    paths.push(`${folder}/missing`);
    const instances = await reader.headers("instances", paths, undefined);
    const objects = await reader.headers("objects", paths, undefined);
    for (const [n, path] of paths.entries()) {
      const here: unknown[] = [
        await readInstanceFile(path, "").catch((error) => error),
        await headerOfFile(path).catch((error) => error),
      ];
      for (const [at, other] of [instances[n]!, objects[n]!].entries()) {
        const own = here[at];
        if (!(own instanceof Error)) assert.deepEqual(other, own);
        else if (own instanceof AppError) {
          assert.ok(other instanceof AppError);
          assert.deepEqual([other.code, other.details], [own.code, own.details]);
        } else assert.deepEqual((other as { code?: string }).code, (own as { code?: string }).code);
      }
    }
  }));

Deno.test("a worker may read the files that have arrived, and nothing else", () =>
  withReader(async (reader) => {
    const [error] = await reader.headers("objects", ["/etc/hostname"], undefined);
    assert.match(String(error), /read access|NotCapable/i);
  }));

Deno.test("a file over which a worker hangs or dies is refused by itself; those beside it are read", () =>
  withReader(async (reader, folder, log) => {
    const names = Array.from(
      { length: 40 },
      (_, n) => n === 7 ? "hang" : n === 9 || n === 35 ? "die" : `${n}`,
    );
    const paths = names.map((name) => `${folder}/${name}`);
    const headers = await reader.headers("objects", paths, undefined);
    for (const [n, header] of headers.entries()) {
      if (!/hang|die/.test(paths[n]!)) assert.deepEqual(header, { header: paths[n], sender: "" });
      else {
        assert.ok(header instanceof AppError);
        assert.deepEqual([header.code, header.details.reason], [
          "upload.format_not_supported",
          "unreadable",
        ]);
      }
    }
    assert.ok(
      log.length >= 3 && log.every((line) => line === "A worker that reads DICOM was ended"),
    );
    assert.equal((await reader.headers("objects", [`${folder}/good`], undefined)).length, 1);
  }, { script: HANG, timeoutMs: 700 }));

Deno.test("pictures are those of this thread; more of them than may wait are told to come later", () =>
  withReader(async (reader) => {
    const { bytes } = phantomSeries("short", "READER-2")[0]!;
    const rendering = { frame: 1, viewport: { width: 4096, height: 4096 } };
    const here = renderFrame(bytes.slice(), rendering);
    const [width, height] = [[0xff, 0xc0]].map(([a, b]) => {
      const at = here.findIndex((byte, n) => byte === a && here[n + 1] === b);
      return [here[at + 7]! * 256 + here[at + 8]!, here[at + 5]! * 256 + here[at + 6]!];
    })[0]!;
    assert.ok(
      width! * height! <= 2048 * 2048 && Math.max(width!, height!) >= 2000,
      `${width} × ${height}`,
    );
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const drawn = await reader.read({ kind: "picture", bytes: bytes.slice(), rendering });
    clearInterval(timer);
    assert.deepEqual(drawn, here);
    assert.ok(ticks > 5, "this thread is free meanwhile");
    const small = { frame: 1, viewport: { width: 8, height: 8 } };
    const asked = Array.from(
      { length: 90 },
      () =>
        reader.read({ kind: "picture", bytes: bytes.slice(), rendering: small }).then(
          () => "drawn",
          (error) => error.code as string,
        ),
    );
    const answers = await Promise.all(asked);
    assert.deepEqual([...new Set(answers)].sort(), ["drawn", "server.busy"]);
    assert.ok(answers.filter((one) => one === "drawn").length >= 60);
    await assert.rejects(
      reader.read({ kind: "picture", bytes: bytes.slice(), rendering: { frame: 2 } }),
      {
        code: "entity.not_found",
      },
    );
  }));
