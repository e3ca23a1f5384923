/**
 * The token of an Authorization header: bare, or after `Bearer ` in any letter case (AUTH-201); '' when there is none.
 */
export function bearerToken(header: string | undefined): string {
  if (!header) return '';
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7) : header;
}
