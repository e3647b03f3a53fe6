// Sites with the same voxels: our site with one patient per size, and a page with NiiVue.
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import { type BenchVolumes, doubled, makeVolumes, niftiOf } from "@/bench/viewer/phantom.ts";
import { send, type SentFile, sentFile, sentVolume } from "@/bench/viewer/sent_file.ts";
import { createSite } from "@/server/edge/site.ts";
import { encodeArray } from "@/server/core/analyses/service/files/npy.ts";
import { rowMajor } from "@/model/geometry.ts";
import { reglCsp } from "@/tools/pages/regl_csp.ts";
import { type SurfaceFile, surfaceFile } from "@/model/schema/studies/viewer_files.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { otherCore } from "@/tests/viewer/viewer_site.ts";

/** Study numbers: the head on 256³, on 512³, and on 256³ with a surface. */
export const PATIENT_256 = 256, PATIENT_512 = 512, PATIENT_SURFACE = 327;
/** Number of another study of the first patient, with a slightly moved head. */
export const PATIENT_PRIOR = 257;
const MOVED = [0.9986, -0.0523, 0, 3, 0.0523, 0.9986, 0, -2, 0, 0, 1, 1.5, 0, 0, 0, 1];
/** Subdivision level of the surface's sphere: 20 · 4^7 triangles. */
export const BALL = 7;

export interface BenchSite {
  volumes: BenchVolumes;
  /** number of triangles of the surface */
  triangles: number;
  /** origin of our site */
  origin: string;
  /** origin of the same site without server-rendered first pictures */
  unpictured: string;
  /** origin of NiiVue's page and of the page with the presenters */
  peer: string;
  close(): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

/** Bundles a page's script with the options of the product. */
async function bundled(file: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [`${ROOT}/${file}`],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    alias: { "@": ROOT },
    plugins: [reglCsp()],
  });
  return outputFiles[0]!.text;
}

const PAGE = (script: string) =>
  `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;height:100%}
canvas{display:block;width:100vw;height:100vh}</style><canvas id="view"></canvas>
<script type="module" src="${script}"></script>`;

async function servePeer(volumes: BenchVolumes) {
  const files = new Map([
    ["/base.nii", sentFile(niftiOf(volumes, volumes.base))],
    ["/labels.nii", sentFile(niftiOf(volumes, volumes.labels))],
  ]);
  const text = new Map<string, [type: string, body: string | Uint8Array<ArrayBuffer>]>([
    ["/", ["text/html", PAGE("/peer.js")]],
    ["/peer.js", ["text/javascript", await bundled("bench/viewer/peer_page.ts")]],
    ["/presenters", ["text/html", PAGE("/presenters.js")]],
    ["/presenters.js", ["text/javascript", await bundled("tests/viewer/presenters_page.ts")]],
    ["/kernels.wasm", [
      "application/wasm",
      await Deno.readFile(`${ROOT}/wasm/pkg/kernels/bind_browser_bg.wasm`),
    ]],
  ]);
  await esbuild.stop();
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname } = new URL(request.url), file = files.get(pathname);
    if (file) return send(request, file);
    const [type, body] = text.get(pathname) ?? ["text/plain", ""];
    return new Response(body, { headers: { "content-type": type } });
  });
}

/** Files of a folded sphere of the size of a brain. */
function surfaceFiles(): Map<SurfaceFile, SentFile> {
  const { positions, normals, faces, values } = foldedBall(BALL), n = positions.length / 3;
  return new Map([
    ["verts", sentFile(encodeArray(positions, [n, 3]))],
    ["faces", sentFile(encodeArray(faces, [faces.length / 3, 3]))],
    ["normals", sentFile(encodeArray(normals, [n, 3]))],
    ["values", sentFile(encodeArray(values, [n]))],
  ]);
}

/** Serves both sites until `close()` is called. */
export async function serveBench(): Promise<BenchSite> {
  const volumes = makeVolumes(),
    patients = new Map<number, BenchVolumes>([
      [PATIENT_256, volumes],
      [PATIENT_PRIOR, volumes],
      [PATIENT_SURFACE, volumes],
    ]);
  const files = new Map<string, Promise<SentFile>>();
  /** Volumes of a patient, created on request because the largest ones take 0.25 GB. */
  const volumesOf = (pid: number) => {
    if (pid === PATIENT_512 && !patients.has(pid)) patients.set(pid, doubled(volumes));
    return patients.get(pid);
  };
  const { link } = otherCore(), surface = surfaceFiles();
  const answer = async (request: Request): Promise<Response | null> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith("/comparables")) {
      const prior = {
        pid: PATIENT_PRIOR,
        study_date: "2019-02-02",
        series: ["t1"],
        viewer_from_other: MOVED,
      };
      return Response.json({ studies: [prior], commissures: null });
    }
    const array = surface.get(/\/secure\/(\w+)\.npy$/.exec(pathname)?.[1] as SurfaceFile);
    if (array) return await send(request, array);
    const image = /\/image\/viewer\/(\d+)$/.exec(pathname),
      volume = /\/patients\/(\d+)\/volume$/.exec(pathname);
    const pid = Number((image ?? volume)?.[1] ?? 0), found = pid === 0 ? undefined : volumesOf(pid);
    if (!found) return null;
    if (volume) {
      const spacing = 256 / found.shape[0];
      return Response.json({
        affine: rowMajor(found.rasFromIjk),
        shape: found.shape,
        spacing_mm: [spacing, spacing, spacing],
      });
    }
    const field = searchParams.get("file") ?? "", key = `${pid} ${field}`;
    if (field !== "t1w_file" && field !== "t1w_mask_file") return null;
    const voxels = field === "t1w_file" ? found.base : found.labels;
    if (!files.has(key)) files.set(key, sentVolume(found.shape, voxels));
    return await send(request, await files.get(key)!);
  };
  for (const file of ["t1w_file", "t1w_mask_file"]) {
    await answer(new Request(`http://bench/image/viewer/${PATIENT_256}?file=${file}`));
  }
  const core = {
    ...link,
    async fetch(request: Request) {
      const ours = await answer(request),
        pid = /\/patients\/(\d+)$/.exec(new URL(request.url).pathname)?.[1];
      if (ours || pid === undefined) return ours ?? await link.fetch(request);
      const address = (field: SurfaceFile) =>
        `/api/v1/secure/${field}.npy?pid=${pid}&v=0011223344556677`;
      const addresses = Object.fromEntries(
        surfaceFile.options.map((field) => [field, address(field)]),
      );
      const patient = await (await link.fetch(request)).json();
      return Response.json({
        ...patient,
        surface_files: Number(pid) === PATIENT_SURFACE ? addresses : null,
      });
    },
  };
  const site = await createSite({ core, settings: { dataDir: null } });
  const plain = await createSite({ core, settings: { dataDir: null, hasPictures: false } });
  const peer = await servePeer(volumes);
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  const plainServer = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => plain.fetch(request, info),
  );
  return {
    volumes,
    triangles: 20 * 4 ** BALL,
    origin: `http://127.0.0.1:${server.addr.port}`,
    unpictured: `http://127.0.0.1:${plainServer.addr.port}`,
    peer: `http://127.0.0.1:${peer.addr.port}`,
    async close() {
      await Promise.all([server.shutdown(), plainServer.shutdown(), peer.shutdown()]);
      site.close();
      plain.close();
    },
  };
}
