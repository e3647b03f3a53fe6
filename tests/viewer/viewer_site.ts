// Simulated core with analysed patients behind a site, for the viewer's tests and benchmark.
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { createSite, type SiteServer } from "@/server/edge/site.ts";
import type { Log } from "@/server/edge/remote/core_link.ts";
import {
  type Affine,
  affineFromRows,
  applyAffine,
  rowMajor,
  type Shape,
} from "@/model/geometry.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import { isReadOnFlair } from "@/model/norms/any_contrast_error.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import { isCortex, isInverted, PARTS } from "@/model/regions/regions.ts";
import type { FlairStructure } from "@/model/schema/studies/flair_structure.ts";
import type { Patient, RegionData, ThicknessData } from "@/model/schema/studies/patients.ts";
import { type ViewerFile, viewerFile } from "@/model/schema/studies/viewer_files.ts";
import type { Settings } from "@/model/schema/site/settings.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import { landmarksOf, truthOn } from "@/server/commands/demo/phantom/truth.ts";
import { DEEP, PERIVENTRICULAR } from "@/viewer/colours.ts";

type Listener = (event: ServerEvent, audience: Audience) => void;

const SHAPE: Shape = [100, 120, 112];
const RAS: Affine<"Ras", "Ijk"> = affineFromRows([[2, 0, 0, -99], [0, 2, 0, -131], [
  0,
  0,
  2,
  -100,
]]);

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

/** A series without analysis, 8 mm voxels; bright only on the patient's left. */
const VIEWED: Volume = {
  shape: [25, 30, 28],
  rasFromIjk: affineFromRows([[8, 0, 0, -96], [0, 8, 0, -128], [0, 0, 8, -97]]),
  voxels: Int16Array.from({ length: 25 * 30 * 28 }, (_, v) => v % 25 < 12 ? 900 : 40),
};
const REFUSED = { files: 28, reason: "unclassified", details: {} };

/** Lesions in the phantom's white matter: centre, RAS mm; radius, mm; label value. */
export const LESIONS = [
  { centreRasMm: [33, -59, 24], radiusMm: 6, value: DEEP },
  { centreRasMm: [23, -17, 44], radiusMm: 5, value: DEEP },
  { centreRasMm: [-23, -7, 42], radiusMm: 7, value: PERIVENTRICULAR },
] as const;

/** Cortical thickness of a label, mm: 1.5 to 3.3, constant within the label. */
export const thicknessOf = (label: number): number => 1.5 + (label % 10) * 0.2;

/** Parts that are measured on a FLAIR series alone. */
const DEEP_PARTS = PARTS.filter(({ labels: [label] }) => isReadOnFlair(label));
const DEEP_LABELS: ReadonlySet<number> = new Set(DEEP_PARTS.flatMap(({ labels }) => [...labels]));

/** Viewer files of a head. */
function makeFiles(labels: Uint8Array): Record<ViewerFile, Uint8Array<ArrayBuffer>> {
  const lesions = new Uint8Array(labels.length), [nx, ny] = SHAPE;
  for (const [v, label] of labels.entries()) {
    if (label !== 1 && label !== 2) continue;
    const at = applyAffine(RAS, [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))]);
    const lesion = LESIONS.find(({ centreRasMm, radiusMm }) =>
      Math.hypot(...centreRasMm.map((x, r) => x - at[r]!)) <= radiusMm
    );
    lesions[v] = lesion?.value ?? 0;
  }
  const isFluid = (label: number) => label >= 15 && label <= 18;
  return {
    t1w_file: npy(Uint8Array.from(labels, (label) => label === 0 ? 30 : 90 + label)),
    t1w_mask_file: npy(labels),
    thick_mask_file: npy(
      Uint8Array.from(labels, (label) => isCortex(label) ? Math.round(thicknessOf(label) * 51) : 0),
    ),
    t1w_np_mask_file: npy(Uint8Array.from(labels, (label) => label === 0 ? 255 : 21)),
    t2w_file: npy(
      Uint8Array.from(
        labels,
        (label, v) =>
          lesions[v] ? 230 : label === 0 ? 20 : isFluid(label) ? 45 : isCortex(label) ? 140 : 110,
      ),
    ),
    t2w_mask_file: npy(lesions),
    t2w_region_mask_file: npy(labels.map((label) => DEEP_LABELS.has(label) ? label : 0)),
    icv_mask_file: npy(Uint8Array.from(labels, (label) => label === 0 ? 0 : 1)),
  };
}

const ranked = (value: number | null, label = 19) =>
  value === null ? null : rankAt(value, { isInverted: isInverted(label), sd: 0.3 });

