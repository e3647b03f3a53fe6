// covers: S-137
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import { getPatient, getVolume } from "@/client/api/studies/patients.ts";
import { USUAL_ROOM } from "@/model/viewer/first_picture.ts";
import { viewerPatientOf } from "@/model/viewer/viewer_patient.ts";
import { picturedStudy } from "@/server/edge/first_picture/page_view.ts";
import { PictureService } from "@/server/edge/first_picture/picture_service.ts";
import { otherCore } from "@/tests/viewer/viewer_site.ts";
import { PLANES } from "@/viewer/scene.ts";

/** Longer than any drawing takes. */
const PATIENT_MS = 60_000;
const core = otherCore();
/** The core, which names its files as this site's core does. */
const api: Api = {
  origin: "http://core",
  send: async (request) => {
    const answer = await core.link.fetch(request), headers = new Headers(answer.headers);
    const tag = `"${new URL(request.url).pathname}"`;
    headers.set("etag", tag);
    if (answer.ok && request.headers.get("if-none-match") === tag) {
      await answer.body?.cancel();
      return new Response(null, { status: 304, headers });
    }
    return new Response(answer.body, { status: answer.status, headers });
  },
};
const HANGING = { layout: "1x2", opens: "nothing" } as const;

const pageOf = async (pid: number, search = "", opens: "nothing" | "prior" = "nothing") => ({
  patient: viewerPatientOf(await getPatient(api, pid), "en"),
  volume: await getVolume(api, pid),
  settings: { division: 4 as const, hanging: { ...HANGING, opens } },
  search: new URLSearchParams(search),
  language: "en" as const,
  room: USUAL_ROOM,
});
const studyOf = async (pid: number, search = "") => picturedStudy(await pageOf(pid, search))!;

/** The core, with another answer to files. */
const coreThat = (answer: (request: Request) => Promise<Response> | Response): Api => ({
  ...api,
  send: async (request) =>
    request.url.includes("/image/viewer/") ? await answer(request) : await api.send(request),
});

