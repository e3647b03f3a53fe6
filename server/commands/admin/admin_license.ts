import type { Database } from "@/server/core/database/database.ts";
import { AppError } from "@/model/errors.ts";
import { USE_LIMIT } from "@/model/schema/site/license.ts";
import {
  findLabelRevision,
  setLabelRevision,
} from "@/server/core/studies/service/label_revision.ts";
import { getLicense } from "@/server/core/site/service/license.ts";
import {
  applyLicenseFile,
  certTypeOf,
  grantCredits,
  setLicense,
  signLicense,
  trustProvider,
} from "@/server/core/site/service/license_grant.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { print } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

const TERMS =
  "[--holder TEXT] [--kind KIND] [--from DATE|none] [--until DATE|none] [--limited | --unlimited]";
export const LICENSE_USAGE = `${ADMIN} license show
${ADMIN} license set ${TERMS}
${ADMIN} license credits NUMBER
${ADMIN} license label KIND CODE|none
${ADMIN} license trust KEY.pem
${ADMIN} license apply FILE
${ADMIN} license sign --key PRIVATE.pem --serial TEXT [--credits NUMBER] ${TERMS}
KIND is KR, TR, MD, CE, GB, CH, BR, FDA, ID or DEMO; DATE is YYYY-MM-DD. --limited: each analysis uses one credit.`;

const numberOf = (text: string | undefined): number =>
  /^[+-]?\d{1,8}$/.test(text ?? "") ? Number(text) : NaN;

/** Value of a command option; `null` for `none`, `undefined` when the option is absent. */
function clearable({ options }: Arguments, name: string): string | null | undefined {
  const value = options.get(name);
  return value === "none" ? null : value;
}

async function readText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    throw new AppError(
      "entity.not_found",
      `Cannot read ${path}: no such file, or no permission to read it`,
      {},
      {
        cause,
      },
    );
  }
}

async function show(db: Database): Promise<number> {
  const { limit, total_remain_credit, start_date, expire_date, cert_type, state } =
    await getLicense(db);
  print(`Kind        ${cert_type}
State       ${state}
First day   ${start_date ?? "-"}
Last day    ${expire_date ?? "-"}
Credits     ${limit.includes(USE_LIMIT) ? total_remain_credit : "not counted"}
Label       ${await findLabelRevision(db, cert_type) ?? "-"}`);
  return 0;
}

async function sign(args: Arguments): Promise<number> {
  const { options } = args, key = options.get("key"), serial = options.get("serial");
  const credits = numberOf(options.get("credits") ?? "0");
  if (!key || !serial || Number.isNaN(credits)) return 2;
  const grant = {
    serial,
    holder: options.get("holder") ?? null,
    cert_type: certTypeOf(options.get("kind") ?? "DEMO"),
    limit: options.has("limited") ? [USE_LIMIT] : [],
    start_date: clearable(args, "from") ?? null,
    expire_date: clearable(args, "until") ?? null,
    credits,
  };
  print(signLicense(grant, await readText(key)).trimEnd());
  return 0;
}

/** @returns exit code; 2 for wrong usage. */
export async function license(db: Database, args: Arguments): Promise<number> {
  const { words: [, verb, what], options } = args;
  switch (verb) {
    case "show":
      return await show(db);
    case "sign":
      return await sign(args);
    case "set": {
      if (options.size === 0 || (options.has("limited") && options.has("unlimited"))) return 2;
      const kind = options.get("kind");
      await setLicense(db, {
        holder: clearable(args, "holder"),
        certType: kind === undefined ? undefined : certTypeOf(kind),
        startDate: clearable(args, "from"),
        expireDate: clearable(args, "until"),
        isCounted: options.has("limited") ? true : options.has("unlimited") ? false : undefined,
      });
      return await show(db);
    }
    case "credits": {
      const amount = numberOf(what);
      if (Number.isNaN(amount)) return 2;
      const { balance, isCounted } = await grantCredits(db, amount);
      print(`Credits now ${balance}`);
      if (!isCounted) {
        print(`Credits are not counted yet. To count them, run: ${ADMIN} license set --limited`);
      }
      return 0;
    }
    case "label": {
      const code = args.words[3];
      if (!what || !code) return 2;
      await setLabelRevision(db, certTypeOf(what), code === "none" ? null : code);
      return await show(db);
    }
    case "trust":
      if (!what) return 2;
      await trustProvider(db, await readText(what));
      print("From now on, only license files signed with this key are accepted");
      return 0;
    case "apply":
      if (!what) return 2;
      await applyLicenseFile(db, await readText(what));
      return await show(db);
    default:
      return 2;
  }
}
