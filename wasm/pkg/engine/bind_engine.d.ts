/* tslint:disable */
/* eslint-disable */

/**
 * Takes two series, the older one first, and compares them.
 */
export class ChangeEngine {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Adds a series; what is not a number becomes 0.
     */
    add(voxels: Float32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Compares them, and consumes them.
     */
    compare(): EngineChange;
    /**
     * From the bytes of the three NPY files of the atlas.
     */
    constructor(template: Uint8Array, labels: Uint8Array, weights: Uint8Array);
}

export class Engine {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_f32(voxels: Float32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_i16(voxels: Int16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_i32(voxels: Int32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_i8(voxels: Int8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_u16(voxels: Uint16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the FLAIR series.
     */
    add_flair_u8(voxels: Uint8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Analyses the series that were given, and consumes them. A failure of the T1-weighted series is thrown; one of the
     * FLAIR series is in the result.
     *
     * The weights are those of our own network for deep structures and of the second opinion's network, where they are to
     * be asked.
     */
    analyze(bias_correction: boolean, deep_weights: Uint8Array | null | undefined, model_weights: Uint8Array | null | undefined, on_stage: (percent: number, stage: string) => void): EngineAnalysis;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_f32(voxels: Float32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_i16(voxels: Int16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_i32(voxels: Int32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_i8(voxels: Int8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_u16(voxels: Uint16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Takes the T1-weighted series and brings it to the conformed grid.
     */
    conform_u8(voxels: Uint8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * The conformed volume, 256³ bytes; empty without a T1-weighted series.
     */
    conformed(): Uint8Array;
    conformed_ras_from_ijk(): Float64Array;
    /**
     * From the bytes of the three NPY files of the atlas.
     */
    constructor(template: Uint8Array, labels: Uint8Array, weights: Uint8Array);
}

/**
 * How a second opinion compares with the engine.
 */
export class EngineAgreement {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * `agreed`, or what refused it.
     */
    readonly reason: string;
    cortex_dice: number;
    used: boolean;
}

/**
 * Results of the series that were given.
 */
export class EngineAnalysis {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * `undefined` without a FLAIR series.
     *
     * # Errors
     * What the FLAIR series failed with.
     */
    take_flair(): EngineFlair | undefined;
    /**
     * `undefined` without a T1-weighted series.
     */
    take_t1(): EngineT1 | undefined;
}

/**
 * What changed.
 */
export class EngineChange {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Twelve numbers a lesion, the surest first: kind (1 new, 2 enlarging, 3 shrinking, 4 gone), 1 when it is sure, changed,
     * before and after in mm³, z, and its centre in scanner mm of the first and of the second series.
     */
    lesions(): Float64Array;
    ncc(): number;
    /**
     * Of the difference where the image is flat, parts of normal white matter.
     */
    noise(): number;
    /**
     * Scanner mm of the first series to those of the second, 16 numbers column by column.
     */
    second_from_first(): Float64Array;
    /**
     * 0, or 1 + the lesion's number, on the grid of the first (0) or the second (1) series; what has been taken is empty.
     */
    take_marks(visit: number): Uint8Array;
}

/**
 * A typed failure; `code` is a key of `model/errors.ts`.
 */
export class EngineFailure {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    readonly code: string;
    readonly message: string;
    readonly reason: string;
}

/**
 * What the FLAIR series shows.
 */
export class EngineFlair {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * What came of asking our own network about a FLAIR series alone; `undefined` when it was not asked.
     */
    deep(): EngineFusion | undefined;
    /**
     * Their volumes by label; empty when the network was not asked.
     */
    deep_volumes_mm3(): Float64Array;
    /**
     * 0 with a T1-weighted series, which has its own.
     */
    icv_mm3(): number;
    /**
     * Five numbers a lesion, the largest first: periventricular and deep mm³, RAS mm of its centre.
     */
    lesions(): Float64Array;
    low_confidence(): boolean;
    ras_from_ijk(): Float64Array;
    shape(): Uint32Array;
    /**
     * Normalised mutual information and overlap; empty without a T1-weighted series.
     */
    similarity(): Float64Array;
    t1_from_flair(): Float64Array;
    /**
     * Labels of the deep structures on the grid of `shape`; empty when there are none.
     */
    take_deep_labels(): Uint8Array;
    take_intensities(): Uint8Array;
    /**
     * 1 periventricular, 2 deep, on the grid of `shape`.
     */
    take_marks(): Uint8Array;
    /**
     * The same on the series' own grid.
     */
    take_scanner_marks(): Uint8Array;
    /**
     * Periventricular, deep, and cerebral white matter with its lesions, mm³.
     */
    volumes_mm3(): Float64Array;
}

/**
 * What came of asking our own network beside the atlas. See `analysis::network::fusion`.
 */
export class EngineFusion {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * `agreed`, or what refused it.
     */
    readonly reason: string;
    /**
     * Version of the weights.
     */
    readonly version: string;
    /**
     * Dice of the deep grey matter of network and atlas.
     */
    agreement: number;
    /**
     * Part of the atlas's deep structures that the network saw.
     */
    coverage: number;
    /**
     * Mean entropy of the network's answer.
     */
    entropy: number;
    used: boolean;
}

/**
 * A closed triangle mesh in RAS mm of the scanner.
 */
export class EngineSurface {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Vertices - edges + faces; 2 for a surface without handles.
     */
    euler(): number;
    take_faces(): Uint32Array;
    take_normals(): Float32Array;
    /**
     * Cortical thickness at each vertex, mm; 0 where there is none.
     */
    take_values(): Float32Array;
    take_vertices(): Float32Array;
    /**
     * Triangles before the decimation.
     */
    triangles_before(): number;
}

/**
 * Result of the T1-weighted series, on the output grid.
 */
export class EngineT1 {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Rotation vector (rad), translation (mm), log scales, shears.
     */
    affine_parameters(): Float64Array;
    /**
     * What came of asking the second opinion's network; `undefined` when it was not asked.
     */
    agreement(): EngineAgreement | undefined;
    /**
     * Atlas mm of each label's centre, three numbers a label; NaN without voxels.
     */
    centres(): Float64Array;
    /**
     * Mean intensity of classes 1..12 relative to white matter's prior median; index 0 is 0.
     */
    class_means(): Float64Array;
    converged(): boolean;
    /**
     * Part of the brain outside the field of view, 0 to 1, as the prior expects it; `undefined` for a head that the field
     * of view does not cut.
     */
    cut_fraction(): number | undefined;
    /**
     * What came of asking our own network; `undefined` when it was not asked.
     */
    fusion(): EngineFusion | undefined;
    /**
     * See `ghosting::ghosting`.
     */
    ghosting(): number;
    icv_mm3(): number;
    /**
     * Smallest determinant of the nonlinear map in the brain, its 1st and 99th percentile, and the part that folds.
     */
    jacobian(): Float64Array;
    ras_from_ijk(): Float64Array;
    /**
     * Voxels of labels 0 to 104 in our label map, in a source's, and in both: three numbers a label, of the atlas, then of
     * our own network, then of the second opinion (zeros where a network was not asked).
     */
    region_overlaps(): Uint32Array;
    /**
     * Whether the registration started again from more poses.
     */
    retried(): boolean;
    shape(): Uint32Array;
    /**
     * Detail along each axis of the conformed grid, see `quality::sharpness`.
     */
    sharpness(): Float64Array;
    /**
     * Correlation after the affine registration, then local correlation at 4 mm and 2 mm.
     */
    similarity(): Float64Array;
    /**
     * 0 if unknown.
     */
    snr(): number;
    /**
     * Template mm to subject mm.
     */
    subject_from_atlas(): Float64Array;
    take_intensities(): Uint8Array;
    /**
     * 1 inside the dura, as the intracranial volume counts it.
     */
    take_intracranial(): Uint8Array;
    take_labels(): Uint8Array;
    take_surface(): EngineSurface;
    /**
     * Millimetres times 51 at cortical voxels; empty when the voxels are too large for it.
     */
    take_thickness(): Uint8Array;
    /**
     * Mean thickness by label, mm; 0 where not measured; empty when the voxels are too large for it.
     */
    thickness_by_label(): Float64Array;
    /**
     * Mean thickness of the left and of the right cortex, mm; empty when the voxels are too large for it.
     */
    thickness_by_side(): Float64Array;
    /**
     * What was taken from every thickness so that it reads like FreeSurfer's, mm.
     */
    thickness_offset_mm(): number;
    volumes_mm3(): Float64Array;
    /**
     * Robust standard deviation of white matter, white matter = 1; 0 if unknown.
     */
    white_sd(): number;
    winning_posterior(): number;
}

/**
 * The visits, measured alike.
 */
export class EngineVisits {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * What came of asking our own network; `undefined` when it was not asked.
     */
    fusion(): EngineFusion | undefined;
    /**
     * One intracranial volume for all visits.
     */
    icv_mm3(): number;
    /**
     * In the order in which they were placed.
     */
    take_visits(): VisitMeasure[];
}

export class LongitudinalEngine {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Adds a visit.
     */
    locate_f32(voxels: Float32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Adds a visit.
     */
    locate_i16(voxels: Int16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Adds a visit.
     */
    locate_i32(voxels: Int32Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Adds a visit.
     */
    locate_i8(voxels: Int8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Adds a visit.
     */
    locate_u16(voxels: Uint16Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * Adds a visit.
     */
    locate_u8(voxels: Uint8Array, shape: Uint32Array, ras_from_ijk: Float64Array): void;
    /**
     * From the bytes of the three NPY files of the atlas.
     */
    constructor(template: Uint8Array, labels: Uint8Array, weights: Uint8Array);
    /**
     * Finds the space in the middle of the visits, and consumes them.
     */
    register_visits(): PlacedVisits;
}

/**
 * The visits in the space in their middle.
 */
export class PlacedVisits {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Measures every visit, and consumes them. Without `deep_weights` our own network is not asked.
     */
    analyze(bias_correction: boolean, deep_weights: Uint8Array | null | undefined, on_stage: (percent: number, stage: string) => void): EngineVisits;
    /**
     * The same voxels again.
     */
    place_f32(visit: number, voxels: Float32Array): void;
    /**
     * The same voxels again.
     */
    place_i16(visit: number, voxels: Int16Array): void;
    /**
     * The same voxels again.
     */
    place_i32(visit: number, voxels: Int32Array): void;
    /**
     * The same voxels again.
     */
    place_i8(visit: number, voxels: Int8Array): void;
    /**
     * The same voxels again.
     */
    place_u16(visit: number, voxels: Uint16Array): void;
    /**
     * The same voxels again.
     */
    place_u8(visit: number, voxels: Uint8Array): void;
}

/**
 * One visit measured in the space of all.
 */
export class VisitMeasure {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    converged(): boolean;
    /**
     * Left and right.
     */
    thickness_by_side(): Float64Array;
    /**
     * Mean cortical thickness by label, 105 values; 0 where it is not measured.
     */
    thickness_mm(): Float64Array;
    /**
     * By label, 105 values.
     */
    volumes_mm3(): Float64Array;
}

/**
 * Lets the helpers return.
 */
export function close_team(): void;

/**
 * Every error code the engine can report, joined by commas.
 */
export function error_codes(): string;

/**
 * Makes the calling worker a helper; returns when the team is closed. Blocks its thread.
 */
export function join_team(): void;

/**
 * Makes `parallel` use this team. Called once by the main worker.
 */
export function lead_team(): void;

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 */
export function resample_nearest_i32(labels: Int32Array, shape: Uint32Array, ras_from_ijk: Float64Array, to_shape: Uint32Array, to_ras_from_ijk: Float64Array): Int32Array;

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 */
export function resample_nearest_u16(labels: Uint16Array, shape: Uint32Array, ras_from_ijk: Float64Array, to_shape: Uint32Array, to_ras_from_ijk: Float64Array): Uint16Array;

/**
 * Nearest voxel of a label map at each voxel of another grid; 0 outside.
 */
export function resample_nearest_u8(labels: Uint8Array, shape: Uint32Array, ras_from_ijk: Float64Array, to_shape: Uint32Array, to_ras_from_ijk: Float64Array): Uint8Array;

/**
 * Threads of the team, the main worker included.
 */
export function team_size(): number;

/**
 * Version of the engine; stored with every result.
 */
export function version(): string;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly __wbg_changeengine_free: (a: number, b: number) => void;
    readonly __wbg_engine_free: (a: number, b: number) => void;
    readonly __wbg_engineagreement_free: (a: number, b: number) => void;
    readonly __wbg_engineanalysis_free: (a: number, b: number) => void;
    readonly __wbg_enginechange_free: (a: number, b: number) => void;
    readonly __wbg_enginefailure_free: (a: number, b: number) => void;
    readonly __wbg_engineflair_free: (a: number, b: number) => void;
    readonly __wbg_enginefusion_free: (a: number, b: number) => void;
    readonly __wbg_enginesurface_free: (a: number, b: number) => void;
    readonly __wbg_enginet1_free: (a: number, b: number) => void;
    readonly __wbg_enginevisits_free: (a: number, b: number) => void;
    readonly __wbg_get_engineagreement_cortex_dice: (a: number) => number;
    readonly __wbg_get_engineagreement_used: (a: number) => number;
    readonly __wbg_get_enginefusion_agreement: (a: number) => number;
    readonly __wbg_get_enginefusion_coverage: (a: number) => number;
    readonly __wbg_get_enginefusion_entropy: (a: number) => number;
    readonly __wbg_get_enginefusion_used: (a: number) => number;
    readonly __wbg_longitudinalengine_free: (a: number, b: number) => void;
    readonly __wbg_placedvisits_free: (a: number, b: number) => void;
    readonly __wbg_set_engineagreement_cortex_dice: (a: number, b: number) => void;
    readonly __wbg_set_engineagreement_used: (a: number, b: number) => void;
    readonly __wbg_set_enginefusion_agreement: (a: number, b: number) => void;
    readonly __wbg_set_enginefusion_coverage: (a: number, b: number) => void;
    readonly __wbg_set_enginefusion_entropy: (a: number, b: number) => void;
    readonly __wbg_set_enginefusion_used: (a: number, b: number) => void;
    readonly __wbg_visitmeasure_free: (a: number, b: number) => void;
    readonly changeengine_add: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly changeengine_compare: (a: number) => [number, number, number];
    readonly changeengine_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
    readonly close_team: () => void;
    readonly engine_add_flair_f32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_add_flair_i16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_add_flair_i32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_add_flair_i8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_add_flair_u16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_add_flair_u8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_analyze: (a: number, b: number, c: number, d: number, e: number, f: number, g: any) => [number, number, number];
    readonly engine_conform_f32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conform_i16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conform_i32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conform_i8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conform_u16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conform_u8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly engine_conformed: (a: number) => [number, number];
    readonly engine_conformed_ras_from_ijk: (a: number) => [number, number];
    readonly engine_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
    readonly engineagreement_reason: (a: number) => [number, number];
    readonly engineanalysis_take_flair: (a: number) => [number, number, number];
    readonly engineanalysis_take_t1: (a: number) => number;
    readonly enginechange_lesions: (a: number) => [number, number];
    readonly enginechange_ncc: (a: number) => number;
    readonly enginechange_noise: (a: number) => number;
    readonly enginechange_second_from_first: (a: number) => [number, number];
    readonly enginechange_take_marks: (a: number, b: number) => [number, number];
    readonly enginefailure_code: (a: number) => [number, number];
    readonly enginefailure_message: (a: number) => [number, number];
    readonly enginefailure_reason: (a: number) => [number, number];
    readonly engineflair_deep: (a: number) => number;
    readonly engineflair_deep_volumes_mm3: (a: number) => [number, number];
    readonly engineflair_icv_mm3: (a: number) => number;
    readonly engineflair_lesions: (a: number) => [number, number];
    readonly engineflair_low_confidence: (a: number) => number;
    readonly engineflair_ras_from_ijk: (a: number) => [number, number];
    readonly engineflair_shape: (a: number) => [number, number];
    readonly engineflair_similarity: (a: number) => [number, number];
    readonly engineflair_t1_from_flair: (a: number) => [number, number];
    readonly engineflair_take_deep_labels: (a: number) => [number, number];
    readonly engineflair_take_intensities: (a: number) => [number, number];
    readonly engineflair_take_marks: (a: number) => [number, number];
    readonly engineflair_take_scanner_marks: (a: number) => [number, number];
    readonly engineflair_volumes_mm3: (a: number) => [number, number];
    readonly enginefusion_reason: (a: number) => [number, number];
    readonly enginefusion_version: (a: number) => [number, number];
    readonly enginesurface_euler: (a: number) => number;
    readonly enginesurface_take_faces: (a: number) => [number, number];
    readonly enginesurface_take_normals: (a: number) => [number, number];
    readonly enginesurface_take_values: (a: number) => [number, number];
    readonly enginesurface_take_vertices: (a: number) => [number, number];
    readonly enginesurface_triangles_before: (a: number) => number;
    readonly enginet1_affine_parameters: (a: number) => [number, number];
    readonly enginet1_agreement: (a: number) => number;
    readonly enginet1_centres: (a: number) => [number, number];
    readonly enginet1_class_means: (a: number) => [number, number];
    readonly enginet1_converged: (a: number) => number;
    readonly enginet1_cut_fraction: (a: number) => [number, number];
    readonly enginet1_fusion: (a: number) => number;
    readonly enginet1_ghosting: (a: number) => number;
    readonly enginet1_icv_mm3: (a: number) => number;
    readonly enginet1_jacobian: (a: number) => [number, number];
    readonly enginet1_ras_from_ijk: (a: number) => [number, number];
    readonly enginet1_region_overlaps: (a: number) => [number, number];
    readonly enginet1_retried: (a: number) => number;
    readonly enginet1_shape: (a: number) => [number, number];
    readonly enginet1_sharpness: (a: number) => [number, number];
    readonly enginet1_similarity: (a: number) => [number, number];
    readonly enginet1_snr: (a: number) => number;
    readonly enginet1_subject_from_atlas: (a: number) => [number, number];
    readonly enginet1_take_intensities: (a: number) => [number, number];
    readonly enginet1_take_intracranial: (a: number) => [number, number];
    readonly enginet1_take_labels: (a: number) => [number, number];
    readonly enginet1_take_surface: (a: number) => number;
    readonly enginet1_take_thickness: (a: number) => [number, number];
    readonly enginet1_thickness_by_label: (a: number) => [number, number];
    readonly enginet1_thickness_by_side: (a: number) => [number, number];
    readonly enginet1_thickness_offset_mm: (a: number) => number;
    readonly enginet1_volumes_mm3: (a: number) => [number, number];
    readonly enginet1_white_sd: (a: number) => number;
    readonly enginet1_winning_posterior: (a: number) => number;
    readonly enginevisits_fusion: (a: number) => number;
    readonly enginevisits_icv_mm3: (a: number) => number;
    readonly enginevisits_take_visits: (a: number) => [number, number];
    readonly error_codes: () => [number, number];
    readonly join_team: () => void;
    readonly lead_team: () => void;
    readonly longitudinalengine_locate_f32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_locate_i16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_locate_i32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_locate_i8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_locate_u16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_locate_u8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number];
    readonly longitudinalengine_new: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number];
    readonly longitudinalengine_register_visits: (a: number) => [number, number, number];
    readonly placedvisits_analyze: (a: number, b: number, c: number, d: number, e: any) => [number, number, number];
    readonly placedvisits_place_f32: (a: number, b: number, c: number, d: number) => [number, number];
    readonly placedvisits_place_i16: (a: number, b: number, c: number, d: number) => [number, number];
    readonly placedvisits_place_i32: (a: number, b: number, c: number, d: number) => [number, number];
    readonly placedvisits_place_i8: (a: number, b: number, c: number, d: number) => [number, number];
    readonly placedvisits_place_u16: (a: number, b: number, c: number, d: number) => [number, number];
    readonly placedvisits_place_u8: (a: number, b: number, c: number, d: number) => [number, number];
    readonly resample_nearest_i32: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number, number, number];
    readonly resample_nearest_u16: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number, number, number];
    readonly resample_nearest_u8: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number, number, number];
    readonly team_size: () => number;
    readonly version: () => [number, number];
    readonly visitmeasure_converged: (a: number) => number;
    readonly visitmeasure_thickness_by_side: (a: number) => [number, number];
    readonly visitmeasure_thickness_mm: (a: number) => [number, number];
    readonly visitmeasure_volumes_mm3: (a: number) => [number, number];
    readonly memory: WebAssembly.Memory;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __wbindgen_thread_destroy: (a?: number, b?: number, c?: number) => void;
    readonly __wbindgen_start: (a: number) => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput, memory?: WebAssembly.Memory, thread_stack_size?: number }} module - Passing `SyncInitInput` directly is deprecated.
 * @param {WebAssembly.Memory} memory - Deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput, memory?: WebAssembly.Memory, thread_stack_size?: number } | SyncInitInput, memory?: WebAssembly.Memory): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput>, memory?: WebAssembly.Memory, thread_stack_size?: number }} module_or_path - Passing `InitInput` directly is deprecated.
 * @param {WebAssembly.Memory} memory - Deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput>, memory?: WebAssembly.Memory, thread_stack_size?: number } | InitInput | Promise<InitInput>, memory?: WebAssembly.Memory): Promise<InitOutput>;
