import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support/oauth2-clients.js';

describe('the invitation to sign in with a provider', () => {
  it('AUTH-803 AUTH-804 has a fresh state and verifier, and ends where clients append their address', () => {
    const client = clientOf('google');
    const invitation = client.invite();
    expect(invitation).toMatchObject({ name: 'google', displayName: 'Google', codeChallengeMethod: 'S256' });
    expect(invitation.state).toMatch(/^[A-Za-z0-9]{30}$/);
    expect(invitation.codeVerifier).toMatch(/^[A-Za-z0-9]{43}$/);
    expect(invitation.codeChallenge).toBe(createHash('sha256').update(invitation.codeVerifier).digest('base64url'));
    expect(invitation.authURL.endsWith('&redirect_uri=')).toBe(true);
    const url = new URL(invitation.authURL);
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client-1',
      response_type: 'code',
      scope: 'https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email',
      state: invitation.state,
      code_challenge: invitation.codeChallenge,
      code_challenge_method: 'S256',
      redirect_uri: '',
    });
    const second = client.invite();
    expect(second.state).not.toBe(invitation.state);
    expect(second.codeVerifier).not.toBe(invitation.codeVerifier);
  });

  it('AUTH-803 has no verifier without PKCE, whoever decides that', () => {
    for (const client of [clientOf('vk'), clientOf('google', { pkce: false })]) {
      const invitation = client.invite();
      expect(invitation).toMatchObject({ codeVerifier: '', codeChallenge: '', codeChallengeMethod: '' });
      expect(invitation.authURL).not.toContain('code_challenge');
    }
    expect(clientOf('vk', { pkce: true }).invite().codeVerifier).not.toBe('');
  });

  it('AUTH-804 keeps the parameters of an address that has some, and encodes what it adds', () => {
    const { authURL } = clientOf('oidc', {
      authURL: 'https://id.example.com/auth?tenant=a',
      clientId: 'a&b=c d',
      displayName: 'Our id',
    }).invite();
    expect(authURL.startsWith('https://id.example.com/auth?tenant=a&client_id=a%26b%3Dc+d&')).toBe(true);
  });

  it('AUTH-804 asks Apple to post the answer, and nobody for no scopes', () => {
    expect(new URL(clientOf('apple').invite().authURL).searchParams.get('response_mode')).toBe('form_post');
    expect(new URL(clientOf('google').invite().authURL).searchParams.has('response_mode')).toBe(false);
    expect(new URL(clientOf('notion').invite().authURL).searchParams.has('scope')).toBe(false);
  });

  it('AUTH-803 AUTH-1003 is incomplete without an address, and has the name the collection gives it', () => {
    expect(clientOf('oidc').isComplete).toBe(false);
    const urls = { authURL: 'https://i/a', tokenURL: 'https://i/t' };
    expect(clientOf('oidc', urls).isComplete).toBe(true);
    expect(clientOf('oidc', { ...urls, displayName: 'Our id' }).invite().displayName).toBe('Our id');
  });
});
