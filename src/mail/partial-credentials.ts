/** What the mail library tells a way of signing in that is not its own. */
interface SignIn {
  sendCommand(command: string): Promise<{ readonly status: number }>;
}

const CONTINUE = 334;
const SIGNED_IN = 235;

/**
 * Ways of signing in for those who have only a user name or only a password, as many services take a key for one of
 * them (AUTH-1302): the library's own refuse to begin without both.
 */
export function partialCredentialAuth(
  username: string,
  password: string,
): Record<string, (signIn: SignIn) => Promise<void>> {
  return {
    PLAIN: (signIn) => send(signIn, `AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, SIGNED_IN),
    LOGIN: async (signIn) => {
      await send(signIn, 'AUTH LOGIN', CONTINUE);
      await send(signIn, base64(username), CONTINUE);
      await send(signIn, base64(password), SIGNED_IN);
    },
  };
}

async function send({ sendCommand }: SignIn, command: string, expected: number): Promise<void> {
  const { status } = await sendCommand(command);
  // The library puts the reason of the server behind it.
  if (status !== expected) throw new Error('Invalid login');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
