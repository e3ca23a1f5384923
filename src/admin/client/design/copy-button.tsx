import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { IconButton } from './icon-button.js';

/** Copies a text; the icon says that it did. */
export function CopyButton({ value, label = 'Copy', size = 24 }: { value: string; label?: string; size?: number }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <IconButton
      data-tip
      size={size}
      aria-label={clipboard.copied ? 'Copied' : label}
      onClick={(event) => {
        event.stopPropagation();
        clipboard.copy(value);
      }}
    >
      {clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </IconButton>
  );
}
