/**
 * Whether a text of a filter ends within quotes, where nothing is a name. A quote of the other kind is a letter there.
 */
export function endsInLiteral(text: string): boolean {
  let open = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (letter === '\\' && open) at += 1;
    else if (open) open = letter === open ? '' : open;
    else if (letter === '"' || letter === "'") open = letter;
  }
  return open !== '';
}
