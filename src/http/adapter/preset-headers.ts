type Values = Readonly<Record<string, string>>;

const REQUEST_ID = 'x-request-id';

/**
 * Headers that many answers share, put into the lines of a head once, and the id of the request after them. Set one by
 * one, they are kept and then checked letter by letter for each answer, which takes a tenth of the time of a small one.
 */
export class PresetHeaders {
  private readonly names: ReadonlySet<string>;
  private readonly text: string;
  private readonly joined = new Map<PresetHeaders, PresetHeaders>();
  /** The lines without those of some names, by these names; answers replace few of them, and always the same. */
  private readonly shortened = new Map<string, string>();

  /** By their names in lower case. */
  constructor(private readonly shared: Values) {
    this.names = new Set([...Object.keys(shared), REQUEST_ID]);
    this.text = `${headerLines(shared)}${REQUEST_ID}: `;
  }

  /** These and others; made once for each others. */
  and(others: PresetHeaders): PresetHeaders {
    let both = this.joined.get(others);
    if (!both) this.joined.set(others, (both = new PresetHeaders({ ...this.shared, ...others.shared })));
    return both;
  }

  /** The value of the one of this name in lower case; undefined when it is not among them. */
  value(name: string, requestId: string): string | undefined {
    if (!this.names.has(name)) return undefined;
    return name === REQUEST_ID ? requestId : this.shared[name];
  }

  /** By their names. */
  values(requestId: string): Values {
    return { ...this.shared, [REQUEST_ID]: requestId };
  }

  /**
   * The lines to send besides the headers of an answer, which win over those of the same name. They are an object, or a
   * list, of names and values or of pairs: what Node takes. Those of the names in `without`, in lower case, are left
   * out.
   */
  besides(own: object | undefined, requestId: string, without: readonly string[] = []): string {
    if (Array.isArray(own)) return headerLines(this.values(requestId), [...namesIn(own), ...without]);
    if (without.length > 0) return headerLines(this.values(requestId), [...Object.keys(own ?? {}), ...without]);
    let replaced = '';
    for (const name in own) {
      const key = name.toLowerCase();
      if (key === REQUEST_ID) return headerLines(this.values(requestId), Object.keys(own));
      if (this.names.has(key)) replaced += `${key} `;
    }
    return `${replaced === '' ? this.text : this.textWithout(replaced)}${requestId}\r\n`;
  }

  private textWithout(names: string): string {
    let text = this.shortened.get(names);
    if (text === undefined) {
      text = `${headerLines(this.shared, names.split(' '))}${REQUEST_ID}: `;
      this.shortened.set(names, text);
    }
    return text;
  }
}

/** Headers as the lines of a head, without some of them. */
export function headerLines(values: Values, except: readonly string[] = []): string {
  const excepted = new Set(except.map((name) => name.toLowerCase()));
  return Object.entries(values)
    .map(([name, value]) => (excepted.has(name) ? '' : `${name}: ${value}\r\n`))
    .join('');
}

/** A list of names and values has lists only among the values. */
function namesIn(list: readonly unknown[]): string[] {
  const names = Array.isArray(list[0])
    ? list.map((pair) => (pair as unknown[])[0])
    : list.filter((_, i) => i % 2 === 0);
  return names.map(String);
}
