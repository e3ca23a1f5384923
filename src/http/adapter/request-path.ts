/**
 * The path of a request's URL as routes are matched with it: decoded, without query and fragment. What stands for one
 * spelling of a path has to stand for all of them: `/%61pi/health` is `/api/health`.
 */
export function requestPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const fragment = path.indexOf('#');
  return decodePath(fragment < 0 ? path : path.slice(0, fragment));
}

/** As it is when its encoding is broken. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * A request's target without the scheme and the host that clients of proxies send (RFC 9112, 3.2.2), for a target that
 * the router understood.
 */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}
