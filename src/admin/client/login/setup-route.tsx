import { useParams } from '@tanstack/react-router';
import { SetupPage } from './setup-page.js';

export function SetupRoute() {
  const { token } = useParams({ strict: false }) as { token: string };
  return <SetupPage initialToken={token} />;
}
