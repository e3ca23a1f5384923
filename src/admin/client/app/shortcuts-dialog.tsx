import { lazy, Suspense, useEffect, useState } from 'react';
import { useShortcut } from './use-shortcut.js';

const ShortcutsList = lazy(async () => ({ default: (await import('./shortcuts-list.js')).ShortcutsList }));

/** The list of shortcuts, on `?` (OPS-210). */
export function ShortcutsDialog() {
  const [opened, setOpened] = useState(false);
  useShortcut('?', () => setOpened(true));
  useEffect(() => {
    const open = () => setOpened(true);
    document.addEventListener('roost:shortcuts', open);
    return () => document.removeEventListener('roost:shortcuts', open);
  }, []);
  return opened ? (
    <Suspense fallback={null}>
      <ShortcutsList onClose={() => setOpened(false)} />
    </Suspense>
  ) : null;
}
