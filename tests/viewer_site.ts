// A core that is not ours, with one analysed patient, behind a real site: what the viewer's tests and benchmark open.
import type { Page } from "@playwright/test";
import { createSite } from "@/fresh.config.ts";
import { type Affine, affineFromRows, rowMajor, type Shape } from "@/model/geometry.ts";
import { PARTS } from "@/model/regions.ts";
import { makeHead } from "@/tests/phantom/head.ts";
import { landmarksOf, truthOn } from "@/tests/phantom/truth.ts";

const SHAPE: Shape = [100, 120, 112];
const RAS: Affine<"Ras", "Ijk"> = affineFromRows([[2, 0, 0, -99], [0, 2, 0, -131], [0, 0, 2, -100]]);

function npy(voxels: Uint8Array): Uint8Array<ArrayBuffer> {
  const [nx, ny, nz] = SHAPE;
  const text = `{'descr': '|u1', 'fortran_order': False, 'shape': (${nz}, ${ny}, ${nx}), }\n`;
  const magic = [0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0];
  const out = new Uint8Array(magic.length + text.length + voxels.length);
  out.set(magic);
  out.set(new TextEncoder().encode(text), magic.length);
  out.set(voxels, magic.length + text.length);
  return out;
}

/** Patient 1 is analysed; 2 is being analysed; 3 is analysed and has damaged files. */
export function otherCore() {
  const head = makeHead({ resolutionMm: 2 }), { labels, volumesMl } = truthOn(head, SHAPE, RAS);
  const base = Uint8Array.from(labels, (label) => label === 0 ? 30 : 90 + label);
  const files: Record<string, Uint8Array<ArrayBuffer>> = { t1w_file: npy(base), t1w_mask_file: npy(labels) };
  const results = PARTS.map(({ part, labels: [first, second] }) => ({
    part_index: second === undefined ? [first] : [first, second],
    brain_regions: part,
    volume_total: volumesMl[first]! + (second === undefined ? 0 : volumesMl[second]!),
    volume_left: second === undefined ? null : volumesMl[first]!,
    volume_right: second === undefined ? null : volumesMl[second]!,
    np_volume_total: 50,
    np_volume_left: second === undefined ? null : 21,
    np_volume_right: second === undefined ? null : 3,
    np_icv_total: null,
    np_icv_left: null,
    np_icv_right: null,
  }));
  const patient = (pid: number) => ({
    pid,
    patient_id: "P-1",
    patient_name: "Phantom One",
    patient_age: 70,
    patient_birthdate: "1950-01-01",
    patient_sex: "female",
    study_date: "2020-02-02",
    label_list: [],
    is_t1_uploaded: true,
    is_t2_uploaded: false,
    t1_analysis_date: "2020-02-03T00:00:00Z",
    t1_analysis_status: pid === 2 ? "processing" : "completed",
    t2_analysis_date: null,
    t2_analysis_status: null,
    history_count: 1,
    t1w_file: `/api/v1/patients/image/viewer/${pid}?file=t1w_file&v=0011223344556677`,
    t1_result: results,
    t1w_mask_file: `/api/v1/patients/image/viewer/${pid}?file=t1w_mask_file&v=0011223344556677`,
    t1_thick_result: null,
    thick_mask_file: null,
    t1w_np_mask_file: null,
    t2w_file: null,
    t2w_mask_file: null,
    wm: null,
    wmh: null,
    deep_wmh: null,
    peri_wmh: null,
    icv: 1400,
    norm_reason: null,
    aggregates: null,
    wmh_detail: null,
    t1_quality: null,
    t2_quality: null,
    surface_files: null,
  });
  const answer = (path: string, query: URLSearchParams): Response => {
    if (path.endsWith("/auth/login")) {
      return Response.json({ access_token: "a", refresh_token: "r", token_type: "bearer", expires_in: 900 });
    }
    if (path.endsWith("/user")) return Response.json({ user_id: 1, permission_list: [] });
    const image = path.match(/\/image\/viewer\/(\d+)$/);
    if (image) {
      const file = files[query.get("file") ?? ""]!;
      return new Response(image[1] === "3" ? file.subarray(0, 5000) : file);
    }
    if (path.endsWith("/volume")) {
      return Response.json({ affine: rowMajor(RAS), shape: SHAPE, spacing_mm: [2, 2, 2] });
    }
    const row = path.match(/\/patients\/(\d+)$/);
    return row ? Response.json(patient(Number(row[1]))) : new Response("{}", { status: 404 });
  };
  return {
    landmarks: landmarksOf(head),
    link: {
      fetch: (request: Request) => {
        const { pathname, searchParams } = new URL(request.url);
        return Promise.resolve(answer(pathname, searchParams));
      },
      subscribe: () => () => {},
      verifyToken: (token: string) => Promise.resolve(token === "a" ? { uid: 1, sid: "s" } : null),
    },
  };
}

/** Serves the site on a free port until `close`. */
export async function serveViewer(): Promise<{ origin: string; close(): Promise<void> }> {
  const site = await createSite({ core: otherCore().link, settings: { dataDir: null } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    async close() {
      await server.shutdown();
      site.close();
    },
  };
}

/** Signs a page in at {@link serveViewer}'s site: any password is right there. */
export async function enter(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.evaluate(async () => {
    await fetch("/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "a@b.c", password: "x" }),
    });
  });
}
