// Checks that the site's account can read all files in the settings, and write to its folders.
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Finding } from "@/server/commands/doctor/checks.ts";
import type { Environment } from "@/server/commands/start/environment.ts";

/** Settings that name a file for the site, except the key of stored files (checked separately). */
const FILE_VARIABLES = [
  "SULCUS_TLS_CERT",
  "SULCUS_TLS_KEY",
  "SULCUS_DICOM_TLS_CERT",
  "SULCUS_DICOM_TLS_KEY",
  "SULCUS_DICOM_TLS_CA",
  "SULCUS_BACKUP_KEY_FILE",
  "SULCUS_OIDC_CLIENT_SECRET_FILE",
  "SULCUS_LDAP_CA",
  "SULCUS_LDAP_BIND_PASSWORD_FILE",
  "SULCUS_FHIRCAST_TOKEN_FILE",
];
/** Folders that the package's unit can always write. */
const STATE_FOLDERS = ["/var/lib/sulcus", "/var/cache/sulcus", "/var/log/sulcus"];

/** Returns one finding per unreadable file. @param open Like `Deno.open`. */
export async function checkNamedFiles(
  variables: Readonly<Record<string, string>>,
  open: (path: string) => Promise<Disposable> = Deno.open,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of FILE_VARIABLES) {
    const path = variables[name];
    if (!path) continue;
    try {
      using _file = await open(path);
    } catch (error) {
      const isForbidden = error instanceof Deno.errors.PermissionDenied;
      findings.push({
        name: "File",
        state: "bad",
        text: `${name}: ${path} ${isForbidden ? "may not be read by this user" : "cannot be read"}`,
        advice: isForbidden
          ? `Run chown sulcus ${path} && chmod 400 ${path}, and give the sulcus account access to its folder`
          : `Put the file there, or correct ${name}`,
      });
    }
  }
  return findings;
}

/** Folders that the unit of an installed site may write. `null`: not started by a unit. */
export async function unitFolders(): Promise<string[] | null> {
  if (!Deno.mainModule.startsWith("file:")) return null;
  const isPackage = await Deno.stat(join(dirname(fileURLToPath(Deno.mainModule)), "../installed"))
    .catch(() => null);
  const isBooted = await Deno.stat("/run/systemd/system").catch(() => null);
  if (!isPackage || !isBooted) return null;
  const args = ["show", "sulcus.service", "--property=ReadWritePaths", "--value"];
  const { success, stdout } = await new Deno.Command("systemctl", { args, stderr: "null" })
    .output();
  if (!success) return null;
  const unitPaths = new TextDecoder().decode(stdout).split(/\s+/).filter(Boolean);
  return [...STATE_FOLDERS, ...unitPaths.map((path) => path.replace(/^[-+]+/, ""))];
}

const real = (path: string) => Deno.realPath(path).catch(() => resolve(path));

/** Finds the nearest existing parent folder of a path. */
async function nearest(path: string): Promise<string> {
  for (let folder = resolve(path);; folder = dirname(folder)) {
    if (folder === dirname(folder) || await Deno.stat(folder).catch(() => null)) return folder;
  }
}

/**
 * Returns one finding per folder to which the site must write but cannot: permissions are missing,
 * or the systemd unit mounts the folder read-only.
 * @param writable Folders that the systemd unit leaves writable; see {@link unitFolders}.
 */
export async function checkNamedFolders(
  { dataDir, auditDir, operating: { backup, logFile } }: Pick<
    Environment,
    "dataDir" | "auditDir" | "operating"
  >,
  writable: readonly string[] | null,
): Promise<Finding[]> {
  const folders: [name: string, path: string | null | undefined][] = [
    ["SULCUS_DATA_DIR", dataDir],
    // resolved, because folders can be links to a disk or network share
    ["SULCUS_DATA_DIR", join(dataDir, "blobs")],
    ["SULCUS_DATA_DIR", join(dataDir, "exports")],
    ["SULCUS_AUDIT_DIR", auditDir],
    ["SULCUS_BACKUP_DIR", backup?.folder],
    ["SULCUS_LOG_FILE", logFile === null ? null : dirname(resolve(logFile))],
  ];
  const findings: Finding[] = [];
  for (const [name, path] of folders) {
    if (!path) continue;
    const folder = await real(path);
    const isOpen = writable === null ||
      writable.some((root) => `${folder}${sep}`.startsWith(`${root.replace(/\/$/, "")}${sep}`));
    if (!isOpen) {
      findings.push({
        name: "Folder",
        state: "bad",
        text: `${name}: the systemd unit cannot write to ${folder}`,
        advice:
          `Add ReadWritePaths=-${folder} to /etc/systemd/system/sulcus.service.d/folders.conf, then run systemctl daemon-reload and systemctl restart sulcus`,
      });
      continue;
    }
    const probe = join(await nearest(folder), `.doctor-${crypto.randomUUID()}`);
    try {
      await Deno.mkdir(probe);
      await Deno.remove(probe);
    } catch (error) {
      findings.push({
        name: "Folder",
        state: "bad",
        text: `${name}: this user cannot write to ${folder}: ${
          error instanceof Error ? error.message : error
        }`,
        advice: `Run install -d -o sulcus -g sulcus -m 700 ${folder}`,
      });
    }
  }
  return findings;
}
