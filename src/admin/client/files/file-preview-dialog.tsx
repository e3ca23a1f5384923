import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload, IconExternalLink } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
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
  const [failed, setFailed] = useState(false);
  const fail = () => setFailed(true);
  if (failed)
    return (
      <p className="hint" role="alert">
        This file could not be loaded. It may be gone, or not be what its name says.
      </p>
    );
  switch (fileKind(name)) {
    case 'image':
      return <img src={url} alt={name} onError={fail} />;
    case 'video':
      return <video src={url} controls aria-label={name} onError={fail} />;
    case 'audio':
      return <audio src={url} controls aria-label={name} onError={fail} />;
    case 'pdf':
      return navigator.pdfViewerEnabled ? (
        <div className={classes.document}>
          <iframe src={url} title={name} />
          <p className="hint">
            Nothing to see? Some browsers show PDFs only when they are opened by themselves: use "Open".
          </p>
        </div>
      ) : (
        <p className="hint">This browser shows no PDFs inside a page: use "Open".</p>
      );
    default:
      return <p className="hint">There is no preview for this kind of file.</p>;
  }
}

/** A stored file at full size, with the ones before and after it (UI-35). */
export function FilePreviewDialog({ record, names, initial, onClose }: FilePreviewDialogProps) {
  const [name, setName] = useState(initial);
  const fileUrl = useFileUrl();
  const url = fileUrl(record, name);
  // The address changes with every new token; what is being looked at must not start anew.
  const opened = useRef(new Map<string, string>());
  if (url && !opened.current.has(name)) opened.current.set(name, url);
  const shown = opened.current.get(name);
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
          {names.length > 1 ? (
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
            </>
          ) : null}
          <span style={{ flex: 1 }} />
          <Button
            component="a"
            size="xs"
            variant="default"
            href={url || undefined}
            data-disabled={!url || undefined}
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
            href={url ? `${url}&download=1` : undefined}
            data-disabled={!url || undefined}
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
        </>
      }
    >
      <div className={classes.stage}>{shown ? <Stage key={name} url={shown} name={name} /> : null}</div>
    </Dialog>
  );
}
