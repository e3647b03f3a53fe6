// NiiVue for the benchmarks: the package is installed only here (tests/package.json).
export { Niivue, NVImage, SHOW_RENDER, SLICE_TYPE } from "@niivue/niivue";
