import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { fileTokenQuery, useFileUrl } from '../api/file-token.js';

interface ThumbImageProps {
  readonly record: { id: string; collectionId: string };
  readonly name: string;
  readonly size: number;
  readonly className?: string;
  /** What stands there until there is a picture, and when there is none. */
  readonly fallback: ReactNode;
}

function Picture({ record, name, size, className, fallback }: ThumbImageProps) {
  const queries = useQueryClient();
  const newest = useFileUrl()(record, name, '100x100');
  const [src, setSrc] = useState(newest);
  const [failed, setFailed] = useState(false);
  if (newest && newest !== src && (!src || failed)) {
    setSrc(newest);
    setFailed(false);
  }
  if (!src || failed) return fallback;
  return (
    <img
      src={src}
      alt=""
      loading="lazy"
      width={size}
      height={size}
      className={className}
      onError={() => {
        setFailed(true);
        // Its token may have ended, as while the computer slept: a newer one changes the address.
        void queries.prefetchQuery(fileTokenQuery);
      }}
    />
  );
}

/**
 * The thumbnail of a stored picture. Its address holds a file token and yet stays while it is shown: only a picture
 * that could not be loaded takes a newer one.
 */
export function ThumbImage(props: ThumbImageProps) {
  return <Picture key={`${props.record.collectionId}/${props.record.id}/${props.name}`} {...props} />;
}
