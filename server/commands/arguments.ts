/** Positional arguments and options of an admin command. */
export interface Arguments {
  words: string[];
  options: Map<string, string>;
}

const FLAGS = [
  "maintenance",
  "yes",
  "waiting",
  "device",
  "limited",
  "unlimited",
  "accept-damage",
  "nightly",
  "texts",
];
const VALUES = [
  "name",
  "password-file",
  "from",
  "until",
  "holder",
  "kind",
  "key",
  "serial",
  "credits",
  "note",
  "expect",
  "role",
  "reason",
  "protocol",
  "studies",
  "language",
  "figures",
];

/** Parses the arguments. @returns `null` for an unknown option or an option without a value. */
export function readArguments(args: readonly string[]): Arguments | null {
  const words: string[] = [], options = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!, name = arg.slice(2);
    if (!arg.startsWith("--")) words.push(arg);
    else if (FLAGS.includes(name)) options.set(name, "");
    else if (VALUES.includes(name)) {
      const value = args[++i];
      if (value === undefined) return null;
      options.set(name, value);
    } else return null;
  }
  return { words, options };
}
