import type { ViewerSession } from "@/viewer/session/session.ts";

/** Shows the T1w images as they are, or without the face, as destinations of research get them. */
export class FaceView {
  readonly #whole: string | null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly session: ViewerSession) {
    this.#whole = session.patient.t1w_file;
  }

  /**
   * One change after the other. @throws {AppError} as `ViewerSession.reload`; the images stay as
   * they were then.
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
