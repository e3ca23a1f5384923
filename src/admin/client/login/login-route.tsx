import { Navigate } from '@tanstack/react-router';
import { useSignedIn } from '../api/use-session.js';
import { LoginPage } from './login-page.js';

export function LoginRoute() {
  return useSignedIn() ? <Navigate to={'/collections' as never} replace /> : <LoginPage />;
}
