import type { ViewerSession } from "@/viewer/session/session.ts";

/** Switches between original and defaced T1w images; research systems receive defaced images. */
export class FaceView {
  readonly #whole: string | null;
  /** URL of the displayed images; `null` after loading them failed */
  #shown: string | null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly session: ViewerSession) {
    this.#whole = this.#shown = session.patient.t1w_file;
  }

  /**
   * Changes between original and defaced images, one after another.
   * @throws {AppError} as `ViewerSession.reload`, after the previous images were requested again.
   */
  show(isRemoved: boolean): Promise<void> {
    const change = this.#last.catch(() => {}).then(() => this.#change(isRemoved));
    this.#last = change;
    return change;
  }

  async #change(isRemoved: boolean): Promise<void> {
    const { patient, pid } = this.session, before = patient.t1w_file;
    const wanted = isRemoved ? `/api/v1/patients/${pid}/defaced` : this.#whole;
    if (wanted === this.#shown) return;
    try {
      await this.#load(wanted);
    } catch (error) {
      // the previous images are no longer in memory, which the failed load has reused
      await this.#load(before).catch(() => Object.assign(patient, { t1w_file: this.#whole }));
      throw error;
    }
  }

  async #load(address: string | null): Promise<void> {
    this.#shown = null;
    Object.assign(this.session.patient, { t1w_file: address });
    await this.session.reload("t1w");
    this.#shown = address;
  }
}
