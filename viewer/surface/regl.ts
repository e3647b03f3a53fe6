import createRegl from "regl";
import {
  VIEW_LENGTH,
  writeProjectionMatrix,
  writeView,
  writeViewMatrix,
} from "@/viewer/surface/camera.ts";
import type { CreateSurfacePresenter } from "@/viewer/surface/presenter.ts";

// Lighting per vertex, the same as the kernel's (wasm/kernels/src/raster/project.rs).
const VERTEX = `
precision highp float;
attribute vec3 position, normal;
attribute vec4 colour;
uniform mat4 view, projection;
uniform vec3 light, halfway, shading;
varying vec3 shown;
void main() {
  float bright = shading.x + shading.y * max(dot(light, normal), 0.0);
  float gleam = shading.z * pow(max(dot(halfway, normal), 0.0), 16.0);
  shown = min(colour.rgb * bright + gleam, 1.0);
  gl_Position = projection * view * vec4(position, 1.0);
}`;

const FRAGMENT = `
precision highp float;
varying vec3 shown;
void main() { gl_FragColor = vec4(shown, 1.0); }`;

interface Props {
  view: Float32Array;
  projection: Float32Array;
  /** passes the same light and shading parameters that the kernel gets */
  kernelView: Float32Array;
}

/**
 * Renders the mesh with WebGL. @throws Error when the canvas has no WebGL, or no 32-bit indices.
 */
export const createReglSurface: CreateSurfacePresenter = (canvas, mesh, kernel, onLost) => {
  const regl = createRegl({
    canvas,
    attributes: {
      alpha: false,
      antialias: true,
      depth: true,
      stencil: false,
      preserveDrawingBuffer: true,
    },
    extensions: ["OES_element_index_uint"],
  });
  const bytes = () => {
    const words = kernel.colours();
    return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  };
  const colours = regl.buffer({ data: bytes(), type: "uint8", usage: "dynamic" });
  const part = (from: number, count: number) => (_: unknown, { kernelView }: Props) =>
    Array.from(kernelView.subarray(from, from + count));
  const drawMesh = regl<Record<string, unknown>, Record<string, unknown>, Props>({
    vert: VERTEX,
    frag: FRAGMENT,
    attributes: {
      position: { buffer: regl.buffer(mesh.positions), size: 3 },
      normal: { buffer: regl.buffer(mesh.normals), size: 3 },
      colour: { buffer: colours, size: 4, type: "uint8", normalized: true },
    },
    uniforms: {
      view: (_: unknown, { view }: Props) => view,
      projection: (_: unknown, { projection }: Props) => projection,
      light: part(15, 3),
      halfway: part(18, 3),
      shading: part(21, 3),
    },
    elements: regl.elements({ data: mesh.faces, type: "uint32", primitive: "triangles" }),
    count: mesh.faces.length,
    cull: { enable: true, face: "back" },
    depth: { enable: true },
  });
  regl.on("lost", onLost);
  const view = new Float32Array(16), projection = new Float32Array(16);
  const kernelView = new Float32Array(VIEW_LENGTH);
  return {
    kind: "regl",
    draw(camera, width, height) {
      if (width === 0 || height === 0) return;
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      writeViewMatrix(view, camera);
      writeProjectionMatrix(projection, width, height);
      writeView(kernelView, camera, width, height);
      regl.poll();
      regl.clear({ color: [0, 0, 0, 1], depth: 1 });
      if (mesh.faces.length > 0) drawMesh({ view, projection, kernelView });
    },
    coloursChanged() {
      colours.subdata(bytes());
    },
    close() {
      regl.destroy();
    },
  };
};
