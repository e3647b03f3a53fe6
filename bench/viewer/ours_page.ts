// Scripts that run inside the viewer page during a measurement, called by ours.ts.

/** Runs before the page's scripts: shows the label mask as soon as possible, and records frames. */
export const RECORD = `{
  let session;
  const record = globalThis.benchRecord = { frames: [], loaded: [], tasks: [] };
  Object.defineProperty(globalThis, "sliceViewer", { configurable: true, get: () => session, set(value) {
    session = value;
    session.overlays.parcellation.isVisible.value = true;
    session.isThresholdOn.value = false;
  } });
  addEventListener("viewer-loaded", () => record.loaded.push(performance.now()), true);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) record.tasks.push([Math.round(entry.startTime), entry.duration]);
  }).observe({ type: "longtask", buffered: true });
  const scratch = document.createElement("canvas"), context = scratch.getContext("2d", { willReadFrequently: true });
  let composed = 0;
  const look = () => {
    const now = performance.now(), renderer = session?.renderer;
    if (globalThis.surfaceRenderer?.frames > 0) record.surfaceMs ??= now;
    if (globalThis.benchFrames && renderer && renderer.composedPanes !== composed) {
      composed = renderer.composedPanes;
      let hash = 0;
      for (const pane of document.querySelectorAll("[data-plane]")) {
        const image = pane.querySelector("canvas");
        if (!image || image.width === 0 || pane.clientWidth === 0) continue;
        [scratch.width, scratch.height] = [image.width, image.height];
        context.drawImage(image, 0, 0);
        const words = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words[at], 0x9e3779b1) + at | 0;
      }
      record.frames.push([now, hash]);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

/** Defines `benchSteps()`: performs steps of an action and measures each. */
export const STEPS = `{
  const viewer = () => globalThis.sliceViewer, frame = () => new Promise((done) => requestAnimationFrame(done));
  const pane = () => document.querySelector("[data-testid=axial-view]");
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const pointer = (type, x, button) => {
    const box = pane().getBoundingClientRect();
    pane().dispatchEvent(new PointerEvent(type, { clientX: box.left + box.width / 2 + x,
      clientY: box.top + box.height / 2, pointerId: 1, button, bubbles: true }));
  };
  let drags = false;
  const actions = {
    scroll(n) {
      const way = n % 40 < 20 ? 1 : -1;
      viewer().goToMm(viewer().scene.crosshairMm.map((mm) => mm + way));
    },
    opacity(n) {
      const slider = document.querySelector("[data-testid=overlay-controls] input[type=range]");
      setValue.call(slider, String(50 + n % 40));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    },
    label: (n) => viewer().setHidden([1, 19], n % 2 === 0),
    percentile: (n) => viewer().setThreshold(n % 2 === 0 ? 2 : 20),
    window: (n) => pointer("pointermove", 3 * (n % 20)),
  };
  globalThis.benchSteps = async (kind, count) => {
    viewer().isThresholdOn.value = kind === "percentile";
    viewer().setHidden([1, 19], false);
    if (kind === "window") {
      pane().setPointerCapture = () => {};
      pointer("pointerdown", 0, 2);
    }
    await frame(), await frame();
    const spent = [], { renderer } = viewer(), before = renderer.composedPanes;
    for (let n = 1; n <= count; n++) {
      renderer.lastFrameMs = 0;
      const start = performance.now();
      actions[kind](n);
      const handled = performance.now() - start;
      await frame(), await frame();
      spent.push(handled + renderer.lastFrameMs);
    }
    if (kind === "window") pointer("pointerup", 0, 2);
    if (renderer.composedPanes - before < 2.7 * count) throw new Error(kind + " was not drawn in three panes");
    viewer().isThresholdOn.value = false;
    viewer().setOpacity(100);
    viewer().reset();
    await frame(), await frame();
    return spent;
  };
  const pixelsOf = (image) => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [image.width, image.height];
    const context = copy.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let pixels = "";
    for (let at = 0; at < data.length; at += 8192) pixels += String.fromCharCode(...data.subarray(at, at + 8192));
    return { width: copy.width, height: copy.height, pixels };
  };
  globalThis.benchSurface = () => {
    surfaceRenderer.drawNow();
    const { right, up, back, targetMm, radiusMm, distance } = surfaceRenderer.camera;
    return { ...pixelsOf(surfaceRenderer.host.querySelector("canvas")), right: [...right], up: [...up],
      back: [...back], targetMm: [...targetMm], radiusMm, distance };
  };
  globalThis.benchPicture = (plane) => {
    const { renderer, scene } = viewer(), { annotate } = renderer;
    const drawWith = (lines) => {
      renderer.annotate = lines;
      renderer.invalidate(plane);
      renderer.drawNow();
    };
    drawWith(() => {});
    const image = document.querySelector("[data-testid=" + plane + "-view] canvas"), m = renderer.mapping(plane);
    const picture = pixelsOf(image);
    drawWith(annotate);
    return { plane, ...picture, window: { ...scene.window },
      mapping: { origin: [...m.origin], du: [...m.du], dv: [...m.dv], across: m.across, down: m.down, through: m.through } };
  };
}`;

/** Reads tooltip and drawn colour at random points of all panes at random zooms. */
export const HOVER = `async (points, seed) => {
  const viewer = globalThis.sliceViewer, { renderer, scene } = viewer, wait = globalThis.setTimeout;
  const random = () => (seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) / 4294967296;
  const table = viewer.composer.table("parcellation");
  for (let value = 0; value < 256; value++) table[value] = (0xff000000 | 200 << 16 | 100 << 8 | value) >>> 0;
  const out = { drawn: [], said: [], spentMs: [] }, planes = ["axial", "coronal", "sagittal"];
  const perView = 100, views = points / perView;
  for (let round = 0; round < views; round++) {
    const plane = planes[round % 3], pane = document.querySelector("[data-testid=" + plane + "-view]");
    const tooltip = pane.querySelector("[role=tooltip]");
    for (let r = 0; r < 3; r++) scene.crosshairMm[r] = (random() - 0.5) * 80;
    Object.assign(scene.views[plane], { zoom: 0.6 + random() * 8, panXMm: random() * 30 - 15, panYMm: random() * 30 - 15 });
    renderer.invalidate();
    const picture = benchPicture(plane), box = pane.getBoundingClientRect(), ratio = picture.width / pane.clientWidth;
    for (let n = 0; n < perView; n++) {
      const x = Math.floor(random() * pane.clientWidth), y = Math.floor(random() * pane.clientHeight);
      const event = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, pointerType: "mouse", bubbles: true };
      globalThis.setTimeout = (call) => { call(); return 0; };
      const start = performance.now();
      pane.dispatchEvent(new PointerEvent("pointermove", event));
      out.spentMs.push(performance.now() - start);
      globalThis.setTimeout = wait;
      const px = Math.floor((event.clientX - box.left) * ratio), py = Math.floor((event.clientY - box.top) * ratio);
      const at = 4 * (py * picture.width + px), rgb = [0, 1, 2].map((c) => picture.pixels.charCodeAt(at + c));
      out.drawn.push(rgb[2] === 200 && rgb[1] === 100 ? rgb[0] : 0);
      out.said.push(tooltip.hidden ? "" : tooltip.textContent.split("\\n")[0]);
    }
    await new Promise((done) => requestAnimationFrame(done));
  }
  return out;
}`;

/** Rotates the surface with the mouse for a period; ms between two frames. */
export const DRAG = `async (lastMs) => {
  const pane = document.querySelector("[data-testid=surface-view][role=application]");
  for (let waited = 0; !globalThis.surfaceRenderer; waited += 50) {
    if (waited > 20000) throw new Error("the surface was not drawn");
    await new Promise((done) => setTimeout(done, 50));
  }
  const box = pane.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const fire = (type, dx, buttons) => pane.dispatchEvent(new PointerEvent(type, { clientX: x + dx, clientY: y + dx / 3,
    pointerId: 1, button: type === "pointermove" ? -1 : 0, buttons, bubbles: true, cancelable: true }));
  pane.setPointerCapture = () => {};
  fire("pointerdown", 0, 1);
  await new Promise((done) => setTimeout(done, 200));
  const before = surfaceRenderer.frames, start = performance.now();
  for (let n = 1; performance.now() - start < lastMs; n++) {
    fire("pointermove", 150 * Math.sin(n / 20), 1);
    await new Promise((done) => setTimeout(done, 4));
  }
  const spent = performance.now() - start, frames = surfaceRenderer.frames - before;
  fire("pointerup", 0, 0);
  await new Promise((done) => setTimeout(done, 600));
  return frames === 0 ? Infinity : spent / frames;
}`;
