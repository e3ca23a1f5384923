const KEYS = 'password|passwordConfirm|oldPassword|newPassword|secret|clientSecret';
const IN_JSON = new RegExp(`"(?:${KEYS})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, 'g');
const IN_MULTIPART = new RegExp(`name="(?:${KEYS})"\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^]*?)\\r\\n--`, 'g');
const IN_FORM = new RegExp(`(?:^|&)(?:${KEYS})=([^&]*)`, 'g');

/** The passwords and secrets in the body of a request: JSON, multipart or a form. What is cut off may be missing. */
export function postedSecrets(body: string): string[] {
  const values = (pattern: RegExp) => Array.from(body.matchAll(pattern), ([, value]) => value!);
  return [
    ...values(IN_JSON).map(parsed),
    ...values(IN_MULTIPART),
    ...values(IN_FORM).map((value) => decoded(value.replaceAll('+', ' '))),
  ];
}

function parsed(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
