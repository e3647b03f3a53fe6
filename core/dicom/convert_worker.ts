/// <reference lib="deno.worker" />
/**
 * Runs dcm2niix (Rorden et al., BSD-2; WASM with JPEG, JPEG-LS, JPEG 2000 and RLE) once over the files of one
 * series. The owner ends the worker after its only answer, which frees all of its memory.
 */

export interface ConvertRequest {
  paths: string[];
}

export type ConvertAnswer =
  | { ok: true; outputs: { name: string; bytes: Uint8Array }[]; log: string[] }
  | { ok: false; message: string; log: string[] };

interface EmscriptenFs {
  mkdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
}

interface Dcm2niix {
  FS: EmscriptenFs;
  callMain(args: string[]): number;
}

type Dcm2niixFactory = (options: Record<string, unknown>) => Promise<Dcm2niix>;

async function load(log: string[]): Promise<Dcm2niix> {
  const dist = new URL("./", import.meta.resolve("@niivue/dcm2niix"));
  const { default: factory } = await import(new URL("dcm2niix.jpeg.js", dist).href) as {
    default: Dcm2niixFactory;
  };
  const print = (line: string) => {
    if (log.length < 200) log.push(line);
  };
  return await factory({
    wasmBinary: await Deno.readFile(new URL("dcm2niix.jpeg.wasm", dist)),
    print,
    printErr: print,
    noInitialRun: true,
  });
}

async function convert(request: ConvertRequest): Promise<ConvertAnswer> {
  const log: string[] = [];
  try {
    const dcm2niix = await load(log);
    dcm2niix.FS.mkdir("/input");
    dcm2niix.FS.mkdir("/output");
    for (const [i, path] of request.paths.entries()) {
      // canOwn: the file system keeps this array instead of a copy.
      dcm2niix.FS.writeFile(`/input/${String(i).padStart(5, "0")}.dcm`, await Deno.readFile(path), {
        canOwn: true,
      });
    }
    const code = dcm2niix.callMain(["-o", "/output", "-f", "out", "-z", "n", "-b", "n", "/input"]);
    const names = dcm2niix.FS.readdir("/output").filter((name) => name.endsWith(".nii"));
    if (names.length === 0) return { ok: false, message: `exit code ${code}, no output`, log };
    return {
      ok: true,
      outputs: names.map((name) => ({ name, bytes: dcm2niix.FS.readFile(`/output/${name}`) })),
      log,
    };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error), log };
  }
}

self.onmessage = async (event: MessageEvent<ConvertRequest>) => {
  const answer = await convert(event.data);
  self.postMessage(answer, answer.ok ? answer.outputs.map((o) => o.bytes.buffer) : []);
};
