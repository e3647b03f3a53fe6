import { AppError } from "@/model/errors.ts";
import { openData } from "@/core/mod.ts";
import { addUser, allUsers, resetPassword, setUserState } from "@/core/services/users.ts";
import { type Environment, environmentOrExit } from "@/commands/environment.ts";
import { model, MODEL_USAGE } from "@/commands/model.ts";

const USAGE = `deno task admin user add EMAIL [--name NAME] [--password PASSWORD] [--maintenance]
deno task admin user list
deno task admin user reset-password EMAIL [--password PASSWORD]
deno task admin user suspend EMAIL
deno task admin user activate EMAIL
${MODEL_USAGE}
Works on SULCUS_DATA_DIR (./data), also while the site runs. Without --password one is generated and shown once.`;

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const complain = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

interface Arguments {
  words: string[];
  options: Map<string, string>;
}

/** @returns `null` when an option is unknown or lacks its value. */
function parse(args: readonly string[]): Arguments | null {
  const words: string[] = [], options = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--maintenance" || arg === "--yes") options.set(arg.slice(2), "");
    else if (arg === "--name" || arg === "--password" || arg === "--from") {
      const value = args[++i];
      if (value === undefined) return null;
      options.set(arg.slice(2), value);
    } else if (arg.startsWith("--")) return null;
    else words.push(arg);
  }
  return { words, options };
}

async function run({ words, options }: Arguments, { dataDir, modelDir }: Environment): Promise<number> {
  const [noun, verb, email] = words;
  if (noun === "model") return await model(verb, options, modelDir);
  if (noun !== "user" || !verb || (verb !== "list" && !email)) {
    complain(USAGE);
    return 2;
  }
  const db = openData(dataDir);
  try {
    const password = options.get("password");
    switch (verb) {
      case "add": {
        const added = await addUser(db, {
          email: email!,
          name: options.get("name"),
          password,
          isMaintenance: options.has("maintenance"),
        });
        print(`Added user ${added.id}: ${email}`);
        if (added.password !== null) print(`One-time password (shown only now): ${added.password}`);
        return 0;
      }
      case "list":
        for (const user of await allUsers(db)) {
          print([user.id, user.email, user.name ?? "", user.state, user.permissions.join(",")].join("\t"));
        }
        return 0;
      case "reset-password": {
        const generated = await resetPassword(db, email!, password);
        print(`Changed the password of ${email}; open sessions have ended`);
        if (generated !== null) print(`One-time password (shown only now): ${generated}`);
        return 0;
      }
      case "suspend":
      case "activate":
        await setUserState(db, email!, verb === "suspend" ? "suspended" : "active");
        print(`${verb === "suspend" ? "Suspended" : "Activated"} ${email}`);
        return 0;
      default:
        complain(USAGE);
        return 2;
    }
  } finally {
    await db.destroy();
  }
}

/** Runs an admin command. @returns the exit code: 0 done, 1 refused, 2 wrong usage. */
export async function admin(args: readonly string[]): Promise<number> {
  const parsed = parse(args);
  if (parsed === null) {
    complain(USAGE);
    return 2;
  }
  try {
    return await run(parsed, environmentOrExit());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    complain(error.message);
    return 1;
  }
}
