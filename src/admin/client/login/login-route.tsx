import { Navigate } from '@tanstack/react-router';
import { useSignedIn } from '../api/use-session.js';
import { Entrance } from '../app/signed-in.js';

export function LoginRoute() {
  return useSignedIn() ? <Navigate to={'/collections' as never} replace /> : <Entrance />;
}
