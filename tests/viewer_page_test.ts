// The viewer page in a real browser, in front of a core that is not ours: a small site with one analysed patient
// that answers the documented calls.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { createSite } from "@/fresh.config.ts";
import { type Affine, affineFromRows, rowMajor, type Shape } from "@/model/geometry.ts";
import { PARTS, regionOf } from "@/model/regions.ts";
import { CHROMIUM, hasChromium, launchBrowser } from "@/tests/e2e/site.ts";
import { makeHead } from "@/tests/phantom/head.ts";
import { landmarksOf, truthOn } from "@/tests/phantom/truth.ts";

const isBuilt = existsSync(new URL("../static/build/manifest.json", import.meta.url));
const missing = !hasChromium ? `no ${CHROMIUM}` : !isBuilt ? "static/build is not built" : "";
const LEFT_HIPPOCAMPUS = 19;
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
function otherCore() {
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

/** What the page shows to tests and benchmarks. */
interface Viewed {
  sliceViewer?: { loading: { value: { kind: string } }; renderer: { drawNow(): void } };
  crosshairPixel(plane: string): string;
}

/** Colour at the crosshair of a pane, and its place as a part of the pane's width. */
const centreColour = (page: Page, plane: string) =>
  page.evaluate((name) => {
    (globalThis as unknown as Viewed).sliceViewer!.renderer.drawNow();
    const pane = document.querySelector(`[data-testid=${name}-view]`)!;
    const canvas = pane.querySelector("canvas")!, copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    const { mm, view } = JSON.parse(
      (globalThis as unknown as { crosshairPixel(p: string): string }).crosshairPixel(name),
    );
    return { colour: [...context.getImageData(mm[0], mm[1], 1, 1).data.slice(0, 3)], x: mm[0] / view };
  }, plane);

/** Where the crosshair is in a pane, device pixels; reads the state that is drawn. */
const CROSSHAIR_PIXEL = `globalThis.crosshairPixel = (plane) => {
  const { renderer, scene, grid } = globalThis.sliceViewer, m = renderer.mapping(plane), f = grid.ijkFromRas;
  const at = (axis) => [0, 4, 8].reduce((s, c, r) => s + f[c + axis] * scene.crosshairMm[r], f[12 + axis]);
  const x = (at(m.across) - m.origin[m.across]) / m.du[m.across] + 0.5;
  const y = (at(m.down) - m.origin[m.down]) / m.dv[m.down] + 0.5;
  return JSON.stringify({ mm: [Math.floor(x), Math.floor(y)], view: m.width });
}`;

Deno.test({
  name: `the viewer page: keys, mouse, overlay, tooltip, words and refusals${
    missing && ` (skipped: ${missing})`
  }`,
  ignore: missing !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const core = otherCore();
    const site = await createSite({ core: core.link, settings: { dataDir: null } });
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request, info) => site.fetch(request, info),
    );
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
    const page = await context.newPage(), said: string[] = [];
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") said.push(message.text());
    });
    const mm = () => page.evaluate("[...sliceViewer.scene.crosshairMm]") as Promise<number[]>;
    try {
      await page.goto(`${origin}/login`);
      await page.evaluate(async () => {
        await fetch("/api/v1/auth/login", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ email: "a@b.c", password: "x" }),
        });
      });
      await page.goto(`${origin}/viewer/1`);
      await page.getByTestId("axial-view").locator("canvas").first().waitFor();
      assert.equal(await page.evaluate("typeof sliceViewer"), "undefined", "no state for everybody");
      await page.goto(`${origin}/viewer/1?testing`);
      await page.waitForFunction(() =>
        (globalThis as unknown as Viewed).sliceViewer?.loading.value.kind === "loaded"
      );
      await page.evaluate(CROSSHAIR_PIXEL);

      await t.step("starts as the document says: overlay hidden, opacity 100, radiological", async () => {
        const state = await page.evaluate(
          "[sliceViewer.scene.overlay.isVisible, sliceViewer.scene.overlay.opacityPercent, sliceViewer.scene.convention]",
        );
        assert.deepEqual(state, [false, 100, "radiological"]);
        assert.match(await page.locator("header").innerText(), /Phantom One[\s\S]*P-1[\s\S]*F · 70 y/);
      });

      await t.step("a region of the list is drawn in its colour, left on the image's right", async () => {
        await page.getByRole("button", { name: "Parcellation", exact: true }).click();
        await page.getByLabel("Search regions").fill("hippocampus");
        await page.getByRole("button", { name: "Hippocampus", exact: true }).click();
        const place = (await mm())[0]!;
        assert.ok(place < -5, `the left hippocampus at R ${place}`);
        for (const plane of ["axial", "coronal", "sagittal"]) {
          const { colour, x } = await centreColour(page, plane);
          assert.deepEqual(colour, [...regionOf(LEFT_HIPPOCAMPUS)!.rgb]);
          if (plane !== "sagittal") assert.ok(x > 0.5, `${plane}: at ${x} of the width`);
        }
        await page.waitForFunction(() =>
          /Left hippocampus.*Left.*21st percentile.*mm/.test(
            document.querySelector("[aria-live]")!.textContent!,
          )
        );
      });

      await t.step("the tooltip names what lies under the cursor", async () => {
        const box = (await page.getByTestId("axial-view").boundingBox())!;
        const { x } = await centreColour(page, "axial");
        const { mm: [, y] } = JSON.parse(await page.evaluate("crosshairPixel('axial')") as string);
        await page.mouse.move(box.x + x * box.width + 0.5, box.y + y + 0.5);
        const tooltip = page.getByTestId("axial-view").getByRole("tooltip");
        await tooltip.waitFor({ state: "visible" });
        assert.match(
          (await tooltip.textContent())!,
          /^Left hippocampus\nLeft · \d+\.\d\d mL · 21st percentile$/,
        );
      });

      await t.step("wheel, drag and keys", async () => {
        const before = await mm();
        await page.mouse.wheel(0, -120);
        assert.equal((await mm())[2], before[2]! + 2);
        await page.getByTestId("coronal-view").focus();
        await page.keyboard.press("ArrowRight");
        assert.equal((await mm())[0], before[0]! - 1, "right on the screen is the patient's left");
        await page.keyboard.press("PageDown");
        assert.equal((await mm())[1], before[1]! - 2);
        await page.keyboard.press("[");
        await page.keyboard.press("o");
        assert.deepEqual(
          await page.evaluate(
            "[sliceViewer.scene.overlay.opacityPercent, sliceViewer.scene.overlay.isVisible]",
          ),
          [95, false],
        );
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor({ state: "visible" });
        await page.keyboard.press("Escape");
        await page.getByTestId("axial-view").dblclick();
        await page.getByTestId("coronal-view").waitFor({ state: "hidden" });
        await page.keyboard.press("Escape");
        await page.getByTestId("coronal-view").waitFor({ state: "visible" });
      });

      await t.step("a slider's walk asks the network nothing and draws every pane once", async () => {
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        const before = await page.evaluate("sliceViewer.renderer.composedPanes") as number;
        await page.getByLabel("Opacity").fill("40");
        await page.evaluate(
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        assert.equal(await page.evaluate("sliceViewer.renderer.composedPanes"), before + 3);
        assert.deepEqual(asked, []);
      });

      await t.step("no serious finding of axe, and nothing said by the browser", async () => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
        assert.deepEqual(serious.map((v) => [v.id, v.nodes.map((n) => n.html)]), []);
        assert.deepEqual(said, []);
      });

      await t.step("refusals in the document's words", async () => {
        for (
          const [path, words] of [
            ["/viewer", "No patient information found."],
            ["/viewer/0", "Invalid pid information."],
            ["/viewer/2", "Failed to enter viewer. Please analyze first."],
          ] as const
        ) {
          await page.goto(origin + path);
          assert.equal(await page.locator("h1").innerText(), words);
        }
        await page.goto(`${origin}/viewer/3`);
        assert.match(await page.getByRole("alert").first().innerText(), /An image file is damaged/);
      });
    } finally {
      await browser.close();
      await server.shutdown();
      site.close();
    }
  },
});
