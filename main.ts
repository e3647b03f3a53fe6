import { checkRuntime } from "@/server/commands/check_runtime.ts";

checkRuntime();

const [command = "start", ...args] = Deno.args;
/** Commands that run as separate programs. */
const PROGRAMS: Record<string, string> = {
  demo: "demo/demo.ts",
  analyze: "analyze.ts",
  longitudinal: "analyze_visits.ts",
};

const isHelp = [command, ...args].some((word) => word === "--help" || word === "-h") ||
  command === "help";
// a program of its own has its own help
if (isHelp && !Object.hasOwn(PROGRAMS, command)) {
  const { help } = await import("@/server/commands/help.ts");
  help(command);
  Deno.exit(0);
}

// loaded after the version check, because an old runtime would fail with an unclear error
switch (command) {
  case "start": {
    const { launch } = await import("@/server/commands/start/launch.ts");
    await launch();
    break;
  }
  // worker process that runs analyses for a site on another machine
  case "worker": {
    const { launch } = await import("@/server/commands/start/launch.ts");
    await launch(true);
    break;
  }
  // server only; the launcher uses `--worker`,
  // `--beside SOCKETS` (converter, reader, gate) or `--edge`
  case "serve": {
    if (args[0] === "--worker") {
      const { work } = await import("@/server/commands/start/worker.ts");
      await work(true);
    }
    const { isEdge } = await import("@/server/commands/start/environment.ts");
    if (isEdge()) {
      const { startEdge } = await import("@/server/commands/start/start_edge.ts");
      await startEdge(args[0] === "--edge");
    }
    const { start } = await import("@/server/commands/start/start.ts");
    const [converter = null, reader = null, gate = null] = args[0] === "--beside"
      ? args.slice(1)
      : [];
    await start({ converter, reader, gate });
    break;
  }
  case "accept": {
    const { admin } = await import("@/server/commands/admin/admin.ts");
    Deno.exit(await admin(["accept", ...args]));
    break;
  }
  case "admin": {
    const { admin } = await import("@/server/commands/admin/admin.ts");
    Deno.exit(await admin(args));
    break;
  }
  case "demo":
  case "analyze":
  case "longitudinal": {
    const run = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL(`./server/commands/${PROGRAMS[command]}`, import.meta.url).href,
        ...args,
      ],
    });
    const program = run.spawn();
    Deno.addSignalListener("SIGTERM", () => program.kill("SIGTERM"));
    Deno.exit((await program.status).code);
    break;
  }
  case "doctor": {
    const { doctor } = await import("@/server/commands/doctor/doctor.ts");
    Deno.exit(await doctor());
    break;
  }
  case "rehearse": {
    const { rehearse } = await import("@/server/commands/operate/rehearse.ts");
    Deno.exit(await rehearse(args));
    break;
  }
  case "recompute": {
    const { recompute } = await import("@/server/commands/operate/rehearse.ts");
    Deno.exit(await recompute(args));
    break;
  }
  case "version":
  case "--version": {
    const { VERSION } = await import("@/server/core/site/service/status.ts");
    Deno.stdout.writeSync(
      new TextEncoder().encode(`Sulcus ${VERSION}, Deno ${Deno.version.deno}\n`),
    );
    break;
  }
  // `sulcus user list` is `sulcus admin user list`; an unknown command prints the command list
  default: {
    const { admin } = await import("@/server/commands/admin/admin.ts");
    Deno.exit(await admin(Deno.args));
  }
}
