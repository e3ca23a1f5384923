import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopied } from './copy-text.js';
import { IconButton } from './icon-button.js';

/** Copies a text; the icon says that it did. */
export function CopyButton({ value, label = 'Copy', size = 24 }: { value: string; label?: string; size?: number }) {
  const [copied, copy] = useCopied();
  return (
    <IconButton
      data-tip
      size={size}
      aria-label={copied ? 'Copied' : label}
      onClick={(event) => {
        event.stopPropagation();
        copy(value);
      }}
    >
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </IconButton>
  );
}