const volumeFacts = (volumesMl: readonly number[], hasNorms: boolean): RegionData[] =>
  PARTS.map(({ part, labels: [first, second] }) => {
    const np = (value: number) => hasNorms ? value : null;
    const side = (value: number) => second === undefined ? null : np(value);
    return {
      part_index: second === undefined ? [first] : [first, second],
      brain_regions: part,
      volume_total: volumesMl[first]! + (second === undefined ? 0 : volumesMl[second]!),
      volume_left: second === undefined ? null : volumesMl[first]!,
      volume_right: second === undefined ? null : volumesMl[second]!,
      np_volume_total: np(50),
      np_volume_left: side(21),
      np_volume_right: side(3),
      np_icv_total: np(40),
      np_icv_left: side(12),
      np_icv_right: side(30),
      rank_volume_total: ranked(np(50), first),
      rank_volume_left: ranked(side(21), first),
      rank_volume_right: ranked(side(3), first),
      rank_icv_total: ranked(np(40), first),
      rank_icv_left: ranked(side(12), first),
      rank_icv_right: ranked(side(30), first),
    };
  });

const thicknessFacts = (hasNorms: boolean): ThicknessData[] =>
  PARTS.filter(({ labels }) => isCortex(labels[0])).map(({ part, labels: [left, right] }) => ({
    part_index: [left, right!],
    brain_regions: part,
    thick_left: thicknessOf(left),
    thick_right: thicknessOf(right!),
    np_thick_left: hasNorms ? 15 : null,
    np_thick_right: hasNorms ? 62 : null,
    rank_thick_left: ranked(hasNorms ? 15 : null),
    rank_thick_right: ranked(hasNorms ? 62 : null),
  }));

const structureFacts = (volumesMl: readonly number[]): FlairStructure[] =>
  DEEP_PARTS.map(({ part, labels: [first, second] }) => {
    const firstMl = volumesMl[first]!, secondMl = second === undefined ? null : volumesMl[second]!;
    const totalMl = firstMl + (secondMl ?? 0);
    return {
      part_index: second === undefined ? [first] : [first, second],
      brain_regions: part,
      volume_left: secondMl === null ? null : firstMl,
      volume_right: secondMl,
      volume_total: totalMl,
      low: totalMl / 1.2,
      high: totalMl * 1.2,
    };
  });

/** Settings of a user with changes. */
export const settingsOf = (
  { division = 4, brain_part_list = [], anonymize = false }: {
    division?: 3 | 4;
    brain_part_list?: string[];
    anonymize?: boolean;
  },
): Settings => ({
  individual: {
    general: { auto_analyze: true, division, brain_part_list, expanded_part_list: [] },
    report: {
      language: "en",
      anonymize,
      threshold_list: [5],
      page_list: { t1: [], t2: [], t1t2: [] },
    },
    report_result: [],
  },
  group: {
    general: {
      bias_correction: true,
      second_opinion: true,
      deep_structures: true,
      dicom_encoding_id: 1,
      t1w_tag: "",
      t2w_tag: "",
      t1w_includes: "",
      t2w_includes: "",
    },
  },
});

/**
 * Patients: 1: T1w and FLAIR, complete; 2: under analysis; 3: analysed, with damaged files; 4: a
 * child with T1w only, without thickness and norms; 5: FLAIR only, with deep structures; 6: not
 * analysed.
 */
