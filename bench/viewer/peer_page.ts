// Page script with NiiVue: the same head, planes and colours as in our viewer.
import { Niivue, NVImage, SHOW_RENDER, SLICE_TYPE } from "@/tests/niivue.ts";
import { LABEL_COUNT, regionOf } from "@/model/regions/regions.ts";

const colours = (alphaOf: (label: number) => number) => {
  const labels = Array.from({ length: LABEL_COUNT }, (_, label) => label);
  const channel = (c: 0 | 1 | 2) => labels.map((label) => regionOf(label)?.rgb[c] ?? 0);
  return {
    R: channel(0),
    G: channel(1),
    B: channel(2),
    A: labels.map((label) => label === 0 ? 0 : alphaOf(label)),
    I: labels,
    labels: labels.map(String),
  };
};

const peer = new Niivue({
  multiplanarShowRender: SHOW_RENDER.NEVER,
  isColorbar: false,
  logLevel: "error",
});
const gl = () => peer.gl;

/** Waits until the GPU has finished drawing. */
function finishDrawing(): void {
  gl().readPixels(0, 0, 1, 1, gl().RGBA, gl().UNSIGNED_BYTE, new Uint8Array(4));
}

async function load(): Promise<number> {
  await peer.attachToCanvas(document.getElementById("view") as HTMLCanvasElement);
  peer.setSliceType(SLICE_TYPE.MULTIPLANAR);
  // not loadVolumes() as in NiiVue's examples: setting the colours afterwards would draw twice
  const [base, labels] = await Promise.all([
    NVImage.loadFromUrl({ url: "/base.nii", colormap: "gray" }),
    NVImage.loadFromUrl({ url: "/labels.nii", opacity: 1 }),
  ]);
  labels.setColormapLabel(colours(() => 255));
  peer.addVolume(base);
  peer.addVolume(labels);
  finishDrawing();
  return performance.now();
}

/** The same actions as on our page, by documented calls of NiiVue. */
const actions: Record<string, (n: number) => void> = {
  scroll(n) {
    peer.moveCrosshairInVox(n % 2 ? -1 : 1, n % 2 ? -1 : 1, n % 2 ? -1 : 1);
  },
  opacity: (n) => peer.setOpacity(1, 0.5 + (n % 10) / 20),
  label(n) {
    peer.volumes[1]!.setColormapLabel(colours((label) => label === 1 && n % 2 === 0 ? 0 : 255));
    peer.updateGLVolume();
  },
  percentile(n) {
    peer.volumes[1]!.setColormapLabel(colours((label) => label % 20 <= n % 20 ? 255 : 0));
    peer.updateGLVolume();
  },
  window(n) {
    peer.volumes[0]!.cal_min = n % 10;
    peer.volumes[0]!.cal_max = 200 + (n % 20);
    peer.updateGLVolume();
  },
};

/** Duration of each of `count` actions from number `first`, with drawing, ms. */
async function steps(kind: string, count: number, first: number): Promise<number[]> {
  const spent: number[] = [];
  for (let n = first; n < first + count; n++) {
    const start = performance.now();
    actions[kind]!(n);
    await Promise.resolve();
    finishDrawing();
    spent.push(performance.now() - start);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return spent;
}

Object.assign(globalThis, {
  loaded: load(),
  steps,
  peerRenderer: () => gl().getParameter(gl().VERSION),
});
