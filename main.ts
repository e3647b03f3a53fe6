import { checkRuntime } from "@/commands/check_runtime.ts";

checkRuntime();

const COMMANDS = ["start", "serve", "demo", "analyze", "admin"] as const;
const [command = "start", ...args] = Deno.args;

// loaded after the check: an old runtime would fail on them with an error nobody understands
switch (command) {
  case "start": {
    const { launch } = await import("@/commands/launch.ts");
    await launch();
    break;
  }
  // the server alone; `--converter SOCKET [SOCKET OF THE GATE]` or `--edge` by the launcher
  case "serve": {
    const { isEdge } = await import("@/commands/environment.ts");
    if (isEdge()) {
      const { startEdge } = await import("@/commands/start_edge.ts");
      await startEdge(args[0] === "--edge");
    }
    const { start } = await import("@/commands/start.ts");
    const [converter, gate] = args[0] === "--converter" ? args.slice(1) : [];
    await start(converter ?? null, gate ?? null);
    break;
  }
  case "admin": {
    const { admin } = await import("@/commands/admin/admin.ts");
    Deno.exit(await admin(args));
    break;
  }
  case "demo":
  case "analyze": {
    const run = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL(`./commands/${command}.ts`, import.meta.url).href, ...args],
    });
    Deno.exit((await run.spawn().status).code);
    break;
  }
  default:
    Deno.stderr.writeSync(
      new TextEncoder().encode(`Unknown command "${command}"; known: ${COMMANDS.join(", ")}\n`),
    );
    Deno.exit(2);
}
