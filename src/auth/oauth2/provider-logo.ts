/** A one-colour logo in the colour of the text around it; the shapes are Simple Icons (CC0) or our own. */
export function logoOf(path: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="currentColor"><path d="${path}"/></svg>`;
}
