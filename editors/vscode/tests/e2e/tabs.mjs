// Browser tabs, which are emptied after a case and reused: loading a window takes half the processor time once the tab's process has compiled
// VS Code's program.

/** A context with a single page. `scale` is the number of screen pixels per CSS pixel. */
class Tab {
  constructor(context, page, scale, isFresh) {
    Object.assign(this, { context, page, scale, isFresh });
  }
}

export class Tabs {
  #browser;
  #origin;
  #onConsole;
  #used = [];
  #free = [];

  /** Calls `onConsole` with each console line. `origin` is the server's, whose stored data is removed. */
  constructor(browser, origin, onConsole) {
    this.#browser = browser;
    this.#origin = origin;
    this.#onConsole = onConsole;
  }

  /** The tabs in use. */
  get used() {
    return [...this.#used];
  }

  /** Returns an empty tab. A fresh one has a new process and is not reused. */
  async take({ scale = 1, isFresh = false } = {}) {
    const at = isFresh ? -1 : this.#free.findIndex((each) => each.scale === scale);
    const tab = at === -1 ? await this.#open(scale, isFresh) : this.#free.splice(at, 1)[0];
    this.#used.push(tab);
    return tab;
  }

  /** Unloads the page of a tab, as closing it would, and keeps the tab for reuse. Does nothing if the tab is not in use. */
  async leave(tab) {
    const at = this.#used.indexOf(tab);
    if (at === -1) return;
    this.#used.splice(at, 1);
    if (tab.isFresh) return tab.context.close();
    try {
      await this.#empty(tab);
      this.#free.push(tab);
    } catch {
      await tab.context.close();
    }
  }

  async leaveAll() {
    for (const tab of this.used) await this.leave(tab);
  }

  async close() {
    this.#used = [];
    this.#free = [];
    await this.#browser.close();
  }

  async #open(scale, isFresh) {
    const viewport = { width: 1400, height: 860 };
    const context = await this.#browser.newContext({ viewport, deviceScaleFactor: scale });
    const page = await context.newPage();
    page.on("console", (message) => this.#onConsole(message.text()));
    return new Tab(context, page, scale, isFresh);
  }

  /** Removes the page, its routes and its stored data. The HTTP cache and compiled code are kept. */
  async #empty({ context, page }) {
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const each of [page, context]) await each.unrouteAll({ behavior: "ignoreErrors" });
    await page.evaluate(() => {
      sessionStorage.clear();
      window.name = "";
    });
    await page.goto("about:blank");
    await context.clearCookies();
    const session = await context.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin: this.#origin, storageTypes: "all" });
    await session.detach();
  }
}
