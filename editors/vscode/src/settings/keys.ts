/**
 * Keys of providers that a person gave to VS Code. They lie in its secret storage, and the engine gets them in the environment of its
 * process: they stand in no setting and in no file of the project.
 */

/** The part of VS Code's secret storage that is used. */
export interface Secrets {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
}

/** One value for all keys: VS Code lists no names. */
const NAME = "pintle.keys";
/** What an environment variable may be called. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class Keys {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The keys by their environment variable. What cannot be read counts as none. */
  async all(): Promise<Record<string, string>> {
    try {
      const value: unknown = JSON.parse((await this.#secrets.get(NAME)) ?? "{}");
      if (typeof value !== "object" || value === null) return {};
      const keys: Record<string, string> = {};
      for (const [name, key] of Object.entries(value) as [string, unknown][]) {
        if (VARIABLE.test(name) && typeof key === "string") keys[name] = key;
      }
      return keys;
    } catch {
      return {};
    }
  }

  async set(variable: string, key: string): Promise<void> {
    await this.#secrets.store(NAME, JSON.stringify({ ...(await this.all()), [variable]: key.trim() }));
  }

  async remove(variable: string): Promise<void> {
    const keys = await this.all();
    Reflect.deleteProperty(keys, variable);
    await this.#secrets.store(NAME, JSON.stringify(keys));
  }
}
