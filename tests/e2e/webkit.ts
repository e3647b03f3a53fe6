// WebKitGTK's own small browser by WebDriver (W3C), which Debian's webkit2gtk-driver speaks.
import { existsSync } from "node:fs";
import { until } from "@/tests/sites/until.ts";
import { hasScreen, type Screen, XVFB } from "@/tests/e2e/screen.ts";

const DRIVER = "/usr/bin/WebKitWebDriver";
const BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const absent = [DRIVER, BROWSER, ...hasScreen ? [] : [XVFB]].find((path) => !existsSync(path));
/** Why it cannot be driven here; empty: it can. */
export const missingWebKit = absent ? `no ${absent}` : "";

/** Name under which WebDriver hands out an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** WebGL by the processor, where there is no GPU; no portals of a desktop that is not there. */
const ALONE = {
  LIBGL_ALWAYS_SOFTWARE: "1",
  GTK_USE_PORTAL: "0",
  NO_AT_BRIDGE: "1",
  GIO_USE_VFS: "local",
};

/** A page of a MiniBrowser of its own. */
export class WebKitPage implements AsyncDisposable {
  private constructor(
    private readonly session: string,
    private readonly process: Deno.ChildProcess,
    private readonly home: string,
  ) {}

  /** Starts driver and browser on a screen, with an empty page. */
  static async open({ display }: Screen): Promise<WebKitPage> {
    const home = await Deno.makeTempDir({ prefix: "sulcus-webkit-" }), driver = freeAddress();
    const process = new Deno.Command(DRIVER, {
      args: [`--port=${driver.port}`, "--host=127.0.0.1"],
      env: { HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: display, ...ALONE },
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await until(() =>
        fetch(`${driver.url}/status`).then((answer) => answer.text()).catch(() => "")
      );
      const { sessionId } = await ask(`${driver.url}/session`, "POST", {
        capabilities: {
          alwaysMatch: { "webkitgtk:browserOptions": { binary: BROWSER, args: ["--automation"] } },
        },
      }) as { sessionId: string };
      return new WebKitPage(`${driver.url}/session/${sessionId}`, process, home);
    } catch (error) {
      process.kill("SIGKILL");
      throw error;
    }
  }

  /** Goes there and waits until the page is read. */
  async goto(url: string): Promise<void> {
    await ask(`${this.session}/url`, "POST", { url });
  }

  /** The value of an expression in the page: a text, a number or a truth. @throws Error if it throws. */
  async evaluate(expression: string): Promise<unknown> {
    // a policy of the page may refuse eval()
    const script = `const done = arguments[0];
      (async () => (${expression}\n))().then((value) => done({ value }), (error) => done({ thrown: String(error) }));`;
    const answer = await ask(`${this.session}/execute/async`, "POST", { script, args: [] });
    const { value, thrown } = answer as { value?: unknown; thrown?: string };
    if (thrown !== undefined) throw new Error(thrown);
    return value;
  }

  async #element(selector: string): Promise<string> {
    const found = await ask(`${this.session}/element`, "POST", {
      using: "css selector",
      value: selector,
    });
    return (found as Record<string, string>)[ELEMENT]!;
  }

  /** Types into an element, as a keyboard does; of an input of files: chooses the file with this path. */
  async type(selector: string, text: string): Promise<void> {
    await ask(`${this.session}/element/${await this.#element(selector)}/value`, "POST", { text });
  }

  /** Presses an element as a mouse does. */
  async press(selector: string): Promise<void> {
    await ask(`${this.session}/element/${await this.#element(selector)}/click`, "POST", {});
  }

  /** What the window shows, as a PNG file. */
  async screenshot(): Promise<Uint8Array> {
    const text = String(await ask(`${this.session}/screenshot`, "GET"));
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ask(this.session, "DELETE").catch(() => {});
    this.process.kill();
    await this.process.status;
    await Deno.remove(this.home, { recursive: true }).catch(() => {});
  }
}

/** An address of this machine that was free a moment ago. */
function freeAddress(): { port: number; url: string } {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  return { port, url: `http://127.0.0.1:${port}` };
}

/** @throws Error with what WebDriver says against it. */
async function ask(url: string, method: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  const { value } = await answer.json() as { value: { error?: string; message?: string } | null };
  if (!answer.ok) throw new Error(`${value?.error}: ${value?.message}`);
  return value;
}
