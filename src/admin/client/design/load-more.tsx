import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';

interface LoadMoreProps {
  readonly list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  readonly label?: string;
}

/** The button below a list that fetches its next page; nothing when there is none. */
export function LoadMore({ list, label = 'Load more' }: LoadMoreProps) {
  return list.hasNextPage ? (
    <Button size="xs" variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {label}
    </Button>
  ) : null;
}
