import type { Diagnostic } from '@codemirror/lint';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';
import { FilterError } from '../../../kernel/filter/filter.error.js';
import { Lexer } from '../../../kernel/filter/lexer.js';
import { parseFilter } from '../../../kernel/filter/parse-filter.js';
import type { Token } from '../../../kernel/filter/token.js';

function colourOf(token: Token): string {
  switch (token.kind) {
    case 'identifier':
      if (token.name.startsWith('@')) return 'macro';
      return /^(true|false|null)$/i.test(token.name) ? 'keyword' : 'name';
    case 'number':
      return 'number';
    case 'text':
      return 'string';
    case 'join':
      return 'keyword';
    default:
      return 'operator';
  }
}

/** The tokens of the product's own lexer as coloured ranges; what is no token is marked as such. */
function decorate(view: EditorView): DecorationSet {
  const text = view.state.doc.toString();
  const ranges = new RangeSetBuilder<Decoration>();
  const lexer = new Lexer(text);
  let position = 0;
  for (let guard = 0; guard <= text.length; guard += 1) {
    try {
      const token = lexer.next();
      if (token.kind === 'end') break;
      if (token.span.end > token.span.start) {
        ranges.add(
          token.span.start,
          token.span.end,
          Decoration.mark({ attributes: { style: `color: var(--syntax-${colourOf(token)})` } }),
        );
      }
      position = token.span.end;
    } catch (error) {
      if (!(error instanceof FilterError) || error.span.end <= position) break;
      ranges.add(error.span.start, error.span.end, Decoration.mark({ attributes: { style: 'color: var(--danger)' } }));
      position = error.span.end;
    }
  }
  return ranges.finish();
}

/** Colours for filters and rules. */
export function filterLanguage(): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorate(view);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged) this.decorations = decorate(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/** Errors of filters and rules as the server would find them. */
export function filterLinter(view: EditorView): Diagnostic[] {
  const text = view.state.doc.toString();
  if (!text.trim()) return [];
  try {
    parseFilter(text);
    return [];
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const from = Math.min(error.span.start, text.length);
    return [
      { from, to: Math.min(Math.max(error.span.end, from), text.length), severity: 'error', message: error.message },
    ];
  }
}
