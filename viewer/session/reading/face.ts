import type { ViewerSession } from "@/viewer/session/session.ts";

/** Switches between original and defaced T1w images, as research destinations receive them. */
export class FaceView {
  readonly #whole: string | null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly session: ViewerSession) {
    this.#whole = session.patient.t1w_file;
  }

  /**
   * Serialised changes. @throws {AppError}
   * as `ViewerSession.reload`; the images are then unchanged.
   */
  show(isRemoved: boolean): Promise<void> {
    const change = this.#last.catch(() => {}).then(() => this.#change(isRemoved));
    this.#last = change;
    return change;
  }

  async #change(isRemoved: boolean): Promise<void> {
    const { patient, pid } = this.session, before = patient.t1w_file;
    const wanted = isRemoved ? `/api/v1/patients/${pid}/defaced` : this.#whole;
    if (wanted === before) return;
    Object.assign(patient, { t1w_file: wanted });
    try {
      await this.session.reload("t1w");
    } catch (error) {
      Object.assign(patient, { t1w_file: before });
      throw error;
    }
  }
}
