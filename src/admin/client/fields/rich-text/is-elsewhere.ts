/** Whether an address that is complete leads away from the server of this page. */
export function isElsewhere(address: string, page: string): boolean {
  if (!URL.canParse(address.trim())) return false;
  const { protocol, origin } = new URL(address.trim());
  return ['http:', 'https:'].includes(protocol) && origin !== new URL(page).origin;
}
