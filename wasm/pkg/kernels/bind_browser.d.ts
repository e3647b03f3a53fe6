/* tslint:disable */
/* eslint-disable */

/**
 * The volumes of one patient and the panes that show them.
 */
export class SliceComposer {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Composes a pane from the mapping written at `mapping_address`. `opacity` is 0..=255; 0 hides the overlay. A base
     * that is not there is black, an overlay that is not there is not drawn.
     */
    compose(pane: number, kind: number, window_width: number, window_level: number, opacity: number): void;
    /**
     * For volumes of a shape, none of them there yet; `undefined` when the shape is empty or too large.
     */
    static create(nx: number, ny: number, nz: number): SliceComposer | undefined;
    /**
     * Frees a volume's memory.
     */
    drop_volume(slot: number): void;
    /**
     * Copies the slice `index` along `axis` to `slice_address`; its number of voxels, 0 when there is no such slice.
     */
    extract(slot: number, axis: number, index: number): number;
    mapping_address(): number;
    /**
     * Address of a pane's RGBA pixels; 0 when there is no such pane.
     */
    pane_address(pane: number): number;
    /**
     * Sizes a pane in device pixels; false when there is no such pane or memory is short.
     */
    size_pane(pane: number, width: number, height: number): boolean;
    slice_address(): number;
    /**
     * Addresses in WASM memory: colour tables and visibility, 256 values a kind one after another, and the mapping.
     */
    tables_address(): number;
    /**
     * Value of a volume under a point of a pane, whose mapping is at `mapping_address`; -1 outside, and when the volume
     * is not there.
     */
    value_at(slot: number, x: number, y: number): number;
    visible_address(): number;
    /**
     * Address of a volume in WASM memory; zeros at first use. 0 when there is no such slot or memory is short.
     */
    volume_address(slot: number): number;
}

export class SurfaceRaster {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Address of the vertices' colours, one RGBA word each.
     */
    colours_address(): number;
    /**
     * Copies a mesh: `positions` and `normals` n × 3, `faces` m × 3.
     *
     * # Errors
     * The number of a `MeshError`.
     */
    static create(positions: Float32Array, normals: Float32Array, faces: Uint32Array): SurfaceRaster;
    /**
     * Draws a picture; false when the room for it was not reserved.
     */
    draw(width: number, height: number, is_smooth: boolean, is_culling: boolean): boolean;
    /**
     * Face at a place of the picture, each 0..1 from its left top; -1 beside the mesh.
     */
    face_at(across: number, down: number): number;
    /**
     * 1/depth at a place of the picture; 0 beside the mesh.
     */
    inverse_depth_at(across: number, down: number): number;
    /**
     * Address of the picture drawn last, one RGBA word a pixel.
     */
    pixels_address(): number;
    /**
     * Makes room for pictures; false when memory is short. Drawing a smaller one needs no more.
     */
    reserve(width: number, height: number, is_smooth: boolean): boolean;
    /**
     * Address of the view's numbers.
     */
    view_address(): number;
}

/**
 * One volume's file on its way through WASM memory: JavaScript writes what arrives at `input_address`, and copies out what
 * is ready.
 */
export class VolumeDecoder {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Says that bytes were written there; 0, or the error's number.
     */
    advance(bytes: number): number;
    /**
     * For a volume of a shape; `voxel_kind` 0 = labels, 1 = intensity, 2 = thickness. `undefined` for another kind.
     */
    static create(voxel_kind: number, nx: number, ny: number, nz: number): VolumeDecoder | undefined;
    /**
     * Says that the file has ended; 0, or the error's number.
     */
    finish(): number;
    /**
     * Address and number of the bytes that may be written next; none when all elements are there.
     */
    input_address(): number;
    input_bytes(): number;
    /**
     * [`label_places`] of the volume, once it is there.
     */
    places(): Uint32Array;
    ready(): number;
    /**
     * Voxels of one slice from those bytes; empty when they are not as many.
     */
    slice(bytes: Uint8Array): Uint8Array;
    /**
     * First byte and number of bytes of slice `k` in the file; empty when a slice cannot be converted by itself.
     */
    slice_range(k: number): Uint32Array;
    /**
     * Length of the file up to its last element; 0 before the header is there.
     */
    total_bytes(): number;
    /**
     * Address of the volume, and how many of its first voxels are final.
     */
    volume(): number;
}

