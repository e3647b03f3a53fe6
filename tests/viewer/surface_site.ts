// The viewer's test site with a surface for the 3D pane.
import type { Page } from "@playwright/test";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { encodeArray } from "@/server/core/analyses/service/files/npy.ts";
import { createSite } from "@/server/edge/site.ts";
import { surfaceFile } from "@/model/schema/studies/viewer_files.ts";
import { otherCore } from "@/tests/viewer/viewer_site.ts";

/** Serves the site with a folded sphere of 20,480 triangles; `fail` makes its files unavailable. */
export async function serveSurface() {
  const { link } = otherCore(),
    { positions, normals, faces } = foldedBall(5),
    n = positions.length / 3;
  // scaled so that it is inside the phantom's brain
  for (let at = 0; at < positions.length; at++) {
    positions[at] = positions[at]! * 0.65 + (at % 3 === 2 ? 20 : 0);
  }
  const values = Float32Array.from({ length: n }, (_, v) => v % 6);
  const files = {
    verts: encodeArray(positions, [n, 3]),
    faces: encodeArray(faces, [faces.length / 3, 3]),
    normals: encodeArray(normals, [n, 3]),
    values: encodeArray(values, [n]),
  };
  const state = { isDown: false };
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url), name = pathname.match(/\/secure\/(\w+)\.npy$/)?.[1];
    if (name) {
      const problem = { code: "core.unreachable", status: 502, title: "away" };
      return state.isDown
        ? Response.json(problem, { status: 502 })
        : new Response(files[surfaceFile.parse(name)]);
    }
    const response = await link.fetch(request);
    if (!/\/patients\/1$/.test(pathname)) return response;
    const address = (field: string) => `/api/v1/secure/${field}.npy?pid=1&v=0011223344556677`;
    const surface_files = Object.fromEntries(
      surfaceFile.options.map((field) => [field, address(field)]),
    );
    return Response.json({ ...await response.json(), surface_files });
  };
  const site = await createSite({ core: { ...link, fetch }, settings: { dataDir: null } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  const close = async () => {
    await server.shutdown();
    site.close();
  };
  return { origin: `http://127.0.0.1:${server.addr.port}`, state, close };
}

/** Waits until an expression is true; the page's policy forbids waitForFunction() with a text. */
export async function untilHolds(page: Page, expression: string): Promise<void> {
  const limit = Date.now() + 180_000;
  while (!await page.evaluate(expression)) {
    if (Date.now() > limit) throw new Error(`Waited in vain for: ${expression}`);
    await page.waitForTimeout(25);
  }
}
