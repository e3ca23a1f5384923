/**
 * Makes the addresses of links and media relative to this site, so that texts survive a move to another domain
 * (the option `convertURLs` of editor fields).
 */
export function convertUrls(html: string, origin: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const name of ['src', 'href', 'poster'] as const) {
    for (const element of page.body.querySelectorAll(`[${name}]`)) {
      const value = element.getAttribute(name)!;
      if (value.startsWith(`${origin}/`)) element.setAttribute(name, value.slice(origin.length));
    }
  }
  return page.body.innerHTML;
}