/**
 * The memory of this module's instance.
 */
export function kernel_memory(): any;

/**
 * Where the labels are: for every label value (0..=255) the index of a voxel in its middle, 2^32 - 1 where it does
 * not occur; then first and last index on each axis of all labels together, if there are any. Empty when `labels` is
 * not `nx·ny·nz` long.
 */
export function label_places(labels: Uint8Array, nx: number, ny: number, nz: number): Uint32Array;

/**
 * Layout of an NPY file: [0, offset, kind, bytes per element, n0, n1, n2, big-endian, Fortran order], or
 * [error number].
 *
 * `head` is the beginning of the file, `total` its length.
 */
export function npy_layout(head: Uint8Array, total: number): Uint32Array;

/**
 * The same as 32-bit floats.
 */
export function npy_to_f32(file: Uint8Array): Float32Array;

/**
 * The same as unsigned 32-bit numbers.
 */
export function npy_to_u32(file: Uint8Array): Uint32Array;

/**
 * Elements of an NPY file in C order, as unsigned bytes; empty when the file is refused ([`npy_layout`] says why) or
 * memory is short.
 */
export function npy_to_u8(file: Uint8Array): Uint8Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_slicecomposer_free: (a: number, b: number) => void;
    readonly __wbg_surfaceraster_free: (a: number, b: number) => void;
    readonly __wbg_volumedecoder_free: (a: number, b: number) => void;
    readonly kernel_memory: () => number;
    readonly label_places: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
    readonly npy_layout: (a: number, b: number, c: number, d: number) => void;
    readonly npy_to_f32: (a: number, b: number, c: number) => void;
    readonly npy_to_u32: (a: number, b: number, c: number) => void;
    readonly npy_to_u8: (a: number, b: number, c: number) => void;
    readonly slicecomposer_compose: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
    readonly slicecomposer_create: (a: number, b: number, c: number) => number;
    readonly slicecomposer_drop_volume: (a: number, b: number) => void;
    readonly slicecomposer_extract: (a: number, b: number, c: number, d: number) => number;
    readonly slicecomposer_mapping_address: (a: number) => number;
    readonly slicecomposer_pane_address: (a: number, b: number) => number;
    readonly slicecomposer_size_pane: (a: number, b: number, c: number, d: number) => number;
    readonly slicecomposer_slice_address: (a: number) => number;
    readonly slicecomposer_tables_address: (a: number) => number;
    readonly slicecomposer_value_at: (a: number, b: number, c: number, d: number) => number;
    readonly slicecomposer_visible_address: (a: number) => number;
    readonly slicecomposer_volume_address: (a: number, b: number) => number;
    readonly surfaceraster_colours_address: (a: number) => number;
    readonly surfaceraster_create: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
    readonly surfaceraster_draw: (a: number, b: number, c: number, d: number, e: number) => number;
    readonly surfaceraster_face_at: (a: number, b: number, c: number) => number;
    readonly surfaceraster_inverse_depth_at: (a: number, b: number, c: number) => number;
    readonly surfaceraster_pixels_address: (a: number) => number;
    readonly surfaceraster_reserve: (a: number, b: number, c: number, d: number) => number;
    readonly surfaceraster_view_address: (a: number) => number;
    readonly volumedecoder_advance: (a: number, b: number) => number;
    readonly volumedecoder_create: (a: number, b: number, c: number, d: number) => number;
    readonly volumedecoder_finish: (a: number) => number;
    readonly volumedecoder_input_address: (a: number) => number;
    readonly volumedecoder_input_bytes: (a: number) => number;
    readonly volumedecoder_places: (a: number, b: number) => void;
    readonly volumedecoder_ready: (a: number) => number;
    readonly volumedecoder_slice: (a: number, b: number, c: number, d: number) => void;
    readonly volumedecoder_slice_range: (a: number, b: number, c: number) => void;
    readonly volumedecoder_total_bytes: (a: number) => number;
    readonly volumedecoder_volume: (a: number) => number;
    readonly __wbindgen_add_to_stack_pointer: (a: number) => number;
    readonly __wbindgen_export: (a: number, b: number) => number;
    readonly __wbindgen_export2: (a: number, b: number, c: number) => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
