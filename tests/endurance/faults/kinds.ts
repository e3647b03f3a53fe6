// Four kinds of acknowledged work in equal numbers, and the record of the acknowledgements.
import { createHash } from "node:crypto";
import type { Api } from "@/client/api/http.ts";
import { getReportsProgress, startReports } from "@/client/api/report/report_job.ts";
import {
  listPatients,
  startReanalysis,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import { readReports } from "@/tests/endurance/crash/reading.ts";
import { ReadingLedger } from "@/tests/endurance/crash/reading.ts";
import type { Ledger } from "@/tests/endurance/crash/load.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

export const KINDS = ["uploads", "edits", "analyses", "reports"] as const;
export type Kind = (typeof KINDS)[number];

/** Maximum number of unfinished analyses and reports; more would only wait. */
const MOST_OPEN = 12;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Acknowledged work of the four kinds. */
export class Balance {
  readonly acknowledged: Record<Kind, number> = { uploads: 0, edits: 0, analyses: 0, reports: 0 };
  readonly #underWay: Record<Kind, number> = { uploads: 0, edits: 0, analyses: 0, reports: 0 };
  /** number of acknowledged analyses by study */
  readonly analyses = new Map<number, number>();
  readonly reports: string[] = [];
  #edit = { sent: 0, acknowledged: 0 };
  #name = 0;

  /** @param edited Study to edit. @param reported Study with results, of which reports are made. */
  constructor(readonly ledger: Ledger, readonly edited: number, readonly reported: number) {}

  get total(): number {
    return KINDS.reduce((sum, kind) => sum + this.acknowledged[kind], 0);
  }

  /** Does work of the rarest kind. @throws the error of the call, if it was not acknowledged. */
  async act(api: Api): Promise<void> {
    const count = (kind: Kind) => this.acknowledged[kind] + this.#underWay[kind];
    const kind = KINDS.toSorted((a, b) => count(a) - count(b))[0]!;
    if (kind !== "edits" && await this.#isBusy(api)) return await pause(500);
    this.#underWay[kind]++;
    try {
      if (await this.#do(kind, api)) this.acknowledged[kind]++;
    } finally {
      this.#underWay[kind]--;
    }
  }

  async #isBusy(api: Api): Promise<boolean> {
    const { patients } = await listPatients(api, { page_size: 50 });
    const open = patients.filter((study) => isAnalyzing(study.t1_analysis_status)).length;
    const earlier = this.reports.at(-MOST_OPEN);
    const status = earlier === undefined ? "done" : (await getReportsProgress(api, earlier)).status;
    return open >= MOST_OPEN || status === "queued" || status === "running";
  }

  async #do(kind: Kind, api: Api): Promise<boolean> {
    switch (kind) {
      case "uploads": {
        const files = phantomSeries("short", `FAULTS-${this.#name++}`);
        this.ledger.unanswered++;
        const { pid_list: [pid], failed } = await uploadFiles(api, files);
        this.ledger.unanswered--;
        // the response gives the reason why nothing was stored, such as a killed converter
        if (pid === undefined) {
          throw Object.assign(new Error(), { code: failed[0]?.code ?? "nothing" });
        }
        const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
        const hashes = files.map(({ bytes }) => hash(bytes)).sort();
        this.ledger.studies.set(pid, { hashes, isDeleted: "no" });
        return true;
      }
      case "edits": {
        const n = ++this.#edit.sent,
          days = { patient_birthdate: "1950-03-01", study_date: "2026-01-05" };
        const names = { patient_id: "EDITED", patient_name: `EDIT ${n}` };
        await updatePatient(api, this.edited, { ...names, patient_sex: "female", ...days });
        this.#edit.acknowledged = Math.max(this.#edit.acknowledged, n);
        return true;
      }
      case "analyses": {
        const pids = [...this.ledger.studies.keys()].filter((pid) => pid !== this.edited);
        if (pids.length === 0) return false;
        const pid = pids[this.acknowledged.analyses % pids.length]!;
        const { accepted } = await startReanalysis(api, pid);
        if (!accepted.includes(pid)) return false;
        this.analyses.set(pid, (this.analyses.get(pid) ?? 0) + 1);
        return true;
      }
      case "reports": {
        const { uuid } = await startReports(api, { pid_list: [this.reported] });
        this.reports.push(uuid);
        return true;
      }
    }
  }

  /** Compares a running site with the acknowledged work at the end. @returns lost work. */
  async compare(api: Api): Promise<string[]> {
    const problems: string[] = [], name = (await getPatient(api, this.edited)).patient_name;
    const edit = name.startsWith("EDIT ") ? Number(name.slice(5)) : 0;
    // edits run concurrently, so the last one sent need not be the last one stored
    if (edit === 0 && this.#edit.acknowledged > 0) problems.push(`edits are lost: ${name}`);
    const reading = new ReadingLedger(this.reported);
    reading.reports.push(...this.reports);
    for (const uuid of this.reports) {
      const { status } = await getReportsProgress(api, uuid)
        .catch(({ code }: { code: string }) => ({ status: code }));
      if (!["queued", "running", "done"].includes(status)) {
        problems.push(`report ${uuid} is ${status}`);
      }
    }
    return problems.length > 0 ? problems : await readReports(api, reading);
  }

  /**
   * Compares a database with the acknowledged work at the end.
   * @param programLog Output of the site's processes, which names edits without an audit entry.
   * @returns lost work.
   */
  async compareRows(dataDir: string, programLog: string): Promise<string[]> {
    const db = await openBeside(dataDir), problems: string[] = [];
    try {
      for (const [pid, count] of this.analyses) {
        const rows = await db.selectFrom("analyses").select("status").where("pid", "=", pid)
          .execute();
        // one more, because the upload started the first analysis
        if (rows.length < count + 1) {
          problems.push(`study ${pid}: ${rows.length} analyses, ${count} asked for`);
        }
      }
      const events = await db.selectFrom("audit").select("seq").where("event", "=", "study.update")
        .execute();
      const unwritten = programLog.split("\n").filter((line) =>
        line.includes('"Cannot write the audit entry"') && line.includes('"study.update"')
      ).length;
      if (events.length + unwritten < this.acknowledged.edits) {
        problems.push(
          `${events.length} edits in the audit log and ${unwritten} in the program's, ` +
            `${this.acknowledged.edits} acknowledged`,
        );
      }
    } finally {
      await db.destroy();
    }
    return problems;
  }
}
