const HTML = 'text/html';
const XML = 'text/xml';

/** Elements with which web pages begin. */
const HTML_ELEMENTS: ReadonlySet<string> = new Set(
  'html head title body script style iframe table div font p a b br h1 meta link'.split(' '),
);

/** Documents known by their outermost element, lower-cased, and where that is a common word by a namespace. */
const BY_ROOT: Readonly<Record<string, readonly [type: string, namespace?: string]>> = {
  svg: ['image/svg+xml'],
  gpx: ['application/gpx+xml'],
  kml: ['application/vnd.google-earth.kml+xml'],
  trainingcenterdatabase: ['application/vnd.garmin.tcx+xml'],
  rss: ['application/rss+xml'],
  feed: ['application/atom+xml', 'http://www.w3.org/2005/Atom'],
  collada: ['model/vnd.collada+xml'],
};

const XHTML = 'http://www.w3.org/1999/xhtml';

/** The type of a text that begins with `<`, undefined when it is no markup. */
export function markupType(text: string): string | undefined {
  const { isXml, doctype, hasComment, element } = readProlog(text);
  const root = element.slice(element.indexOf(':') + 1);
  const [type, namespace = ''] = (Object.hasOwn(BY_ROOT, root || doctype) && BY_ROOT[root || doctype]) || [];
  if (type && text.includes(namespace)) return type;
  if (isXml) return root === 'html' && text.includes(XHTML) ? 'application/xhtml+xml' : XML;
  return doctype === 'html' || HTML_ELEMENTS.has(element) || hasComment ? HTML : undefined;
}

interface Prolog {
  isXml: boolean;
  /** The name in `<!DOCTYPE name`, lower-cased. */
  doctype: string;
  hasComment: boolean;
  /** The name of the first element, lower-cased; '' when there is none. */
  element: string;
}

/** Reads what stands before the first element. Step by step: one expression for all would be slow on hostile input. */
function readProlog(text: string): Prolog {
  const prolog: Prolog = { isXml: text.startsWith('<?xml'), doctype: '', hasComment: false, element: '' };
  let rest = text;
  for (;;) {
    let end: number;
    if (rest.startsWith('<?')) {
      end = endOf(rest, '?>');
    } else if (rest.startsWith('<!--')) {
      prolog.hasComment = true;
      end = endOf(rest, '-->');
    } else if (/^<!doctype\s/i.test(rest)) {
      prolog.doctype = /^<!doctype\s+([\w:-]*)/i.exec(rest)![1]!.toLowerCase();
      end = endOfDoctype(rest);
    } else {
      prolog.element = /^<([a-z][\w:-]*)(?=[\s/>]|$)/i.exec(rest)?.[1]?.toLowerCase() ?? '';
      return prolog;
    }
    rest = rest.slice(end).trimStart();
  }
}

function endOf(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at === -1 ? text.length : at + mark.length;
}

function endOfDoctype(text: string): number {
  const close = text.indexOf('>');
  const subset = text.indexOf('[');
  if (subset === -1 || subset > close) return endOf(text, '>');
  const subsetEnd = text.indexOf(']', subset);
  return subsetEnd === -1 ? text.length : subsetEnd + endOf(text.slice(subsetEnd), '>');
}
