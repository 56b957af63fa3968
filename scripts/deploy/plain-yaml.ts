export type Yaml = string | null | readonly Yaml[] | { readonly [key: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** The part of YAML that the files of deploy/ are written in: maps, lists, plain and quoted words, JSON lists, anchors and `<<`. */
export function readYaml(text: string): Yaml[] {
  return text.split(/^---$/m).map((part) => new Reader(part).read());
}

class Reader {
  readonly #lines: Line[];
  readonly #anchors = new Map<string, Yaml>();

  constructor(text: string) {
    this.#lines = text
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
      .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
  }

  read(): Yaml {
    const value = this.#block(0);
    const [left] = this.#lines;
    if (left) throw new Error(`cannot read: ${left.text}`);
    return value;
  }

  #block(indent: number): Yaml {
    const [first] = this.#lines;
    if (!first || first.indent < indent) return null;
    return first.text.startsWith('- ') ? this.#list(first.indent) : this.#map(first.indent);
  }

  #list(indent: number): Yaml[] {
    const items: Yaml[] = [];
    for (
      let [line] = this.#lines;
      line?.indent === indent && line.text.startsWith('- ');
      [line] = this.#lines
    ) {
      const rest = line.text.slice(2);
      if (/^[\w./-]+:(?: |$)/.test(rest)) {
        this.#lines[0] = { indent: indent + 2, text: rest };
        items.push(this.#map(indent + 2));
      } else {
        this.#lines.shift();
        items.push(scalar(rest));
      }
    }
    return items;
  }

  #map(indent: number): Yaml {
    const map: Record<string, Yaml> = {};
    let merged: Yaml = {};
    for (
      let [line] = this.#lines;
      line?.indent === indent && !line.text.startsWith('- ');
      [line] = this.#lines
    ) {
      const [, key = '', anchor, rest = ''] = /^([\w./-]+|<<):(?: &(\w+))?(?: (.*))?$/.exec(line.text) ?? [];
      if (key === '' || key in map) throw new Error(`cannot read, or said twice: ${line.text}`);
      this.#lines.shift();
      const value = rest === '' ? this.#block(indent + 1) : this.#known(rest);
      if (anchor !== undefined) this.#anchors.set(anchor, value);
      if (key === '<<') merged = value;
      else map[key] = value;
    }
    // What a map says itself goes before what it takes over.
    return { ...(merged as Record<string, Yaml>), ...map };
  }

  #known(text: string): Yaml {
    if (!text.startsWith('*')) return scalar(text);
    const value = this.#anchors.get(text.slice(1));
    if (value === undefined) throw new Error(`there is no ${text}`);
    return value;
  }
}

function scalar(text: string): Yaml {
  return /^["[{]/.test(text) ? (JSON.parse(text) as Yaml) : text;
}

export const at = (value: Yaml | undefined, ...path: readonly (string | number)[]): Yaml | undefined =>
  path.reduce<Yaml | undefined>(
    (inner, key) => (inner as Record<string | number, Yaml> | null | undefined)?.[key],
    value,
  );

/** The word that stands there. */
export function wordAt(value: Yaml | undefined, ...path: readonly (string | number)[]): string {
  const word = at(value, ...path);
  if (typeof word !== 'string') throw new Error(`no word at ${path.join('.')}`);
  return word;
}
