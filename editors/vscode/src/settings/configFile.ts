/** Completion and explanation of the engine's `config.toml`, from its JSON Schema. Pure. */

/** The parts of a JSON Schema that the engine's has. */
export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
}

/** What can be typed at a place. */
export interface Proposal {
  label: string;
  /** The text that takes the place of the word; the label by default. */
  insert?: string;
  /** The type of a key, or the default as a value. */
  detail?: string;
  description?: string | undefined;
}

/** A place in the file. */
export interface Place {
  /** What is typed there: a table's header, a key, or the value of a key. */
  kind: "table" | "key" | "value";
  /** The keys around it; those of a value end with its own. */
  path: string[];
  /** Where the word at the caret begins. */
  start: number;
}

/** A header of a table, or of a table in a list. */
const HEADER = /^\s*\[\[?\s*([^\]#]*)\]/;

/** A key with the sign behind it. */
const KEY = /^\s*([\w.\-"' ]+?)\s*=/;

/** The keys of a dotted name. Quotes around a key are left out. */
function keys(name: string): string[] {
  const parts = name.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? [];
  return parts.map((part) => part.replace(/^["']|["']$/g, ""));
}

/** The table that a line is in. */
function tableAt(lines: readonly string[], line: number): string[] {
  for (let at = line - 1; at >= 0; at--) {
    const header = HEADER.exec(lines[at] ?? "");
    if (header !== null) return keys(header[1] ?? "");
  }
  return [];
}

/** What is typed at this place; undefined in a comment. */
export function placeAt(lines: readonly string[], line: number, character: number): Place | undefined {
  const before = (lines[line] ?? "").slice(0, character);
  if (/^\s*#/.test(before)) return undefined;
  const header = /^\s*\[\[?\s*([^\]]*)$/.exec(before);
  if (header !== null) return { kind: "table", path: [], start: character - (header[1] ?? "").length };
  const table = tableAt(lines, line);
  const key = KEY.exec(before);
  if (key !== null) {
    const word = /["'\w%.-]*$/.exec(before.slice(key[0].length));
    return {
      kind: "value",
      path: [...table, ...keys(key[1] ?? "")],
      start: character - (word?.[0].length ?? 0),
    };
  }
  const word = /^\s*((?:[\w-]+\.)*)([\w-]*)$/.exec(before);
  if (word === null) return undefined;
  return { kind: "key", path: [...table, ...keys(word[1] ?? "")], start: character - (word[2] ?? "").length };
}

/** The schema of a value; that of a list's items where the path goes on within it. */
export function schemaAt(schema: Schema, path: readonly string[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const key of path) at = at === undefined ? undefined : below(at, key);
  return at;
}

function below(schema: Schema, key: string): Schema | undefined {
  const own = schema.properties?.[key];
  if (own !== undefined) return own;
  if (typeof schema.additionalProperties === "object") return schema.additionalProperties;
  for (const form of [schema.items, ...(schema.anyOf ?? [])]) {
    const found = form === undefined ? undefined : below(form, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keys of a table, or of the tables in a list. */
function properties(schema: Schema): [string, Schema][] {
  return Object.entries(schema.properties ?? schema.items?.properties ?? {});
}

function isMap(schema: Schema): boolean {
  const forms = [schema, ...(schema.anyOf ?? [])];
  const ofTables = (form: Schema): boolean =>
    typeof form.additionalProperties === "object" && form.additionalProperties.properties !== undefined;
  return forms.some(ofTables);
}

function isTable(schema: Schema): boolean {
  return schema.properties !== undefined || schema.items?.properties !== undefined || isMap(schema);
}

/** What can be typed at a place of the file. */
export function proposals(schema: Schema, lines: readonly string[], line: number, place: Place): Proposal[] {
  const at = schemaAt(schema, place.path);
  if (place.kind === "table") {
    const isList = /^\s*\[\[/.test(lines[line] ?? "");
    const tables = Object.entries(schema.properties ?? {}).filter(
      ([, each]) => isTable(each) && (each.items !== undefined) === isList,
    );
    return tables.map(([label, each]) => ({
      label,
      insert: isMap(each) ? `${label}.` : label,
      description: each.description,
    }));
  }
  if (at === undefined) return [];
  if (place.kind === "value") return values(at);
  const isTop = place.path.length === 0;
  const known = properties(at).filter(([, each]) => !isTop || !isTable(each));
  const set = keysOfTable(lines, line);
  return known
    .filter(([key]) => !set.has(key))
    .map(([label, each]) => ({
      label,
      insert: each.properties === undefined ? `${label} = ` : `${label}.`,
      detail: each.default === undefined ? (each.type ?? "") : toml(each.default),
      description: each.description,
    }));
}

/** The keys that the table around a line sets already, without that line's. */
function keysOfTable(lines: readonly string[], line: number): Set<string> {
  const isHeader = (at: number): boolean => HEADER.test(lines[at] ?? "");
  let [from, to] = [line, line];
  while (from > 0 && !isHeader(from - 1)) from--;
  while (to + 1 < lines.length && !isHeader(to + 1)) to++;
  const set = new Set<string>();
  for (let at = from; at <= to; at++) {
    const key = at === line ? undefined : KEY.exec(lines[at] ?? "")?.[1];
    if (key !== undefined) set.add(key);
  }
  return set;
}

function values(schema: Schema): Proposal[] {
  const listed = schema.enum ?? (schema.type === "boolean" ? [true, false] : []);
  const given = listed.length > 0 ? listed : [schema.default, ...(schema.examples ?? [])];
  const labels = given.filter((value) => value !== undefined).map(toml);
  const usual = schema.default === undefined ? undefined : toml(schema.default);
  return [...new Set(labels)].map((label) => ({ label, detail: label === usual ? "default" : "" }));
}

/** A value as TOML has it in one line. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const rows = Object.entries(value).map(([key, each]) => `${key} = ${toml(each)}`);
    return `{ ${rows.join(", ")} }`;
  }
  return JSON.stringify(value);
}

/** The documentation of the key or table at a place; undefined where there is none. */
export function explained(
  schema: Schema,
  lines: readonly string[],
  line: number,
  character: number,
): string | undefined {
  const text = lines[line] ?? "";
  const header = HEADER.exec(text);
  if (header !== null) return schemaAt(schema, keys(header[1] ?? ""))?.description;
  const key = KEY.exec(text);
  if (key === null || character > key[0].length) return undefined;
  const found = schemaAt(schema, [...tableAt(lines, line), ...keys(key[1] ?? "")]);
  if (found?.description === undefined) return undefined;
  return found.default === undefined ? found.description : `${found.description} (${toml(found.default)})`;
}
