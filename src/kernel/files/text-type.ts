import { jsonType } from './json-type.js';
import { markupType } from './markup-type.js';
import { separatedValuesType } from './separated-values.js';
import type { DecodedText } from './text-encoding.js';

/** Texts known by how they begin. */
const BEGINNINGS: readonly (readonly [beginning: RegExp, type: string])[] = [
  [/^BEGIN:VCALENDAR\s/i, 'text/calendar'],
  [/^BEGIN:VCARD\s/i, 'text/vcard'],
  [/^WEBVTT(?:\s|$)/, 'text/vtt'],
  [/^\d{1,9}\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3} --> \d/, 'application/x-subrip'],
  [/^<\?(?:php\b|=)/i, 'text/x-php'],
];

/** Who runs a script, by the name in its first line without a version. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['sh', 'ash', 'bash', 'dash', 'fish', 'ksh', 'zsh'].map((name) => [name, 'text/x-shellscript']),
  ),
  php: 'text/x-php',
  pypy: 'text/x-python',
  python: 'text/x-python',
  bun: 'text/javascript',
  deno: 'text/javascript',
  node: 'text/javascript',
  nodejs: 'text/javascript',
};

/** Types that are named together with the encoding. */
const NAMES_CHARSET: ReadonlySet<string> = new Set(['text/plain', 'text/html', 'text/xml']);

/** The kind of text this is, judged by its beginning; `isWhole` tells that nothing follows. */
export function textTypeOf({ text, charset }: DecodedText, isWhole: boolean): string {
  const trimmed = text.trimStart();
  const type =
    BEGINNINGS.find(([beginning]) => beginning.test(trimmed))?.[1] ??
    scriptType(text) ??
    (trimmed.startsWith('<') ? markupType(trimmed) : undefined) ??
    jsonType(trimmed, isWhole) ??
    separatedValuesType(text, isWhole) ??
    'text/plain';
  return NAMES_CHARSET.has(type) ? `${type}; charset=${charset}` : type;
}

/** `#!/bin/sh` or `#!/usr/bin/env -S node --test`. */
function scriptType(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined;
  const words = text.slice(2).split('\n', 1)[0]!.trim().split(/\s+/);
  const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const name =
    programs[0] === 'env'
      ? programs.slice(1).find((word) => !(word.startsWith('-') || word.includes('=')))
      : programs[0];
  const interpreter = name?.replace(/[\d.]+$/, '') ?? '';
  return Object.hasOwn(INTERPRETERS, interpreter) ? INTERPRETERS[interpreter] : undefined;
}