export function otherCore() {
  const head = keptHead({ resolutionMm: 2 }), { labels, volumesMl } = truthOn(head, SHAPE, RAS);
  const files = makeFiles(labels);
  const patient = (pid: number): Patient => {
    const isChild = pid === 4, hasT1 = pid !== 5, hasFlair = pid === 1 || pid === 5;
    const address = (file: ViewerFile, isThere: boolean) =>
      isThere ? `/api/v1/patients/image/viewer/${pid}?file=${file}&v=0011223344556677` : null;
    return {
      pid,
      patient_id: "P-1",
      patient_name: "Phantom One",
      patient_age: isChild ? 9 : 70,
      patient_birthdate: "1950-01-01",
      patient_sex: "female",
      study_date: "2020-02-02",
      label_list: [],
      is_t1_uploaded: hasT1,
      is_t2_uploaded: hasFlair,
      t1_analysis_date: hasT1 ? "2020-02-03T00:00:00Z" : null,
      t1_analysis_status: !hasT1 || pid === 6 ? null : pid === 2 ? "processing" : "completed",
      t2_analysis_date: hasFlair ? "2020-02-03T00:00:00Z" : null,
      t2_analysis_status: hasFlair ? "completed" : null,
      history_count: 1,
      t1w_file: address("t1w_file", hasT1),
      t1_result: hasT1 ? volumeFacts(volumesMl, !isChild) : null,
      t1w_mask_file: address("t1w_mask_file", hasT1),
      t1_thick_result: hasT1 && !isChild ? thicknessFacts(true) : null,
      thickness_reason: null,
      thick_mask_file: address("thick_mask_file", hasT1 && !isChild),
      t1w_np_mask_file: address("t1w_np_mask_file", hasT1),
      icv_mask_file: address("icv_mask_file", hasT1),
      t2w_file: address("t2w_file", hasFlair),
      t2w_mask_file: address("t2w_mask_file", hasFlair),
      t2w_region_mask_file: address("t2w_region_mask_file", !hasT1),
      ...(!hasT1 && { flair_structures: structureFacts(volumesMl) }),
      surface_files: null,
      wm: hasFlair ? 430 : null,
      wmh: hasFlair ? 3.2 : null,
      deep_wmh: hasFlair ? 1.4 : null,
      peri_wmh: hasFlair ? 1.8 : null,
      icv: 1400,
      norm_reason: isChild ? "age_outside_norms" : null,
      aggregates: null,
      wmh_detail: hasFlair
        ? {
          ratio_percent: 0.74,
          lesion_count: LESIONS.length,
          is_low_confidence: false,
          is_minimal: false,
          tissue: hasT1 ? "t1" : "flair",
        }
        : null,
      t1_quality: null,
      t2_quality: null,
    };
  };
  const settings = { stored: null as Settings | null, isBroken: false };
  const records = new Map<number, Partial<Patient> | null>();
  const answer = (path: string, query: URLSearchParams): Response => {
    if (path.endsWith("/auth/login")) {
      return Response.json({
        access_token: "a",
        refresh_token: "r",
        token_type: "bearer",
        expires_in: 900,
      });
    }
    if (path.endsWith("/user")) return Response.json({ user_id: 1, permission_list: [] });
    const image = path.match(/\/image\/viewer\/(\d+)$/);
    if (image) {
      const file = files[viewerFile.parse(query.get("file"))];
      return new Response(image[1] === "3" ? file.subarray(0, 5000) : file);
    }
    if (path.endsWith("/defaced")) return new Response(npy(new Uint8Array(labels.length)));
    if (path.endsWith("/series")) {
      const { shape, rasFromIjk } = VIEWED, affine = rowMajor(rasFromIjk);
      const volume = {
        shape,
        affine,
        window: null,
        volume_url: "/api/v1/patients/1/series/refused/volume",
      };
      return Response.json({
        series: [],
        refused: [{ ...REFUSED, description: "t2_tse" }, {
          ...REFUSED,
          description: "t2_swi",
          volume,
        }],
      });
    }
    if (path.endsWith("/series/refused/volume")) {
      return new Response(new Uint8Array(gzipSync(encodeNifti(VIEWED))));
    }
    if (path.endsWith("/volume")) {
      return Response.json({ affine: rowMajor(RAS), shape: SHAPE, spacing_mm: [2, 2, 2] });
    }
    if (path.endsWith("/context")) {
      return Response.json({ state: "off", hub: "", event_id: null });
    }
    if (path.endsWith("/comparables")) {
      const commissures = { anterior: [0, 3, -3], posterior: [0, -23, 0], above: [0, 3, 55] };
      return Response.json({ studies: [], commissures });
    }
    if (path.endsWith("/report")) return Response.json(fullReport("en", { pages: [], images: [] }));
    if (path.endsWith("/settings") && settings.isBroken) return new Response("", { status: 500 });
    if (path.endsWith("/settings") && settings.stored) return Response.json(settings.stored);
    const row = path.match(/\/patients\/(\d+)$/), record = records.get(Number(row?.[1]));
    if (record === null) {
      return Response.json({ code: "study.deleted", message: "", details: {} }, { status: 410 });
    }
    return row
      ? Response.json({ ...patient(Number(row[1])), ...record })
      : new Response("{}", { status: 404 });
  };
  const listeners = new Set<Listener>();
  return {
    /** settings that the core returns; initially none */
    settings,
    /** changes to patient records since the start; `null`: deleted */
    records,
    publish: (event: ServerEvent) => listeners.forEach((listener) => listener(event, {})),
    landmarks: landmarksOf(head),
    link: {
      fetch: (request: Request) => {
        const { pathname, searchParams } = new URL(request.url);
        return Promise.resolve(answer(pathname, searchParams));
      },
      subscribe: (listener: Listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      verifyToken: (token: string) => Promise.resolve(token === "a" ? { uid: 1, sid: "s" } : null),
    },
  };
}

interface ViewerSite {
  origin: string;
  /** sends an event to all open pages */
  publish(event: ServerEvent): void;
  /** settings that the core returns; initially none */
  settings: { stored: Settings | null };
  /** changes to patient records since the start; `null`: deleted */
  records: Map<number, Partial<Patient> | null>;
  close(): Promise<void>;
}

/** Signs in at a site that is called without a port. @returns the session cookie. */
export async function enterAs(site: Pick<SiteServer, "fetch">): Promise<string> {
  const answer = await site.fetch(
    new Request("http://hospital.test/api/v1/auth/login", {
      method: "POST",
      headers: { origin: "http://hospital.test", "content-type": "application/json" },
      body: JSON.stringify({ email: "a@b.c", password: "x" }),
    }),
  );
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}

/**
 * Serves the site on a free port until `close`.
 * @param log Receives log entries; by default they are dropped.
 * @param picturePatienceMs Maximum wait for first pictures, for tests that need them on busy
 *   machines.
 */
export async function serveViewer(log?: Log, picturePatienceMs?: number): Promise<ViewerSite> {
  const core = otherCore();
  const site = await createSite({
    core: core.link,
    settings: {
      dataDir: null,
      ...(log && { log }),
      ...(picturePatienceMs && { picturePatienceMs }),
    },
  });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    publish: core.publish,
    settings: core.settings,
    records: core.records,
    async close() {
      await server.shutdown();
      site.close();
    },
  };
}

/** Signs a page in at {@link serveViewer}'s site, which accepts any password. */
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
