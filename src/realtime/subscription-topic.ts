import { isJsonObject } from '../kernel/json-object.js';
import { type ExpandStep, parseExpand } from '../kernel/query/expand.js';
import { type FieldPicker, parseFields } from '../kernel/query/fields.js';
import type { RequestInfo } from '../kernel/records/request-info.js';

/** Where options begin: at the `?` itself, and at an `&` that is followed by one of these (RT-45). */
const OPTION_START = /&(?=(?:filter|expand|fields|options)=)/;
const PLAIN_KEYS: readonly string[] = ['filter', 'expand', 'fields'];
const PERCENT_ESCAPE = /%[0-9A-Fa-f]{2}/;

type Texts = Readonly<Record<string, string>>;

/** A topic taken apart (chapter 04 D). Malformed options are no options; the subscription is made all the same. */
export class SubscriptionTopic {
  /** Everything before the first `?`. */
  readonly path: string;
  /** Parsed when an event needs it: a client may replace thousands of topics at once, over and over. */
  private parts: TopicParts | undefined;

  constructor(
    /** The topic exactly as it was sent: the event name of its messages. */
    readonly text: string,
  ) {
    this.path = pathOf(text);
  }

  /** What rules and filters see of the request behind the subscription (RT-61). */
  get request(): RequestInfo {
    return this.partsNow.request;
  }

  get expand(): readonly ExpandStep[] {
    return this.partsNow.expand;
  }

  /** Undefined shows the whole record. */
  get picker(): FieldPicker | undefined {
    return this.partsNow.picker;
  }

  /** `''` lets every record through. */
  get filter(): string {
    return this.request.query['filter'] ?? '';
  }

  /** The rule that lets its records through: that of one record, or that of all of a collection (RT-40). */
  get ruleKind(): 'list' | 'view' {
    return /^[^/]+\/(?!\*$)/.test(this.path) ? 'view' : 'list';
  }

  private get partsNow(): TopicParts {
    return (this.parts ??= partsOf(this.text));
  }
}

/** The part of a topic's text before its first `?`. */
export function pathOf(text: string): string {
  const mark = text.indexOf('?');
  return mark < 0 ? text : text.slice(0, mark);
}

interface TopicParts {
  readonly request: RequestInfo;
  readonly expand: readonly ExpandStep[];
  readonly picker: FieldPicker | undefined;
}

function partsOf(text: string): TopicParts {
  const { query, headers } = parseOptions(text.slice(pathOf(text).length + 1));
  return {
    request: { context: 'realtime', method: 'GET', query, headers, body: {} },
    expand: query['expand'] ? parseExpand(query['expand']) : [],
    picker: query['fields'] ? pickerOf(query['fields']) : undefined,
  };
}

function parseOptions(text: string): { query: Texts; headers: Texts } {
  const plain = new Map<string, string>();
  let sdk: { query: Texts; headers: Texts } = { query: {}, headers: {} };
  for (const part of text.split(OPTION_START)) {
    const equals = part.indexOf('=');
    const key = part.slice(0, Math.max(equals, 0));
    if (plain.has(key)) continue;
    // Of the options only a filter may contain an `&`; anywhere else an unknown key begins with it.
    const raw = part.slice(equals + 1);
    if (key === 'options') sdk = parseSdkOptions(raw);
    else if (key === 'filter') plain.set(key, decode(raw));
    else if (PLAIN_KEYS.includes(key)) plain.set(key, decode(cutAtAmpersand(raw)));
  }
  return { query: { ...Object.fromEntries(plain), ...sdk.query }, headers: sdk.headers };
}

/** The form of the official SDK: percent-encoded JSON with `query` and `headers` (RT-44). */
function parseSdkOptions(raw: string): { query: Texts; headers: Texts } {
  const parsed = parseJson(decode(raw)) ?? parseJson(decode(cutAtAmpersand(raw)));
  return {
    query: toTexts(parsed?.['query']),
    headers: toTexts(parsed?.['headers'], (name) => name.toLowerCase().replaceAll('-', '_')),
  };
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toTexts(map: unknown, toName: (name: string) => string = (name) => name): Texts {
  if (!isJsonObject(map)) return {};
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [toName(name), toText(value)]));
}

function toText(value: unknown): string {
  return typeof value === 'object' ? '' : String(value);
}

function cutAtAmpersand(text: string): string {
  const end = text.indexOf('&');
  return end < 0 ? text : text.slice(0, end);
}

/** A value without any escape is taken as it stands, `+` included; so is one that cannot be decoded. */
function decode(text: string): string {
  if (!PERCENT_ESCAPE.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function pickerOf(fields: string): FieldPicker | undefined {
  try {
    return parseFields(fields);
  } catch {
    return undefined;
  }
}
