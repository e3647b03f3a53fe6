import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const PROGRAM = "/usr/sbin/Orthanc", WEB = "/usr/share/orthanc/plugins/libOrthancDicomWeb.so";

const isFile = (path: string) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};

/** Reason why Orthanc cannot be used; empty if it is installed. */
export const noOrthanc = isFile(PROGRAM) && isFile(WEB)
  ? ""
  : "Debian's orthanc and orthanc-dicomweb are not here";

/** A running Orthanc, an independent PACS. */
export interface Orthanc {
  port: number;
  dicomPort: number;
  url: string;
  /** calls of Orthanc's REST API */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: BodyInit): Promise<T>;
  /** Kills Orthanc, and starts it again with the same storage. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Starts Debian's Orthanc on free ports, with this program as remote modality `SULCUS`. */
export async function startOrthanc(ourPort: number): Promise<Orthanc> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-orthanc-" });
  const port = lastingPort(), dicomPort = lastingPort(), url = `http://127.0.0.1:${port}`;
  await Deno.writeTextFile(
    `${folder}/orthanc.json`,
    JSON.stringify({
      Name: "PACS",
      StorageDirectory: `${folder}/db`,
      IndexDirectory: `${folder}/db`,
      HttpPort: port,
      DicomPort: dicomPort,
      DicomAet: "PACS",
      // otherwise Orthanc answers searches in Latin-1, without Korean names
      DefaultEncoding: "Utf8",
      RemoteAccessAllowed: false,
      AuthenticationEnabled: false,
      DicomCheckCalledAet: true,
      DicomAlwaysAllowStore: true,
      DicomAlwaysAllowFind: true,
      DicomAlwaysAllowMove: true,
      DicomAlwaysAllowGet: true,
      StableAge: 1,
      DicomModalities: {
        SULCUS: { AET: "SULCUS", Host: "127.0.0.1", Port: ourPort, AllowStorageCommitment: true },
      },
      Plugins: [WEB],
      DicomWeb: { Enable: true, Root: "/dicom-web/" },
    }),
  );
  const spawn = () =>
    new Deno.Command(PROGRAM, {
      args: [`${folder}/orthanc.json`],
      // without this option each response of DCMTK is delayed by 40 ms
      env: { TCP_NODELAY: "1" },
      stdout: "null",
      stderr: "null",
    }).spawn();
  let process = spawn();
  const call = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const answer = await fetch(url + path, init), text = await answer.text();
    if (!answer.ok) throw new Error(`Orthanc answers ${answer.status}: ${text}`);
    return text === "" ? undefined as T : JSON.parse(text) as T;
  };
  const answers = () => until(() => call("/system").then(() => true, () => false));
  const kill = async () => {
    process.kill("SIGKILL");
    await process.status;
    process = spawn();
    await answers();
  };
  const close = async () => {
    try {
      process.kill("SIGTERM");
    } catch { /* it has ended */ }
    await process.status;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await answers();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    dicomPort,
    url,
    get: (path) => call(path),
    post: (path, body) => call(path, { method: "POST", body }),
    kill,
    close,
  };
}
