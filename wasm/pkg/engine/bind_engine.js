/* @ts-self-types="./bind_engine.d.ts" */

/**
 * Takes two series, the older one first, and compares them.
 */
export class ChangeEngine {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        ChangeEngineFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_changeengine_free(ptr, 0);
    }
    /**
     * Adds a series; what is not a number becomes 0.
     * @param {Float32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add(voxels, shape, ras_from_ijk) {
        const ptr0 = passArrayF32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.changeengine_add(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Compares them, and consumes them.
     * @returns {EngineChange}
     */
    compare() {
        const ptr = this.__destroy_into_raw();
        const ret = wasm.changeengine_compare(ptr);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return EngineChange.__wrap(ret[0]);
    }
    /**
     * From the bytes of the three NPY files of the atlas.
     * @param {Uint8Array} template
     * @param {Uint8Array} labels
     * @param {Uint8Array} weights
     */
    constructor(template, labels, weights) {
        const ptr0 = passArray8ToWasm0(template, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray8ToWasm0(labels, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArray8ToWasm0(weights, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.changeengine_new(ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        this.__wbg_ptr = ret[0];
        ChangeEngineFinalization.register(this, this.__wbg_ptr, this);
        return this;
    }
}
if (Symbol.dispose) ChangeEngine.prototype[Symbol.dispose] = ChangeEngine.prototype.free;

export class Engine {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_engine_free(ptr, 0);
    }
    /**
     * Takes the FLAIR series.
     * @param {Float32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_f32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArrayF32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_f32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the FLAIR series.
     * @param {Int16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_i16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_i16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the FLAIR series.
     * @param {Int32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_i32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_i32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the FLAIR series.
     * @param {Int8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_i8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_i8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the FLAIR series.
     * @param {Uint16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_u16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_u16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the FLAIR series.
     * @param {Uint8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    add_flair_u8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_add_flair_u8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Analyses the series that were given, and consumes them. A failure of the T1-weighted series is thrown; one of the
     * FLAIR series is in the result.
     *
     * The weights are those of our own network for deep structures and of the second opinion's network, where they are to
     * be asked.
     * @param {boolean} bias_correction
     * @param {Uint8Array | null | undefined} deep_weights
     * @param {Uint8Array | null | undefined} model_weights
     * @param {(percent: number, stage: string) => void} on_stage
     * @returns {EngineAnalysis}
     */
    analyze(bias_correction, deep_weights, model_weights, on_stage) {
        const ptr = this.__destroy_into_raw();
        var ptr0 = isLikeNone(deep_weights) ? 0 : passArray8ToWasm0(deep_weights, wasm.__wbindgen_malloc);
        var len0 = WASM_VECTOR_LEN;
        var ptr1 = isLikeNone(model_weights) ? 0 : passArray8ToWasm0(model_weights, wasm.__wbindgen_malloc);
        var len1 = WASM_VECTOR_LEN;
        const ret = wasm.engine_analyze(ptr, bias_correction, ptr0, len0, ptr1, len1, on_stage);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return EngineAnalysis.__wrap(ret[0]);
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Float32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_f32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArrayF32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_f32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Int16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_i16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_i16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Int32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_i32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_i32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Int8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_i8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_i8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Uint16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_u16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_u16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     * @param {Uint8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    conform_u8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_conform_u8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The conformed volume, 256³ bytes; empty without a T1-weighted series.
     * @returns {Uint8Array}
     */
    conformed() {
        const ret = wasm.engine_conformed(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * @returns {Float64Array}
     */
    conformed_ras_from_ijk() {
        const ret = wasm.engine_conformed_ras_from_ijk(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * From the bytes of the three NPY files of the atlas.
     * @param {Uint8Array} template
     * @param {Uint8Array} labels
     * @param {Uint8Array} weights
     */
    constructor(template, labels, weights) {
        const ptr0 = passArray8ToWasm0(template, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray8ToWasm0(labels, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArray8ToWasm0(weights, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.engine_new(ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        this.__wbg_ptr = ret[0];
        EngineFinalization.register(this, this.__wbg_ptr, this);
        return this;
    }
}
if (Symbol.dispose) Engine.prototype[Symbol.dispose] = Engine.prototype.free;

/**
 * How a second opinion compares with the engine.
 */
export class EngineAgreement {
    static __wrap(ptr) {
        const obj = Object.create(EngineAgreement.prototype);
        obj.__wbg_ptr = ptr;
        EngineAgreementFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineAgreementFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_engineagreement_free(ptr, 0);
    }
    /**
     * `agreed`, or what refused it.
     * @returns {string}
     */
    get reason() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.engineagreement_reason(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * @returns {number}
     */
    get cortex_dice() {
        const ret = wasm.__wbg_get_engineagreement_cortex_dice(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {boolean}
     */
    get used() {
        const ret = wasm.__wbg_get_engineagreement_used(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * @param {number} arg0
     */
    set cortex_dice(arg0) {
        wasm.__wbg_set_engineagreement_cortex_dice(this.__wbg_ptr, arg0);
    }
    /**
     * @param {boolean} arg0
     */
    set used(arg0) {
        wasm.__wbg_set_engineagreement_used(this.__wbg_ptr, arg0);
    }
}
if (Symbol.dispose) EngineAgreement.prototype[Symbol.dispose] = EngineAgreement.prototype.free;

/**
 * Results of the series that were given.
 */
export class EngineAnalysis {
    static __wrap(ptr) {
        const obj = Object.create(EngineAnalysis.prototype);
        obj.__wbg_ptr = ptr;
        EngineAnalysisFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineAnalysisFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_engineanalysis_free(ptr, 0);
    }
    /**
     * `undefined` without a FLAIR series.
     *
     * # Errors
     * What the FLAIR series failed with.
     * @returns {EngineFlair | undefined}
     */
    take_flair() {
        const ret = wasm.engineanalysis_take_flair(this.__wbg_ptr);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] === 0 ? undefined : EngineFlair.__wrap(ret[0]);
    }
    /**
     * `undefined` without a T1-weighted series.
     * @returns {EngineT1 | undefined}
     */
    take_t1() {
        const ret = wasm.engineanalysis_take_t1(this.__wbg_ptr);
        return ret === 0 ? undefined : EngineT1.__wrap(ret);
    }
}
if (Symbol.dispose) EngineAnalysis.prototype[Symbol.dispose] = EngineAnalysis.prototype.free;

/**
 * What changed.
 */
export class EngineChange {
    static __wrap(ptr) {
        const obj = Object.create(EngineChange.prototype);
        obj.__wbg_ptr = ptr;
        EngineChangeFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineChangeFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginechange_free(ptr, 0);
    }
    /**
     * Twelve numbers a lesion, the surest first: kind (1 new, 2 enlarging, 3 shrinking, 4 gone), 1 when it is sure, changed,
     * before and after in mm³, z, and its centre in scanner mm of the first and of the second series.
     * @returns {Float64Array}
     */
    lesions() {
        const ret = wasm.enginechange_lesions(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {number}
     */
    ncc() {
        const ret = wasm.enginechange_ncc(this.__wbg_ptr);
        return ret;
    }
    /**
     * Of the difference where the image is flat, parts of normal white matter.
     * @returns {number}
     */
    noise() {
        const ret = wasm.enginechange_noise(this.__wbg_ptr);
        return ret;
    }
    /**
     * Scanner mm of the first series to those of the second, 16 numbers column by column.
     * @returns {Float64Array}
     */
    second_from_first() {
        const ret = wasm.enginechange_second_from_first(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * 0, or 1 + the lesion's number, on the grid of the first (0) or the second (1) series; what has been taken is empty.
     * @param {number} visit
     * @returns {Uint8Array}
     */
    take_marks(visit) {
        const ret = wasm.enginechange_take_marks(this.__wbg_ptr, visit);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
}
if (Symbol.dispose) EngineChange.prototype[Symbol.dispose] = EngineChange.prototype.free;

/**
 * A typed failure; `code` is a key of `model/errors.ts`.
 */
export class EngineFailure {
    static __wrap(ptr) {
        const obj = Object.create(EngineFailure.prototype);
        obj.__wbg_ptr = ptr;
        EngineFailureFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineFailureFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginefailure_free(ptr, 0);
    }
    /**
     * @returns {string}
     */
    get code() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.enginefailure_code(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * @returns {string}
     */
    get message() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.enginefailure_message(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * @returns {string}
     */
    get reason() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.enginefailure_reason(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
}
if (Symbol.dispose) EngineFailure.prototype[Symbol.dispose] = EngineFailure.prototype.free;

/**
 * What the FLAIR series shows.
 */
export class EngineFlair {
    static __wrap(ptr) {
        const obj = Object.create(EngineFlair.prototype);
        obj.__wbg_ptr = ptr;
        EngineFlairFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineFlairFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_engineflair_free(ptr, 0);
    }
    /**
     * What came of asking our own network about a FLAIR series alone; `undefined` when it was not asked.
     * @returns {EngineFusion | undefined}
     */
    deep() {
        const ret = wasm.engineflair_deep(this.__wbg_ptr);
        return ret === 0 ? undefined : EngineFusion.__wrap(ret);
    }
    /**
     * Their volumes by label; empty when the network was not asked.
     * @returns {Float64Array}
     */
    deep_volumes_mm3() {
        const ret = wasm.engineflair_deep_volumes_mm3(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * 0 with a T1-weighted series, which has its own.
     * @returns {number}
     */
    icv_mm3() {
        const ret = wasm.engineflair_icv_mm3(this.__wbg_ptr);
        return ret;
    }
    /**
     * Five numbers a lesion, the largest first: periventricular and deep mm³, RAS mm of its centre.
     * @returns {Float64Array}
     */
    lesions() {
        const ret = wasm.engineflair_lesions(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {boolean}
     */
    low_confidence() {
        const ret = wasm.engineflair_low_confidence(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * @returns {Float64Array}
     */
    ras_from_ijk() {
        const ret = wasm.engineflair_ras_from_ijk(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {Uint32Array}
     */
    shape() {
        const ret = wasm.engineflair_shape(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Normalised mutual information and overlap; empty without a T1-weighted series.
     * @returns {Float64Array}
     */
    similarity() {
        const ret = wasm.engineflair_similarity(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {Float64Array}
     */
    t1_from_flair() {
        const ret = wasm.engineflair_t1_from_flair(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Labels of the deep structures on the grid of `shape`; empty when there are none.
     * @returns {Uint8Array}
     */
    take_deep_labels() {
        const ret = wasm.engineflair_take_deep_labels(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * @returns {Uint8Array}
     */
    take_intensities() {
        const ret = wasm.engineflair_take_intensities(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * 1 periventricular, 2 deep, on the grid of `shape`.
     * @returns {Uint8Array}
     */
    take_marks() {
        const ret = wasm.engineflair_take_marks(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * The same on the series' own grid.
     * @returns {Uint8Array}
     */
    take_scanner_marks() {
        const ret = wasm.engineflair_take_scanner_marks(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * Periventricular, deep, and cerebral white matter with its lesions, mm³.
     * @returns {Float64Array}
     */
    volumes_mm3() {
        const ret = wasm.engineflair_volumes_mm3(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
}
if (Symbol.dispose) EngineFlair.prototype[Symbol.dispose] = EngineFlair.prototype.free;

/**
 * What came of asking our own network beside the atlas. See `analysis::network::fusion`.
 */
export class EngineFusion {
    static __wrap(ptr) {
        const obj = Object.create(EngineFusion.prototype);
        obj.__wbg_ptr = ptr;
        EngineFusionFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineFusionFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginefusion_free(ptr, 0);
    }
    /**
     * `agreed`, or what refused it.
     * @returns {string}
     */
    get reason() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.enginefusion_reason(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * Version of the weights.
     * @returns {string}
     */
    get version() {
        let deferred1_0;
        let deferred1_1;
        try {
            const ret = wasm.enginefusion_version(this.__wbg_ptr);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * Dice of the deep grey matter of network and atlas.
     * @returns {number}
     */
    get agreement() {
        const ret = wasm.__wbg_get_enginefusion_agreement(this.__wbg_ptr);
        return ret;
    }
    /**
     * Part of the atlas's deep structures that the network saw.
     * @returns {number}
     */
    get coverage() {
        const ret = wasm.__wbg_get_enginefusion_coverage(this.__wbg_ptr);
        return ret;
    }
    /**
     * Mean entropy of the network's answer.
     * @returns {number}
     */
    get entropy() {
        const ret = wasm.__wbg_get_enginefusion_entropy(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {boolean}
     */
    get used() {
        const ret = wasm.__wbg_get_enginefusion_used(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * Dice of the deep grey matter of network and atlas.
     * @param {number} arg0
     */
    set agreement(arg0) {
        wasm.__wbg_set_enginefusion_agreement(this.__wbg_ptr, arg0);
    }
    /**
     * Part of the atlas's deep structures that the network saw.
     * @param {number} arg0
     */
    set coverage(arg0) {
        wasm.__wbg_set_enginefusion_coverage(this.__wbg_ptr, arg0);
    }
    /**
     * Mean entropy of the network's answer.
     * @param {number} arg0
     */
    set entropy(arg0) {
        wasm.__wbg_set_enginefusion_entropy(this.__wbg_ptr, arg0);
    }
    /**
     * @param {boolean} arg0
     */
    set used(arg0) {
        wasm.__wbg_set_enginefusion_used(this.__wbg_ptr, arg0);
    }
}
if (Symbol.dispose) EngineFusion.prototype[Symbol.dispose] = EngineFusion.prototype.free;

/**
 * A closed triangle mesh in RAS mm of the scanner.
 */
export class EngineSurface {
    static __wrap(ptr) {
        const obj = Object.create(EngineSurface.prototype);
        obj.__wbg_ptr = ptr;
        EngineSurfaceFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineSurfaceFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginesurface_free(ptr, 0);
    }
    /**
     * Vertices - edges + faces; 2 for a surface without handles.
     * @returns {number}
     */
    euler() {
        const ret = wasm.enginesurface_euler(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {Uint32Array}
     */
    take_faces() {
        const ret = wasm.enginesurface_take_faces(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * @returns {Float32Array}
     */
    take_normals() {
        const ret = wasm.enginesurface_take_normals(this.__wbg_ptr);
        var v1 = getArrayF32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Cortical thickness at each vertex, mm; 0 where there is none.
     * @returns {Float32Array}
     */
    take_values() {
        const ret = wasm.enginesurface_take_values(this.__wbg_ptr);
        var v1 = getArrayF32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * @returns {Float32Array}
     */
    take_vertices() {
        const ret = wasm.enginesurface_take_vertices(this.__wbg_ptr);
        var v1 = getArrayF32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Triangles before the decimation.
     * @returns {number}
     */
    triangles_before() {
        const ret = wasm.enginesurface_triangles_before(this.__wbg_ptr);
        return ret >>> 0;
    }
}
if (Symbol.dispose) EngineSurface.prototype[Symbol.dispose] = EngineSurface.prototype.free;

/**
 * Result of the T1-weighted series, on the output grid.
 */
export class EngineT1 {
    static __wrap(ptr) {
        const obj = Object.create(EngineT1.prototype);
        obj.__wbg_ptr = ptr;
        EngineT1Finalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineT1Finalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginet1_free(ptr, 0);
    }
    /**
     * Rotation vector (rad), translation (mm), log scales, shears.
     * @returns {Float64Array}
     */
    affine_parameters() {
        const ret = wasm.enginet1_affine_parameters(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * What came of asking the second opinion's network; `undefined` when it was not asked.
     * @returns {EngineAgreement | undefined}
     */
    agreement() {
        const ret = wasm.enginet1_agreement(this.__wbg_ptr);
        return ret === 0 ? undefined : EngineAgreement.__wrap(ret);
    }
    /**
     * Atlas mm of each label's centre, three numbers a label; NaN without voxels.
     * @returns {Float64Array}
     */
    centres() {
        const ret = wasm.enginet1_centres(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Mean intensity of classes 1..12 relative to white matter's prior median; index 0 is 0.
     * @returns {Float64Array}
     */
    class_means() {
        const ret = wasm.enginet1_class_means(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {boolean}
     */
    converged() {
        const ret = wasm.enginet1_converged(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * Part of the brain outside the field of view, 0 to 1, as the prior expects it; `undefined` for a head that the field
     * of view does not cut.
     * @returns {number | undefined}
     */
    cut_fraction() {
        const ret = wasm.enginet1_cut_fraction(this.__wbg_ptr);
        return ret[0] === 0 ? undefined : ret[1];
    }
    /**
     * What came of asking our own network; `undefined` when it was not asked.
     * @returns {EngineFusion | undefined}
     */
    fusion() {
        const ret = wasm.enginet1_fusion(this.__wbg_ptr);
        return ret === 0 ? undefined : EngineFusion.__wrap(ret);
    }
    /**
     * See `ghosting::ghosting`.
     * @returns {number}
     */
    ghosting() {
        const ret = wasm.enginet1_ghosting(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {number}
     */
    icv_mm3() {
        const ret = wasm.enginet1_icv_mm3(this.__wbg_ptr);
        return ret;
    }
    /**
     * Smallest determinant of the nonlinear map in the brain, its 1st and 99th percentile, and the part that folds.
     * @returns {Float64Array}
     */
    jacobian() {
        const ret = wasm.enginet1_jacobian(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {Float64Array}
     */
    ras_from_ijk() {
        const ret = wasm.enginet1_ras_from_ijk(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Voxels of labels 0 to 104 in our label map, in a source's, and in both: three numbers a label, of the atlas, then of
     * our own network, then of the second opinion (zeros where a network was not asked).
     * @returns {Uint32Array}
     */
    region_overlaps() {
        const ret = wasm.enginet1_region_overlaps(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Whether the registration started again from more poses.
     * @returns {boolean}
     */
    retried() {
        const ret = wasm.enginet1_retried(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * @returns {Uint32Array}
     */
    shape() {
        const ret = wasm.enginet1_shape(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Detail along each axis of the conformed grid, see `quality::sharpness`.
     * @returns {Float64Array}
     */
    sharpness() {
        const ret = wasm.enginet1_sharpness(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Correlation after the affine registration, then local correlation at 4 mm and 2 mm.
     * @returns {Float64Array}
     */
    similarity() {
        const ret = wasm.enginet1_similarity(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * 0 if unknown.
     * @returns {number}
     */
    snr() {
        const ret = wasm.enginet1_snr(this.__wbg_ptr);
        return ret;
    }
    /**
     * Template mm to subject mm.
     * @returns {Float64Array}
     */
    subject_from_atlas() {
        const ret = wasm.enginet1_subject_from_atlas(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * @returns {Uint8Array}
     */
    take_intensities() {
        const ret = wasm.enginet1_take_intensities(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * 1 inside the dura, as the intracranial volume counts it.
     * @returns {Uint8Array}
     */
    take_intracranial() {
        const ret = wasm.enginet1_take_intracranial(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * @returns {Uint8Array}
     */
    take_labels() {
        const ret = wasm.enginet1_take_labels(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * @returns {EngineSurface}
     */
    take_surface() {
        const ret = wasm.enginet1_take_surface(this.__wbg_ptr);
        return EngineSurface.__wrap(ret);
    }
    /**
     * Millimetres times 51 at cortical voxels; empty when the voxels are too large for it.
     * @returns {Uint8Array}
     */
    take_thickness() {
        const ret = wasm.enginet1_take_thickness(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * Mean thickness by label, mm; 0 where not measured; empty when the voxels are too large for it.
     * @returns {Float64Array}
     */
    thickness_by_label() {
        const ret = wasm.enginet1_thickness_by_label(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Mean thickness of the left and of the right cortex, mm; empty when the voxels are too large for it.
     * @returns {Float64Array}
     */
    thickness_by_side() {
        const ret = wasm.enginet1_thickness_by_side(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * What was taken from every thickness so that it reads like FreeSurfer's, mm.
     * @returns {number}
     */
    thickness_offset_mm() {
        const ret = wasm.enginet1_thickness_offset_mm(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {Float64Array}
     */
    volumes_mm3() {
        const ret = wasm.enginet1_volumes_mm3(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Robust standard deviation of white matter, white matter = 1; 0 if unknown.
     * @returns {number}
     */
    white_sd() {
        const ret = wasm.enginet1_white_sd(this.__wbg_ptr);
        return ret;
    }
    /**
     * @returns {number}
     */
    winning_posterior() {
        const ret = wasm.enginet1_winning_posterior(this.__wbg_ptr);
        return ret;
    }
}
if (Symbol.dispose) EngineT1.prototype[Symbol.dispose] = EngineT1.prototype.free;

/**
 * The visits, measured alike.
 */
export class EngineVisits {
    static __wrap(ptr) {
        const obj = Object.create(EngineVisits.prototype);
        obj.__wbg_ptr = ptr;
        EngineVisitsFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        EngineVisitsFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_enginevisits_free(ptr, 0);
    }
    /**
     * What came of asking our own network; `undefined` when it was not asked.
     * @returns {EngineFusion | undefined}
     */
    fusion() {
        const ret = wasm.enginevisits_fusion(this.__wbg_ptr);
        return ret === 0 ? undefined : EngineFusion.__wrap(ret);
    }
    /**
     * One intracranial volume for all visits.
     * @returns {number}
     */
    icv_mm3() {
        const ret = wasm.enginevisits_icv_mm3(this.__wbg_ptr);
        return ret;
    }
    /**
     * In the order in which they were placed.
     * @returns {VisitMeasure[]}
     */
    take_visits() {
        const ret = wasm.enginevisits_take_visits(this.__wbg_ptr);
        var v1 = getArrayJsValueFromWasm0(ret[0], ret[1]);
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
}
if (Symbol.dispose) EngineVisits.prototype[Symbol.dispose] = EngineVisits.prototype.free;

export class LongitudinalEngine {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        LongitudinalEngineFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_longitudinalengine_free(ptr, 0);
    }
    /**
     * Adds a visit.
     * @param {Float32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_f32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArrayF32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_f32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Adds a visit.
     * @param {Int16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_i16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_i16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Adds a visit.
     * @param {Int32Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_i32(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_i32(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Adds a visit.
     * @param {Int8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_i8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_i8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Adds a visit.
     * @param {Uint16Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_u16(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_u16(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Adds a visit.
     * @param {Uint8Array} voxels
     * @param {Uint32Array} shape
     * @param {Float64Array} ras_from_ijk
     */
    locate_u8(voxels, shape, ras_from_ijk) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_locate_u8(this.__wbg_ptr, ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * From the bytes of the three NPY files of the atlas.
     * @param {Uint8Array} template
     * @param {Uint8Array} labels
     * @param {Uint8Array} weights
     */
    constructor(template, labels, weights) {
        const ptr0 = passArray8ToWasm0(template, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ptr1 = passArray8ToWasm0(labels, wasm.__wbindgen_malloc);
        const len1 = WASM_VECTOR_LEN;
        const ptr2 = passArray8ToWasm0(weights, wasm.__wbindgen_malloc);
        const len2 = WASM_VECTOR_LEN;
        const ret = wasm.longitudinalengine_new(ptr0, len0, ptr1, len1, ptr2, len2);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        this.__wbg_ptr = ret[0];
        LongitudinalEngineFinalization.register(this, this.__wbg_ptr, this);
        return this;
    }
    /**
     * Finds the space in the middle of the visits, and consumes them.
     * @returns {PlacedVisits}
     */
    register_visits() {
        const ptr = this.__destroy_into_raw();
        const ret = wasm.longitudinalengine_register_visits(ptr);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return PlacedVisits.__wrap(ret[0]);
    }
}
if (Symbol.dispose) LongitudinalEngine.prototype[Symbol.dispose] = LongitudinalEngine.prototype.free;

/**
 * The visits in the space in their middle.
 */
export class PlacedVisits {
    static __wrap(ptr) {
        const obj = Object.create(PlacedVisits.prototype);
        obj.__wbg_ptr = ptr;
        PlacedVisitsFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        PlacedVisitsFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_placedvisits_free(ptr, 0);
    }
    /**
     * Measures every visit, and consumes them. Without `deep_weights` our own network is not asked.
     * @param {boolean} bias_correction
     * @param {Uint8Array | null | undefined} deep_weights
     * @param {(percent: number, stage: string) => void} on_stage
     * @returns {EngineVisits}
     */
    analyze(bias_correction, deep_weights, on_stage) {
        const ptr = this.__destroy_into_raw();
        var ptr0 = isLikeNone(deep_weights) ? 0 : passArray8ToWasm0(deep_weights, wasm.__wbindgen_malloc);
        var len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_analyze(ptr, bias_correction, ptr0, len0, on_stage);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return EngineVisits.__wrap(ret[0]);
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Float32Array} voxels
     */
    place_f32(visit, voxels) {
        const ptr0 = passArrayF32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_f32(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Int16Array} voxels
     */
    place_i16(visit, voxels) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_i16(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Int32Array} voxels
     */
    place_i32(visit, voxels) {
        const ptr0 = passArray32ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_i32(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Int8Array} voxels
     */
    place_i8(visit, voxels) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_i8(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Uint16Array} voxels
     */
    place_u16(visit, voxels) {
        const ptr0 = passArray16ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_u16(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The same voxels again.
     * @param {number} visit
     * @param {Uint8Array} voxels
     */
    place_u8(visit, voxels) {
        const ptr0 = passArray8ToWasm0(voxels, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.placedvisits_place_u8(this.__wbg_ptr, visit, ptr0, len0);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
}
if (Symbol.dispose) PlacedVisits.prototype[Symbol.dispose] = PlacedVisits.prototype.free;

/**
 * One visit measured in the space of all.
 */
export class VisitMeasure {
    static __wrap(ptr) {
        const obj = Object.create(VisitMeasure.prototype);
        obj.__wbg_ptr = ptr;
        VisitMeasureFinalization.register(obj, obj.__wbg_ptr, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        VisitMeasureFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_visitmeasure_free(ptr, 0);
    }
    /**
     * @returns {boolean}
     */
    converged() {
        const ret = wasm.visitmeasure_converged(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * Left and right.
     * @returns {Float64Array}
     */
    thickness_by_side() {
        const ret = wasm.visitmeasure_thickness_by_side(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * Mean cortical thickness by label, 105 values; 0 where it is not measured.
     * @returns {Float64Array}
     */
    thickness_mm() {
        const ret = wasm.visitmeasure_thickness_mm(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * By label, 105 values.
     * @returns {Float64Array}
     */
    volumes_mm3() {
        const ret = wasm.visitmeasure_volumes_mm3(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 8, 8);
        return v1;
    }
}
if (Symbol.dispose) VisitMeasure.prototype[Symbol.dispose] = VisitMeasure.prototype.free;

/**
 * Lets the helpers return.
 */
export function close_team() {
    wasm.close_team();
}

/**
 * Every error code the engine can report, joined by commas.
 * @returns {string}
 */
export function error_codes() {
    let deferred1_0;
    let deferred1_1;
    try {
        const ret = wasm.error_codes();
        deferred1_0 = ret[0];
        deferred1_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
    }
}

/**
 * Makes the calling worker a helper; returns when the team is closed. Blocks its thread.
 */
export function join_team() {
    wasm.join_team();
}

/**
 * Makes `parallel` use this team. Called once by the main worker.
 */
export function lead_team() {
    wasm.lead_team();
}

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 * @param {Int32Array} labels
 * @param {Uint32Array} shape
 * @param {Float64Array} ras_from_ijk
 * @param {Uint32Array} to_shape
 * @param {Float64Array} to_ras_from_ijk
 * @returns {Int32Array}
 */
export function resample_nearest_i32(labels, shape, ras_from_ijk, to_shape, to_ras_from_ijk) {
    const ptr0 = passArray32ToWasm0(labels, wasm.__wbindgen_malloc);
    const len0 = WASM_VECTOR_LEN;
    const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
    const len1 = WASM_VECTOR_LEN;
    const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
    const len2 = WASM_VECTOR_LEN;
    const ptr3 = passArray32ToWasm0(to_shape, wasm.__wbindgen_malloc);
    const len3 = WASM_VECTOR_LEN;
    const ptr4 = passArrayF64ToWasm0(to_ras_from_ijk, wasm.__wbindgen_malloc);
    const len4 = WASM_VECTOR_LEN;
    const ret = wasm.resample_nearest_i32(ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3, ptr4, len4);
    if (ret[3]) {
        throw takeFromExternrefTable0(ret[2]);
    }
    var v6 = getArrayI32FromWasm0(ret[0], ret[1]).slice();
    wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
    return v6;
}

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 * @param {Uint16Array} labels
 * @param {Uint32Array} shape
 * @param {Float64Array} ras_from_ijk
 * @param {Uint32Array} to_shape
 * @param {Float64Array} to_ras_from_ijk
 * @returns {Uint16Array}
 */
export function resample_nearest_u16(labels, shape, ras_from_ijk, to_shape, to_ras_from_ijk) {
    const ptr0 = passArray16ToWasm0(labels, wasm.__wbindgen_malloc);
    const len0 = WASM_VECTOR_LEN;
    const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
    const len1 = WASM_VECTOR_LEN;
    const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
    const len2 = WASM_VECTOR_LEN;
    const ptr3 = passArray32ToWasm0(to_shape, wasm.__wbindgen_malloc);
    const len3 = WASM_VECTOR_LEN;
    const ptr4 = passArrayF64ToWasm0(to_ras_from_ijk, wasm.__wbindgen_malloc);
    const len4 = WASM_VECTOR_LEN;
    const ret = wasm.resample_nearest_u16(ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3, ptr4, len4);
    if (ret[3]) {
        throw takeFromExternrefTable0(ret[2]);
    }
    var v6 = getArrayU16FromWasm0(ret[0], ret[1]).slice();
    wasm.__wbindgen_free(ret[0], ret[1] * 2, 2);
    return v6;
}

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 * @param {Uint8Array} labels
 * @param {Uint32Array} shape
 * @param {Float64Array} ras_from_ijk
 * @param {Uint32Array} to_shape
 * @param {Float64Array} to_ras_from_ijk
 * @returns {Uint8Array}
 */
export function resample_nearest_u8(labels, shape, ras_from_ijk, to_shape, to_ras_from_ijk) {
    const ptr0 = passArray8ToWasm0(labels, wasm.__wbindgen_malloc);
    const len0 = WASM_VECTOR_LEN;
    const ptr1 = passArray32ToWasm0(shape, wasm.__wbindgen_malloc);
    const len1 = WASM_VECTOR_LEN;
    const ptr2 = passArrayF64ToWasm0(ras_from_ijk, wasm.__wbindgen_malloc);
    const len2 = WASM_VECTOR_LEN;
    const ptr3 = passArray32ToWasm0(to_shape, wasm.__wbindgen_malloc);
    const len3 = WASM_VECTOR_LEN;
    const ptr4 = passArrayF64ToWasm0(to_ras_from_ijk, wasm.__wbindgen_malloc);
    const len4 = WASM_VECTOR_LEN;
    const ret = wasm.resample_nearest_u8(ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3, ptr4, len4);
    if (ret[3]) {
        throw takeFromExternrefTable0(ret[2]);
    }
    var v6 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
    wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
    return v6;
}

/**
 * Threads of the team, the main worker included.
 * @returns {number}
 */
export function team_size() {
    const ret = wasm.team_size();
    return ret >>> 0;
}

/**
 * Version of the engine; stored with every result.
 * @returns {string}
 */
export function version() {
    let deferred1_0;
    let deferred1_1;
    try {
        const ret = wasm.version();
        deferred1_0 = ret[0];
        deferred1_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        wasm.__wbindgen_free(deferred1_0, deferred1_1, 1);
    }
}
function __wbg_get_imports(memory) {
    const import0 = {
        __proto__: null,
        __wbg___wbindgen_throw_41e9ee4f547fc59a: function(arg0, arg1) {
            throw new Error(getStringFromWasm0(arg0, arg1));
        },
        __wbg_call_c3b89f1b1a02398e: function(arg0, arg1, arg2, arg3, arg4) {
            arg0.call(arg1, arg2, getStringFromWasm0(arg3, arg4));
        },
        __wbg_enginefailure_new: function(arg0) {
            const ret = EngineFailure.__wrap(arg0);
            return ret;
        },
        __wbg_visitmeasure_new: function(arg0) {
            const ret = VisitMeasure.__wrap(arg0);
            return ret;
        },
        __wbindgen_init_externref_table: function() {
            const table = wasm.__wbindgen_externrefs;
            const offset = table.grow(4);
            table.set(0, undefined);
            table.set(offset + 0, undefined);
            table.set(offset + 1, null);
            table.set(offset + 2, true);
            table.set(offset + 3, false);
        },
        memory: memory || new WebAssembly.Memory({initial:18,maximum:18310,shared:true}),
    };
    return {
        __proto__: null,
        "./bind_engine_bg.js": import0,
    };
}

const ChangeEngineFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_changeengine_free(ptr, 1));
const EngineFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_engine_free(ptr, 1));
const EngineAgreementFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_engineagreement_free(ptr, 1));
const EngineAnalysisFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_engineanalysis_free(ptr, 1));
const EngineChangeFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginechange_free(ptr, 1));
const EngineFailureFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginefailure_free(ptr, 1));
const EngineFlairFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_engineflair_free(ptr, 1));
const EngineFusionFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginefusion_free(ptr, 1));
const EngineSurfaceFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginesurface_free(ptr, 1));
const EngineT1Finalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginet1_free(ptr, 1));
const EngineVisitsFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_enginevisits_free(ptr, 1));
const LongitudinalEngineFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_longitudinalengine_free(ptr, 1));
const PlacedVisitsFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_placedvisits_free(ptr, 1));
const VisitMeasureFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_visitmeasure_free(ptr, 1));

function getArrayF32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getFloat32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayF64FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getFloat64ArrayMemory0().subarray(ptr / 8, ptr / 8 + len);
}

function getArrayI32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getInt32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayJsValueFromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    const mem = getDataViewMemory0();
    const result = [];
    for (let i = ptr; i < ptr + 4 * len; i += 4) {
        result.push(wasm.__wbindgen_externrefs.get(mem.getUint32(i, true)));
    }
    wasm.__externref_drop_slice(ptr, len);
    return result;
}

function getArrayU16FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint16ArrayMemory0().subarray(ptr / 2, ptr / 2 + len);
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
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer !== wasm.memory.buffer) {
        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
    }
    return cachedDataViewMemory0;
}

let cachedFloat32ArrayMemory0 = null;
function getFloat32ArrayMemory0() {
    if (cachedFloat32ArrayMemory0 === null || cachedFloat32ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedFloat32ArrayMemory0 = new Float32Array(wasm.memory.buffer);
    }
    return cachedFloat32ArrayMemory0;
}

let cachedFloat64ArrayMemory0 = null;
function getFloat64ArrayMemory0() {
    if (cachedFloat64ArrayMemory0 === null || cachedFloat64ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedFloat64ArrayMemory0 = new Float64Array(wasm.memory.buffer);
    }
    return cachedFloat64ArrayMemory0;
}

let cachedInt32ArrayMemory0 = null;
function getInt32ArrayMemory0() {
    if (cachedInt32ArrayMemory0 === null || cachedInt32ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedInt32ArrayMemory0 = new Int32Array(wasm.memory.buffer);
    }
    return cachedInt32ArrayMemory0;
}

function getStringFromWasm0(ptr, len) {
    return decodeText(ptr >>> 0, len);
}

let cachedUint16ArrayMemory0 = null;
function getUint16ArrayMemory0() {
    if (cachedUint16ArrayMemory0 === null || cachedUint16ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedUint16ArrayMemory0 = new Uint16Array(wasm.memory.buffer);
    }
    return cachedUint16ArrayMemory0;
}

let cachedUint32ArrayMemory0 = null;
function getUint32ArrayMemory0() {
    if (cachedUint32ArrayMemory0 === null || cachedUint32ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedUint32ArrayMemory0 = new Uint32Array(wasm.memory.buffer);
    }
    return cachedUint32ArrayMemory0;
}

let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.buffer !== wasm.memory.buffer) {
        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
    }
    return cachedUint8ArrayMemory0;
}

function isLikeNone(x) {
    return x === undefined || x === null;
}

function passArray16ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 2, 2) >>> 0;
    getUint16ArrayMemory0().set(arg, ptr / 2);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

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

function passArrayF64ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 8, 8) >>> 0;
    getFloat64ArrayMemory0().set(arg, ptr / 8);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function takeFromExternrefTable0(idx) {
    const value = wasm.__wbindgen_externrefs.get(idx);
    wasm.__externref_table_dealloc(idx);
    return value;
}

let cachedTextDecoder = (typeof TextDecoder !== 'undefined' ? new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }) : undefined);
if (cachedTextDecoder) cachedTextDecoder.decode();

const MAX_SAFARI_DECODE_BYTES = 2146435072;
let numBytesDecoded = 0;
function decodeText(ptr, len) {
    numBytesDecoded += len;
    if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
        cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
        cachedTextDecoder.decode();
        numBytesDecoded = len;
    }
    return cachedTextDecoder.decode(getUint8ArrayMemory0().slice(ptr, ptr + len));
}

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
function __wbg_finalize_init(instance, module, thread_stack_size) {
    wasmInstance = instance;
    wasm = instance.exports;
    wasmModule = module;
    cachedDataViewMemory0 = null;
    cachedFloat32ArrayMemory0 = null;
    cachedFloat64ArrayMemory0 = null;
    cachedInt32ArrayMemory0 = null;
    cachedUint16ArrayMemory0 = null;
    cachedUint32ArrayMemory0 = null;
    cachedUint8ArrayMemory0 = null;
    if (typeof thread_stack_size !== 'undefined' && (typeof thread_stack_size !== 'number' || thread_stack_size === 0 || thread_stack_size % 65536 !== 0)) {
        throw new Error('invalid stack size');
    }

    wasm.__wbindgen_start(thread_stack_size);
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

function initSync(module, memory) {
    if (wasm !== undefined) return wasm;

    let thread_stack_size
    if (module !== undefined) {
        if (Object.getPrototypeOf(module) === Object.prototype) {
            ({module, memory, thread_stack_size} = module)
        } else {
            console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
        }
    }

    const imports = __wbg_get_imports(memory);
    if (!(module instanceof WebAssembly.Module)) {
        module = new WebAssembly.Module(module);
    }
    const instance = new WebAssembly.Instance(module, imports);
    return __wbg_finalize_init(instance, module, thread_stack_size);
}

async function __wbg_init(module_or_path, memory) {
    if (wasm !== undefined) return wasm;

    let thread_stack_size
    if (module_or_path !== undefined) {
        if (Object.getPrototypeOf(module_or_path) === Object.prototype) {
            ({module_or_path, memory, thread_stack_size} = module_or_path)
        } else {
            console.warn('using deprecated parameters for the initialization function; pass a single object instead')
        }
    }

    if (module_or_path === undefined) {
        module_or_path = new URL('bind_engine_bg.wasm', import.meta.url);
    }
    const imports = __wbg_get_imports(memory);

    if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) || (typeof URL === 'function' && module_or_path instanceof URL)) {
        module_or_path = fetch(module_or_path);
    }

    const { instance, module } = await __wbg_load(await module_or_path, imports);

    return __wbg_finalize_init(instance, module, thread_stack_size);
}

export { initSync, __wbg_init as default };
