import { IconFolder, IconTable, IconUsers } from '@tabler/icons-react';

const ICONS = { base: IconFolder, auth: IconUsers, view: IconTable } as const;

/** The sign of a collection's type. */
export function CollectionIcon({ type, size = 16 }: { type: 'base' | 'auth' | 'view'; size?: number }) {
  const Icon = ICONS[type] ?? IconFolder;
  return <Icon size={size} stroke={1.6} aria-label={`${type} collection`} role="img" />;
}