Deno.test("PictureService draws T1w, T1w alone and FLAIR alone, and again from its memory", async () => {
  const said: string[] = [], service = new PictureService((text) => said.push(text), PATIENT_MS);
  try {
    for (const pid of [1, 4, 5]) {
      const study = await studyOf(pid), first = await service.picturesOf(api, study);
      assert.deepEqual(first!.planes, PLANES);
      assert.ok(first!.field, "the panes show the head, not the air around it");
      for (const plane of PLANES) assert.match(first!.html[plane]!, /<img alt="" [^>]*src="data:/);
      assert.equal(await service.picturesOf(api, study), first);
    }
    assert.deepEqual(said, []);
  } finally {
    service.close();
  }
});

Deno.test("PictureService reads no file again that is unchanged, and draws another one anew", async () => {
  const service = new PictureService(() => {}, PATIENT_MS);
  let tag = '"first"';
  const sent: number[] = [];
  const counting = coreThat(async (request) => {
    const isKept = request.headers.get("if-none-match") === tag;
    const answer = await core.link.fetch(request);
    const headers = new Headers(answer.headers);
    headers.set("etag", tag);
    sent.push(isKept ? 304 : answer.status);
    if (!isKept) return new Response(answer.body, { headers });
    await answer.body?.cancel();
    return new Response(null, { status: 304, headers });
  });
  const take = () => sent.splice(0);
  try {
    const study = await studyOf(1), first = await service.picturesOf(counting, study);
    assert.deepEqual(take(), [200, 200]);
    // in memory, and then in another window: the slices serve both
    assert.equal(await service.picturesOf(counting, study), first);
    assert.deepEqual(take(), [304, 304]);
    const other = await service.picturesOf(counting, await studyOf(1, "window=200_90"));
    assert.deepEqual(take(), [304, 304]);
    assert.ok(other!.html.axial !== first!.html.axial);
    assert.equal(await service.picturesOf(counting, study), first);
    take();
    // the study is analysed again
    tag = '"second"';
    const later = await service.picturesOf(counting, study);
    assert.deepEqual(take(), [200, 200]);
    assert.ok(later !== null && later !== first);
  } finally {
    service.close();
  }
});

Deno.test("PictureService keeps nothing of files that the core gives no name", async () => {
  const service = new PictureService(() => {}, PATIENT_MS), study = await studyOf(1);
  const nameless = coreThat(async (request) => {
    const answer = await api.send(request), headers = new Headers(answer.headers);
    headers.delete("etag");
    return new Response(answer.body, { headers });
  });
  try {
    const first = await service.picturesOf(nameless, study);
    const second = await service.picturesOf(nameless, study);
    assert.ok(first && second && first !== second);
    assert.deepEqual(second, first);
  } finally {
    service.close();
  }
});

Deno.test("PictureService gives nothing to a user whom the core refuses the files", async () => {
  const service = new PictureService(() => {}, PATIENT_MS), study = await studyOf(1);
  try {
    assert.ok(await service.picturesOf(api, study));
    for (const status of [401, 403, 404, 410, 500]) {
      const refusing = coreThat(() => new Response("{}", { status }));
      assert.equal(await service.picturesOf(refusing, study), null, String(status));
    }
  } finally {
    service.close();
  }
});

Deno.test("PictureService leaves the pictures of damaged files out, and draws the next", async () => {
  const said: string[] = [], service = new PictureService((text) => said.push(text), PATIENT_MS);
  try {
    assert.equal(await service.picturesOf(api, await studyOf(3)), null);
    const garbled = coreThat(() =>
      new Response(new Uint8Array(5000).fill(7), { headers: { "content-encoding": "gzip" } })
    );
    assert.equal(await service.picturesOf(garbled, await studyOf(4)), null);
    const broken = coreThat(() =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array([0x93, 78, 85])),
          pull: (controller) => controller.error(new Error("gone")),
        }),
      )
    );
    assert.equal(await service.picturesOf(broken, await studyOf(5)), null);
    assert.equal(said.length, 3);
    assert.ok(await service.picturesOf(api, await studyOf(1)));
  } finally {
    service.close();
  }
});

Deno.test("PictureService makes a page wait no longer than its patience, nor for a long queue", async () => {
  const hurried = new PictureService(() => {}, 1), study = await studyOf(1);
  const silent = coreThat(() => new Promise<Response>(() => {}));
  try {
    assert.equal(await hurried.picturesOf(silent, study), null);
  } finally {
    hurried.close();
  }
  const service = new PictureService(() => {}, PATIENT_MS), gate = Promise.withResolvers<void>();
  const slow = coreThat(async (request) => {
    const { body } = await api.send(request), reader = body!.getReader();
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await gate.promise;
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }),
    );
  });
  try {
    const studies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => studyOf(1, `window=${100 + n}_90`)),
    );
    const all = studies.map((one) => service.picturesOf(slow, one));
    const refused = await Promise.race(all.slice(8));
    assert.equal(refused, null);
    gate.resolve();
    const drawn = await Promise.all(all);
    assert.equal(drawn.filter((pictures) => pictures !== null).length, 8);
  } finally {
    service.close();
  }
});

Deno.test("picturedStudy() leaves out pages whose panes will be others", async () => {
  assert.equal(picturedStudy(await pageOf(1, "", "prior")), null);
  for (
    const search of [
      "compare=2",
      "tab=wmh",
      "division=3",
      "large=coronal&full=coronal",
      "mosaic=axial_12",
      "measured=ruler_axial_1.0_2.0_3.0_4.0_5.0_6.0",
    ]
  ) assert.equal(picturedStudy(await pageOf(1, search)), null, search);
  assert.ok(picturedStudy(await pageOf(1, "division=4&convention=neurological&at=3.0_4.0_5.0")));
});
