import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload, IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useFileUrl } from '../api/file-token.js';
import { Dialog } from '../design/dialog.js';
import { fileKind } from './file-kind.js';
import classes from './files.module.css';

interface FilePreviewDialogProps {
  readonly record: { id: string; collectionId: string };
  readonly names: readonly string[];
  readonly initial: string;
  readonly onClose: () => void;
}

function Stage({ url, name }: { url: string; name: string }) {
  switch (fileKind(name)) {
    case 'image':
      return <img src={url} alt={name} />;
    case 'video':
      return <video src={url} controls aria-label={name} />;
    case 'audio':
      return <audio src={url} controls aria-label={name} />;
    case 'pdf':
      return <iframe src={url} title={name} />;
    default:
      return <p className="hint">There is no preview for this kind of file.</p>;
  }
}

/** A stored file at full size, with the ones before and after it (UI-35). */
export function FilePreviewDialog({ record, names, initial, onClose }: FilePreviewDialogProps) {
  const [name, setName] = useState(initial);
  const fileUrl = useFileUrl();
  const url = fileUrl(record, name);
  const index = names.indexOf(name);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const next =
        event.key === 'ArrowRight' ? names[index + 1] : event.key === 'ArrowLeft' ? names[index - 1] : undefined;
      if (next) setName(next);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [index, names]);
  return (
    <Dialog
      opened
      onClose={onClose}
      size={860}
      flush
      title={<span className="truncate">{name}</span>}
      footer={
        <>
          <ActionIcon
            variant="default"
            aria-label="Previous file"
            disabled={index <= 0}
            onClick={() => setName(names[index - 1]!)}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <span className="hint tabular">
            {index + 1} of {names.length}
          </span>
          <ActionIcon
            variant="default"
            aria-label="Next file"
            disabled={index >= names.length - 1}
            onClick={() => setName(names[index + 1]!)}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
          <span style={{ flex: 1 }} />
          <Button
            component="a"
            size="xs"
            variant="default"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<IconExternalLink size={14} />}
          >
            Open
          </Button>
          <Button
            component="a"
            size="xs"
            variant="default"
            href={`${url}&download=1`}
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
        </>
      }
    >
      <div className={classes.stage}>{url ? <Stage url={url} name={name} /> : null}</div>
    </Dialog>
  );
}
