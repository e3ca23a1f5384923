/**
 * The text of an HTML value, for one line of a list. Tags are cut out before anything is parsed: even an inert
 * document would report the event handlers in it to the content security policy.
 */
export function htmlText(html: string): string {
  const text = html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<\/?[a-z!][^>]*>/gi, ' ')
    .replaceAll('<', '&lt;');
  // Most texts of a list have been shortened to plain ones by the server: they need no parser.
  if (!text.includes('&')) return text.replaceAll(/\s+/g, ' ').trim();
  return (new DOMParser().parseFromString(text, 'text/html').body.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
}
