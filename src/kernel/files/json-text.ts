/** True when the text is a JSON object or list, or, unless `isWhole`, may be the beginning of one. */
export function isJsonText(text: string, isWhole: boolean): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  return isJson(isWhole ? text : closed(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a JSON text without its last, unfinished value, and with all its brackets closed. */
function closed(text: string): string {
  const closers: string[] = [];
  let complete = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (isQuoted) {
      if (character === '\\') index++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') {
      isQuoted = true;
    } else if (character === '{' || character === '[') {
      closers.unshift(character === '{' ? '}' : ']');
      complete = text.slice(0, index + 1) + closers.join('');
    } else if (character === ',') {
      complete = text.slice(0, index) + closers.join('');
    } else if (character === '}' || character === ']') {
      closers.shift();
      if (closers.length === 0) return text;
    }
  }
  return complete;
}
