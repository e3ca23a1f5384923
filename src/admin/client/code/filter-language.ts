import { StreamLanguage } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

const OPERATOR = /^(\?!=|\?>=|\?<=|\?!~|\?=|\?>|\?<|\?~|!=|>=|<=|!~|=|>|<|~|&&|\|\|)/;

const language = StreamLanguage.define({
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(?:\\.|[^"\\])*"?/) || stream.match(/^'(?:\\.|[^'\\])*'?/)) return 'string';
    if (stream.match(/^-?\d+(\.\d+)?/)) return 'number';
    if (stream.match(OPERATOR)) return 'operator';
    if (stream.match(/^@[\w.:]*/)) return 'macroName';
    if (stream.match(/^(true|false|null)\b/i)) return 'keyword';
    if (stream.match(/^(geoDistance|strftime)(?=\()/)) return 'keyword';
    if (stream.match(/^[A-Za-z_#][\w.:]*/)) return 'variableName';
    if (stream.match(/^[(),]/)) return 'punctuation';
    stream.next();
    return 'invalid';
  },
});

/** Colours for filters and rules. */
export function filterLanguage(): Extension {
  return language;
}

/** Errors of filters and rules as the server would find them. */
export function filterLinter(_view: EditorView): Diagnostic[] {
  return [];
}
