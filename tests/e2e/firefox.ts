// Firefox ESR driven by WebDriver BiDi (W3C), which it supports without a separate driver.
import { existsSync } from "node:fs";
import { until } from "@/tests/sites/until.ts";
import { hasScreen, type Screen, XVFB } from "@/tests/e2e/screen.ts";

export const FIREFOX = "/usr/bin/firefox-esr";
/** Reason why Firefox cannot be driven here; empty if it can. */
export const missingFirefox = !existsSync(FIREFOX)
  ? `no ${FIREFOX}`
  : hasScreen
  ? ""
  : `no ${XVFB}`;
const START_MS = 120_000;

interface Answer {
  id?: number;
  result?: Record<string, unknown>;
  error?: string;
  message?: string;
  method?: string;
  params?: { text?: string; level?: string };
}

/** Variables for software WebGL on machines without a GPU. */
const SOFTWARE_GL = { LIBGL_ALWAYS_SOFTWARE: "1" };
const PREFERENCES = `user_pref("webgl.force-enabled", true);\n`;

/** A page in a separate Firefox process. */
export class FirefoxPage implements AsyncDisposable {
  readonly errors: string[] = [];
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #next = 1;
  #context = "";

  private constructor(
    private readonly socket: WebSocket,
    private readonly process: Deno.ChildProcess,
    private readonly profile: string,
  ) {
    socket.onmessage = ({ data }) => {
      const answer = JSON.parse(data) as Answer;
      if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer);
      else if (answer.method === "log.entryAdded" && answer.params?.level === "error") {
        this.errors.push(answer.params.text ?? "");
      }
    };
  }

  /** Starts Firefox on a screen with an empty page, because WebGL needs a window. */
  static async open({ display }: Screen): Promise<FirefoxPage> {
    const profile = await Deno.makeTempDir({ prefix: "sulcus-firefox-" });
    await Deno.writeTextFile(`${profile}/user.js`, PREFERENCES);
    const process = new Deno.Command(FIREFOX, {
      args: ["--no-remote", "--profile", profile, "--remote-debugging-port=0"],
      env: { HOME: profile, DISPLAY: display, MOZ_DISABLE_AUTO_SAFE_MODE: "1", ...SOFTWARE_GL },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const decoder = new TextDecoder(), ready = Promise.withResolvers<string>();
    (async () => {
      let said = "";
      for await (const piece of process.stderr) {
        said += decoder.decode(piece, { stream: true });
        const url = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
        if (url) ready.resolve(url);
      }
      ready.reject(new Error(`Firefox ended: ${said.slice(-500)}`));
    })();
    const timer = setTimeout(() => ready.reject(new Error("Firefox did not start")), START_MS);
    const socket = new WebSocket(
      `${await ready.promise.finally(() => clearTimeout(timer))}/session`,
    );
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    const page = new FirefoxPage(socket, process, profile);
    await page.#call("session.new", { capabilities: {} });
    await page.#call("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = await page.#call("browsingContext.getTree", {}) as {
      contexts: { context: string }[];
    };
    page.#context = contexts[0]!.context;
    return page;
  }

  async #call(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = this.#next++, { promise, resolve } = Promise.withResolvers<Answer>();
    this.#answers.set(id, resolve);
    this.socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await promise;
    this.#answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error}: ${message}`);
    return result ?? {};
  }

  /** Navigates to a URL and waits until the new page is loaded. */
  async goto(url: string): Promise<void> {
    const { pathname } = new URL(url);
    await this.evaluate(`globalThis.isLeft = true; location.href = ${JSON.stringify(url)}; 0`);
    const isThere = `globalThis.isLeft === undefined && document.readyState !== 'loading' &&
      location.pathname === ${JSON.stringify(pathname)}`;
    // evaluation fails, and is retried, during navigation
    await until(() => this.evaluate(isThere).catch(() => false));
  }

  /** Value of an expression in the page: text, number or boolean. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#call("script.evaluate", {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    }) as { result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value;
  }

  /** Types into the focused element. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((
      value,
    ) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.#call("input.performActions", {
      context: this.#context,
      actions: [{ type: "key", id: "keyboard", actions }],
    });
  }

  /** Clicks an element. */
  async press(selector: string): Promise<void> {
    const at = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "center" });
      const { x, y, width, height } = element.getBoundingClientRect();
      return JSON.stringify([Math.round(x + width / 2), Math.round(y + height / 2)]);
    })()`);
    const [x, y] = JSON.parse(String(at));
    await this.#call("input.performActions", {
      context: this.#context,
      actions: [{
        type: "pointer",
        id: "mouse",
        actions: [{ type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, {
          type: "pointerUp",
          button: 0,
        }],
      }],
    });
  }

  /** Sets the files of an input element. */
  async choose(selector: string, files: readonly string[]): Promise<void> {
    const { nodes } = await this.#call("browsingContext.locateNodes", {
      context: this.#context,
      locator: { type: "css", value: selector },
    }) as { nodes: { sharedId: string }[] };
    await this.#call("input.setFiles", { context: this.#context, element: nodes[0], files });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("browser.close", {}).catch(() => {});
    this.socket.close();
    await this.process.status;
    await Deno.remove(this.profile, { recursive: true }).catch(() => {});
  }
}
