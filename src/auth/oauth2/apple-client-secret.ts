import { SignJWT } from 'jose/jwt/sign';
import { importPKCS8 } from 'jose/key/import';
import type { AppleClientSecretDto } from './apple-client-secret.dto.js';

/** The client secret Apple expects: a JWT signed with the developer's key. Throws when the key cannot be read. */
export async function appleClientSecret(form: AppleClientSecretDto, now: number): Promise<string> {
  const key = await importPKCS8(form.privateKey.trim(), 'ES256');
  const issuedAt = Math.floor(now / 1000);
  return new SignJWT({
    iss: form.teamId,
    sub: form.clientId,
    aud: ['https://appleid.apple.com'],
    iat: issuedAt,
    exp: issuedAt + form.duration,
  })
    .setProtectedHeader({ alg: 'ES256', kid: form.keyId })
    .sign(key);
}
