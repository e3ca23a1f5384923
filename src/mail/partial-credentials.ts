/** What nodemailer passes to a custom authentication method. */
interface SignIn {
  sendCommand(command: string): Promise<{ readonly status: number }>;
}

const CONTINUE = 334;
const SIGNED_IN = 235;

/**
 * Authentication methods for a user name or a password alone, as many services use a single key (AUTH-1302):
 * nodemailer's own require both.
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
  // nodemailer appends the reason of the server.
  if (status !== expected) throw new Error('Invalid login');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
