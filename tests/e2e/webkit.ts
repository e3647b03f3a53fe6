// WebKitGTK's MiniBrowser driven by WebDriver (W3C), which Debian's webkit2gtk-driver provides.
import { existsSync } from "node:fs";
import { until } from "@/tests/sites/until.ts";
import { hasScreen, type Screen, XVFB } from "@/tests/e2e/screen.ts";

const DRIVER = "/usr/bin/WebKitWebDriver";
const BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const absent = [DRIVER, BROWSER, ...hasScreen ? [] : [XVFB]].find((path) => !existsSync(path));
/** Reason why WebKit cannot be driven here; empty if it can. */
export const missingWebKit = absent ? `no ${absent}` : "";

/** Key by which WebDriver returns element ids (W3C WebDriver §12). */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Variables for software WebGL without a GPU, and no portals, which need a desktop. */
const ALONE = {
  LIBGL_ALWAYS_SOFTWARE: "1",
  GTK_USE_PORTAL: "0",
  NO_AT_BRIDGE: "1",
  GIO_USE_VFS: "local",
};

/** A page in a separate MiniBrowser. */
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

  /** Navigates to a URL and waits until the page is loaded. */
  async goto(url: string): Promise<void> {
    await ask(`${this.session}/url`, "POST", { url });
  }

  /** Value of an expression in the page: text, number or boolean. @throws {Error} if it throws. */
  async evaluate(expression: string): Promise<unknown> {
    // without eval(), which a page's policy may forbid
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

  /** Types into an element; for a file input, selects the file with this path. */
  async type(selector: string, text: string): Promise<void> {
    await ask(`${this.session}/element/${await this.#element(selector)}/value`, "POST", { text });
  }

  /** Clicks an element. */
  async press(selector: string): Promise<void> {
    await ask(`${this.session}/element/${await this.#element(selector)}/click`, "POST", {});
  }

  /** Screenshot of the window as PNG. */
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

/** A currently free port of this machine, and its URL. */
function freeAddress(): { port: number; url: string } {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  return { port, url: `http://127.0.0.1:${port}` };
}

/** Sends a WebDriver command. @throws {Error} with WebDriver's message. */
async function ask(url: string, method: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  const { value } = await answer.json() as { value: { error?: string; message?: string } | null };
  if (!answer.ok) throw new Error(`${value?.error}: ${value?.message}`);
  return value;
}
