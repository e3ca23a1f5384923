import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM over text, as base64 of nonce + ciphertext + tag (OPS-10). The key has 32 bytes. */
export function encryptText(text: string, key: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** The text again. Throws when the key is wrong or the value was changed. */
export function decryptText(value: string, key: string): string {
  const bytes = Buffer.from(value, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const content = bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES);
  return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
}

/** Whether a text looks like the work of `encryptText`: whole groups of base64, no shorter than nonce and tag. */
export function isEncrypted(value: string): boolean {
  const isBase64 = value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
  return isBase64 && Buffer.byteLength(value, 'base64') > NONCE_BYTES + TAG_BYTES;
}
