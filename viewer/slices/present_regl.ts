import createRegl from "regl";
import type { CreatePresenter } from "@/viewer/slices/presenter.ts";

const VERTEX = `
precision highp float;
attribute vec2 corner;
varying vec2 uv;
void main() {
  uv = vec2(corner.x * 0.5 + 0.5, 0.5 - corner.y * 0.5);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const FRAGMENT = `
precision highp float;
varying vec2 uv;
uniform sampler2D image;
void main() { gl_FragColor = vec4(texture2D(image, uv).rgb, 1.0); }`;

/**
 * Presenter with WebGL: one texture on one quad, sampled at texel centres, so that pixels are
 * unchanged. @throws Error for a canvas without WebGL.
 */
export const createReglPresenter: CreatePresenter = (canvas, onLost) => {
  const regl = createRegl({
    canvas,
    attributes: {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
      preserveDrawingBuffer: true,
    },
  });
  const texture = regl.texture({
    width: 1,
    height: 1,
    min: "nearest",
    mag: "nearest",
    format: "rgba",
  });
  const draw = regl({
    vert: VERTEX,
    frag: FRAGMENT,
    attributes: { corner: [[-1, -1], [1, -1], [-1, 1], [1, 1]] },
    uniforms: { image: texture },
    primitive: "triangle strip",
    count: 4,
    depth: { enable: false },
  });
  regl.on("lost", onLost);
  const size = { data: new Uint8Array(0), width: 1, height: 1 };
  let presented: Uint8ClampedArray | null = null;
  return {
    kind: "regl",
    over: null,
    present(pixels, width, height) {
      if (width === 0 || height === 0) return;
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      if (presented !== pixels) {
        // regl requires bytes as Uint8Array
        size.data = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
        presented = pixels;
      }
      if (size.width !== width || size.height !== height) {
        size.width = width;
        size.height = height;
        texture({ ...size, min: "nearest", mag: "nearest", format: "rgba" });
      } else texture.subimage(size);
      regl.poll();
      draw();
    },
    close() {
      const { _gl: gl } = regl;
      regl.destroy();
      // Releases the context explicitly: a page has at most 16 WebGL contexts,
      // and browsers free them only at garbage collection.
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
};
