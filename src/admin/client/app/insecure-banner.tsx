import { ActionIcon } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { IconAlertTriangle, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import classes from './shell.module.css';

function isPrivateHost(host: string): boolean {
  return /^(localhost|.*\.localhost|.*\.local|127\..*|\[?::1\]?|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/.test(
    host,
  );
}

/** Whether the server runs with --dev: only then are hashed assets served with `no-cache` (OPS-201). */
async function isDevelopment(): Promise<boolean> {
  // What the page shows comes first.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const answer = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' });
  return answer.ok && (answer.headers.get('cache-control') ?? '').includes('no-cache');
}

/** Warns about states an installation should not stay in: no TLS on a public host, development mode (UI-5). */
export function InsecureBanner() {
  const [hidden, setHidden] = useSessionStorage({ key: 'roost_banner_hidden', defaultValue: '' });
  const development = useQuery({ queryKey: ['development'], queryFn: isDevelopment, staleTime: Infinity });
  const plain = window.location.protocol === 'http:' && !isPrivateHost(window.location.hostname);
  const warnings = [
    ...(plain ? ['This page is served without TLS: passwords and tokens can be read on the way.'] : []),
    ...(development.data ? ['The server runs with --dev, which is not for production.'] : []),
  ];
  if (!warnings.length || hidden === warnings.join(' ')) return null;
  return (
    <div className={classes.banner} role="status">
      <IconAlertTriangle size={16} aria-hidden />
      <span style={{ flex: 1 }}>{warnings.join(' ')}</span>
      <ActionIcon size={24} aria-label="Hide this warning" onClick={() => setHidden(warnings.join(' '))}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}
