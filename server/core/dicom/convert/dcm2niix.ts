/**
 * Runs dcm2niix (Rorden et al., BSD-2; WASM with JPEG, JPEG-LS, JPEG 2000 and RLE) on a series.
 * dcm2niix may hang or crash: it may run only in a worker that can be terminated.
 */

/** Transfer Syntax UIDs of HTJ2K: lossless, and lossless in the order RPCL (PS3.5 A.4.11). */
const HTJ2K_LOSSLESS = "1.2.840.10008.1.2.4.201", HTJ2K_RPCL = "1.2.840.10008.1.2.4.202";
/** Length of preamble and meta information, which contain the transfer syntax, at most. */
const META_BYTES = 4096;

/**
 * States HTJ2K in the order RPCL as plain lossless HTJ2K, of which it is a special case: dcm2niix
 * does not know its UID, and can check these series too.
 */
function withKnownSyntax(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = Buffer.from(bytes.buffer, 0, Math.min(META_BYTES, bytes.length)).indexOf(HTJ2K_RPCL);
  if (at >= 0) bytes.set(new TextEncoder().encode(HTJ2K_LOSSLESS), at);
  return bytes;
}

/** A file of Emscripten's in-memory file system; the array may be longer than the file. */
interface MemoryFile {
  contents: Uint8Array;
  usedBytes: number;
}

interface EmscriptenFs {
  mkdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
  lookupPath(path: string): { node: MemoryFile };
  readdir(path: string): string[];
  unlink(path: string): void;
}

interface Dcm2niix {
  FS: EmscriptenFs;
  callMain(args: string[]): number;
}

type Dcm2niixFactory = (options: Record<string, unknown>) => Promise<Dcm2niix>;

async function load(): Promise<Dcm2niix> {
  const dist = new URL("./", import.meta.resolve("@niivue/dcm2niix"));
  const { default: factory } = await import(new URL("dcm2niix.jpeg.js", dist).href) as {
    default: Dcm2niixFactory;
  };
  const ignore = () => {};
  return await factory({
    wasmBinary: await Deno.readFile(new URL("dcm2niix.jpeg.wasm", dist)),
    print: ignore,
    printErr: ignore,
    noInitialRun: true,
  });
}

/**
 * NIfTI files that dcm2niix writes for a series; empty if it finds no image.
 * @throws errors of dcm2niix unchanged.
 */
export async function runDcm2niix(
  paths: readonly string[],
): Promise<{ code: number; outputs: Uint8Array[] }> {
  const { FS, callMain } = await load();
  FS.mkdir("/input");
  FS.mkdir("/output");
  const inputs = paths.map((_, i) => `/input/${String(i).padStart(5, "0")}.dcm`);
  // only the current file is loaded into memory, because dcm2niix reads one file after another
  let loaded: { path: string; bytes: Uint8Array } | undefined;
  const bytesOf = (path: string): Uint8Array => {
    if (loaded?.path !== path) loaded = { path, bytes: withKnownSyntax(Deno.readFileSync(path)) };
    return loaded.bytes;
  };
  for (const [i, path] of paths.entries()) {
    FS.writeFile(inputs[i]!, new Uint8Array(0), { canOwn: true });
    const { node } = FS.lookupPath(inputs[i]!);
    node.usedBytes = Deno.statSync(path).size;
    Object.defineProperty(node, "contents", { get: () => bytesOf(path) });
  }
  // restored, because dcm2niix changes the exit code of the whole process
  const exitCode = Deno.exitCode;
  // output files are named by series and instance: dcm2niix writes at most 26 files of one name
  const code = callMain(["-o", "/output", "-f", "%j_%r", "-z", "n", "-b", "n", "/input"]);
  Deno.exitCode = exitCode;
  loaded = undefined;
  const names = FS.readdir("/output").filter((name) => name.endsWith(".nii"));
  const outputs = names.map((name) => {
    const { contents, usedBytes } = FS.lookupPath(`/output/${name}`).node;
    FS.unlink(`/output/${name}`);
    return contents.subarray(0, usedBytes);
  });
  return { code, outputs };
}
