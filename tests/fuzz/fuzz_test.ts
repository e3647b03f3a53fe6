import { fuzz, fuzzApi } from "@/tests/fuzz/run.ts";
import { dicomTarget, niftiTarget, npyTarget } from "@/tests/fuzz/targets.ts";

// 20,000 cases; `deno task fuzz` takes many more, from another seed every day

Deno.test("the NPY reader survives 11,000 made-up files", () => fuzz("npy", npyTarget(), 11_000));
Deno.test("the NIfTI reader survives 6,000 made-up files", () => fuzz("nifti", niftiTarget(), 6_000));
Deno.test("the DICOM reader survives 2,000 made-up pairs of files", () =>
  fuzz("dicom", dicomTarget(), 2_000));
Deno.test("no made-up body or query, 1,000 of them, is answered with 500", () => fuzzApi(1_000));
