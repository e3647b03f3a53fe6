/** An answer of JSON whose text is written when somebody asks for it: who takes its value needs none. */
export class UnwrittenAnswer extends Response {
  readonly #value: unknown;
  #written: Response | undefined;

  constructor(value: unknown, status: number) {
    super(null, { status });
    this.#value = value;
    this.headers.set("content-type", "application/json");
  }

  /** The same answer with its text, as a server sends it. */
  written(): Response {
    if (this.#written) return this.#written;
    // headers that come with the status make Deno pack the text at once, and again after the next header
    const text = JSON.stringify(this.#value), { status } = this;
    const answer = status === 200 ? new Response(text) : new Response(text, { status });
    for (const [name, value] of this.headers) answer.headers.set(name, value);
    return this.#written = answer;
  }

  override get body() {
    return this.written().body;
  }
  override get bodyUsed() {
    return this.#written?.bodyUsed ?? false;
  }
  override json() {
    return this.written().json();
  }
  override text() {
    return this.written().text();
  }
  override bytes() {
    return this.written().bytes();
  }
  override arrayBuffer() {
    return this.written().arrayBuffer();
  }
  override blob() {
    return this.written().blob();
  }
  override formData() {
    return this.written().formData();
  }
  override clone() {
    return this.written().clone();
  }
}

/** An answer that a server can send: to Deno's, one that is not written would be an empty one. */
export const sendable = (answer: Response): Response =>
  answer instanceof UnwrittenAnswer ? answer.written() : answer;
