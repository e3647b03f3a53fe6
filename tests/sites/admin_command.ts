import { fileURLToPath } from "node:url";
import { admin } from "@/server/commands/admin/admin.ts";

/** Exit code and output of a command. */
interface CommandResult {
  code: number;
  out: string;
  err: string;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `deno task admin` as a separate process without input. */
export async function adminProcess(
  variables: Record<string, string>,
  ...args: string[]
): Promise<CommandResult> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", "admin", ...args],
    cwd: ROOT,
    stdin: "null",
    env: variables,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** Collects the output of a stream until `letGo()`. */
function caught(stream: typeof Deno.stdout | typeof Deno.stderr) {
  const parts: string[] = [];
  stream.writeSync = (bytes) => {
    parts.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  // deleting the own property restores the method of the prototype
  return {
    text: () => parts.join(""),
    letGo: () => void Reflect.deleteProperty(stream, "writeSync"),
  };
}

/** Runs the command in this process, which is faster than starting one; one at a time. */
export async function adminHere(
  variables: Record<string, string>,
  ...args: string[]
): Promise<CommandResult> {
  const names = Object.keys(variables), before = names.map((name) => Deno.env.get(name));
  const out = caught(Deno.stdout), err = caught(Deno.stderr);
  try {
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    return { code: await admin(args), out: out.text(), err: err.text() };
  } finally {
    out.letGo();
    err.letGo();
    for (const [n, name] of names.entries()) {
      if (before[n] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[n]);
    }
  }
}
