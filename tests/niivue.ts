// NiiVue for the benchmark beside it: it is installed here, and not with the product (tests/package.json).
export { Niivue, NVImage, SHOW_RENDER, SLICE_TYPE } from "@niivue/niivue";
