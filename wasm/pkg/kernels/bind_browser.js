/* @ts-self-types="./bind_browser.d.ts" */

/**
 * The volumes of one patient and the panes that show them.
 */
export class SliceComposer {
    static __wrap(ptr) {
        const obj = Object.create(SliceComposer.prototype);
        obj.__wbg_ptr = ptr;
        SliceComposerFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        SliceComposerFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_slicecomposer_free(ptr, 0);
    }
    /**
     * Composes a pane from the mapping written at `mapping_address`. `opacity` is 0..=255; 0 hides the overlay. A base
     * that is not there is black, an overlay that is not there is not drawn.
     * @param {number} pane
     * @param {number} kind
     * @param {number} window_width
     * @param {number} window_level
     * @param {number} opacity
     */
    compose(pane, kind, window_width, window_level, opacity) {
        wasm.slicecomposer_compose(this.__wbg_ptr, pane, kind, window_width, window_level, opacity);
    }
    /**
     * For volumes of a shape, none of them there yet; `undefined` when the shape is empty or too large.
     * @param {number} nx
     * @param {number} ny
     * @param {number} nz
     * @returns {SliceComposer | undefined}
     */
    static create(nx, ny, nz) {
        const ret = wasm.slicecomposer_create(nx, ny, nz);
        return ret === 0 ? undefined : SliceComposer.__wrap(ret);
    }
    /**
     * Frees a volume's memory.
     * @param {number} slot
     */
    drop_volume(slot) {
        wasm.slicecomposer_drop_volume(this.__wbg_ptr, slot);
    }
    /**
     * Copies the slice `index` along `axis` to `slice_address`; its number of voxels, 0 when there is no such slice.
     * @param {number} slot
     * @param {number} axis
     * @param {number} index
     * @returns {number}
     */
    extract(slot, axis, index) {
        const ret = wasm.slicecomposer_extract(this.__wbg_ptr, slot, axis, index);
        return ret >>> 0;
    }
    /**
     * @returns {number}
     */
    mapping_address() {
        const ret = wasm.slicecomposer_mapping_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Address of a pane's RGBA pixels; 0 when there is no such pane.
     * @param {number} pane
     * @returns {number}
     */
    pane_address(pane) {
        const ret = wasm.slicecomposer_pane_address(this.__wbg_ptr, pane);
        return ret >>> 0;
    }
    /**
     * Sizes a pane in device pixels; false when there is no such pane or memory is short.
     * @param {number} pane
     * @param {number} width
     * @param {number} height
     * @returns {boolean}
     */
    size_pane(pane, width, height) {
        const ret = wasm.slicecomposer_size_pane(this.__wbg_ptr, pane, width, height);
        return ret !== 0;
    }
    /**
     * @returns {number}
     */
    slice_address() {
        const ret = wasm.slicecomposer_slice_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Addresses in WASM memory: colour tables and visibility, 256 values a kind one after another, and the mapping.
     * @returns {number}
     */
    tables_address() {
        const ret = wasm.slicecomposer_tables_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Value of a volume under a point of a pane, whose mapping is at `mapping_address`; -1 outside, and when the volume
     * is not there.
     * @param {number} slot
     * @param {number} x
     * @param {number} y
     * @returns {number}
     */
    value_at(slot, x, y) {
        const ret = wasm.slicecomposer_value_at(this.__wbg_ptr, slot, x, y);
        return ret;
    }
    /**
     * @returns {number}
     */
    visible_address() {
        const ret = wasm.slicecomposer_visible_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Address of a volume in WASM memory; zeros at first use. 0 when there is no such slot or memory is short.
     * @param {number} slot
     * @returns {number}
     */
    volume_address(slot) {
        const ret = wasm.slicecomposer_volume_address(this.__wbg_ptr, slot);
        return ret >>> 0;
    }
}

export class SurfaceRaster {
    static __wrap(ptr) {
        const obj = Object.create(SurfaceRaster.prototype);
        obj.__wbg_ptr = ptr;
        SurfaceRasterFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        SurfaceRasterFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_surfaceraster_free(ptr, 0);
    }
    /**
     * Address of the vertices' colours, one RGBA word each.
     * @returns {number}
     */
    colours_address() {
        const ret = wasm.surfaceraster_colours_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Copies a mesh: `positions` and `normals` n × 3, `faces` m × 3.
     *
     * # Errors
     * The number of a `MeshError`.
     * @param {Float32Array} positions
     * @param {Float32Array} normals
     * @param {Uint32Array} faces
     * @returns {SurfaceRaster}
     */
    static create(positions, normals, faces) {
        try {
            const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
            const ptr0 = passArrayF32ToWasm0(positions, wasm.__wbindgen_export);
            const len0 = WASM_VECTOR_LEN;
            const ptr1 = passArrayF32ToWasm0(normals, wasm.__wbindgen_export);
            const len1 = WASM_VECTOR_LEN;
            const ptr2 = passArray32ToWasm0(faces, wasm.__wbindgen_export);
            const len2 = WASM_VECTOR_LEN;
            wasm.surfaceraster_create(retptr, ptr0, len0, ptr1, len1, ptr2, len2);
            var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
            var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
            var r2 = getDataViewMemory0().getInt32(retptr + 4 * 2, true);
            if (r2) {
                throw takeObject(r1);
            }
            return SurfaceRaster.__wrap(r0);
        } finally {
            wasm.__wbindgen_add_to_stack_pointer(16);
        }
    }
    /**
     * Draws a picture; false when the room for it was not reserved.
     * @param {number} width
     * @param {number} height
     * @param {boolean} is_smooth
     * @param {boolean} is_culling
     * @returns {boolean}
     */
    draw(width, height, is_smooth, is_culling) {
        const ret = wasm.surfaceraster_draw(this.__wbg_ptr, width, height, is_smooth, is_culling);
        return ret !== 0;
    }
    /**
     * Face at a place of the picture, each 0..1 from its left top; -1 beside the mesh.
     * @param {number} across
     * @param {number} down
     * @returns {number}
     */
    face_at(across, down) {
        const ret = wasm.surfaceraster_face_at(this.__wbg_ptr, across, down);
        return ret;
    }
    /**
     * 1/depth at a place of the picture; 0 beside the mesh.
     * @param {number} across
     * @param {number} down
     * @returns {number}
     */
    inverse_depth_at(across, down) {
        const ret = wasm.surfaceraster_inverse_depth_at(this.__wbg_ptr, across, down);
        return ret;
    }
    /**
     * Address of the picture drawn last, one RGBA word a pixel.
     * @returns {number}
     */
    pixels_address() {
        const ret = wasm.surfaceraster_pixels_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Makes room for pictures; false when memory is short. Drawing a smaller one needs no more.
     * @param {number} width
     * @param {number} height
     * @param {boolean} is_smooth
     * @returns {boolean}
     */
    reserve(width, height, is_smooth) {
        const ret = wasm.surfaceraster_reserve(this.__wbg_ptr, width, height, is_smooth);
        return ret !== 0;
    }
    /**
     * Address of the view's numbers.
     * @returns {number}
     */
    view_address() {
        const ret = wasm.surfaceraster_view_address(this.__wbg_ptr);
        return ret >>> 0;
    }
}

/**
 * One volume's file on its way through WASM memory: JavaScript writes what arrives at `input_address`, and copies out what
 * is ready.
 */
export class VolumeDecoder {
    static __wrap(ptr) {
        const obj = Object.create(VolumeDecoder.prototype);
        obj.__wbg_ptr = ptr;
        VolumeDecoderFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        VolumeDecoderFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_volumedecoder_free(ptr, 0);
    }
    /**
     * Says that bytes were written there; 0, or the error's number.
     * @param {number} bytes
     * @returns {number}
     */
    advance(bytes) {
        const ret = wasm.volumedecoder_advance(this.__wbg_ptr, bytes);
        return ret >>> 0;
    }
    /**
     * For a volume of a shape; `voxel_kind` 0 = labels, 1 = intensity, 2 = thickness. `undefined` for another kind.
     * @param {number} voxel_kind
     * @param {number} nx
     * @param {number} ny
     * @param {number} nz
     * @returns {VolumeDecoder | undefined}
     */
    static create(voxel_kind, nx, ny, nz) {
        const ret = wasm.volumedecoder_create(voxel_kind, nx, ny, nz);
        return ret === 0 ? undefined : VolumeDecoder.__wrap(ret);
    }
    /**
     * Says that the file has ended; 0, or the error's number.
     * @returns {number}
     */
    finish() {
        const ret = wasm.volumedecoder_finish(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Address and number of the bytes that may be written next; none when all elements are there.
     * @returns {number}
     */
    input_address() {
        const ret = wasm.volumedecoder_input_address(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * @returns {number}
     */
    input_bytes() {
        const ret = wasm.volumedecoder_input_bytes(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * [`label_places`] of the volume, once it is there.
     * @returns {Uint32Array}
     */
    places() {
        try {
            const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
            wasm.volumedecoder_places(retptr, this.__wbg_ptr);
            var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
            var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
            var v1 = getArrayU32FromWasm0(r0, r1).slice();
            wasm.__wbindgen_export2(r0, r1 * 4, 4);
            return v1;
        } finally {
            wasm.__wbindgen_add_to_stack_pointer(16);
        }
    }
    /**
     * @returns {number}
     */
    ready() {
        const ret = wasm.volumedecoder_ready(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Voxels of one slice from those bytes; empty when they are not as many.
     * @param {Uint8Array} bytes
     * @returns {Uint8Array}
     */
    slice(bytes) {
        try {
            const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
            const ptr0 = passArray8ToWasm0(bytes, wasm.__wbindgen_export);
            const len0 = WASM_VECTOR_LEN;
            wasm.volumedecoder_slice(retptr, this.__wbg_ptr, ptr0, len0);
            var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
            var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
            var v2 = getArrayU8FromWasm0(r0, r1).slice();
            wasm.__wbindgen_export2(r0, r1 * 1, 1);
            return v2;
        } finally {
            wasm.__wbindgen_add_to_stack_pointer(16);
        }
    }
    /**
     * First byte and number of bytes of slice `k` in the file; empty when a slice cannot be converted by itself.
     * @param {number} k
     * @returns {Uint32Array}
     */
    slice_range(k) {
        try {
            const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
            wasm.volumedecoder_slice_range(retptr, this.__wbg_ptr, k);
            var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
            var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
            var v1 = getArrayU32FromWasm0(r0, r1).slice();
            wasm.__wbindgen_export2(r0, r1 * 4, 4);
            return v1;
        } finally {
            wasm.__wbindgen_add_to_stack_pointer(16);
        }
    }
    /**
     * Length of the file up to its last element; 0 before the header is there.
     * @returns {number}
     */
    total_bytes() {
        const ret = wasm.volumedecoder_total_bytes(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Address of the volume, and how many of its first voxels are final.
     * @returns {number}
     */
    volume() {
        const ret = wasm.volumedecoder_volume(this.__wbg_ptr);
        return ret >>> 0;
    }
}

/**
 * The memory of this module's instance.
 * @returns {any}
 */
export function kernel_memory() {
    const ret = wasm.kernel_memory();
    return takeObject(ret);
}

/**
 * Where the labels are: for every label value (0..=255) the index of a voxel in its middle, 2^32 - 1 where it does
 * not occur; then first and last index on each axis of all labels together, if there are any. Empty when `labels` is
 * not `nx·ny·nz` long.
 * @param {Uint8Array} labels
 * @param {number} nx
 * @param {number} ny
 * @param {number} nz
 * @returns {Uint32Array}
 */
export function label_places(labels, nx, ny, nz) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        const ptr0 = passArray8ToWasm0(labels, wasm.__wbindgen_export);
        const len0 = WASM_VECTOR_LEN;
        wasm.label_places(retptr, ptr0, len0, nx, ny, nz);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v2 = getArrayU32FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export2(r0, r1 * 4, 4);
        return v2;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}

/**
 * Layout of an NPY file: [0, offset, kind, bytes per element, n0, n1, n2, big-endian, Fortran order], or
 * [error number].
 *
 * `head` is the beginning of the file, `total` its length.
 * @param {Uint8Array} head
 * @param {number} total
 * @returns {Uint32Array}
 */
export function npy_layout(head, total) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        const ptr0 = passArray8ToWasm0(head, wasm.__wbindgen_export);
        const len0 = WASM_VECTOR_LEN;
        wasm.npy_layout(retptr, ptr0, len0, total);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v2 = getArrayU32FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export2(r0, r1 * 4, 4);
        return v2;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}

/**
 * The same as 32-bit floats.
 * @param {Uint8Array} file
 * @returns {Float32Array}
 */
export function npy_to_f32(file) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        const ptr0 = passArray8ToWasm0(file, wasm.__wbindgen_export);
        const len0 = WASM_VECTOR_LEN;
        wasm.npy_to_f32(retptr, ptr0, len0);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v2 = getArrayF32FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export2(r0, r1 * 4, 4);
        return v2;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}

/**
 * The same as unsigned 32-bit numbers.
 * @param {Uint8Array} file
 * @returns {Uint32Array}
 */
export function npy_to_u32(file) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        const ptr0 = passArray8ToWasm0(file, wasm.__wbindgen_export);
        const len0 = WASM_VECTOR_LEN;
        wasm.npy_to_u32(retptr, ptr0, len0);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v2 = getArrayU32FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export2(r0, r1 * 4, 4);
        return v2;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}

/**
 * Elements of an NPY file in C order, as unsigned bytes; empty when the file is refused ([`npy_layout`] says why) or
 * memory is short.
 * @param {Uint8Array} file
 * @returns {Uint8Array}
 */
export function npy_to_u8(file) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        const ptr0 = passArray8ToWasm0(file, wasm.__wbindgen_export);
        const len0 = WASM_VECTOR_LEN;
        wasm.npy_to_u8(retptr, ptr0, len0);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v2 = getArrayU8FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export2(r0, r1 * 1, 1);
        return v2;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        __wbg___wbindgen_memory_caa4a6165639c8b5: function() {
            const ret = wasm.memory;
            return addHeapObject(ret);
        },
        __wbg___wbindgen_throw_41e9ee4f547fc59a: function(arg0, arg1) {
            throw new Error(getStringFromWasm0(arg0, arg1));
        },
        __wbindgen_generic_0000000000000001: function(arg0) {
            // Cast intrinsic for `F64 -> Externref`.
            const ret = arg0;
            return addHeapObject(ret);
        },
    };
    return {
        __proto__: null,
        "./bind_browser_bg.js": import0,
    };
}

const SliceComposerFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : /* @__PURE__ */ new FinalizationRegistry(ptr => wasm.__wbg_slicecomposer_free(ptr, 1));
const SurfaceRasterFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : /* @__PURE__ */ new FinalizationRegistry(ptr => wasm.__wbg_surfaceraster_free(ptr, 1));
const VolumeDecoderFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : /* @__PURE__ */ new FinalizationRegistry(ptr => wasm.__wbg_volumedecoder_free(ptr, 1));

function addHeapObject(obj) {
    if (heap_next === heap.length) heap.push(heap.length + 1);
    const idx = heap_next;
    heap_next = heap[idx];

    heap[idx] = obj;
    return idx;
}

function dropObject(idx) {
    if (idx < 1028) return;
    heap[idx] = heap_next;
    heap_next = idx;
}

function getArrayF32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getFloat32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayU32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayU8FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint8ArrayMemory0().subarray(ptr / 1, ptr / 1 + len);
}

let cachedDataViewMemory0 = null;
function getDataViewMemory0() {
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
    }
    return cachedDataViewMemory0;
}

let cachedFloat32ArrayMemory0 = null;
function getFloat32ArrayMemory0() {
    if (cachedFloat32ArrayMemory0 === null || cachedFloat32ArrayMemory0.byteLength === 0) {
        cachedFloat32ArrayMemory0 = new Float32Array(wasm.memory.buffer);
    }
    return cachedFloat32ArrayMemory0;
}

function getStringFromWasm0(ptr, len) {
    return decodeText(ptr >>> 0, len);
}

let cachedUint32ArrayMemory0 = null;
function getUint32ArrayMemory0() {
    if (cachedUint32ArrayMemory0 === null || cachedUint32ArrayMemory0.byteLength === 0) {
        cachedUint32ArrayMemory0 = new Uint32Array(wasm.memory.buffer);
    }
    return cachedUint32ArrayMemory0;
}

let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
    }
    return cachedUint8ArrayMemory0;
}

function getObject(idx) { return heap[idx]; }

let heap = new Array(1024).fill(undefined);
heap.push(undefined, null, true, false);

let heap_next = heap.length;

function passArray32ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 4, 4) >>> 0;
    getUint32ArrayMemory0().set(arg, ptr / 4);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function passArray8ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 1, 1) >>> 0;
    getUint8ArrayMemory0().set(arg, ptr / 1);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function passArrayF32ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 4, 4) >>> 0;
    getFloat32ArrayMemory0().set(arg, ptr / 4);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function takeObject(idx) {
    const ret = getObject(idx);
    dropObject(idx);
    return ret;
}

let cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
cachedTextDecoder.decode();
const MAX_SAFARI_DECODE_BYTES = 2146435072;
let numBytesDecoded = 0;
function decodeText(ptr, len) {
    numBytesDecoded += len;
    if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
        cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
        cachedTextDecoder.decode();
        numBytesDecoded = len;
    }
    return cachedTextDecoder.decode(getUint8ArrayMemory0().subarray(ptr, ptr + len));
}

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
function __wbg_finalize_init(instance, module) {
    wasmInstance = instance;
    wasm = instance.exports;
    wasmModule = module;
    cachedDataViewMemory0 = null;
    cachedFloat32ArrayMemory0 = null;
    cachedUint32ArrayMemory0 = null;
    cachedUint8ArrayMemory0 = null;
    return wasm;
}

async function __wbg_load(module, imports) {
    if (typeof Response === 'function' && module instanceof Response) {
        if (!module.ok) {
            throw new Error(`failed to fetch Wasm: ${module.status} ${module.statusText} fetching '${module.url}'`);
        }

        if (typeof WebAssembly.instantiateStreaming === 'function') {
            try {
                return await WebAssembly.instantiateStreaming(module, imports);
            } catch (e) {
                const validResponse = expectedResponseType(module.type);

                if (validResponse && module.headers.get('Content-Type') !== 'application/wasm') {
                    console.warn("`WebAssembly.instantiateStreaming` failed because your server does not serve Wasm with `application/wasm` MIME type. Falling back to `WebAssembly.instantiate` which is slower. Original error:\n", e);

                } else { throw e; }
            }
        }

        const bytes = await module.arrayBuffer();
        return await WebAssembly.instantiate(bytes, imports);
    } else {
        const instance = await WebAssembly.instantiate(module, imports);

        if (instance instanceof WebAssembly.Instance) {
            return { instance, module };
        } else {
            return instance;
        }
    }

    function expectedResponseType(type) {
        switch (type) {
            case 'basic': case 'cors': case 'default': return true;
        }
        return false;
    }
}

function initSync(module) {
    if (wasm !== undefined) return wasm;


    if (module !== undefined) {
        if (Object.getPrototypeOf(module) === Object.prototype) {
            ({module} = module)
        } else {
            console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
        }
    }

    const imports = __wbg_get_imports();
    if (!(module instanceof WebAssembly.Module)) {
        module = new WebAssembly.Module(module);
    }
    const instance = new WebAssembly.Instance(module, imports);
    return __wbg_finalize_init(instance, module);
}

async function __wbg_init(module_or_path) {
    if (wasm !== undefined) return wasm;


    if (module_or_path !== undefined) {
        if (Object.getPrototypeOf(module_or_path) === Object.prototype) {
            ({module_or_path} = module_or_path)
        } else {
            console.warn('using deprecated parameters for the initialization function; pass a single object instead')
        }
    }

    if (module_or_path === undefined) {
        module_or_path = new URL('bind_browser_bg.wasm', import.meta.url);
    }
    const imports = __wbg_get_imports();

    if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) || (typeof URL === 'function' && module_or_path instanceof URL)) {
        module_or_path = fetch(module_or_path);
    }

    const { instance, module } = await __wbg_load(await module_or_path, imports);

    return __wbg_finalize_init(instance, module);
}

export { initSync, __wbg_init as default };
