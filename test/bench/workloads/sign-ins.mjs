/** Signing in with a password, which is slow on purpose, and what a token makes of it. */
export async function signIns({ blog, load, report, token }) {
  const signIn = (index) => ({
    method: 'POST',
    path: blog.signInPath,
    body: blog.identity(Math.abs(index) % blog.userCount),
  });
  const refresh = () => ({
    method: 'POST',
    path: blog.signInPath.replace(/auth-with-password$/, 'auth-refresh'),
    token,
  });
  report.add('sign in with a password', await load.run(signIn), { group: 'auth' });
  report.add('refresh a token', await load.run(refresh), { group: 'auth' });
}
