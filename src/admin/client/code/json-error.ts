import { jsonLanguage } from '@codemirror/lang-json';

export interface JsonError {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/**
 * Where a text stops being JSON. Browsers say that in words of their own, most without a place: it is where the grammar
 * of the editor fails first.
 */
export function jsonError(text: string): JsonError | undefined {
  if (!text.trim()) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    let from = text.length;
    jsonLanguage.parser.parse(text).iterate({
      enter: (node) => {
        if (node.type.isError && node.from < from) from = node.from;
      },
    });
    return { from, to: Math.min(from + 1, text.length), message: (error as Error).message };
  }
}
