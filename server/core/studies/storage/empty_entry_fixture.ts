import type { Entry } from "@/server/core/studies/storage/worklist_columns.ts";

/** A study with a T1w series and nothing else that the worklist is sorted or narrowed by. */
export const emptyEntry = (pid: number, slot: number): Entry => ({
  slot,
  pid,
  text: "",
  id: null,
  name: null,
  sex: null,
  age: null,
  birth: null,
  study: null,
  analysedAt: null,
  analysisDay: null,
  labels: [],
  labelNames: null,
  hasT1: true,
  hasT2: false,
  waiting: false,
  processing: false,
  failed: false,
  grade: null,
  deviation: null,
  attention: 0,
  created: 0,
  creator: null,
});
