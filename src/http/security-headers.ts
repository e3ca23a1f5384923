/** Headers on every response (OPS-33). Files take `x-frame-options` off again. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-xss-protection': '1; mode=block',
} as const;
