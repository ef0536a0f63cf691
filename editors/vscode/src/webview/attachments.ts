/** What goes with a message beside its text: pictures that were pasted or dropped, selections, problems, files. */
import type { Input } from "pintle-client";
import { chipOf } from "../chat/input.ts";
import { t } from "../words.ts";
import { el, icon, iconButton } from "./dom.ts";
import type { Send } from "./types.ts";

/** Pictures that models read. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Bytes of a picture; the engine makes large ones smaller. */
const MOST_BYTES = 20 * 1024 * 1024;

export class Attachments {
  readonly element = el("ul", { class: "attachments", attributes: { "aria-label": t("Attached") } });
  readonly #send: Send;
  readonly #changed: () => void;
  /** The chip of the active editor, which comes first. */
  readonly #first: HTMLElement;
  #inputs: Input[] = [];

  constructor(send: Send, first: HTMLElement, changed: () => void) {
    this.#send = send;
    this.#first = first;
    this.#changed = changed;
    this.element.append(first);
  }

  /** Whether the file, or a part of it, is attached. */
  has(path: string): boolean {
    return this.#inputs.some((each) => "path" in each && each.path === path);
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  add(inputs: Input[]): void {
    this.#inputs.push(...inputs);
    this.#draw();
  }

  take(): Input[] {
    const taken = this.#inputs;
    this.#inputs = [];
    this.#draw();
    return taken;
  }

  /** Takes pictures and files out of what is pasted or dropped; false when there are none, and the text is meant. */
  receive(data: DataTransfer | null): boolean {
    const files = [...(data?.files ?? [])];
    const pictures = files.filter(({ type }) => PICTURES.includes(type));
    for (const each of pictures) void this.#picture(each);
    if (pictures.length < files.length)
      this.#warn(t("Only images can be attached this way: PNG, JPEG, GIF or WebP."));
    if (files.length > 0) return true;
    const paths = pathsOf(data?.getData("application/vnd.code.uri-list") ?? "");
    this.add(paths.map((path) => ({ type: "file", path })));
    return paths.length > 0;
  }

  async #picture(file: File): Promise<void> {
    if (file.size > MOST_BYTES) return this.#warn(t("Images over 20 MB cannot be attached."));
    const url = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as string);
      reader.onerror = () => reject(new Error("unreadable"));
      reader.readAsDataURL(file);
    }).catch(() => "");
    const data = url.slice(url.indexOf(",") + 1);
    if (data === "") return this.#warn(t("Could not read the image."));
    this.add([{ type: "image", mimeType: file.type, data }]);
  }

  #warn(text: string): void {
    this.#send({ type: "warn", text });
  }

  #draw(): void {
    const rows = this.#inputs.map((input) => {
      const { icon: name, label, title } = chipOf(input);
      const remove = iconButton("close", t("Remove {0}", label), () => this.#remove(input));
      const picture = input.type === "image" ? thumbnail(input) : icon(name);
      return el("li", { class: "chip", title }, picture, el("span", {}, label), remove);
    });
    this.element.replaceChildren(this.#first, ...rows);
    this.#changed();
  }

  #remove(input: Input): void {
    this.#inputs = this.#inputs.filter((each) => each !== input);
    this.#draw();
  }
}

/** Edge length in pixels, for high-density screens. */
const THUMBNAIL = 48;

/** Draws a thumbnail on a canvas: the page may not load images. */
function thumbnail(input: Extract<Input, { type: "image" }>): HTMLElement {
  const canvas = el("canvas", { class: "thumbnail", attributes: { "aria-hidden": "true" } });
  const draw = async (): Promise<void> => {
    const bytes = Uint8Array.from(atob(input.data), (each) => each.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: input.mimeType }));
    [canvas.width, canvas.height] = [THUMBNAIL, THUMBNAIL];
    // The largest centered square.
    const size = Math.min(picture.width, picture.height);
    const [left, top] = [(picture.width - size) / 2, (picture.height - size) / 2];
    canvas.getContext("2d")?.drawImage(picture, left, top, size, size, 0, 0, THUMBNAIL, THUMBNAIL);
    picture.close();
  };
  // The engine may support what the browser cannot draw.
  draw().catch(() => canvas.remove());
  return canvas;
}

/** Paths of files that were dragged out of VS Code's own lists. */
function pathsOf(list: string): string[] {
  return list.split(/\r?\n/).flatMap((line) => {
    if (!/^(file|vscode-remote):/.test(line)) return [];
    return [decodeURIComponent(new URL(line).pathname)];
  });
}
