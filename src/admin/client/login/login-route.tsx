import { Navigate } from '@tanstack/react-router';
import { useToken } from '../api/use-session.js';
import { LoginPage } from './login-page.js';

export function LoginRoute() {
  return useToken() ? <Navigate to={'/collections' as never} replace /> : <LoginPage />;
}
